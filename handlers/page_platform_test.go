package handlers_test

import (
	"strings"
	"testing"
)

func TestOverviewCountsAndLeadsOn(t *testing.T) {
	p, b := acme(t)
	s := b.answers(b.get("/"), 200)
	if got := s.Find(`.counts a[href="` + deploymentsPage + `?state=Placed"] b`).Text(); got != "2" {
		t.Errorf("placed: %q", got)
	}
	for _, want := range []string{"Residency is enforced.", "kanji-search", "CACanada", "north-america"} {
		if !strings.Contains(s.text("main"), want) {
			t.Errorf("no %q in %q", want, s.text("main"))
		}
	}
	if got := s.Find(".side .nav a").Length(); got > 6 || s.Find(`.side .nav a[aria-current=page]`).Text() != "Overview" {
		t.Errorf("side bar of %d", got)
	}
	operator := p.person(t, "", "operator")
	all := operator.answers(operator.get("/"), 200)
	if got := all.Find(".side .nav a").Length(); got != 6 || !strings.Contains(all.text("main"), "kanji-search") {
		t.Errorf("operator: %d %s", got, all.text("main"))
	}
}

func TestPendingIsSearched(t *testing.T) {
	p, b := acme(t)
	globex := p.person(t, "globex", "editor")
	globex.post("/namespaces/globex/deployments", "name", "claims", "image", goodImage, "country", "JP")
	p.settle()
	operator := p.person(t, "", "operator")
	for name, tt := range map[string]struct {
		who   *browser
		query string
		want  string
	}{
		"a tenant sees its own":      {b, "", "kanji-search"},
		"whatever it asks":           {b, "?tenant=globex", "kanji-search"},
		"the platform sees all":      {operator, "", "kanji-search claims"},
		"of one tenant":              {operator, "?tenant=globex", "claims"},
		"by name":                    {operator, "?q=kan", "kanji-search"},
		"by reason":                  {operator, "?reason=geo_mismatch", "kanji-search claims"},
		"by a reason nobody has":     {operator, "?reason=capacity", ""},
		"a reason that is no reason": {operator, "?reason=zz", ""},
	} {
		t.Run(name, func(t *testing.T) {
			who := &browser{t: t, plane: p, client: tt.who.client}
			s := who.answers(who.get("/pending"+tt.query), 200)
			var found []string
			for _, link := range s.Find("#pending-list tbody th a").EachIter() {
				found = append(found, link.Text())
			}
			if got := strings.Join(found, " "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNodesAreCordonedAndDrained(t *testing.T) {
	p, _ := acme(t)
	b := p.person(t, "", "operator")
	s := b.answers(b.get("/nodes?cluster=canada"), 200)
	if got := s.text("tbody tr"); !strings.Contains(got, "edge-yul-1") || !strings.Contains(got, "Live") || !strings.Contains(got, "north-america") {
		t.Errorf("row: %q", got)
	}
	b.leads(b.post("/nodes/edge-yul-1/cordon"), "/nodes")
	if got := b.get("/nodes"); got.text("#flash") != "edge-yul-1 takes no new replicas." || !strings.Contains(got.text("tbody"), "Cordoned") {
		t.Errorf("cordoned: %s", got.text("main"))
	}
	b.leads(b.post("/nodes/edge-yul-1/uncordon"), "/nodes")
	confirm := b.answers(b.get("/nodes/edge-yul-1/drain"), 200)
	if got := confirm.text("main li"); !strings.Contains(got, "4 containers run there.") {
		t.Errorf("consequences: %q", got)
	}
	refused := b.answers(b.post("/nodes/edge-yul-1/drain", "graceSeconds", "soon"), 422)
	if !strings.Contains(refused.refusal("graceSeconds"), `"soon"`) || refused.value("graceSeconds") != "soon" {
		t.Errorf("refused: %s", refused.text("main"))
	}
	b.leads(b.post("/nodes/edge-yul-1/drain", "graceSeconds", "60"), "/nodes")
	if got := b.get("/nodes").text("tbody"); !strings.Contains(got, "Draining") {
		t.Errorf("draining: %q", got)
	}
	b.answers(b.get("/nodes/nowhere/drain"), 404)
	support := p.person(t, "", "support")
	if support.answers(support.get("/nodes"), 200).Find("tbody form").Length() != 0 {
		t.Error("support is offered what it may not do")
	}
	support.answers(support.post("/nodes/edge-yul-1/cordon"), 403)
}

func TestTablesOfThePlatform(t *testing.T) {
	p, editor := acme(t)
	editor.post(deploymentsPage, "name", "web", "image", goodImage, "country", "UK")
	b := p.person(t, "", "operator")
	for path, wants := range map[string][]string{
		"/clusters":     {"canada", "agents", "1/1", "every tenant"},
		"/tenants":      {"acme"},
		"/audit":        {"editor@acmeplatform.test", "create", "acme/web", "Refused", "residency_country_unassigned", "Accepted"},
		"/audit?q=acme": {"acme"},
	} {
		got := b.answers(b.get(path), 200).text("tbody")
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in %q", path, want, got)
			}
		}
	}
	if b.get("/tenants").Find(`a[href="`+deploymentsPage+`"]`).Length() != 1 {
		t.Error("no way to the tenant's deployments")
	}
}
