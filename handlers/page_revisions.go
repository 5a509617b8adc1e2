package handlers

import (
	"encoding/json"
	"net/http"
	"strconv"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views"
	"odysseus/views/locale"
)

// revisionsPerPage is less than other lists have: each row holds a difference.
const revisionsPerPage = 20

// DeploymentRevisions is GET …/{name}/revisions, newest first.
func (p *Pages) DeploymentRevisions(w http.ResponseWriter, r *http.Request) {
	ctx, actor := r.Context(), control.ActorFrom(r.Context())
	namespace, name := r.PathValue("ns"), r.PathValue("name")
	d, err := p.Control.Deployment(ctx, actor, namespace, name)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	o := listOptions(r)
	o.Limit = revisionsPerPage + 1 // the last one is only compared with
	page, err := p.Control.Revisions(ctx, actor, namespace, name, o)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	rows, err := revisionRows(p.words(r), page.Items)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	chrome, err := p.chrome(w, r, views.SectionDeployments)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	first, next := otherPages(r, page.Continue)
	p.render(w, r, http.StatusOK, views.Revisions(views.RevisionsPage{
		Chrome: chrome, Namespace: namespace, Name: name, Version: d.Metadata.ResourceVersion, Current: d.Revision,
		Rows: rows, First: first, Next: next,
	}))
}

// revisionRows compares each revision with the one before it. The first stands as it is.
func revisionRows(words *locale.Words, revisions []fleet.Revision) ([]views.RevisionRow, error) {
	texts := make([]string, len(revisions))
	for i, revision := range revisions {
		var err error
		if texts[i], err = fleet.YAML(revision.Spec); err != nil {
			return nil, err
		}
	}
	title := func(number int64) string {
		return words.T("revisions.before", map[string]string{"Number": strconv.FormatInt(number, 10)})
	}
	rows := make([]views.RevisionRow, len(revisions))
	for i, revision := range revisions {
		rows[i] = views.RevisionRow{Revision: revision}
		if i+1 == len(revisions) {
			rows[i].First = texts[i]
			continue
		}
		rows[i].Diff = views.DiffOf(title(revisions[i+1].Number), texts[i+1], title(revision.Number), texts[i])
	}
	if len(rows) > revisionsPerPage {
		rows = rows[:revisionsPerPage]
	}
	return rows, nil
}

// RollbackDeployment is POST …/{name}/rollback: revision, version.
func (p *Pages) RollbackDeployment(w http.ResponseWriter, r *http.Request) {
	if !p.form(w, r) {
		return
	}
	namespace, name := r.PathValue("ns"), r.PathValue("name")
	revision := r.PostForm.Get("revision")
	body := formBody[control.RollbackRequest](map[string]any{"revision": numberOrText(revision)})
	written, faults, err := p.Control.RollbackDeployment(r.Context(), control.ActorFrom(r.Context()), namespace, name, body,
		control.WriteOptions{IfMatch: r.PostForm.Get("version")})
	switch {
	case err != nil:
		p.fail(w, r, err)
	case len(faults) > 0:
		p.refusedRollback(w, r, revision, faults)
	default:
		p.done(w, r, views.DeploymentPath(namespace, name), "deployment.rolled_back",
			map[string]string{"Number": revision, "Revision": strconv.FormatInt(written.Object.Revision, 10)})
	}
}

// refusedRollback says why an old revision is not accepted today, and offers the way that is: to edit.
func (p *Pages) refusedRollback(w http.ResponseWriter, r *http.Request, revision string, faults fleet.FieldErrors) {
	namespace, name := r.PathValue("ns"), r.PathValue("name")
	words := p.words(r)
	chrome, err := p.chrome(w, r, views.SectionDeployments)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	p.render(w, r, refusedStatus(faults), views.Confirm(views.ConfirmPage{
		Chrome: chrome, Title: words.T("revisions.rollback", map[string]string{"Number": revision}),
		Button:   words.T("revisions.rollback", map[string]string{"Number": revision}),
		Action:   views.DeploymentPath(namespace, name) + "/rollback",
		Cancel:   views.DeploymentPath(namespace, name) + "/revisions",
		Hidden:   []views.Hidden{{Name: "revision", Value: revision}, {Name: "version", Value: r.PostForm.Get("version")}},
		Refusals: views.RefusalsOf(words, faults, func(string) string { return "" }),
	}))
}

// formBody decodes a form's values by the rules that an API's body is held to; its faults have no line, since
// nobody wrote one.
func formBody[T any](values map[string]any) control.Body[T] {
	raw, _ := json.Marshal(values) // texts, numbers, lists and maps of them always marshal
	body := control.ParseBody[T](raw, fleet.FormatJSON)
	body.Doc = nil
	body.Faults = unplaced(body.Faults)
	return body
}

// unplaced takes line and column away.
func unplaced(faults fleet.FieldErrors) fleet.FieldErrors {
	for i := range faults {
		faults[i].Line, faults[i].Column = 0, 0
	}
	return faults
}

// numberOrText reads a field that is to be a number as one where it can be: what cannot is refused by the
// decoder, with the text quoted back.
func numberOrText(text string) any {
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return json.Number(text)
	}
	return text
}
