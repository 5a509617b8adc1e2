package static

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func TestAssetsAreServedUnderTheirHashForEver(t *testing.T) {
	server := httptest.NewServer(Handler())
	defer server.Close()
	for name, contentType := range map[string]string{
		Stylesheet: "text/css; charset=utf-8",
		Script:     "text/javascript; charset=utf-8",
		Icon:       "image/svg+xml",
	} {
		t.Run(name, func(t *testing.T) {
			if !regexp.MustCompile(`^/static/.+\.[0-9a-f]{12}\.[a-z]+$`).MatchString(URL(name)) {
				t.Fatalf("URL %q has no hash", URL(name))
			}
			answer, err := http.Get(server.URL + URL(name))
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			body, err := io.ReadAll(answer.Body) // the client has unpacked it
			if err != nil {
				t.Fatal(err)
			}
			want, err := files.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if answer.StatusCode != 200 || string(body) != string(want) || answer.Header.Get("Content-Type") != contentType ||
				answer.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
				t.Errorf("got %d %v, %d bytes", answer.StatusCode, answer.Header, len(body))
			}
		})
	}
}

func TestNothingElseIsServed(t *testing.T) {
	for _, path := range []string{"/static/", "/static/console.css", "/static/vendor/README.md", "/static/../static.go", "/static/console.000000000000.css"} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/static/", nil)
		r.URL.Path = path
		Handler().ServeHTTP(w, r)
		if w.Code != 404 {
			t.Errorf("%s: got %d", path, w.Code)
		}
	}
	if URL("gone.css") != "" || Has("gone.css") || !Has(Script) {
		t.Error("a missing asset has a URL, or one that is there has none")
	}
}

// The promise of the console: no JavaScript beyond htmx and at most 5 kB of our own.
func TestOwnScriptStaysSmall(t *testing.T) {
	script, err := files.ReadFile(Script)
	if err != nil {
		t.Fatal(err)
	}
	if len(script) > 5_000 {
		t.Errorf("console.js has %d bytes", len(script))
	}
}

// Rules name roles: a colour written out elsewhere is one that dark mode, contrast and print do not know.
func TestColoursStandInTheRolesAlone(t *testing.T) {
	sheet, err := files.ReadFile(Stylesheet)
	if err != nil {
		t.Fatal(err)
	}
	_, rules, found := strings.Cut(string(sheet), "/* -- ground")
	if !found {
		t.Fatal("no rules")
	}
	forced := strings.Index(rules, "@media (forced-colors: active)")
	for _, colour := range regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b`).FindAllStringIndex(rules, -1) {
		if colour[0] < forced || colour[0] > strings.Index(rules, "@media print") {
			t.Errorf("colour %s outside the roles", rules[colour[0]:colour[1]])
		}
	}
}
