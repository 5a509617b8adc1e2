package db

import (
	"database/sql"
	"errors"
	"fmt"

	"odysseus/fleet"
)

var errNoObject = errors.New("it is no single JSON document")

// source is where a replica's template is read from.
type source struct {
	uid                 string
	revision, rendering int64
	// spec of a Deployment of this product, object of another workload, by the revision; rendered by the rendering.
	spec, object, apiVersion, kind, rendered sql.NullString
}

// gone says that the workload is deleted, and its revisions with it.
func (s source) gone() bool { return !s.spec.Valid && !s.object.Valid }

// templates are decoded once for all replicas that share them.
type templates map[templateKey]*fleet.PodTemplate

// templateKey is of a rendering where there is one: whatever the revision, it stays the same.
type templateKey struct {
	uid                 string
	revision, rendering int64
}

func (t templates) of(s source) (*fleet.PodTemplate, error) {
	key := templateKey{uid: s.uid, rendering: s.rendering}
	if s.rendering == 0 {
		key.revision = s.revision
	}
	template, read := t[key]
	if read {
		return template, nil
	}
	template, err := s.template()
	if err == nil {
		t[key] = template
	}
	return template, err
}

// template is nil where nothing is known any more.
func (s source) template() (*fleet.PodTemplate, error) {
	switch {
	case s.rendered.Valid:
		return renderedTemplate(s.rendered.String)
	case s.gone():
		return nil, nil
	case s.rendering > 0:
		// No commit leaves it so. "The un-overridden form is never sent."
		return nil, fmt.Errorf("rendering %d is not there: %w", s.rendering, fleet.ErrNotFound)
	case s.spec.Valid:
		var spec fleet.DeploymentSpec
		if err := fromJSON(s.spec.String, &spec); err != nil {
			return nil, err
		}
		t := spec.PodTemplate()
		return &t, nil
	}
	// What agents cannot run was judged when the replica was assigned.
	t, _, _ := fleet.PodTemplateOf(&fleet.Resource{APIVersion: s.apiVersion.String, Kind: s.kind.String, Object: []byte(s.object.String)})
	return &t, nil
}

// renderedTemplate is what a replica of a rendering runs. It is read by the kind that the document names, which no override
// changes, and as what is written is read: an override may write "cpu: 2", or take away what was filled in. What cannot be
// read, or run by agents, was judged when it was rendered.
func renderedTemplate(object string) (*fleet.PodTemplate, error) {
	docs, faults := fleet.Parse([]byte(object), fleet.FormatJSON)
	if len(faults) > 0 || len(docs) != 1 {
		return nil, fmt.Errorf("read rendered object: %w", errNoObject)
	}
	var id struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := fromJSON(object, &id); err != nil {
		return nil, err
	}
	if id.APIVersion == fleet.APIVersion && id.Kind == fleet.KindDeployment {
		d, _ := fleet.DecodeDeployment(docs[0])
		d.Default()
		t := d.Spec.PodTemplate()
		return &t, nil
	}
	t, _, _ := fleet.PodTemplateOf(&fleet.Resource{APIVersion: id.APIVersion, Kind: id.Kind, Object: []byte(object)})
	return &t, nil
}
