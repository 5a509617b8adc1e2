// Package static holds what browsers fetch beside pages: one stylesheet, one small script, and htmx where npm put it
// into vendor.
//
//	embedded files ─→ content hash ─→ URL("console.css") = /static/console.3f2a91c0d4e8.css ─→ Handler
//
// A URL changes with its content, so answers may be cached for ever. Called by views (URL) and web (Handler).
package static
