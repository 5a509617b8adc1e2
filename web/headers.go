package web

import "net/http"

// csp allows what the server itself serves and nothing written into a page: no inline script or style, no
// frame, no foreign form target. No nonces, as nothing inline exists.
const csp = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// withSecurityHeaders sets them before anything can answer, so that refusals, fragments and faults carry them
// too. no-store is the rule and the public files the exception: most answers hold a tenant's data.
func withSecurityHeaders(next http.Handler) http.Handler {
	// The values are made once: an answer's header only points to them, and a Set or Add there copies.
	always := http.Header{}
	always.Set("Content-Security-Policy", csp)
	always.Set("X-Content-Type-Options", "nosniff")
	always.Set("Referrer-Policy", "same-origin")
	always.Set("Cross-Origin-Opener-Policy", "same-origin")
	always.Set("Cross-Origin-Resource-Policy", "same-origin")
	always.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	always.Set("Cache-Control", "no-store")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		for name, value := range always {
			h[name] = value[:1:1]
		}
		if r.TLS != nil {
			h.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
		}
		next.ServeHTTP(w, r)
	})
}
