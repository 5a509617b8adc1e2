// Package views holds the console's pages: templ templates, the view models that they show, and the components that
// they share.
//
//	handlers ──► view model (plain values) ──► templ page ──► Layout ──► HTML
//	                                            │
//	                                            ├─ components: field, summary, warning, state, reason, split, diff …
//	                                            └─ words: t(ctx, "key") from views/locale, through the Scene in ctx
//
// A template gets one view model and asks nobody anything (rule 12). Visible strings are keys of the catalogue. What
// htmx swaps is a templ.Fragment named by a constant of fragment.go, which is also the element's id.
//
// Everything works without JavaScript: mutations are plain forms, links are links. htmx attributes only narrow what is
// swapped. The content security policy forbids inline script and style, so no template has a style attribute, an
// hx-on or a script element without src; a test reads every template for them.
//
// A policy's form is one map of fields by their path (PolicyForm), and its page draws rows from that; what it says is
// written into the manifest that it started from by handlers/page_policy_form.go, so that no key is lost. That of an
// override policy is the same with other rows; beside it, and on the policy's page, RenderedDiff puts the resource before
// and after for each cluster, with what changed each line.
//
// The ids of inputs, of their hints ("country-hint") and of their refusals ("country-error") are stable: summaries
// link to them, and tests and scripts go by them.
//
// Called by handlers/page_*.go.
package views
