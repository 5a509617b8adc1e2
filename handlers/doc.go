// Package handlers is HTTP in and out: what a request says is decoded, one method of control is called, and what
// it answers is rendered.
//
//	page_*.go   the console's HTML, for people
//	api_*.go    the JSON API, for people's tools
//	agent_*.go  the agents' API, for nodes
//
//	request ──► body.go (media type, dry run, If-Match, list options)
//	        ──► control.Control (who may, what is stored; refusals as values)
//	        ──► problem.go (refusals: RFC 9457) or the object as JSON, in the words of views/locale
//
// The three surfaces share their refusals: the same codes, fields and words. Package web holds the route table and
// everything that comes before a handler: who is asking, limits, headers. Nothing here knows SQL or the scheduler.
package handlers
