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

// NewPolicy is GET …/policies/new: of a namespace, or the cluster-wide one.
func (p *Pages) NewPolicy(w http.ResponseWriter, r *http.Request) {
	e, ok := p.policyEditor(w, r, nil)
	if !ok || !e.offered() {
		return
	}
	e.page.AsYAML = r.URL.Query().Get("as") == "yaml"
	e.page.YAML = e.page.Base
	e.page.Form, e.page.Kept = readPolicy(e.page.Base)
	for i := range 2 { // a split is over two
		e.page.Form[views.RowAt(views.PolicyClusters, i)] = ""
	}
	e.show(http.StatusOK)
}

// EditPolicy is GET …/policies/{kind}/{name}/edit.
func (p *Pages) EditPolicy(w http.ResponseWriter, r *http.Request) {
	stored, ok := p.storedPolicy(w, r)
	if !ok {
		return
	}
	e, ok := p.policyEditor(w, r, &stored)
	if !ok || !e.offered() {
		return
	}
	e.page.AsYAML = r.URL.Query().Get("as") == "yaml"
	e.page.YAML = e.page.Base
	e.page.Form, e.page.Kept = readPolicy(e.page.Base)
	if e.page.TooLong = !formFits(e.page.Form); e.page.TooLong {
		e.page.AsYAML = true
	}
	if _, err := e.look(); err != nil {
		p.fail(w, r, err)
		return
	}
	e.show(http.StatusOK)
}

// CreatePolicy is POST …/policies: the form's fields, or yaml alone.
func (p *Pages) CreatePolicy(w http.ResponseWriter, r *http.Request) { p.savePolicy(w, r, nil) }

// UpdatePolicy is POST …/policies/{kind}/{name}: the same.
func (p *Pages) UpdatePolicy(w http.ResponseWriter, r *http.Request) {
	stored, ok := p.storedPolicy(w, r)
	if ok {
		p.savePolicy(w, r, &stored)
	}
}

// policyEditor is one request to the form of a policy.
type policyEditor struct {
	pages  *Pages
	w      http.ResponseWriter
	r      *http.Request
	actor  control.Actor
	stored *fleet.Policy // nil for a new one
	ref    fleet.PolicyRef
	page   views.PolicyEditorPage
}

// offeredNames is how many clusters are offered by name.
const offeredNames = 500

func (p *Pages) policyEditor(w http.ResponseWriter, r *http.Request, stored *fleet.Policy) (*policyEditor, bool) {
	e := &policyEditor{pages: p, w: w, r: r, actor: control.ActorFrom(r.Context()), stored: stored}
	ctx, namespace := r.Context(), r.PathValue("ns")
	e.ref = fleet.PolicyRef{Kind: fleet.KindPropagationPolicy, Namespace: namespace}
	var err error
	if namespace == "" {
		e.ref.Kind = fleet.KindClusterPropagationPolicy
	} else {
		_, err = p.Control.Namespace(ctx, e.actor, namespace)
	}
	e.page.Base = newPolicy(e.ref)
	if err == nil && stored != nil {
		e.ref = stored.Ref()
		e.page.Existing, e.page.Version = stored.Metadata.Name, stored.Metadata.ResourceVersion
		e.page.Base, err = policyManifest(*stored)
	}
	if err == nil {
		err = e.offer()
	}
	if err == nil {
		e.page.Chrome, err = p.chrome(w, r, policySection(namespace))
	}
	if err != nil {
		p.fail(w, r, err)
		return nil, false
	}
	e.page.Namespace, e.page.Kind = namespace, e.ref.Kind
	return e, true
}

// offer collects the names that the form offers: clusters and resources that there are.
func (e *policyEditor) offer() error {
	ctx := e.r.Context()
	clusters, err := e.pages.Control.Clusters(ctx, e.actor, fleet.ListOptions{Limit: offeredNames})
	if err != nil {
		return err
	}
	for _, c := range clusters.Items {
		e.page.Clusters = append(e.page.Clusters, c.Name)
	}
	e.page.Resources, err = e.pages.Control.ResourceNames(ctx, e.actor, e.ref.Namespace)
	return err
}

// offered answers 403 to those who could fill in the form and never save it, and then is false.
func (e *policyEditor) offered() bool {
	if e.page.MayEdit() {
		return true
	}
	e.pages.Refuse(e.w, e.r, http.StatusForbidden, fleet.CodeForbidden)
	return false
}

// show sends the page, or to htmx what of it changes.
func (e *policyEditor) show(status int) {
	if partial(e.r) {
		switch target(e.r) {
		case views.FragmentPolicyEditor:
			e.pages.render(e.w, e.r, status, views.PolicyEditorParts(e.page))
			return
		case views.FragmentPolicyPreview:
			e.pages.render(e.w, e.r, status, views.PolicyPreviewPart(e.page))
			return
		}
		h := e.w.Header()
		h.Set("HX-Retarget", "#main")
		h.Set("HX-Reselect", "#main")
		h.Set("HX-Reswap", "outerHTML")
	}
	e.pages.render(e.w, e.r, status, views.PolicyEditor(e.page))
}

