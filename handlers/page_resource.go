package handlers

import (
	"errors"
	"net/http"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views"
)

// resourceSection is the side bar's entry of a namespace's resources, or of the cluster-scoped ones.
func resourceSection(namespace string) views.Section {
	if namespace == "" {
		return views.SectionFleet
	}
	return views.SectionResources
}

// Resources is GET …/resources: the list, or with ?apiVersion=&kind=&name= the one that these name.
func (p *Pages) Resources(w http.ResponseWriter, r *http.Request) {
	query, namespace := r.URL.Query(), r.PathValue("ns")
	if query.Get("name") != "" {
		p.resource(w, r)
		return
	}
	filter := fleet.ResourceFilter{Namespace: namespace, APIVersion: query.Get("apiVersion"), Kind: query.Get("kind"), ClusterScoped: namespace == ""}
	page, err := p.Control.Resources(r.Context(), control.ActorFrom(r.Context()), filter, listOptions(r))
	if err != nil {
		p.fail(w, r, err)
		return
	}
	chrome, err := p.chrome(w, r, resourceSection(namespace))
	if err != nil {
		p.fail(w, r, err)
		return
	}
	first, next := otherPages(r, page.Continue)
	p.render(w, r, http.StatusOK, views.Resources(views.ResourcesPage{
		Chrome: chrome, Namespace: namespace, Rows: page.Items, Query: query.Get("q"), Kind: query.Get("kind"),
		Self: r.URL.RequestURI(), First: first, Next: next,
	}), views.FragmentResources)
}

// resourceKey reads which resource a query names.
func resourceKey(r *http.Request) fleet.ResourceKey {
	query := r.URL.Query()
	return fleet.ResourceKey{APIVersion: query.Get("apiVersion"), Kind: query.Get("kind"), Namespace: r.PathValue("ns"), Name: query.Get("name")}
}

func (p *Pages) resource(w http.ResponseWriter, r *http.Request) {
	page, ok := p.resourcePage(w, r)
	if ok {
		p.render(w, r, http.StatusOK, views.Resource(page), views.FragmentResource)
	}
}

func (p *Pages) resourcePage(w http.ResponseWriter, r *http.Request) (views.ResourcePage, bool) {
	detail, err := p.Control.Resource(r.Context(), control.ActorFrom(r.Context()), resourceKey(r))
	var manifest string
	var chrome views.Chrome
	if err == nil {
		manifest, err = fleet.YAML(detail.Resource.Object)
	}
	if err == nil {
		chrome, err = p.chrome(w, r, resourceSection(r.PathValue("ns")))
	}
	if err != nil {
		p.fail(w, r, err)
		return views.ResourcePage{}, false
	}
	return views.ResourcePage{Chrome: chrome, Resource: detail.Resource, Placement: detail.Placement, Manifest: manifest}, true
}

// NewResource is GET …/resources/new.
func (p *Pages) NewResource(w http.ResponseWriter, r *http.Request) {
	namespace := r.PathValue("ns")
	if namespace != "" {
		if _, err := p.Control.Namespace(r.Context(), control.ActorFrom(r.Context()), namespace); err != nil {
			p.fail(w, r, err)
			return
		}
	}
	chrome, err := p.chrome(w, r, resourceSection(namespace))
	if err != nil {
		p.fail(w, r, err)
		return
	}
	p.resourceEditor(w, r, http.StatusOK, views.ResourceEditorPage{Chrome: chrome, Namespace: namespace, YAML: newResource(namespace)})
}

// EditResource is GET …/resources/edit?apiVersion=&kind=&name=.
func (p *Pages) EditResource(w http.ResponseWriter, r *http.Request) {
	page, ok := p.resourcePage(w, r)
	if ok {
		p.resourceEditor(w, r, http.StatusOK, views.ResourceEditorPage{Chrome: page.Chrome, Namespace: page.Resource.Namespace,
			Existing: page.Resource.Key(), Version: page.Resource.ResourceVersion, YAML: page.Manifest})
	}
}

func (p *Pages) resourceEditor(w http.ResponseWriter, r *http.Request, status int, page views.ResourceEditorPage) {
	if r.Method == http.MethodGet && !page.MayEdit() {
		p.Refuse(w, r, http.StatusForbidden, fleet.CodeForbidden)
		return
	}
	p.render(w, r, status, views.ResourceEditor(page))
}

