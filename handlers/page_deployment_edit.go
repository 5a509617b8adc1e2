package handlers

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views"
)

// NewDeployment is GET /namespaces/{ns}/deployments/new.
func (p *Pages) NewDeployment(w http.ResponseWriter, r *http.Request) {
	e, ok := p.editor(w, r, nil)
	if !ok || !e.offered() {
		return
	}
	e.page.AsYAML = r.URL.Query().Get("as") == "yaml"
	e.page.YAML = newManifest
	e.show(http.StatusOK)
}

// EditDeployment is GET …/{name}/edit.
func (p *Pages) EditDeployment(w http.ResponseWriter, r *http.Request) {
	stored, ok := p.stored(w, r)
	if !ok {
		return
	}
	e, ok := p.editor(w, r, &stored)
	if !ok || !e.offered() {
		return
	}
	e.page.Form = formOf(stored)
	e.page.AsYAML = r.URL.Query().Get("as") == "yaml"
	var err error
	if e.page.YAML, err = manifestOf(stored); err != nil {
		p.fail(w, r, err)
		return
	}
	e.show(http.StatusOK)
}

// CreateDeployment is POST /namespaces/{ns}/deployments: the form's fields, or yaml alone.
func (p *Pages) CreateDeployment(w http.ResponseWriter, r *http.Request) { p.save(w, r, nil) }

// UpdateDeployment is POST /namespaces/{ns}/deployments/{name}: the same.
func (p *Pages) UpdateDeployment(w http.ResponseWriter, r *http.Request) {
	stored, ok := p.stored(w, r)
	if ok {
		p.save(w, r, &stored)
	}
}

func (p *Pages) stored(w http.ResponseWriter, r *http.Request) (fleet.Deployment, bool) {
	d, err := p.Control.Deployment(r.Context(), control.ActorFrom(r.Context()), r.PathValue("ns"), r.PathValue("name"))
	if err != nil {
		p.fail(w, r, err)
		return fleet.Deployment{}, false
	}
	return d, true
}

// editor is one request to the form of a deployment.
type editor struct {
	pages  *Pages
	w      http.ResponseWriter
	r      *http.Request
	actor  control.Actor
	stored *fleet.Deployment // nil for a new one
	page   views.EditorPage
}

func (p *Pages) editor(w http.ResponseWriter, r *http.Request, stored *fleet.Deployment) (*editor, bool) {
	e := &editor{pages: p, w: w, r: r, actor: control.ActorFrom(r.Context()), stored: stored}
	_, err := p.Control.Namespace(r.Context(), e.actor, r.PathValue("ns"))
	if err == nil {
		var geo fleet.GeoAwareness
		geo, err = p.Control.Regions(r.Context(), e.actor)
		e.page.Regions = geo.Regions
	}
	if err == nil {
		e.page.Advertised, err = p.Control.Geography(r.Context(), e.actor)
	}
	if err == nil {
		e.page.Chrome, err = p.chrome(w, r, views.SectionDeployments)
	}
	if err != nil {
		p.fail(w, r, err)
		return nil, false
	}
	e.page.Namespace = r.PathValue("ns")
	if stored != nil {
		e.page.Existing = stored.Metadata.Name
	}
	return e, true
}

// offered answers 403 to those who could fill in the form and never save it, and then is false. Control decides of
// every write again.
func (e *editor) offered() bool {
	if e.page.Chrome.Who.Edits() {
		return true
	}
	e.pages.Refuse(e.w, e.r, http.StatusForbidden, fleet.CodeForbidden)
	return false
}

// show sends the page, or to htmx the part of it that was checked.
func (e *editor) show(status int) {
	if part := e.r.PostForm.Get("check"); part != "" {
		status = http.StatusOK
		if e.page.PartRefused(part) {
			status = http.StatusUnprocessableEntity
		}
		e.pages.render(e.w, e.r, status, views.Checked(e.page, part))
		return
	}
	if partial(e.r) {
		// A save that a script sent is answered like any other: the whole page's content, with the summary first, in
		// place of what stands there, and not inside the part that was going to be filled.
		h := e.w.Header()
		h.Set("HX-Retarget", "#main")
		h.Set("HX-Reselect", "#main")
		h.Set("HX-Reswap", "outerHTML")
	}
	e.pages.render(e.w, e.r, status, views.Editor(e.page))
}