// savePolicy answers every POST of the form. The button pressed says what is asked: store it (no action), preview it, show
// it the other way, one row more or less. A field that changed asks for a check.
func (p *Pages) savePolicy(w http.ResponseWriter, r *http.Request, stored *fleet.Policy) {
	if !p.form(w, r) {
		return
	}
	e, ok := p.policyEditor(w, r, stored)
	if !ok {
		return
	}
	if !e.take() {
		p.Refuse(w, r, http.StatusUnprocessableEntity, fleet.CodeTooLarge)
		return
	}
	action, argument, _ := strings.Cut(r.PostForm.Get("action"), ":")
	switch {
	case r.PostForm.Get("check") != "":
		e.check()
	case r.PostForm.Get("use") != "" || action == "preview":
		e.preview()
	case action == "add":
		list, value, _ := strings.Cut(argument, "=")
		if e.page.Focus == "" || list != views.PolicySelectors { // what was picked is added already
			e.page.Focus = addRow(e.page.Form, list, value)
		}
		e.changedRows()
	case action == "remove":
		e.page.Focus = removeRow(e.page.Form, argument)
		e.changedRows()
	case action == "yaml" || action == "form":
		e.turn(action == "yaml")
	default:
		e.write()
	}
}

// take reads what was submitted; false where that is more than a form holds.
func (e *policyEditor) take() bool {
	values := e.r.PostForm
	var fits bool
	if e.page.Form, fits = policyForm(values); !fits {
		return false
	}
	if base := values.Get("base"); base != "" {
		e.page.Base = lines(base)
	}
	_, e.page.Kept = readPolicy(e.page.Base)
	if values.Has("version") {
		e.page.Version = values.Get("version")
	}
	if e.page.AsYAML = values.Has("yaml"); e.page.AsYAML {
		e.page.YAML = lines(values.Get("yaml"))
	}
	if id, value, found := strings.Cut(values.Get("use"), "="); found && fieldPath.MatchString(id) && indexesFit(id) {
		e.page.Form[id] = value
		e.page.Focus = id
	}
	// What was picked and not added yet counts all the same, but while the form is being filled in.
	if e.page.Picked = values.Get(views.PolicyPick); e.page.Picked != "" && values.Get("check") == "" {
		e.page.Focus = pick(e.page.Form, e.page.Picked)
		e.page.Picked = ""
	}
	return true
}

// lines of a text area, which browsers send with CRLF.
func lines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// manifest of what was submitted, where a refused field of it is shown, and its text.
func (e *policyEditor) manifest() (control.PolicyManifest, func(field string) string, string, error) {
	if e.page.AsYAML {
		return control.ParsePolicy([]byte(e.page.YAML), fleet.FormatYAML), func(string) string { return views.InputYAML }, e.page.YAML, nil
	}
	w, err := writePolicy(e.page.Base, e.page.Form)
	if err != nil {
		return control.PolicyManifest{}, nil, "", err
	}
	return control.ParsePolicy([]byte(w.text), fleet.FormatYAML), w.input, w.text, nil
}