// SaveResource is POST …/resources: yaml; and, of one that exists, apiVersion, kind, name and version. With action check
// nothing is stored.
func (p *Pages) SaveResource(w http.ResponseWriter, r *http.Request) {
	if !p.form(w, r) {
		return
	}
	ctx, actor, namespace, values := r.Context(), control.ActorFrom(r.Context()), r.PathValue("ns"), r.PostForm
	page := views.ResourceEditorPage{Namespace: namespace, YAML: lines(values.Get("yaml")), Version: values.Get("version")}
	if name := values.Get("name"); name != "" {
		page.Existing = fleet.ResourceKey{APIVersion: values.Get("apiVersion"), Kind: values.Get("kind"), Namespace: namespace, Name: name}
	}
	manifest := control.ParseResource([]byte(page.YAML), fleet.FormatYAML)
	o := control.WriteOptions{DryRun: values.Get("action") == "check", IfMatch: page.Version}
	var written control.Written[control.ResourceDetail]
	var faults fleet.FieldErrors
	var err error
	if page.Existing.Name == "" {
		written, faults, err = p.Control.CreateResource(ctx, actor, namespace, manifest, o)
	} else {
		written, faults, err = p.Control.UpdateResource(ctx, actor, page.Existing, manifest, o)
	}
	stale := errors.Is(err, fleet.ErrStale) && page.Existing.Name != ""
	if err != nil && !stale {
		p.fail(w, r, err)
		return
	}
	if err == nil && len(faults) == 0 && !o.DryRun {
		key := "resources.updated"
		if written.Created {
			key = "resources.created"
		}
		p.done(w, r, views.ResourcePath(written.Object.Resource.Key()), key, nil)
		return
	}
	status := http.StatusOK
	switch {
	case stale:
		status = http.StatusConflict
		err = p.staleResource(r, &page)
	case len(faults) > 0:
		status = http.StatusUnprocessableEntity
		page.Refusals = views.RefusalsOf(p.words(r), faults, func(string) string { return views.InputYAML })
	default:
		page.Checked, err = true, nil
	}
	if err == nil {
		page.Chrome, err = p.chrome(w, r, resourceSection(namespace))
	}
	if err != nil {
		p.fail(w, r, err)
		return
	}
	p.resourceEditor(w, r, status, page)
}

// staleResource shows what somebody else stored since the form was opened, beside what was submitted.
func (p *Pages) staleResource(r *http.Request, page *views.ResourceEditorPage) error {
	detail, err := p.Control.Resource(r.Context(), control.ActorFrom(r.Context()), page.Existing)
	if err != nil {
		return err
	}
	before, err := fleet.YAML(detail.Resource.Object)
	if err != nil {
		return err
	}
	words := p.words(r)
	diff := views.DiffOf(words.T("editor.theirs", nil), before, words.T("editor.mine", nil), page.YAML)
	page.Conflict, page.Version = &diff, detail.Resource.ResourceVersion
	return nil
}

// ConfirmDeleteResource is GET …/resources/delete?apiVersion=&kind=&name=: what deleting does, in numbers.
func (p *Pages) ConfirmDeleteResource(w http.ResponseWriter, r *http.Request) {
	page, ok := p.resourcePage(w, r)
	if !ok {
		return
	}
	if !page.MayEdit() {
		p.Refuse(w, r, http.StatusForbidden, fleet.CodeForbidden)
		return
	}
	words, key := p.words(r), page.Resource.Key()
	asked, _, err := p.Control.DeleteResource(r.Context(), control.ActorFrom(r.Context()), key, control.WriteOptions{DryRun: true})
	if err != nil {
		p.fail(w, r, err)
		return
	}
	placed := 0
	for _, cluster := range page.Placement.Clusters {
		placed += cluster.Placed
	}
	named := map[string]string{"Name": key.Name}
	consequences := []string{words.T("resources.delete_nowhere", nil)}
	if on := len(page.Placement.Clusters); on > 0 {
		consequences[0] = words.N("resources.delete_clusters", on, nil)
	}
	if placed > 0 {
		consequences = append(consequences, words.N("deployment.delete_replicas", placed, nil))
	}
	if kept(asked.Warnings) {
		consequences = []string{words.T("resources.delete_keeps", named)}
	}
	p.render(w, r, http.StatusOK, views.Confirm(views.ConfirmPage{
		Chrome: page.Chrome,
		Crumbs: append(views.ResourceCrumbs(words, key.Namespace), views.Crumb{Text: key.Name, Path: views.ResourcePath(key)},
			views.Crumb{Text: words.T("policy.delete", nil)}),
		Title: words.T("deployment.delete_title", named), Consequences: consequences,
		Button: words.T("deployment.delete_button", named), Action: views.ResourcesPath(key.Namespace) + "/delete", Cancel: views.ResourcePath(key),
		Hidden: []views.Hidden{{Name: "apiVersion", Value: key.APIVersion}, {Name: "kind", Value: key.Kind}, {Name: "name", Value: key.Name},
			{Name: "version", Value: page.Resource.ResourceVersion}},
	}))
}

// DeleteResource is POST …/resources/delete: apiVersion, kind, name, version.
func (p *Pages) DeleteResource(w http.ResponseWriter, r *http.Request) {
	if !p.form(w, r) {
		return
	}
	values := r.PostForm
	key := fleet.ResourceKey{APIVersion: values.Get("apiVersion"), Kind: values.Get("kind"), Namespace: r.PathValue("ns"), Name: values.Get("name")}
	written, _, err := p.Control.DeleteResource(r.Context(), control.ActorFrom(r.Context()), key, control.WriteOptions{IfMatch: values.Get("version")})
	if err != nil {
		p.fail(w, r, err)
		return
	}
	p.done(w, r, views.ResourcesPath(key.Namespace), deletedKey("resources.deleted", written.Warnings), map[string]string{"Name": key.Name})
}

// newResource is what the YAML of a new resource starts from.
func newResource(namespace string) string {
	if namespace == "" {
		return "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata:\n  name:\n"
	}
	return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name:\n  namespace: " + namespace + "\ndata: {}\n"
}
