package handlers_test

import (
	"strings"
	"testing"
)

const sumsJob = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: sums}\nspec: {parallelism: 4, template: {spec: {restartPolicy: Never, containers: [{name: a, image: nginx}]}}}\n"

// waiting is acme with a Deployment of apps/v1 and a Job that no policy propagates, beside its own deployments.
func waiting(t *testing.T) (*apiPlane, *browser) {
	t.Helper()
	p, b := acme(t)
	for _, text := range []string{webApp, sumsJob} {
		b.leads(b.post(resourcesPage, "yaml", text), resourceOf(text))
		p.settle()
	}
	return p, b
}

func resourceOf(text string) string {
	if text == webApp {
		return of(resourcesPage, "apps/v1", "Deployment", "web")
	}
	return of(resourcesPage, "batch/v1", "Job", "sums")
}

func TestAPIListsEveryPendingWorkload(t *testing.T) {
	p, _ := waiting(t)
	editor, other := p.tenant("acme", "editor"), p.tenant("globex", "editor")
	a := p.want(p.ask(editor, "GET", "/api/v1/pending?reason=no_policy", ""), 200)
	for path, want := range map[string]string{
		"items.0.apiVersion": "apps/v1", "items.0.kind": "Deployment", "items.0.namespace": "acme", "items.0.name": "web", "items.0.tenant": "", "items.0.state": "Waiting",
		"items.0.replicas": "3", "items.0.reasons.0.code": "no_policy", "items.0.reasons.1": "",
		"items.1.apiVersion": "batch/v1", "items.1.kind": "Job", "items.1.namespace": "acme", "items.1.name": "sums", "items.1.tenant": "", "items.1.state": "Waiting",
		"items.1.replicas": "4", "items.1.reasons.0.code": "no_policy", "items.1.reasons.1": "", "items.2": "",
	} {
		if got := a.get(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if a.get("items.0.since") == "" || a.get("items.0.reasons.0.message") == "" {
		t.Errorf("no time or no words: %s", a.body)
	}
	for _, tt := range []struct {
		token, query, want string
	}{
		{editor, "", "odysseus/v1 Deployment kanji-search, apps/v1 Deployment web, batch/v1 Job sums"},
		{operatorToken, "?tenant=acme", "odysseus/v1 Deployment kanji-search, apps/v1 Deployment web, batch/v1 Job sums"},
		{operatorToken, "?tenant=globex", ""},
		{other, "?tenant=acme", ""},
		{editor, "?reason=geo_mismatch", "odysseus/v1 Deployment kanji-search"},
		{editor, "?reason=gang", ""},
	} {
		var got []string
		path := "/api/v1/pending" + tt.query
		join := "?"
		if tt.query != "" {
			join = "&"
		}
		for next := ""; ; {
			a := p.want(p.ask(tt.token, "GET", path+join+"limit=1"+next, ""), 200)
			if a.get("items.0.name") != "" {
				got = append(got, a.get("items.0.apiVersion")+" "+a.get("items.0.kind")+" "+a.get("items.0.name"))
			}
			if a.get("metadata.continue") == "" {
				break
			}
			next = "&continue=" + a.get("metadata.continue")
		}
		if text := strings.Join(got, ", "); text != tt.want {
			t.Errorf("%q: %s, want %s", tt.query, text, tt.want)
		}
	}
	if staff := p.want(p.ask(operatorToken, "GET", "/api/v1/pending?reason=no_policy", ""), 200); staff.get("items.0.tenant") != "acme" || staff.get("items.1.tenant") != "acme" {
		t.Errorf("staff are not told whose: %s", staff.body)
	}
}

func TestPagesNameEveryPendingWorkload(t *testing.T) {
	p, b := waiting(t)
	support := p.person(t, "", "support")
	job, app := resourceOf(sumsJob), resourceOf(webApp)
	for name, tt := range map[string]struct {
		who   *browser
		query string
		want  [][3]string // name, kind and where it leads
	}{
		"support":              {support, "", [][3]string{{"kanji-search", "odysseus/v1 Deployment", deploymentsPage + "/kanji-search"}, {"web", "apps/v1 Deployment", app}, {"sums", "batch/v1 Job", job}}},
		"a tenant":             {b, "", [][3]string{{"kanji-search", "odysseus/v1 Deployment", deploymentsPage + "/kanji-search"}, {"web", "apps/v1 Deployment", app}, {"sums", "batch/v1 Job", job}}},
		"for a reason":         {support, "?reason=no_policy", [][3]string{{"web", "apps/v1 Deployment", app}, {"sums", "batch/v1 Job", job}}},
		"of a tenant, by name": {support, "?tenant=acme&q=SUM", [][3]string{{"sums", "batch/v1 Job", job}}},
		"of another tenant":    {support, "?tenant=globex", nil},
	} {
		t.Run(name, func(t *testing.T) {
			who := &browser{t: t, plane: p, client: tt.who.client}
			rows := who.answers(who.get("/pending"+tt.query), 200).Find("#pending-list tbody tr:has(th[scope=row] > a)")
			if rows.Length() != len(tt.want) {
				t.Fatalf("%d rows: %q", rows.Length(), rows.Text())
			}
			for i, row := range rows.EachIter() {
				link := row.Find("th a")
				if got := [3]string{link.Text(), row.Find("td").First().Text(), link.AttrOr("href", "")}; got != tt.want[i] {
					t.Errorf("got %q, want %q", got, tt.want[i])
				}
			}
		})
	}
	row := support.get("/pending?q=sums").text("#pending-list tbody tr:has(th[scope=row] > a)")
	for _, want := range []string{"acme", "4 of 4", "no_policy"} {
		if !strings.Contains(row, want) {
			t.Errorf("no %q in %q", want, row)
		}
	}
	support.answers(support.get(job), 200)
}

func TestOverviewCountsEveryWorkload(t *testing.T) {
	p, b := waiting(t)
	for name, tt := range map[string]struct {
		who  *browser
		path string
	}{"a tenant": {b, deploymentsPage + "?state=Waiting"}, "support": {p.person(t, "", "support"), "/tenants"}} {
		t.Run(name, func(t *testing.T) {
			who := &browser{t: t, plane: p, client: tt.who.client}
			s := who.answers(who.get("/"), 200)
			var counts []string
			for _, item := range s.Find(".counts li").EachIter() {
				counts = append(counts, item.Find("b").Text())
			}
			if got := strings.Join(counts, " "); got != "2 0 1 2 0" {
				t.Errorf("counts %q", got)
			}
			if got := s.Find(".counts .second"); got.Length() != 1 || got.Text() != "of them 2 other workloads" || got.AttrOr("href", "") != "/pending" ||
				got.Parent().Find("a").First().AttrOr("href", "") != tt.path {
				t.Errorf("second line %q", got.Text())
			}
			for _, path := range []string{resourceOf(webApp), resourceOf(sumsJob), deploymentsPage + "/kanji-search"} {
				found := false
				for _, link := range s.Find("#attention ~ table a").EachIter() {
					found = found || link.AttrOr("href", "") == path
				}
				if !found {
					t.Errorf("nothing leads to %s", path)
				}
			}
		})
	}
}
