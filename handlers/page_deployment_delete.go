package handlers

import (
	"net/http"
	"slices"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views"
)

// ConfirmDelete is GET …/{name}/delete: what deleting does, in numbers, before it is done.
func (p *Pages) ConfirmDelete(w http.ResponseWriter, r *http.Request) {
	namespace, name := r.PathValue("ns"), r.PathValue("name")
	detail, err := p.Control.DeploymentDetail(r.Context(), control.ActorFrom(r.Context()), namespace, name)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	chrome, err := p.chrome(w, r, views.SectionDeployments)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	if !chrome.Who.Edits() {
		p.Refuse(w, r, http.StatusForbidden, fleet.CodeForbidden)
		return
	}
	asked, _, err := p.Control.DeleteDeployment(r.Context(), control.ActorFrom(r.Context()), namespace, name, control.WriteOptions{DryRun: true})
	if err != nil {
		p.fail(w, r, err)
		return
	}
	words := p.words(r)
	placed := 0
	for _, cluster := range detail.Placement.Clusters {
		placed += cluster.Placed
	}
	named := map[string]string{"Name": name}
	consequences := []string{words.N("deployment.delete_replicas", placed, nil), words.T("deployment.delete_history", nil)}
	if kept(asked.Warnings) {
		consequences[0] = words.T("resources.delete_keeps", named)
	}
	p.render(w, r, http.StatusOK, views.Confirm(views.ConfirmPage{
		Chrome: chrome,
		Crumbs: []views.Crumb{{Text: namespace}, {Text: words.T("deployments.title", nil), Path: views.DeploymentsPath(namespace)},
			{Text: name, Path: views.DeploymentPath(namespace, name)}, {Text: words.T("deployment.delete", nil)}},
		Title:        words.T("deployment.delete_title", named),
		Consequences: consequences,
		Button:       words.T("deployment.delete_button", named),
		Action:       views.DeploymentPath(namespace, name) + "/delete",
		Cancel:       views.DeploymentPath(namespace, name),
		Hidden:       []views.Hidden{{Name: "version", Value: detail.Deployment.Metadata.ResourceVersion}},
	}))
}

// DeleteDeployment is POST …/{name}/delete: version.
func (p *Pages) DeleteDeployment(w http.ResponseWriter, r *http.Request) {
	if !p.form(w, r) {
		return
	}
	namespace, name := r.PathValue("ns"), r.PathValue("name")
	written, _, err := p.Control.DeleteDeployment(r.Context(), control.ActorFrom(r.Context()), namespace, name,
		control.WriteOptions{IfMatch: r.PostForm.Get("version")})
	if err != nil {
		p.fail(w, r, err)
		return
	}
	p.done(w, r, views.DeploymentsPath(namespace), deletedKey("deployment.deleted", written.Warnings), map[string]string{"Name": name})
}

// kept says whether a deletion leaves the copies on the clusters: the policy that holds what is deleted preserves it.
func kept(warnings []fleet.Warning) bool {
	return slices.ContainsFunc(warnings, func(w fleet.Warning) bool { return w.Code == fleet.CodeKeptOnMembers })
}

// deletedKey is the message that a deletion leaves: the given one, but where the copies stay.
func deletedKey(removed string, warnings []fleet.Warning) string {
	if kept(warnings) {
		return "resources.deleted_kept"
	}
	return removed
}
