package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"odysseus/fleet"
)

// deleteCommand deletes one object, or all that manifests declare.
type deleteCommand struct {
	target
	File   []string `short:"f" help:"Manifest whose objects to delete, YAML or JSON, one or several documents; - for standard input. May be repeated: policies of all files go first."`
	DryRun bool     `help:"Check everything and change nothing."`
}

func (c *deleteCommand) Run(p *program) error {
	if len(c.File) > 0 {
		return c.files(p)
	}
	at, err := c.find(true)
	if err != nil {
		return err
	}
	api, err := newClient(p)
	if err != nil {
		return err
	}
	return c.one(p, api, at)
}

func (c *deleteCommand) one(p *program, api *client, at place) error {
	path := at.one("")
	if c.DryRun {
		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}
		path += separator + "dryRun=All"
	}
	var answer answered
	if err := api.call(http.MethodDelete, path, "", nil, fleet.FormatJSON, &answer); err != nil {
		return err
	}
	return printObject(p.stdout, c.Output, answer.Object, "deleted")
}

// files deletes what the manifests declare, in the order in which nothing is distributed on the way that was not before:
// propagation policies, then override policies, then everything else. "Propagation and override policy deleted together:
// the un-overridden form is never sent." What is not there is said, and the rest goes on; anything else that is refused
// ends it, so that no override is deleted whose propagation policy still stands.
func (c *deleteCommand) files(p *program) error {
	if c.Kind != "" {
		return &refusedError{[]string{"-f: a manifest says itself what it declares: leave the kind and the name out"}}
	}
	var turns [3][]place
	var refused refusedError
	scopes := fleet.Scopes{}
	for _, name := range c.File {
		body, err := readManifest(name, p.stdin)
		if err != nil {
			return err
		}
		docs, faults := fleet.Parse(body, formatOf(name, body))
		for _, doc := range docs {
			at, turn, own := c.declared(doc, scopes)
			faults = append(faults, own...)
			if len(own) == 0 && !slices.ContainsFunc(turns[turn], func(other place) bool { return other.one("") == at.one("") }) {
				turns[turn] = append(turns[turn], at)
			}
		}
		for _, f := range faults {
			refused.lines = append(refused.lines, refusalLine(name, f, p.words))
		}
	}
	if len(refused.lines) > 0 {
		return &refused
	}
	api, err := newClient(p)
	if err != nil {
		return err
	}
	for _, at := range slices.Concat(turns[:]...) {
		var missing *notFoundError
		switch err := c.one(p, api, at); {
		case errors.As(err, &missing):
			refused.lines = append(refused.lines, missing.Error())
		case err != nil:
			refused.lines = append(refused.lines, err.Error())
			return &refused
		}
	}
	if len(refused.lines) > 0 {
		return &refused
	}
	return nil
}

// declared is where the API has what a document declares, and whose turn that is. A CustomResourceDefinition says of what
// scope its kind is in the documents after it.
func (c *deleteCommand) declared(doc *fleet.Doc, scopes fleet.Scopes) (place, int, fleet.FieldErrors) {
	resource, _ := fleet.DecodeResource(doc, scopes) // what is at fault in it does not matter any more
	if kind, scope, defines := fleet.DefinedScope(&resource); defines {
		scopes[kind] = scope
	}
	collection, turn, scope := ofResources, 2, scopes.Of(resource.APIVersion, resource.Kind)
	switch doc.Declares() {
	case fleet.DeclaresForeignPolicy:
		return place{}, 0, fleet.ForeignPolicy(doc)
	case fleet.DeclaresPolicy:
		collection, turn = collectionOf(doc.Kind()), 0
	case fleet.DeclaresOverride:
		collection, turn = collectionOf(doc.Kind()), 1
	case fleet.DeclaresDeployment:
		collection = ofDeployments
	}
	if collection != ofResources {
		scope = fleet.ScopeNamespace
	}
	if collection == ofClusterPolicies || collection == ofClusterOverrides {
		scope = fleet.ScopeCluster
	}
	var faults fleet.FieldErrors
	missing := func(field, want string) {
		faults = append(faults, fleet.FieldError{Code: fleet.CodeRequired, Field: field, Want: want})
	}
	if resource.Name == "" {
		missing("metadata.name", "resource_name")
	}
	if collection == ofResources && resource.Kind == "" {
		missing("kind", "kind_word")
	}
	if collection == ofResources && resource.APIVersion == "" {
		missing("apiVersion", "group_version")
	}
	namespace := ""
	if scope == fleet.ScopeNamespace {
		if namespace = resource.Namespace; namespace == "" {
			namespace = c.Namespace
		}
		if namespace == "" {
			missing("metadata.namespace", "namespace")
		}
	}
	at := place{collection: in(namespace, collection), name: resource.Name}
	if collection == ofResources {
		key := resource.Key()
		at.resource = &key
	}
	return at, turn, doc.Locate(faults)
}

// notFoundError is the refusal of what is not there, or is somebody else's.
type notFoundError struct{ refused *refusedError }

func (e *notFoundError) Error() string { return e.refused.Error() }

func (e *notFoundError) Unwrap() error { return e.refused }

// notFound names what was asked for: by its path or, where kinds are anybody's, by the parameters.
func notFound(u *url.URL) error {
	what, query := strings.TrimPrefix(u.Path, "/api/v1/"), u.Query()
	if name := query.Get("name"); name != "" {
		what += " " + query.Get("apiVersion") + "/" + query.Get("kind") + "/" + name
	}
	return &notFoundError{&refusedError{[]string{fmt.Sprintf("%s: there is no %s", fleet.CodeNotFound, what)}}}
}
