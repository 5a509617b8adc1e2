package handlers_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

const personPassword = "seven red lanterns swing"

// browser is one person at the console without JavaScript. It follows no redirect: where a form leads is part of
// what is tested.
type browser struct {
	t      *testing.T
	plane  *apiPlane
	client *http.Client
	// part makes requests as htmx does, for this element.
	part string
}

// sheet is an answer with the page in it.
type sheet struct {
	*goquery.Document
	status int
	header http.Header
	raw    string
}

func (p *apiPlane) visitor(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t: t, plane: p, client: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// person makes an account of the tenant (the platform's with an empty one) and signs in.
func (p *apiPlane) person(t *testing.T, tenant, role string) *browser {
	t.Helper()
	email, path := role+"@"+tenant+"platform.test", "/api/v1/users"
	if tenant != "" {
		p.tenant(tenant, role)
		path = "/api/v1/tenants/" + tenant + "/users"
	}
	p.want(p.ask(operatorToken, "POST", path, `{"email": "`+email+`", "password": "`+personPassword+`", "role": "`+role+`"}`), 201)
	b := p.visitor(t)
	b.leads(b.post("/login", "email", email, "password", personPassword), "/")
	return b
}

func (b *browser) get(path string) sheet {
	b.t.Helper()
	return b.send("GET", path, nil)
}

// post sends a form; fields are names and values by turns.
func (b *browser) post(path string, fields ...string) sheet {
	b.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return b.send("POST", path, form)
}

func (b *browser) send(method, path string, form url.Values) sheet {
	b.t.Helper()
	if method == http.MethodPost {
		return b.ask(method, path, strings.NewReader(form.Encode()))
	}
	return b.ask(method, path, nil)
}

// sendRaw posts a body that is no form, and says that it is one.
func (b *browser) sendRaw(path, body string) sheet {
	b.t.Helper()
	return b.ask(http.MethodPost, path, strings.NewReader(body))
}

func (b *browser) ask(method, path string, body io.Reader) sheet {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.plane.url+path, body)
	if err != nil {
		b.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if b.part != "" {
		r.Header.Set("HX-Request", "true")
		r.Header.Set("HX-Request-Type", "partial")
		r.Header.Set("HX-Target", "div#"+b.part)
		r.Header.Set("HX-Current-URL", b.plane.url+path)
	}
	response, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	document, err := goquery.NewDocumentFromReader(strings.NewReader(string(raw)))
	if err != nil {
		b.t.Fatal(err)
	}
	s := sheet{Document: document, status: response.StatusCode, header: response.Header, raw: string(raw)}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") && s.status/100 != 3 {
		s.sound(b.t, path, b.part == "")
	}
	return s
}

// sound holds every page that any test asks for to what all pages promise.
func (s sheet) sound(t *testing.T, path string, whole bool) {
	t.Helper()
	ids := map[string]bool{}
	s.Find("[id]").Each(func(_ int, e *goquery.Selection) {
		id := e.AttrOr("id", "")
		if ids[id] {
			t.Errorf("%s: the id %q stands twice", path, id)
		}
		ids[id] = true
	})
	s.Find("[style], style, script:not([src]), [onclick], [hx-on]").Each(func(_ int, e *goquery.Selection) {
		t.Errorf("%s: the policy forbids %s", path, goquery.NodeName(e))
	})
	if !whole {
		return
	}
	if n := s.Find("h1").Length(); n != 1 {
		t.Errorf("%s: %d headings of the first level", path, n)
	}
	if s.Find("html").AttrOr("lang", "") != "en" || strings.TrimSpace(s.Find("title").Text()) == "" || s.Find("main#main").Length() != 1 {
		t.Errorf("%s: no language, title or main", path)
	}
	for _, attribute := range []string{"for", "aria-describedby", "aria-labelledby", "list"} {
		s.Find("[" + attribute + "]").Each(func(_ int, e *goquery.Selection) {
			for id := range strings.FieldsSeq(e.AttrOr(attribute, "")) {
				if !ids[id] {
					t.Errorf("%s: %s=%q names nothing", path, attribute, id)
				}
			}
		})
	}
	s.Find(`a[href^="#"]`).Each(func(_ int, e *goquery.Selection) {
		if id := strings.TrimPrefix(e.AttrOr("href", ""), "#"); !ids[id] {
			t.Errorf("%s: a link to %q leads nowhere", path, id)
		}
	})
	s.Find("input:not([type=hidden]), select, textarea").Each(func(_ int, e *goquery.Selection) {
		if id := e.AttrOr("id", ""); s.Find(`label[for="`+id+`"]`).Length() == 0 {
			t.Errorf("%s: the control %q has no label", path, id)
		}
	})
}

// leads wants a 303 to the given address.
func (b *browser) leads(s sheet, to string) {
	b.t.Helper()
	if got := s.header.Get("Location"); s.status != 303 || got != to {
		b.t.Fatalf("answered %d to %q, want 303 to %q\n%s", s.status, got, to, s.text("main"))
	}
}

// answers wants a status.
func (b *browser) answers(s sheet, status int) sheet {
	b.t.Helper()
	if s.status != status {
		b.t.Fatalf("answered %d, want %d\n%s", s.status, status, s.text("main"))
	}
	return s
}

// text of a selection, white space folded.
func (s sheet) text(selector string) string {
	return strings.Join(strings.Fields(s.Find(selector).Text()), " ")
}

func (s sheet) value(id string) string {
	control := s.Find(`[id="` + id + `"]`)
	switch goquery.NodeName(control) {
	case "textarea":
		return control.Text()
	case "select":
		return control.Find("option[selected]").AttrOr("value", "")
	}
	return control.AttrOr("value", "")
}

// refusal of a control: what its aria-describedby names, and only where it is marked invalid.
func (s sheet) refusal(id string) string {
	control := s.Find(`[id="` + id + `"][aria-invalid="true"]`)
	for name := range strings.FieldsSeq(control.AttrOr("aria-describedby", "")) {
		if strings.HasSuffix(name, "-error") {
			return s.text(`[id="` + name + `"]`)
		}
	}
	return ""
}
