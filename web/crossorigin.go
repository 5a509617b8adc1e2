package web

import (
	"net/http"
	"strings"

	"odysseus/fleet"
)

// withCrossOriginProtection refuses what another site makes a browser send: an unsafe method whose
// Sec-Fetch-Site or Origin is foreign. Sign-in is held to it as well, or a stranger could sign a person in as
// themselves. A bearer token is nothing that a browser attaches by itself, so calls with one pass; where one
// is given the cookie counts for nothing.
func withCrossOriginProtection(refuse refuser) middleware {
	protection := http.NewCrossOriginProtection()
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !(isAPI(r) && r.Header.Get("Authorization") != "") && protection.Check(r) != nil {
				refuse(w, r, http.StatusForbidden, fleet.CodeCrossOrigin)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// isAPI says whether a request is answered in JSON, refusals included.
func isAPI(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/api/") || r.URL.Path == "/api"
}
