package handlers_test

import (
	"strings"
	"testing"
)

// acme is a tenant with an editor and four deployments: one placed, one pending, one drifting and one without
// residency.
func acme(t *testing.T) (*apiPlane, *browser) {
	t.Helper()
	p := startAPI(t, enforcing())
	p.node("edge-yul-1", "canada", "CA", "north-america")
	b := p.person(t, "acme", "editor")
	for name, country := range map[string]string{"ledger-api": "CA", "kanji-search": "JP", "storefront": ""} {
		b.leads(b.post(deploymentsPage, "name", name, "image", goodImage, "replicas", "2", "country", country), deploymentsPage+"/"+name)
	}
	p.settle()
	return p, b
}

func names(s sheet) string {
	var found []string
	for _, link := range s.Find("#deployments-list tbody th a").EachIter() {
		found = append(found, link.Text())
	}
	return strings.Join(found, " ")
}

func TestListOfDeploymentsIsFiltered(t *testing.T) {
	_, b := acme(t)
	for query, want := range map[string]string{
		"":                               "kanji-search ledger-api storefront",
		"?q=an":                          "kanji-search",
		"?state=Placed":                  "ledger-api storefront",
		"?state=Pending":                 "kanji-search",
		"?residency=any":                 "kanji-search ledger-api",
		"?residency=none":                "storefront",
		"?residency=CA":                  "ledger-api",
		"?q=e&state=Placed&residency=CA": "ledger-api",
		"?q=zz":                          "",
	} {
		s := b.answers(b.get(deploymentsPage+query), 200)
		if got := names(s); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	if got := b.get(deploymentsPage + "?q=zz").text(".empty"); !strings.HasPrefix(got, "Nothing matches this search.") {
		t.Errorf("no matches: %q", got)
	}
	filtered := b.get(deploymentsPage + "?q=an&state=Pending&residency=any")
	if filtered.value("q") != "an" || filtered.value("state") != "Pending" || filtered.value("residency-filter") != "any" {
		t.Error("the filters are forgotten")
	}
	row := b.get(deploymentsPage + "?q=kanji").text("#deployments-list tbody tr")
	for _, want := range []string{"Pending", "country JP", "0/2"} {
		if !strings.Contains(row, want) {
			t.Errorf("no %q in %q", want, row)
		}
	}
}

func TestEmptyListSaysWhatToDo(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.person(t, "acme", "editor")
	s := b.get(deploymentsPage)
	if got := s.text(".empty"); !strings.HasPrefix(got, "No deployments yet.") || s.Find(`.empty a[href="`+deploymentsPage+`/new"]`).Length() != 1 {
		t.Errorf("got %q", got)
	}
	v := p.person(t, "acme", "viewer")
	if v.get(deploymentsPage).Find(`a[href="`+deploymentsPage+`/new"]`).Length() != 0 {
		t.Error("a viewer is offered what it may not do")
	}
}

func TestLongListHasPages(t *testing.T) {
	p := startAPI(t, enforcing())
	b := p.person(t, "acme", "editor")
	var stream strings.Builder
	for i := range 101 {
		stream.WriteString(strings.Replace(manifest, "ledger-api\n", "d"+string(rune('a'+i/26))+string(rune('a'+i%26))+"\n", 1) + "---\n")
	}
	editor := p.token("/api/v1/tenants/acme/tokens", "editor")
	p.want(p.ask(editor, "POST", "/api/v1/apply", stream.String()), 200)
	first := b.answers(b.get(deploymentsPage+"?q=d"), 200)
	next := first.Find("a[rel=next]").AttrOr("href", "")
	if first.Find("tbody tr").Length() != 100 || !strings.Contains(next, "q=d") || len(first.raw) > 100_000 {
		t.Fatalf("%d rows, next %q, %d bytes", first.Find("tbody tr").Length(), next, len(first.raw))
	}
	last := b.answers(b.get(next), 200)
	if last.Find("tbody tr").Length() != 1 || last.Find("a[rel=next]").Length() != 0 || last.Find(".pager a").AttrOr("href", "") != deploymentsPage+"?q=d" {
		t.Errorf("last page: %s", last.text("#deployments-list"))
	}
}

func TestPartsRefreshAlone(t *testing.T) {
	_, b := acme(t)
	for path, part := range map[string]string{
		deploymentsPage + "?q=ledger": "deployments-list", deploymentsPage + "/ledger-api": "deployment-live", "/pending": "pending-list", "/": "overview-live",
	} {
		whole := b.answers(b.get(path), 200)
		if got := whole.Find("#"+part).AttrOr("hx-get", ""); got != path {
			t.Errorf("%s refreshes from %q", path, got)
		}
		htmx := &browser{t: t, plane: b.plane, client: b.client, part: part}
		s := htmx.answers(htmx.get(path), 200)
		if s.Find("main, nav.nav, h1, #"+part).Length() != 0 || s.text("body") == "" {
			t.Errorf("%s: not the part alone: %s", path, s.raw)
		}
		other := &browser{t: t, plane: b.plane, client: b.client, part: "something-else"}
		if other.get(path).Find("main").Length() != 1 {
			t.Errorf("%s: a part that it does not have is not the whole page", path)
		}
	}
}

func TestPageOfADeploymentSaysWhereAndWhyNot(t *testing.T) {
	p, b := acme(t)
	placed := b.answers(b.get(deploymentsPage+"/ledger-api"), 200)
	if got := placed.text("#deployment-live .lead"); !strings.Contains(got, "Placed") || !strings.Contains(got, "2 of 2 replicas placed") || !strings.Contains(got, "Requires country CA.") {
		t.Errorf("lead: %q", got)
	}
	if got := placed.text(".split tbody tr"); got != "canada 2220100 %" {
		t.Errorf("split: %q", got)
	}
	if placed.Find(".split svg[role=img] title").Length() != 1 || placed.Find("[aria-labelledby=limits-title] li").Length() < 5 {
		t.Error("no picture with a title, or no word on what residency does not do")
	}
	if got := placed.text("dl.facts"); !strings.Contains(got, "odysseus.io/data-residency-country: CA") {
		t.Errorf("facts: %q", got)
	}
	pending := b.answers(b.get(deploymentsPage+"/kanji-search"), 200)
	if got := pending.text(`.reason[data-code="geo_mismatch"]`); !strings.Contains(got, "requires country JP; nodes report CA") {
		t.Errorf("reason: %q", got)
	}
	for _, path := range []string{"/docs/never-scheduled", "/docs/placement", "/docs/residency", "/docs/deployment", "/docs/rejections"} {
		if pending.Find(`#deployment-live a[href="`+path+`"]`).Length() == 0 {
			t.Errorf("no link to %s", path)
		}
	}
	if free := b.get(deploymentsPage + "/storefront"); free.Find("[aria-labelledby=limits-title]").Length() != 0 {
		t.Error("the panel stands where no residency is declared")
	}
	staff := p.person(t, "", "support")
	if got := staff.answers(staff.get(deploymentsPage+"/kanji-search"), 200).text(".reason details"); !strings.Contains(got, "edge-yul-1canadaCAnorth-americaoutside the residency") {
		t.Errorf("per-node refusals: %q", got)
	}
	if got := staff.get(deploymentsPage + "/ledger-api").text(".split details"); !strings.Contains(got, "edge-yul-1: 2 replicas") {
		t.Errorf("nodes of the split: %q", got)
	}
	if staff.get(deploymentsPage+"/ledger-api").Find(`a[href$="/edit"], a[href$="/delete"]`).Length() != 0 {
		t.Error("support is offered what it may not do")
	}
}

func TestTenantsPagesNameNoNode(t *testing.T) {
	_, b := acme(t)
	for _, path := range []string{"/", "/pending", "/account", deploymentsPage, deploymentsPage + "/new", deploymentsPage + "/ledger-api", deploymentsPage + "/ledger-api/edit",
		deploymentsPage + "/ledger-api/events", deploymentsPage + "/ledger-api/revisions", deploymentsPage + "/ledger-api/delete", deploymentsPage + "/kanji-search"} {
		if s := b.answers(b.get(path), 200); strings.Contains(s.raw, "edge-yul-1") {
			t.Errorf("%s names a node", path)
		}
	}
}

func TestEventsAndRevisions(t *testing.T) {
	_, b := acme(t)
	path := deploymentsPage + "/ledger-api"
	b.leads(b.post(path, "name", "ledger-api", "image", goodImage, "replicas", "4", "country", "CA"), path)
	events := b.answers(b.get(path+"/events"), 200)
	for _, want := range []string{"Created", "2 replicas got a place", "Scaled from 2 to 4 replicas, revision 2"} {
		if !strings.Contains(events.text("tbody"), want) {
			t.Errorf("no %q in %q", want, events.text("tbody"))
		}
	}
	revisions := b.answers(b.get(path+"/revisions"), 200)
	if revisions.Find("main section[aria-labelledby^=revision]").Length() != 2 || revisions.Find("form[action$='/rollback']").Length() != 1 {
		t.Errorf("revisions: %s", revisions.text("main"))
	}
	if got := revisions.text(`section[aria-labelledby="revision-2"] .new`); got != "+ replicas: 4" {
		t.Errorf("difference: %q", got)
	}
	first := revisions.Find(`section[aria-labelledby="revision-1"]`)
	if got := first.Text(); !strings.Contains(got, "This is the first revision.") || !strings.Contains(got, "replicas: 2") || first.Find(".diff").Length() != 0 {
		t.Errorf("the first revision: %q", got)
	}
	version := revisions.Find("form[action$='/rollback'] input[name=version]").AttrOr("value", "")
	b.leads(b.post(path+"/rollback", "revision", "1", "version", version), path)
	if got := b.get(path); got.text("#flash") != "Rolled back to revision 1." || !strings.Contains(got.Find("#manifest").Text(), "replicas: 2") {
		t.Errorf("rolled back: %s", got.text("main"))
	}
	b.answers(b.post(path+"/rollback", "revision", "1", "version", version), 409)
	for text, code := range map[string]string{"99": "revision_unknown", "one": "wrong_type", "": "wrong_type"} {
		s := b.answers(b.post(path+"/rollback", "revision", text), 422)
		if s.Find(`#problems [data-code="`+code+`"]`).Length() != 1 {
			t.Errorf("%q: %s", text, s.text("#problems"))
		}
	}
}

func TestDeletingAsksOnceInNumbers(t *testing.T) {
	_, b := acme(t)
	path := deploymentsPage + "/ledger-api"
	s := b.answers(b.get(path+"/delete"), 200)
	if got := s.text("main li"); !strings.Contains(got, "2 placed replicas are stopped.") {
		t.Errorf("consequences: %q", got)
	}
	b.answers(b.post(path+"/delete", "version", "1"), 409)
	b.leads(b.post(path+"/delete", "version", s.Find("main input[name=version]").AttrOr("value", "")), deploymentsPage)
	if got := b.get(deploymentsPage); !strings.HasPrefix(got.text("#flash"), "ledger-api is deleted.") || strings.Contains(names(got), "ledger-api") {
		t.Errorf("after: %s", got.text("main"))
	}
	b.answers(b.get(path), 404)
}

func TestRolesAndTenantsArePagesToo(t *testing.T) {
	p, _ := acme(t)
	viewer, stranger, support := p.person(t, "acme", "viewer"), p.person(t, "globex", "editor"), p.person(t, "", "support")
	path := deploymentsPage + "/ledger-api"
	for name, tt := range map[string]struct {
		who    *browser
		path   string
		post   bool
		status int
	}{
		"a viewer reads":                       {viewer, path, false, 200},
		"a viewer does not write":              {viewer, path, true, 403},
		"nor creates":                          {viewer, deploymentsPage, true, 403},
		"nor deletes":                          {viewer, path + "/delete", true, 403},
		"another tenant finds nothing":         {stranger, path, false, 404},
		"nor a list":                           {stranger, deploymentsPage, false, 404},
		"nor a form":                           {stranger, deploymentsPage + "/new", false, 404},
		"nor writes":                           {stranger, path, true, 404},
		"what is not there is the same":        {stranger, "/namespaces/nowhere/deployments", false, 404},
		"a name that cannot be one":            {viewer, deploymentsPage + "/No_Name", false, 404},
		"support reads everything":             {support, path + "/revisions", false, 200},
		"and the operators' pages":             {support, "/settings/residency", false, 200},
		"and changes nothing":                  {support, path, true, 403},
		"nor a setting":                        {support, "/settings/residency", true, 403},
		"tenants have no business at settings": {viewer, "/settings/residency", false, 403},
		"nor at nodes":                         {viewer, "/nodes", false, 403},
		"an unknown path":                      {viewer, "/nowhere", false, 404},
	} {
		t.Run(name, func(t *testing.T) {
			b := &browser{t: t, plane: p, client: tt.who.client}
			var s sheet
			if tt.post {
				s = b.post(tt.path, "name", "ledger-api", "image", goodImage, "action", "save")
			} else {
				s = b.get(tt.path)
			}
			b.answers(s, tt.status)
			if tt.status != 200 && (s.Find("[data-code]").Length() != 1 || !strings.HasPrefix(s.text("title"), "Error: ")) {
				t.Errorf("the page: %s", s.text("main"))
			}
		})
	}
}
