package handlers

import (
	"net/http"
	"strings"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views"
)

// policySection is the side bar's entry of a namespace's policies, or of the cluster-wide ones.
func policySection(namespace string) views.Section {
	if namespace == "" {
		return views.SectionFleet
	}
	return views.SectionPolicies
}

// Policies is GET …/policies: those of a namespace, or the cluster-wide ones.
func (p *Pages) Policies(w http.ResponseWriter, r *http.Request) {
	ctx, actor, namespace := r.Context(), control.ActorFrom(r.Context()), r.PathValue("ns")
	o := listOptions(r)
	o.Limit = policiesPerPage
	f := fleet.PolicyFilter{Namespace: namespace, ClusterScoped: namespace == ""}
	var page control.Page[fleet.Policy]
	var err error
	if overridesFrom(r) == "" {
		if page, err = p.Control.Policies(ctx, actor, f, o); err != nil {
			p.fail(w, r, err)
			return
		}
	}
	rows := make([]views.PolicyRow, 0, len(page.Items))
	for _, policy := range page.Items {
		detail, err := p.Control.PolicyDetail(ctx, actor, policy.Ref())
		if err != nil {
			p.fail(w, r, err)
			return
		}
		rows = append(rows, views.PolicyRow{Policy: detail.Policy, Selects: len(detail.Reached), Warnings: len(detail.Warnings)})
	}
	rows, page.Continue, err = p.overrideRows(r, f, o, rows, page.Continue)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	chrome, err := p.chrome(w, r, policySection(namespace))
	if err != nil {
		p.fail(w, r, err)
		return
	}
	first, next := otherPages(r, page.Continue)
	p.render(w, r, http.StatusOK, views.Policies(views.PoliciesPage{
		Chrome: chrome, Namespace: namespace, Rows: rows, Query: r.URL.Query().Get("q"), First: first, Next: next,
	}))
}

// policiesPerPage is less than of other lists: of each the resources are counted that it selects.
const policiesPerPage = 50

// named answers which policy a path names; false where it is none, or was named otherwise, which has been answered then.
func (p *Pages) named(w http.ResponseWriter, r *http.Request) (fleet.PolicyRef, bool) {
	ref := fleet.PolicyRef{Kind: fleet.KindPropagationPolicy, Namespace: r.PathValue("ns"), Name: r.PathValue("name")}
	if ref.Namespace == "" {
		ref.Kind = fleet.KindClusterPropagationPolicy
	}
	return p.namedAs(w, r, ref)
}

// namedAs holds a path to the kind of the policy that it may name, and leads to the kind as it is written from its other
// letter cases and its plural, which are accepted. It is not found where it is no kind of a policy, or of one that lies
// elsewhere.
func (p *Pages) namedAs(w http.ResponseWriter, r *http.Request, ref fleet.PolicyRef) (fleet.PolicyRef, bool) {
	segment := r.PathValue("kind")
	singular := strings.ToLower(segment)
	if plural, found := strings.CutSuffix(singular, "ies"); found {
		singular = plural + "y"
	}
	if singular != strings.ToLower(ref.Kind) {
		p.Refuse(w, r, http.StatusNotFound, fleet.CodeNotFound)
		return ref, false
	}
	if segment != ref.Kind && r.Method == http.MethodGet {
		own := *r.URL
		own.Path = strings.Replace(own.Path, "/policies/"+segment+"/", "/policies/"+ref.Kind+"/", 1)
		redirect(w, r, own.RequestURI())
		return ref, false
	}
	return ref, true
}

func (p *Pages) storedPolicy(w http.ResponseWriter, r *http.Request) (fleet.Policy, bool) {
	ref, ok := p.named(w, r)
	if !ok {
		return fleet.Policy{}, false
	}
	policy, err := p.Control.Policy(r.Context(), control.ActorFrom(r.Context()), ref)
	if err != nil {
		p.fail(w, r, err)
		return fleet.Policy{}, false
	}
	return policy, true
}

// Policy is GET …/policies/{kind}/{name}: what it selects, where that went, which other policy won.
func (p *Pages) Policy(w http.ResponseWriter, r *http.Request) {
	page, ok := p.policyPage(w, r)
	if ok {
		p.render(w, r, http.StatusOK, views.Policy(page), views.FragmentPolicy)
	}
}

func (p *Pages) policyPage(w http.ResponseWriter, r *http.Request) (views.PolicyPage, bool) {
	ref, ok := p.named(w, r)
	if !ok {
		return views.PolicyPage{}, false
	}
	detail, err := p.Control.PolicyDetail(r.Context(), control.ActorFrom(r.Context()), ref)
	if err != nil {
		p.fail(w, r, err)
		return views.PolicyPage{}, false
	}
	manifest, err := policyManifest(detail.Policy)
	if err != nil {
		p.fail(w, r, err)
		return views.PolicyPage{}, false
	}
	chrome, err := p.chrome(w, r, policySection(ref.Namespace))
	if err != nil {
		p.fail(w, r, err)
		return views.PolicyPage{}, false
	}
	return views.PolicyPage{Chrome: chrome, Namespace: ref.Namespace, Policy: detail.Policy, Warnings: detail.Warnings, Reached: detail.Reached,
		Query: r.URL.Query().Get("q"), Manifest: manifest}, true
}

// ConfirmDeletePolicy is GET …/delete: what deleting does, in numbers, before it is done.
func (p *Pages) ConfirmDeletePolicy(w http.ResponseWriter, r *http.Request) {
	page, ok := p.policyPage(w, r)
	if !ok {
		return
	}
	if !page.MayEdit() {
		p.Refuse(w, r, http.StatusForbidden, fleet.CodeForbidden)
		return
	}
	words, name, path := p.words(r), page.Policy.Metadata.Name, views.PolicyPath(page.Policy.Ref())
	named := map[string]string{"Name": name}
	held, replicas, clusters := page.Holds()
	consequences := []string{words.T("policy.delete_none", nil)}
	if held > 0 {
		counted := map[string]string{"Replicas": words.N("policy.placed_replicas", replicas, nil), "Clusters": words.N("policy.clusters", clusters, nil)}
		key := "policy.delete_removes"
		if page.Policy.KeepsOnPolicyDeletion() {
			key = "policy.delete_keeps"
		}
		consequences = []string{words.N(key, held, counted), words.T("policy.delete_next", nil)}
	}
	p.render(w, r, http.StatusOK, views.Confirm(views.ConfirmPage{
		Chrome: page.Chrome,
		Crumbs: append(views.PolicyCrumbs(words, page.Namespace), views.Crumb{Text: name, Path: path}, views.Crumb{Text: words.T("policy.delete", nil)}),
		Title:  words.T("policy.delete_title", named), Consequences: consequences, Button: words.T("policy.delete_button", named),
		Action: path + "/delete", Cancel: path,
		Hidden: []views.Hidden{{Name: "version", Value: page.Policy.Metadata.ResourceVersion}},
	}))
}

// DeletePolicy is POST …/delete: version.
func (p *Pages) DeletePolicy(w http.ResponseWriter, r *http.Request) {
	if !p.form(w, r) {
		return
	}
	ref, ok := p.named(w, r)
	if !ok {
		return
	}
	_, _, err := p.Control.DeletePolicy(r.Context(), control.ActorFrom(r.Context()), ref, control.WriteOptions{IfMatch: r.PostForm.Get("version")})
	if err != nil {
		p.fail(w, r, err)
		return
	}
	p.done(w, r, views.PoliciesPath(ref.Namespace), "policy.deleted", map[string]string{"Name": ref.Name})
}
