package main

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
)

// secretName is in the name of every node of the crawl's fleet, and nowhere else.
const secretName = "zeppelin"

// tenantPaths are what a tenant may GET of the API, beside what the pages link to.
func tenantPaths() []string {
	paths := []string{"/api/v1/namespaces/acme/deployments", "/api/v1/scheduler/regions", "/api/v1/scheduler/geography", "/api/v1/pending", "/api/v1/clusters",
		"/api/v1/clusters/atlantic", "/api/v1/tenants/acme/tokens", "/openapi.json", "/metrics", "/healthz", "/readyz",
		// what a tenant may not see must not tell by its answer either
		"/api/v1/nodes", "/api/v1/nodes/" + secretName + "-ca-1", "/api/v1/audit", "/nodes", "/clusters", "/audit", "/nodes/" + secretName + "-ca-1",
		"/api/v1/namespaces/acme/propagationpolicies", "/api/v1/namespaces/acme/propagationpolicies/free-policy", "/api/v1/namespaces/acme/resources",
		"/api/v1/namespaces/acme/resources?apiVersion=v1&kind=ConfigMap&name=cm", "/api/v1/clusterpropagationpolicies", "/policies", "/resources",
		"/api/v1/namespaces/acme/overridepolicies", "/api/v1/namespaces/acme/overridepolicies/free-override", "/api/v1/clusteroverridepolicies"}
	for _, name := range []string{"placed", "pending", "shadowed", "drifting", "blocked", "free"} {
		for _, part := range []string{"", "/placement", "/events", "/revisions"} {
			paths = append(paths, "/api/v1/namespaces/acme/deployments/"+name+part)
		}
	}
	return paths
}

// crawl collects every page that the client can reach by links from /, and every path of the API.
func (p *plane) crawl(client *http.Client, token string) map[string]string {
	p.t.Helper()
	found := map[string]string{}
	queue := []string{"/"}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		if _, done := found[path]; done {
			continue
		}
		r := p.page(client, path)
		if r.status >= 500 {
			p.t.Errorf("GET %s: %d", path, r.status)
		}
		found[path] = headerText(r.header) + r.body
		if !strings.Contains(r.header.Get("Content-Type"), "html") {
			continue
		}
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(r.body))
		if err != nil {
			p.t.Fatalf("read %s: %v", path, err)
		}
		here, _ := url.Parse(p.base + path)
		doc.Find("a[href], [hx-get]").Each(func(_ int, a *goquery.Selection) {
			for _, attribute := range []string{"href", "hx-get"} {
				link, ok := a.Attr(attribute)
				if !ok {
					continue
				}
				to, err := here.Parse(link)
				if err != nil || to.Host != here.Host {
					continue
				}
				queue = append(queue, to.RequestURI())
			}
		})
	}
	for _, path := range tenantPaths() {
		r := p.call(http.MethodGet, path, token, nil)
		found["API "+path] = headerText(r.header) + r.body
	}
	return found
}

func headerText(h http.Header) string {
	var b strings.Builder
	for _, key := range slices.Sorted(func(yield func(string) bool) {
		for key := range h {
			if !yield(key) {
				return
			}
		}
	}) {
		// Of what differs from one answer to the next by nature, only the name.
		if key == "Date" || key == "X-Request-Id" || key == "Set-Cookie" {
			continue
		}
		b.WriteString(key + ": " + strings.Join(h[key], ",") + "\n")
	}
	return b.String()
}

// numbersOfMetrics are counts of requests and of the process, which every request changes.
var numbersOfMetrics = regexp.MustCompile(`(?m) [0-9.e+-]+$`)

