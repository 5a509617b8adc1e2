package handlers

import (
	"net/http"

	"odysseus/control"
	"odysseus/views"
)

// RescheduleDeployment is POST …/{name}/reschedule: divide afresh.
func (p *Pages) RescheduleDeployment(w http.ResponseWriter, r *http.Request) {
	if !p.form(w, r) {
		return
	}
	namespace, name := r.PathValue("ns"), r.PathValue("name")
	_, _, err := p.Control.Reschedule(r.Context(), control.ActorFrom(r.Context()), namespace, name, control.WriteOptions{IfMatch: r.PostForm.Get("version")})
	if err != nil {
		p.fail(w, r, err)
		return
	}
	p.done(w, r, views.DeploymentPath(namespace, name), "deployment.rescheduled", nil)
}
