package handlers

import (
	"net/http"
	"strings"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views"
)

// EitherKind answers a path of policies by the handler of the kind that is meant: propagation policies and override
// policies share their addresses. It is the kind in the path; of a new policy, that of the query, of the form's hidden
// field, or of what was written.
func (p *Pages) EitherKind(propagation, override http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if p.meansOverride(w, r) {
			override(w, r)
			return
		}
		propagation(w, r)
	}
}

func (p *Pages) meansOverride(w http.ResponseWriter, r *http.Request) bool {
	switch segment := r.PathValue("kind"); {
	case segment != "":
		return strings.HasPrefix(strings.ToLower(segment), "override") || strings.HasPrefix(strings.ToLower(segment), "clusteroverride")
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		return isOverrideKind(r.URL.Query().Get("kind"))
	case r.ParseForm() != nil:
		return false // it is answered the same by both
	}
	if kind := r.PostForm.Get("kind"); kind != "" {
		return isOverrideKind(kind)
	}
	if text := r.PostForm.Get("yaml"); text != "" {
		doc, faults := fleet.ParseOne([]byte(text), fleet.FormatYAML)
		return len(faults) == 0 && isOverrideKind(doc.Kind())
	}
	for name := range r.PostForm {
		if strings.HasPrefix(strings.TrimPrefix(name, specPath), views.OverrideRules+".") {
			return true
		}
	}
	return false
}

func isOverrideKind(kind string) bool {
	return kind == fleet.KindOverridePolicy || kind == fleet.KindClusterOverridePolicy
}

// overrideNamed answers which override policy a path names, as named does for propagation policies.
func (p *Pages) overrideNamed(w http.ResponseWriter, r *http.Request) (fleet.PolicyRef, bool) {
	ref := fleet.PolicyRef{Kind: fleet.KindOverridePolicy, Namespace: r.PathValue("ns"), Name: r.PathValue("name")}
	if ref.Namespace == "" {
		ref.Kind = fleet.KindClusterOverridePolicy
	}
	return p.namedAs(w, r, ref)
}

func (p *Pages) storedOverride(w http.ResponseWriter, r *http.Request) (fleet.Override, bool) {
	ref, ok := p.overrideNamed(w, r)
	if !ok {
		return fleet.Override{}, false
	}
	stored, err := p.Control.Override(r.Context(), control.ActorFrom(r.Context()), ref)
	if err != nil {
		p.fail(w, r, err)
		return fleet.Override{}, false
	}
	return stored, true
}

// Override is GET …/policies/{kind}/{name} of an override policy: what it selects, and per resource and cluster what it
// changes, or what it blocks and why.
func (p *Pages) Override(w http.ResponseWriter, r *http.Request) {
	page, ok := p.overridePage(w, r)
	if !ok {
		return
	}
	page.Query = r.URL.Query().Get("q")
	selected, err := p.previewStored(r, page)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	page.Selected = selected
	p.render(w, r, http.StatusOK, views.Override(page), views.FragmentPolicy)
}

// searchedOverrides is how many resources a search shows.
const searchedOverrides = 10

// previewStored is what a stored override policy makes of the first resources that it selects, or of those whose names
// are searched for.
func (p *Pages) previewStored(r *http.Request, page views.OverridePage) ([]views.PreviewedOverride, error) {
	ctx, actor, ref := r.Context(), control.ActorFrom(r.Context()), page.Override.Ref()
	manifest := control.ParseOverride([]byte(page.Manifest), fleet.FormatYAML)
	if page.Query == "" {
		preview, _, err := p.Control.PreviewOverride(ctx, actor, ref, manifest, nil)
		return overriding(preview).Selected, err
	}
	var selected []views.PreviewedOverride
	for _, reached := range page.Reached {
		if len(selected) == searchedOverrides {
			break
		}
		if !strings.Contains(reached.Name, page.Query) {
			continue
		}
		preview, _, err := p.Control.PreviewOverride(ctx, actor, ref, manifest, &reached.ResourceKey)
		if err != nil {
			return nil, err
		}
		selected = append(selected, overriding(preview).Selected...)
	}
	return selected, nil
}