// save answers every POST of the form. The button pressed says what is asked: store it (no action), check it
// without storing, show it the other way, or one more row. A field that lost the focus asks for a check too.
func (p *Pages) save(w http.ResponseWriter, r *http.Request, stored *fleet.Deployment) {
	if !p.form(w, r) {
		return
	}
	e, ok := p.editor(w, r, stored)
	if !ok {
		return
	}
	e.page.Form = deploymentForm(r.PostForm)
	if e.page.AsYAML = r.PostForm.Has("yaml"); e.page.AsYAML {
		// Browsers send the lines of a text area with CRLF.
		e.page.YAML = strings.ReplaceAll(r.PostForm.Get("yaml"), "\r\n", "\n")
	}
	action := r.PostForm.Get("action")
	if choice := r.PostForm.Get("use"); choice != "" {
		use(&e.page.Form, choice)
		action = "check"
	}
	if r.PostForm.Get("check") != "" {
		action = "check"
	}
	switch action {
	case "check":
		e.write(true)
	case "add-blocked":
		e.page.Form.BlockedCountries = append(e.page.Form.BlockedCountries, "")
		e.show(http.StatusOK)
	case "yaml", "form":
		e.turn(action == "yaml")
	default:
		e.write(false)
	}
}

// manifest of what was submitted, and where a refused field of it is shown.
func (e *editor) manifest() (control.Manifest, func(field string) string, error) {
	if e.page.AsYAML {
		return control.ParseManifest([]byte(e.page.YAML), fleet.FormatYAML), func(string) string { return views.InputYAML }, nil
	}
	manifest, err := formManifest(e.page.Form, e.stored)
	return manifest, formInput(e.page.Form), err
}

// refusals in the order in which the page has their controls; those without one come last.
func (e *editor) refusals(faults fleet.FieldErrors, input func(field string) string) []views.Refusal {
	refusals := views.RefusalsOf(e.pages.words(e.r), faults, input)
	slices.SortStableFunc(refusals, func(a, b views.Refusal) int { return formOrder(a.Input) - formOrder(b.Input) })
	return refusals
}

// write stores what was submitted, or with dry only finds out what that would come to.
func (e *editor) write(dry bool) {
	p, ctx, namespace := e.pages, e.r.Context(), e.page.Namespace
	manifest, input, err := e.manifest()
	if err != nil {
		p.fail(e.w, e.r, err)
		return
	}
	var written control.Written[fleet.Deployment]
	var faults fleet.FieldErrors
	o := control.WriteOptions{DryRun: dry, IfMatch: e.page.Form.Version}
	if e.stored == nil {
		written, faults, err = p.Control.CreateDeployment(ctx, e.actor, namespace, manifest, o)
	} else {
		written, faults, err = p.Control.UpdateDeployment(ctx, e.actor, namespace, e.stored.Metadata.Name, manifest, o)
	}
	switch {
	case errors.Is(err, fleet.ErrStale) && e.stored != nil:
		e.conflict(manifest)
	case err != nil:
		p.fail(e.w, e.r, err)
	case len(faults) > 0:
		e.page.Refusals = e.refusals(faults, input)
		e.show(http.StatusUnprocessableEntity)
	case dry:
		e.page.Checked, e.page.Warnings = true, written.Warnings
		e.show(http.StatusOK)
	default:
		key := "deployment.updated"
		if written.Created {
			key = "deployment.created"
		}
		p.done(e.w, e.r, views.DeploymentPath(namespace, written.Object.Metadata.Name), key, nil)
	}
}

// conflict shows what somebody else stored since the form was opened, beside what was submitted. Nothing typed is
// lost, and the form holds the new version: saving again is a decision.
func (e *editor) conflict(mine control.Manifest) {
	words := e.pages.words(e.r)
	before, err := manifestOf(*e.stored)
	after := e.page.YAML
	if err == nil && !e.page.AsYAML {
		after, err = manifestOf(mine.Deployment)
	}
	if err != nil {
		e.pages.fail(e.w, e.r, err)
		return
	}
	diff := views.DiffOf(words.T("editor.theirs", nil), before, words.T("editor.mine", nil), after)
	e.page.Conflict = &diff
	e.page.Form.Version = e.stored.Metadata.ResourceVersion
	e.show(http.StatusConflict)
}

// turn shows what was submitted the other way: the form as YAML, or YAML as the form. What cannot be read stays
// where it is, with its refusals.
func (e *editor) turn(toYAML bool) {
	if toYAML == e.page.AsYAML {
		e.show(http.StatusOK)
		return
	}
	manifest, input, err := e.manifest()
	if err != nil {
		e.pages.fail(e.w, e.r, err)
		return
	}
	if len(manifest.Faults) > 0 {
		e.page.Refusals = e.refusals(manifest.Faults, input)
		e.page.Stays = true
		e.show(http.StatusUnprocessableEntity)
		return
	}
	version := e.page.Form.Version
	if toYAML {
		e.page.YAML, err = manifestOf(manifest.Deployment)
	} else {
		e.page.Form = formOf(manifest.Deployment)
		e.page.Form.Version = version
	}
	if err != nil {
		e.pages.fail(e.w, e.r, err)
		return
	}
	e.page.AsYAML = toYAML
	e.show(http.StatusOK)
}

// newManifest is what the YAML of a new deployment starts from.
const newManifest = `apiVersion: odysseus/v1
kind: Deployment
metadata:
  name:
spec:
  image:
  replicas: 1
`
