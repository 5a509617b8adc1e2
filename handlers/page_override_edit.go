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

// NewOverride is GET …/policies/new?kind=OverridePolicy: of a namespace, or the cluster-wide one.
func (p *Pages) NewOverride(w http.ResponseWriter, r *http.Request) {
	e, ok := p.overrideEditor(w, r, nil)
	if !ok || !e.offered() {
		return
	}
	e.page.AsYAML = r.URL.Query().Get("as") == "yaml"
	e.page.YAML = e.page.Base
	e.page.Form, e.page.Kept = readOverride(e.page.Base)
	e.show(http.StatusOK)
}

// EditOverride is GET …/policies/{kind}/{name}/edit of an override policy.
func (p *Pages) EditOverride(w http.ResponseWriter, r *http.Request) {
	stored, ok := p.storedOverride(w, r)
	if !ok {
		return
	}
	e, ok := p.overrideEditor(w, r, &stored)
	if !ok || !e.offered() {
		return
	}
	e.page.AsYAML = r.URL.Query().Get("as") == "yaml"
	e.page.YAML = e.page.Base
	e.page.Form, e.page.Kept = readOverride(e.page.Base)
	if e.page.TooLong = !overrideFits(e.page.Form); e.page.TooLong {
		e.page.AsYAML = true
	}
	if _, err := e.look(); err != nil {
		p.fail(w, r, err)
		return
	}
	e.show(http.StatusOK)
}

// CreateOverride is POST …/policies of an override policy: the form's fields, or yaml alone.
func (p *Pages) CreateOverride(w http.ResponseWriter, r *http.Request) { p.saveOverride(w, r, nil) }

// UpdateOverride is POST …/policies/{kind}/{name}: the same.
func (p *Pages) UpdateOverride(w http.ResponseWriter, r *http.Request) {
	if stored, ok := p.storedOverride(w, r); ok {
		p.saveOverride(w, r, &stored)
	}
}

// overrideEditor is one request to the form of an override policy. What it shares with the form of a propagation policy,
// who asks, where, and the names that are offered, is that one's.
type overrideEditor struct {
	policyEditor
	page   views.OverrideEditorPage
	stored *fleet.Override // nil for a new one
}

