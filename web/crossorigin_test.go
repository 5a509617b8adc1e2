package web

import "testing"

func TestOtherSitesCannotMakeABrowserAct(t *testing.T) {
	s := start(t, defaultTimeouts, gateRoutes)
	cookie := s.signIn(t)
	own := "Origin: " + s.url
	const form, text = "Content-Type: application/x-www-form-urlencoded", "Content-Type: text/plain"
	for name, tt := range map[string]struct {
		method, path string
		headers      []string
		status       int
		body         string
	}{
		"own page":                      {"POST", "/tenant", []string{cookie, own, form}, 200, "ann@example.com"},
		"own page, Sec-Fetch-Site":      {"POST", "/tenant", []string{cookie, "Sec-Fetch-Site: same-origin", form}, 200, "ann@example.com"},
		"typed or bookmarked":           {"POST", "/tenant", []string{cookie, "Sec-Fetch-Site: none", form}, 200, "ann@example.com"},
		"a script without either":       {"POST", "/tenant", []string{cookie, form}, 200, "ann@example.com"},
		"foreign origin":                {"POST", "/tenant", []string{cookie, "Origin: https://evil.example", form}, 403, "cross_origin"},
		"null origin":                   {"POST", "/tenant", []string{cookie, "Origin: null", form}, 403, "cross_origin"},
		"cross-site":                    {"POST", "/tenant", []string{cookie, "Sec-Fetch-Site: cross-site", form}, 403, "cross_origin"},
		"same-site":                     {"POST", "/tenant", []string{cookie, "Sec-Fetch-Site: same-site", form}, 403, "cross_origin"},
		"own origin told cross-site":    {"POST", "/tenant", []string{cookie, own, "Sec-Fetch-Site: cross-site", form}, 403, "cross_origin"},
		"text/plain":                    {"POST", "/tenant", []string{cookie, text}, 415, "unsupported_media_type"},
		"JSON to a page":                {"POST", "/tenant", []string{cookie, "Content-Type: application/json"}, 415, "unsupported_media_type"},
		"no type":                       {"POST", "/tenant", []string{cookie}, 415, "unsupported_media_type"},
		"sign-in from elsewhere":        {"POST", "/login", []string{"Origin: https://evil.example", form}, 403, "cross_origin"},
		"sign-out from elsewhere":       {"POST", "/logout", []string{cookie, "Sec-Fetch-Site: cross-site", form}, 403, "cross_origin"},
		"API by cookie":                 {"POST", "/api/me", []string{cookie, own}, 200, "ann@example.com"},
		"API by cookie, foreign":        {"POST", "/api/me", []string{cookie, "Origin: https://evil.example"}, 403, "cross_origin"},
		"API by cookie, cross-site":     {"POST", "/api/me", []string{cookie, "Sec-Fetch-Site: cross-site", text}, 403, "cross_origin"},
		"API by token, foreign":         {"POST", "/api/me", []string{"Authorization: Bearer editor", "Origin: https://evil.example"}, 200, "token editor"},
		"API, made-up token and cookie": {"POST", "/api/me", []string{cookie, "Authorization: x", "Sec-Fetch-Site: cross-site"}, 401, "unauthenticated"},
		"page with a token, cross-site": {"POST", "/tenant", []string{cookie, "Authorization: Bearer editor", "Sec-Fetch-Site: cross-site", form}, 403, "cross_origin"},
		"a link from elsewhere":         {"GET", "/tenant", []string{cookie, "Sec-Fetch-Site: cross-site"}, 200, "ann@example.com"},
		"preflight":                     {"OPTIONS", "/api/me", []string{"Origin: https://evil.example", "Access-Control-Request-Method: POST"}, 405, "method_not_allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			body := ""
			if tt.method == "POST" {
				body = "a=b"
			}
			got := s.ask(t, tt.method, tt.path, body, tt.headers...)
			if got.StatusCode != tt.status || got.body != tt.body || got.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("got %d %q, want %d %q", got.StatusCode, got.body, tt.status, tt.body)
			}
		})
	}
	if got := s.ask(t, "GET", "/", "", cookie); got.StatusCode != 200 {
		t.Errorf("the session did not survive the refused requests: %d", got.StatusCode)
	}
}