// refuse shows faults in the order in which the page has their controls; those without one come last. Nobody wrote the
// manifest of a form, so a line in it means nothing.
func (e *policyEditor) refuse(faults fleet.FieldErrors, input func(field string) string) {
	if !e.page.AsYAML {
		faults = unplaced(faults)
	}
	refusals := views.RefusalsOf(e.pages.words(e.r), faults, input)
	order := e.page.Form.Inputs()
	place := func(r views.Refusal) int {
		if i := slices.Index(order, r.Input); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(refusals, func(a, b views.Refusal) int { return place(a) - place(b) })
	e.page.Refusals = refusals
}

// look finds out what the policy would select and do, and answers its faults. They are shown too.
func (e *policyEditor) look() (fleet.FieldErrors, error) {
	manifest, input, text, err := e.manifest()
	if err != nil {
		return nil, err
	}
	e.page.Text, e.page.Named, e.page.Room = text, manifest.Policy.Metadata.Name, views.DividesByRoom(&manifest.Policy)
	preview, faults, err := e.pages.Control.PreviewPolicy(e.r.Context(), e.actor, e.ref, manifest)
	if err != nil {
		return nil, err
	}
	e.page.Preview = previewOf(preview)
	e.refuse(faults, input)
	return faults, nil
}

func previewOf(p control.PolicyPreview) views.PolicyPreview {
	shown := views.PolicyPreview{Known: true, Warnings: p.Warnings}
	for _, s := range p.Selected {
		shown.Selected = append(shown.Selected, views.PreviewedResource{Reached: s.Reached, Report: s.Report})
	}
	return shown
}

// check answers while the form is being filled in: what is not there yet is not asked for.
func (e *policyEditor) check() {
	faults, err := e.look()
	if err != nil {
		e.pages.fail(e.w, e.r, err)
		return
	}
	e.page.Preview.Refused = len(faults) > 0
	e.page.Refusals = slices.DeleteFunc(e.page.Refusals, func(r views.Refusal) bool { return r.Code == fleet.CodeRequired && !e.page.AsYAML })
	e.page.Checking = true
	status := http.StatusOK
	if len(e.page.Refusals) > 0 {
		status = http.StatusUnprocessableEntity
	}
	e.show(status)
}

// preview shows the page again with what the policy would do.
func (e *policyEditor) preview() {
	faults, err := e.look()
	if err != nil {
		e.pages.fail(e.w, e.r, err)
		return
	}
	status := http.StatusOK
	if e.page.Preview.Refused = len(faults) > 0; e.page.Preview.Refused {
		status = http.StatusUnprocessableEntity
	}
	e.show(status)
}

// changedRows shows the page with a row more or less. Nothing is refused for that.
func (e *policyEditor) changedRows() {
	faults, err := e.look()
	if err != nil {
		e.pages.fail(e.w, e.r, err)
		return
	}
	e.page.Preview.Refused = len(faults) > 0
	e.page.Refusals = nil
	e.show(http.StatusOK)
}

// write stores what was submitted.
func (e *policyEditor) write() {
	p, ctx := e.pages, e.r.Context()
	manifest, input, _, err := e.manifest()
	if err != nil {
		p.fail(e.w, e.r, err)
		return
	}
	var written control.Written[fleet.Policy]
	var faults fleet.FieldErrors
	o := control.WriteOptions{IfMatch: e.page.Version}
	if e.stored == nil {
		written, faults, err = p.Control.CreatePolicy(ctx, e.actor, e.ref, manifest, o)
	} else {
		written, faults, err = p.Control.UpdatePolicy(ctx, e.actor, e.ref, manifest, o)
	}
	switch {
	case errors.Is(err, fleet.ErrStale) && e.stored != nil:
		e.conflict()
	case err != nil:
		p.fail(e.w, e.r, err)
	case len(faults) > 0:
		if _, err := e.look(); err != nil {
			p.fail(e.w, e.r, err)
			return
		}
		e.page.Preview.Refused = true
		e.refuse(faults, input)
		e.show(http.StatusUnprocessableEntity)
	default:
		key := "policy.updated"
		if written.Created {
			key = "policy.created"
		}
		p.done(e.w, e.r, views.PolicyPath(written.Object.Ref()), key, nil)
	}
}

// conflict shows what somebody else stored since the form was opened, beside what was submitted. Nothing typed is lost, and
// the form holds the new version: saving again is a decision.
func (e *policyEditor) conflict() {
	words := e.pages.words(e.r)
	before, err := policyManifest(*e.stored)
	if err == nil {
		_, err = e.look()
	}
	if err != nil {
		e.pages.fail(e.w, e.r, err)
		return
	}
	diff := views.DiffOf(words.T("editor.theirs", nil), before, words.T("editor.mine", nil), e.page.Text)
	e.page.Conflict, e.page.Refusals = &diff, nil
	e.page.Version = e.stored.Metadata.ResourceVersion
	e.show(http.StatusConflict)
}

// turn shows what was submitted the other way. A form can always be shown as YAML. YAML that cannot be read stays YAML,
// with its refusals.
func (e *policyEditor) turn(toYAML bool) {
	faults, err := e.look()
	if err != nil {
		e.pages.fail(e.w, e.r, err)
		return
	}
	e.page.Preview.Refused = len(faults) > 0
	switch {
	case toYAML == e.page.AsYAML:
	case toYAML:
		e.page.AsYAML, e.page.YAML = true, e.page.Text
	default:
		manifest, input, text, err := e.manifest()
		if err != nil {
			e.pages.fail(e.w, e.r, err)
			return
		}
		if len(manifest.Faults) > 0 {
			e.refuse(manifest.Faults, input)
			e.page.Stays = true
			e.show(http.StatusUnprocessableEntity)
			return
		}
		if _, plain := parseTree(text); !plain {
			// Anchors are resolved: the form changes one place and must not change another.
			if text, err = policyManifest(manifest.Policy); err != nil {
				e.pages.fail(e.w, e.r, err)
				return
			}
		}
		form, kept := readPolicy(text)
		if e.page.TooLong = !formFits(form); !e.page.TooLong {
			e.page.AsYAML, e.page.Base, e.page.Form, e.page.Kept = false, text, form, kept
		}
	}
	e.page.Refusals = nil
	e.show(http.StatusOK)
}

// newPolicy is what a new policy starts from.
func newPolicy(ref fleet.PolicyRef) string {
	namespace := ""
	if ref.Namespace != "" {
		namespace = "  namespace: " + ref.Namespace + "\n"
	}
	return "apiVersion: " + fleet.PolicyAPIVersion + "\nkind: " + ref.Kind + "\nmetadata:\n  name:\n" + namespace +
		"spec:\n  resourceSelectors: []\n  placement:\n    replicaScheduling:\n      replicaSchedulingType: " + fleet.SchedulingDivided + "\n"
}
