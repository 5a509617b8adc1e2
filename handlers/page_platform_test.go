package handlers_test

import (
	"strconv"
	"strings"
	"testing"
)

func TestOverviewCountsAndLeadsOn(t *testing.T) {
	p, b := acme(t)
	s := b.answers(b.get("/"), 200)
	if got := s.Find(`.counts a[href="` + deploymentsPage + `?state=Placed"] b`).Text(); got != "2" {
		t.Errorf("placed: %q", got)
	}
	for _, want := range []string{"Residency is enforced. Replicas are placed only", "kanji-search", "CACanada", "north-america"} {
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

// moves has the node of a credential report that it runs what it was assigned, in another country.
func (p *apiPlane) moves(credential, country string) {
	p.t.Helper()
	assigned := p.want(p.ask(credential, "GET", "/api/v1/agents/self/assignments?since=0", ""), 200)
	var running []string
	for i := 0; assigned.get("containers."+strconv.Itoa(i)) != ""; i++ {
		running = append(running, `{"id": "`+assigned.get("containers."+strconv.Itoa(i)+".id")+`", "state": "running"}`)
	}
	p.want(p.ask(credential, "PUT", "/api/v1/agents/self/status", `{"labels": {"odysseus.io/country": "`+country+`"}, "capacity": {}, "containers": [`+strings.Join(running, ", ")+`]}`), 200)
	p.settle()
}

func TestOverviewShowsWhatDriftsAndWhatIsWarned(t *testing.T) {
	p := startAPI(t, enforcing())
	node := p.node("edge-yul-1", "canada", "CA", "north-america")
	b := p.person(t, "acme", "editor")
	b.post(deploymentsPage, "name", "ledger-api", "image", goodImage, "replicas", "2", "country", "CA")
	b.post(deploymentsPage, "name", "storefront", "image", goodImage)
	b.post(deploymentsPage, "name", "shadowed", "image", goodImage, "region", "eu-core", "blockedCountries", "FR")
	p.settle()
	calm := b.answers(b.get("/"), 200)
	if got := calm.text(`.counts a[href="` + deploymentsPage + `?state=Drifting"]`); got != "0▲ Drifting" {
		t.Errorf("nothing drifts: %q", got)
	}
	if got := calm.text("main .lead"); strings.Contains(got, "drift") {
		t.Errorf("lead: %q", got)
	}
	p.moves(node, "FR")

	s := b.answers(b.get("/"), 200)
	if got := s.text(`.counts a[href="` + deploymentsPage + `?state=Drifting"]`); got != "1▲ Drifting" {
		t.Errorf("tile: %q", got)
	}
	if got := s.text("main .lead"); !strings.Contains(got, "1 deployment drifts") {
		t.Errorf("lead: %q", got)
	}
	for _, want := range []string{"2 replicas require country CA and run where the node reports FR", "blocked_countries_shadowed"} {
		if !strings.Contains(s.text("main"), want) {
			t.Errorf("no %q in %q", want, s.text("main"))
		}
	}
	operator := p.person(t, "", "operator")
	if got := operator.get("/").text(`.counts a[href="#attention"]`); got != "1▲ Drifting" {
		t.Errorf("the platform's tile: %q", got)
	}

	list := b.answers(b.get(deploymentsPage+"?state=Drifting"), 200)
	if got := names(list); got != "ledger-api" || list.value("state") != "Drifting" {
		t.Errorf("filtered to %q", got)
	}
	if got := list.text("tbody td[data-label=State]"); got != "▲ Drifting● PlacedWarned" {
		t.Errorf("state in the list: %q", got)
	}
	if got := b.get(deploymentsPage + "/ledger-api").text("#deployment-live .lead .state"); got != "▲ Drifting● Placed" {
		t.Errorf("state on its page: %q", got)
	}
	if got := b.get(deploymentsPage + "?q=storefront").text("tbody td[data-label=State]"); got != "● Placed" {
		t.Errorf("state of another: %q", got)
	}
	if got := names(b.get(deploymentsPage + "?state=Drifting&residency=JP")); got != "" {
		t.Errorf("both filters hold: %q", got)
	}
}

func TestEveryPageSaysThatContainersAreSimulated(t *testing.T) {
	p, b := acme(t)
	if b.get("/").Find(".simulated").Length() != 0 {
		t.Error("it is said where it is not so")
	}
	p.want(p.ask(operatorToken, "POST", "/api/v1/clusters", `{"name": "lab", "tenants": ["acme"]}`), 201)
	token := p.want(p.ask(operatorToken, "POST", "/api/v1/clusters/lab/enrolment-tokens", `{}`), 201).get("token")
	p.want(p.ask("", "POST", "/api/v1/agents/enrol", `{"token": "`+token+`", "name": "lab-1", "cluster": "lab", "runtime": "simulated", "labels": {},
		"capacity": {"cpu": "8", "memory": "16Gi", "containers": 10}}`), 201)
	stranger := p.person(t, "globex", "viewer")
	for _, path := range []string{"/", "/pending", "/account", deploymentsPage, deploymentsPage + "/new", deploymentsPage + "/ledger-api", deploymentsPage + "/ledger-api/events"} {
		if got := b.answers(b.get(path), 200).text(".simulated"); !strings.HasPrefix(got, "Containers within your reach are simulated") {
			t.Errorf("%s: %q", path, got)
		}
	}
	if stranger.get("/").Find(".simulated").Length() != 0 {
		t.Error("it is said to those whom it does not concern")
	}
	operator := p.person(t, "", "operator")
	if operator.get("/nodes").Find(".simulated").Length() != 1 {
		t.Error("operators are not told")
	}
}

func TestADrainSaysWhatIsLeftAndWhy(t *testing.T) {
	p, _ := acme(t)
	p.node("edge-nrt-1", "japan", "JP", "")
	b := p.person(t, "", "operator")
	b.leads(b.post("/nodes/edge-yul-1/drain", "graceSeconds", "3600"), "/nodes")
	p.settle()
	s := b.answers(b.get("/nodes?q=edge-yul"), 200)
	row := s.text("tbody tr")
	for _, want := range []string{"4 replicas are left.", "Those with a replacement stop at the latest: in", "acme/ledger-api keeps 2 replicas here:", "requires country CA"} {
		if !strings.Contains(row, want) {
			t.Errorf("no %q in %q", want, row)
		}
	}
	if s.Find(`tbody a[href="`+deploymentsPage+`/ledger-api"]`).Length() != 1 || strings.Contains(row, "acme/storefront") {
		t.Errorf("who stays: %q", row)
	}
	p.node("edge-yul-9", "canada", "CA", "")
	b.leads(b.post("/nodes/edge-yul-9/drain"), "/nodes")
	p.settle()
	if got := b.get("/nodes?q=edge-yul-9").text("tbody tr"); !strings.Contains(got, "Nothing is left on it.") {
		t.Errorf("drained: %q", got)
	}
}

// TestCallsThatStandInForFormsAreAccepted sends what the pages say, in their order, word for word.
func TestCallsThatStandInForFormsAreAccepted(t *testing.T) {
	p := startAPI(t, storing())
	b := p.person(t, "", "operator")
	support := p.person(t, "", "support")
	for _, path := range []string{"/tenants", "/clusters", "/nodes"} {
		s := b.answers(b.get(path), 200)
		if s.Find("details.howto[open]").Length() != 1 {
			t.Errorf("%s: the calls are folded although nothing is there", path)
		}
		if support.get(path).Find(".howto").Length() != 0 {
			t.Errorf("%s: support is told how to do what it may not", path)
		}
		calls := s.Find(".howto pre")
		if calls.Length() == 0 || calls.Length() != s.Find(".howto button[data-copy]").Length() {
			t.Errorf("%s: %d calls", path, calls.Length())
		}
		for _, call := range calls.EachIter() {
			text := call.Text()
			address, rest, _ := strings.Cut(strings.TrimPrefix(text, "curl "), " \\\n")
			_, body, _ := strings.Cut(rest, "-d '")
			route, here := strings.CutPrefix(address, p.url)
			if !here || !strings.Contains(text, `-H "Authorization: Bearer $ODYSSEUS_TOKEN"`) || !strings.Contains(text, `-H "Content-Type: application/json"`) {
				t.Errorf("%s: %q", path, text)
			}
			p.want(p.ask(operatorToken, "POST", route, strings.TrimSuffix(body, "'")), 201)
		}
	}
	if b.get("/tenants").Find("details.howto:not([open])").Length() != 1 {
		t.Error("the calls are in the way although tenants are there")
	}
	if got := b.get("/tenants").text("thead"); got != "TenantDisplay nameNamespacesPending deploymentsCreated" {
		t.Errorf("columns: %q", got)
	}
}