// TestTenantsNeverSeeANode crawls every page and path for names of nodes; and nothing at all changes when an
// identical node joins, so that no answer gives away a count.
func TestTenantsNeverSeeANode(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	p := startPlaneAt(t, enforced, func() time.Time { return at })
	token := p.tenant("acme")
	p.tenant("globex")
	p.cluster("atlantic")
	p.cluster("private", "globex")
	canadian := p.node(secretName+"-ca-1", "atlantic", "CA", "north-america")
	german := p.node(secretName+"-de-1", "atlantic", "DE", "eu-core")
	moving := p.node(secretName+"-nl-1", "atlantic", "NL", "")
	p.node(secretName+"-jp-1", "private", "JP", "")
	manifest := func(name string, block ...string) { p.mustDeploy(token, "acme", manifestOf(name, block)) }
	manifest("placed", "country: CA")
	manifest("pending", "country: JP")
	manifest("shadowed", "region: eu-core", "blockedCountries: [FR]")
	manifest("drifting", "country: NL")
	manifest("blocked", "blockedCountries: [US]")
	p.mustDeploy(token, "acme", "apiVersion: odysseus/v1\nkind: Deployment\nmetadata: {name: free}\nspec: {image: nginx, replicas: 3}\n")
	p.must(http.StatusCreated, http.MethodPost, "/api/v1/namespaces/acme/resources", token, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm}\ndata: {a: b}\n")
	for _, selected := range []string{"free", "pending", "drifting"} {
		p.must(http.StatusCreated, http.MethodPost, "/api/v1/namespaces/acme/propagationpolicies", token, policyOf(selected+"-policy", selected))
	}
	for selected, path := range map[string]string{"free": "/spec/replicas", "pending": "/spec/nothing/here"} {
		p.must(http.StatusCreated, http.MethodPost, "/api/v1/namespaces/acme/overridepolicies", token, overrideOf(selected+"-override", selected, "atlantic", path))
	}
	p.settle()
	for _, m := range []*member{canadian, german, moving} {
		m.carryOut()
	}
	moving.setGeo("BE", "")
	moving.beat()
	p.settle()

	editor := p.person("acme", "ada@acme.example", "editor")
	viewer := p.person("acme", "vera@acme.example", "viewer")
	before := p.crawl(editor, token)
	if len(before) < 60 {
		t.Errorf("the crawl found only %d answers", len(before))
	}
	for path, answer := range before {
		if strings.Contains(answer, secretName) {
			i := strings.Index(answer, secretName)
			if !strings.Contains(path, secretName) { // quoting the tenant's own address back is no leak
				t.Errorf("%s names a node: …%s…", path, answer[max(0, i-80):min(len(answer), i+80)])
			}
		}
		if strings.Contains(answer, "JP") && strings.HasSuffix(path, "geography") {
			t.Errorf("%s tells of another tenant's node: %s", path, answer)
		}
	}
	for path, answer := range p.crawl(viewer, p.token("acme", "viewer")) {
		if strings.Contains(answer, secretName) && !strings.Contains(path, secretName) {
			t.Errorf("a viewer's %s names a node", path)
		}
	}

	before = p.crawl(editor, token) // the viewer's token is listed now
	twin := p.node(secretName+"-ca-2", "atlantic", "CA", "north-america")
	p.settle()
	after := p.crawl(editor, token)
	for path, answer := range before {
		if strings.HasSuffix(path, "/metrics") {
			answer, after[path] = numbersOfMetrics.ReplaceAllString(answer, ""), numbersOfMetrics.ReplaceAllString(after[path], "")
		}
		if after[path] != answer {
			t.Errorf("%s changes when an identical node joins:\n%s", path, firstDifference(answer, after[path]))
		}
	}
	if twin.running() != 0 {
		t.Errorf("the twin was given %d replicas that had a place", twin.running())
	}
}

func firstDifference(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return "before …" + a[max(0, i-60):min(len(a), i+100)] + "…\nafter  …" + b[max(0, i-60):min(len(b), i+100)] + "…"
}

// mustDeploy creates from a manifest.
func (p *plane) mustDeploy(token, namespace, manifest string) {
	p.t.Helper()
	p.must(http.StatusCreated, http.MethodPost, "/api/v1/namespaces/"+namespace+"/deployments", token, manifest)
}