func (p *Pages) overrideEditor(w http.ResponseWriter, r *http.Request, stored *fleet.Override) (*overrideEditor, bool) {
	e := &overrideEditor{policyEditor: policyEditor{pages: p, w: w, r: r, actor: control.ActorFrom(r.Context())}, stored: stored}
	namespace := r.PathValue("ns")
	e.ref = fleet.PolicyRef{Kind: fleet.KindOverridePolicy, Namespace: namespace}
	var err error
	if namespace == "" {
		e.ref.Kind = fleet.KindClusterOverridePolicy
	} else {
		_, err = p.Control.Namespace(r.Context(), e.actor, namespace)
	}
	e.page.Base = newOverride(e.ref)
	if err == nil && stored != nil {
		e.ref = stored.Ref()
		e.page.Existing, e.page.Version = stored.Metadata.Name, stored.Metadata.ResourceVersion
		e.page.Base, err = overrideText(*stored)
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
	e.page.Clusters, e.page.Resources = e.policyEditor.page.Clusters, e.policyEditor.page.Resources
	e.page.Namespace, e.page.Kind = namespace, e.ref.Kind
	return e, true
}

// offered answers 403 to those who could fill in the form and never save it, and then is false.
func (e *overrideEditor) offered() bool {
	if e.page.MayEdit() {
		return true
	}
	e.pages.Refuse(e.w, e.r, http.StatusForbidden, fleet.CodeForbidden)
	return false
}

// show sends the page, or to htmx what of it changes.
func (e *overrideEditor) show(status int) {
	if partial(e.r) {
		switch target(e.r) {
		case views.FragmentPolicyEditor:
			e.pages.render(e.w, e.r, status, views.OverrideEditorParts(e.page))
			return
		case views.FragmentPolicyPreview:
			e.pages.render(e.w, e.r, status, views.OverridePreviewPart(e.page))
			return
		}
		h := e.w.Header()
		h.Set("HX-Retarget", "#main")
		h.Set("HX-Reselect", "#main")
		h.Set("HX-Reswap", "outerHTML")
	}
	e.pages.render(e.w, e.r, status, views.OverrideEditor(e.page))
}

// saveOverride answers every POST of the form, as savePolicy does.
func (p *Pages) saveOverride(w http.ResponseWriter, r *http.Request, stored *fleet.Override) {
	if !p.form(w, r) {
		return
	}
	e, ok := p.overrideEditor(w, r, stored)
	if !ok {
		return
	}
	if !e.take() {
		p.Refuse(w, r, http.StatusUnprocessableEntity, fleet.CodeTooLarge)
		return
	}
	if err := e.offerFields(); err != nil {
		p.fail(w, r, err)
		return
	}
	values := r.PostForm
	action, argument, _ := strings.Cut(values.Get("action"), ":")
	switch {
	case values.Get("check") != "":
		e.check()
	case values.Get("use") != "" || action == "preview" || action == "look":
		e.preview(action == "look")
	case action == "add":
		list, value, _ := strings.Cut(argument, "=")
		if chosen := values.Get(views.OverridePick + list); chosen != "" && list != views.PolicySelectors {
			value = chosen
		}
		if e.page.Focus == "" || list != views.PolicySelectors { // what was picked is added already
			e.page.Focus = e.addOverride(list, value)
		}
		e.changedRows()
	case action == "take":
		e.page.Focus = e.takePath(argument, values.Get(views.OverridePick+argument))
		e.changedRows()
	case action == "remove":
		e.page.Focus = removeOverride(e.page.Form, argument)
		e.changedRows()
	case action == "yaml" || action == "form":
		e.turn(action == "yaml")
	default:
		e.write()
	}
}

// take reads what was submitted; false where that is more than a form holds.
func (e *overrideEditor) take() bool {
	values := e.r.PostForm
	var fits bool
	if e.page.Form, fits = overrideForm(values); !fits {
		return false
	}
	if base := values.Get("base"); base != "" {
		e.page.Base = lines(base)
	}
	_, e.page.Kept = readOverride(e.page.Base)
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
	if e.page.Picked = values.Get(views.PolicyPick); e.page.Picked != "" && values.Get("check") == "" {
		e.page.Focus = pick(e.page.Form, e.page.Picked)
		e.page.Picked = ""
	}
	e.page.Looked = resourceOfChoice(values.Get(views.OverrideLook))
	return true
}

// manifest of what was submitted, as it is written.
func (e *overrideEditor) manifest() (control.OverrideManifest, writtenOverride, error) {
	if e.page.AsYAML {
		return control.ParseOverride([]byte(e.page.YAML), fleet.FormatYAML), writtenOverride{text: e.page.YAML}, nil
	}
	w, err := writeOverride(e.page.Base, e.page.Form)
	if err != nil {
		return control.OverrideManifest{}, w, err
	}
	return control.ParseOverride([]byte(w.text), fleet.FormatYAML), w, nil
}

// refuse shows faults in the order in which the page has their controls; those without one come last.
func (e *overrideEditor) refuse(faults fleet.FieldErrors, w writtenOverride) {
	input := w.input
	if e.page.AsYAML {
		input = func(string) string { return views.InputYAML }
	} else {
		faults = unplaced(faults)
	}
	refusals := views.RefusalsOf(e.pages.words(e.r), faults, input)
	order := e.page.Form.OverrideInputs()
	place := func(r views.Refusal) int {
		if i := slices.Index(order, r.Input); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(refusals, func(a, b views.Refusal) int { return place(a) - place(b) })
	e.page.Refusals = refusals
}

// check answers while the form is being filled in: what is not there yet is not asked for.
func (e *overrideEditor) check() {
	faults, err := e.look()
	if err != nil {
		e.pages.fail(e.w, e.r, err)
		return
	}
	e.page.Overriding.Refused = len(faults) > 0
	e.page.Refusals = slices.DeleteFunc(e.page.Refusals, func(r views.Refusal) bool { return r.Code == fleet.CodeRequired && !e.page.AsYAML })
	e.page.Checking = true
	status := http.StatusOK
	if len(e.page.Refusals) > 0 {
		status = http.StatusUnprocessableEntity
	}
	e.show(status)
}

// preview shows the page again with what the policy would do; looking at another resource refuses nothing.
func (e *overrideEditor) preview(looking bool) {
	if looking {
		e.changedRows()
		return
	}
	faults, err := e.look()
	if err != nil {
		e.pages.fail(e.w, e.r, err)
		return
	}
	status := http.StatusOK
	if e.page.Overriding.Refused = len(faults) > 0; e.page.Overriding.Refused {
		status = http.StatusUnprocessableEntity
	}
	e.show(status)
}

// changedRows shows the page with a row more or less. Nothing is refused for that.
func (e *overrideEditor) changedRows() {
	faults, err := e.look()
	if err != nil {
		e.pages.fail(e.w, e.r, err)
		return
	}
	e.page.Overriding.Refused = len(faults) > 0
	e.page.Refusals = nil
	e.show(http.StatusOK)
}

// write stores what was submitted.
func (e *overrideEditor) write() {
	p, ctx := e.pages, e.r.Context()
	manifest, form, err := e.manifest()
	if err != nil {
		p.fail(e.w, e.r, err)
		return
	}
	if len(form.faults) > 0 { // what the form cannot write is not stored otherwise
		e.preview(false)
		return
	}
	var written control.Written[fleet.Override]
	var faults fleet.FieldErrors
	o := control.WriteOptions{IfMatch: e.page.Version}
	if e.stored == nil {
		written, faults, err = p.Control.CreateOverride(ctx, e.actor, e.ref, manifest, o)
	} else {
		written, faults, err = p.Control.UpdateOverride(ctx, e.actor, e.ref, manifest, o)
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
		e.page.Overriding.Refused = true
		e.refuse(faults, form)
		e.show(http.StatusUnprocessableEntity)
	default:
		key := "override.updated"
		if written.Created {
			key = "override.created"
		}
		p.done(e.w, e.r, views.PolicyPath(written.Object.Ref()), key, nil)
	}
}

// conflict shows what somebody else stored since the form was opened, beside what was submitted, as for a propagation
// policy.
func (e *overrideEditor) conflict() {
	words := e.pages.words(e.r)
	before, err := overrideText(*e.stored)
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
func (e *overrideEditor) turn(toYAML bool) {
	faults, err := e.look()
	if err != nil {
		e.pages.fail(e.w, e.r, err)
		return
	}
	e.page.Overriding.Refused = len(faults) > 0
	switch {
	case toYAML == e.page.AsYAML:
	case toYAML:
		e.page.AsYAML, e.page.YAML = true, e.page.Text
	default:
		manifest, form, err := e.manifest()
		if err != nil {
			e.pages.fail(e.w, e.r, err)
			return
		}
		if len(manifest.Faults) > 0 {
			e.refuse(manifest.Faults, form)
			e.page.Stays = true
			e.show(http.StatusUnprocessableEntity)
			return
		}
		text := form.text
		if _, plain := parseTree(text); !plain {
			// Anchors are resolved: the form changes one place and must not change another.
			if text, err = overrideText(manifest.Override); err != nil {
				e.pages.fail(e.w, e.r, err)
				return
			}
		}
		read, kept := readOverride(text)
		if e.page.TooLong = !overrideFits(read); !e.page.TooLong {
			e.page.AsYAML, e.page.Base, e.page.Form, e.page.Kept = false, text, read, kept
		}
	}
	e.page.Refusals = nil
	e.show(http.StatusOK)
}

// newOverride is what a new override policy starts from.
func newOverride(ref fleet.PolicyRef) string {
	namespace := ""
	if ref.Namespace != "" {
		namespace = "  namespace: " + ref.Namespace + "\n"
	}
	return "apiVersion: " + fleet.PolicyAPIVersion + "\nkind: " + ref.Kind + "\nmetadata:\n  name:\n" + namespace +
		"spec:\n  resourceSelectors: []\n  overrideRules: []\n"
}
