package handlers

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views"
)

// unnamedOverride stands in for the name of a policy that has none yet, while it is previewed: what it would do is to be
// seen before anybody thinks of a name.
const unnamedOverride = "this-policy-without-a-name-yet"

// look finds out what the policy would select and do, and answers its faults. They are shown too.
func (e *overrideEditor) look() (fleet.FieldErrors, error) {
	manifest, form, err := e.manifest()
	if err != nil {
		return nil, err
	}
	e.page.Text, e.page.Own = form.text, e.ref
	e.page.Named = manifest.Override.Metadata.Name
	e.page.Targets = views.TargetsOf(&manifest.Override)
	own := form.faults
	if e.page.Own.Name == "" {
		e.page.Own.Name = e.page.Named
	}
	if e.page.Own.Name == "" {
		e.page.Own.Name, manifest.Override.Metadata.Name = unnamedOverride, unnamedOverride
		if manifest.Override.Kind != "" && !slices.ContainsFunc(manifest.Faults, func(f fleet.FieldError) bool { return f.Field == "metadata.name" }) {
			own = append(own, fleet.FieldError{Code: fleet.CodeRequired, Field: "metadata.name", Want: "name"})
		}
	}
	preview, faults, err := e.pages.Control.PreviewOverride(e.r.Context(), e.actor, e.ref, manifest, nil)
	if err != nil {
		return nil, err
	}
	e.page.Overriding = overriding(preview)
	if len(form.faults) > 0 { // nothing comes of what cannot be written
		for i := range e.page.Overriding.Selected {
			e.page.Overriding.Selected[i].Report = nil
		}
	}
	if err := e.lookAt(); err != nil {
		return nil, err
	}
	faults = fleet.JoinFaults(faults, own)
	e.refuse(faults, form)
	return faults, nil
}

// overriding is a preview as the pages show it: a Secret's values are hidden, also those that an override sets.
func overriding(p control.OverridePreview) views.OverridePreview {
	shown := views.OverridePreview{Known: true, Warnings: p.Warnings, Total: p.Total}
	for _, s := range p.Selected {
		if s.Report != nil && s.Kind == fleet.KindSecret {
			report := *s.Report
			report.Deliveries = slices.Clone(report.Deliveries)
			for i := range report.Deliveries {
				d := &report.Deliveries[i]
				d.Before, d.Object = withoutValues(s.ResourceKey, d.Before), withoutValues(s.ResourceKey, d.Object)
			}
			s.Report = &report
		}
		shown.Selected = append(shown.Selected, views.PreviewedOverride{ResourceKey: s.ResourceKey, Report: s.Report})
	}
	return shown
}

func withoutValues(key fleet.ResourceKey, object json.RawMessage) json.RawMessage {
	if object == nil {
		return nil
	}
	secret := fleet.Resource{APIVersion: key.APIVersion, Kind: key.Kind, Namespace: key.Namespace, Name: key.Name, Object: object}
	return secret.Hidden().Object
}

// lookAt keeps looking at the resource that was looked at, while it is selected; else at the first that is.
func (e *overrideEditor) lookAt() error {
	selected := e.page.Overriding.Selected
	if slices.ContainsFunc(selected, func(s views.PreviewedOverride) bool { return s.ResourceKey == e.page.Looked }) {
		return nil
	}
	e.page.Looked = fleet.ResourceKey{}
	if len(selected) > 0 {
		e.page.Looked = selected[0].ResourceKey
	}
	return e.offerFields()
}

// offerFields collects what is offered of the resource that is looked at. One that is not there, or not the reader's,
// offers nothing.
func (e *overrideEditor) offerFields() error {
	e.page.Fields, e.page.Containers = nil, nil
	if e.page.Looked.Name == "" {
		return nil
	}
	ctx := e.r.Context()
	fields, err := e.pages.Control.ResourceFields(ctx, e.actor, e.page.Looked)
	if err == nil {
		e.page.Fields = fields
		e.page.Containers, err = e.pages.Control.ContainersOf(ctx, e.actor, e.page.Looked)
	}
	if errors.Is(err, fleet.ErrNotFound) || errors.Is(err, control.ErrForbidden) {
		return nil
	}
	return err
}

// resourceOfChoice reads "apiVersion|kind|namespace|name"; the zero value where it is none.
func resourceOfChoice(choice string) fleet.ResourceKey {
	parts := strings.Split(choice, "|")
	if len(parts) != 4 {
		return fleet.ResourceKey{}
	}
	return fleet.ResourceKey{APIVersion: parts[0], Kind: parts[1], Namespace: parts[2], Name: parts[3]}
}
