// Package web is the HTTP server: one flat table of routes, and what every request passes on its way to one.
//
//	connection ── deadlines, header limit                                 server.go
//	    │
//	    ▼  every answer, refusals and faults included
//	request id → access log and metrics → security headers → recover → deadlines → cross-origin check
//	    │
//	    ▼  routes.go: method, path, who may, handler                      unknown 404, other method 405
//	bound → session or token → Actor → rule of the route → names → body ──► handlers ──► control
//
// A handler finds who is asking by control.ActorFrom or AgentFrom. Refusals here are application/problem+json
// under /api and a page elsewhere, worded from the catalogue.
//
// Two cookies: scs' holds a signed-in session's token (session.go), gorilla's what grants nothing (cookies.go).
//
// Called by cmd, which passes everything in: New, then Run.
package web