func (p *Pages) overridePage(w http.ResponseWriter, r *http.Request) (views.OverridePage, bool) {
	var page views.OverridePage
	ref, ok := p.overrideNamed(w, r)
	if !ok {
		return page, false
	}
	detail, err := p.Control.OverrideDetail(r.Context(), control.ActorFrom(r.Context()), ref)
	if err == nil {
		page.Namespace, page.Override, page.Warnings, page.Reached = ref.Namespace, detail.Override, detail.Warnings, detail.Reached
		for _, b := range detail.Blocked {
			page.Blocked = append(page.Blocked, views.BlockedOverride{ResourceKey: b.ResourceKey, Cluster: b.Cluster, Err: b.Err})
		}
		page.Manifest, err = overrideText(detail.Override)
	}
	if err == nil {
		page.Chrome, err = p.chrome(w, r, policySection(ref.Namespace))
	}
	if err != nil {
		p.fail(w, r, err)
		return page, false
	}
	return page, true
}

// ConfirmDeleteOverride is GET …/delete of an override policy: what deleting does, in numbers, before it is done.
func (p *Pages) ConfirmDeleteOverride(w http.ResponseWriter, r *http.Request) {
	page, ok := p.overridePage(w, r)
	if !ok {
		return
	}
	if !page.MayEdit() {
		p.Refuse(w, r, http.StatusForbidden, fleet.CodeForbidden)
		return
	}
	words, name, path := p.words(r), page.Override.Metadata.Name, views.PolicyPath(page.Override.Ref())
	named := map[string]string{"Name": name}
	changed, clusters := page.Changes()
	var consequences []string
	if changed > 0 {
		consequences = append(consequences, words.N("override.delete_changes", changed, map[string]string{"Clusters": words.N("override.on_clusters", clusters, nil)}))
	}
	if blocked := len(page.Blocked); blocked > 0 {
		consequences = append(consequences, words.N("override.delete_unblocks", blocked, nil))
	}
	if len(consequences) == 0 {
		consequences = []string{words.T("override.delete_none", nil)}
	}
	p.render(w, r, http.StatusOK, views.Confirm(views.ConfirmPage{
		Chrome: page.Chrome,
		Crumbs: append(views.PolicyCrumbs(words, page.Namespace), views.Crumb{Text: name, Path: path}, views.Crumb{Text: words.T("policy.delete", nil)}),
		Title:  words.T("policy.delete_title", named), Consequences: consequences, Button: words.T("policy.delete_button", named),
		Action: path + "/delete", Cancel: path,
		Hidden: []views.Hidden{{Name: "version", Value: page.Override.Metadata.ResourceVersion}},
	}))
}

// DeleteOverride is POST …/delete of an override policy: version.
func (p *Pages) DeleteOverride(w http.ResponseWriter, r *http.Request) {
	if !p.form(w, r) {
		return
	}
	ref, ok := p.overrideNamed(w, r)
	if !ok {
		return
	}
	_, _, err := p.Control.DeleteOverride(r.Context(), control.ActorFrom(r.Context()), ref, control.WriteOptions{IfMatch: r.PostForm.Get("version")})
	if err != nil {
		p.fail(w, r, err)
		return
	}
	p.done(w, r, views.PoliciesPath(ref.Namespace), "override.deleted", map[string]string{"Name": ref.Name})
}

// overridesAfter marks an address of the list of policies that goes on among the override policies, which stand behind
// the propagation policies.
const overridesAfter = "o:"

// overridesFrom is where the list goes on among the override policies; empty before it has come to them.
func overridesFrom(r *http.Request) string {
	after := r.URL.Query().Get("after")
	if strings.HasPrefix(after, overridesAfter) {
		return after
	}
	return ""
}

// overrideRows adds override policies to rows of propagation policies, while the page has room and no propagation policy
// is left. next is where those go on, or the answer where these do.
func (p *Pages) overrideRows(r *http.Request, f fleet.PolicyFilter, o fleet.ListOptions, rows []views.PolicyRow, next string) ([]views.PolicyRow, string, error) {
	if next != "" {
		return rows, next, nil
	}
	ctx, actor := r.Context(), control.ActorFrom(r.Context())
	room := o.Limit - len(rows)
	o.After, o.Limit = strings.TrimPrefix(overridesFrom(r), overridesAfter), max(room, 1)
	page, err := p.Control.Overrides(ctx, actor, f, o)
	if err != nil {
		return nil, "", err
	}
	if room <= 0 && len(page.Items) > 0 {
		return rows, overridesAfter, nil
	}
	for _, item := range page.Items {
		detail, err := p.Control.OverrideDetail(ctx, actor, item.Ref())
		if err != nil {
			return nil, "", err
		}
		rows = append(rows, views.PolicyRow{Override: &detail.Override, Selects: len(detail.Reached), Warnings: len(detail.Warnings), Blocked: len(detail.Blocked)})
	}
	if page.Continue != "" {
		next = overridesAfter + page.Continue
	}
	return rows, next, nil
}
