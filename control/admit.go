package control

import (
	"odysseus/fleet"
)

// Manifest is one deployment as submitted: the well-formed part decoded, the faults of decoding beside it. Doc is
// nil where it came as a form: its faults then have no line. What a form has no field for it takes from the stored
// deployment.
type Manifest struct {
	Deployment fleet.Deployment
	Faults     fleet.FieldErrors
	Doc        *fleet.Doc
	unread     bool
}

// ParseManifest reads a body that holds exactly one Deployment.
func ParseManifest(body []byte, format fleet.Format) Manifest {
	doc, faults := fleet.ParseOne(body, format)
	if len(faults) > 0 {
		return Manifest{Faults: faults, unread: true}
	}
	return ManifestOf(doc)
}

// ManifestOf decodes a document that is to be a Deployment.
func ManifestOf(doc *fleet.Doc) Manifest {
	d, faults := fleet.DecodeDeployment(doc)
	for _, f := range faults {
		if f.Code == fleet.CodeKindUnsupported {
			// Of another kind nothing else can be said: its fields are not ours to know.
			return Manifest{Faults: fleet.FieldErrors{f}, Doc: doc, unread: true}
		}
	}
	return Manifest{Deployment: d, Faults: faults, Doc: doc}
}

// place is where a manifest is to go: the path of an API call, a page, or what an apply found.
type place struct {
	namespace fleet.Namespace
	// name is the one of the path; empty where the manifest gives it.
	name string
	// old is what is stored there; nil for a new deployment.
	old *fleet.Deployment
}

// admit holds a manifest to every rule and answers the deployment that it asks for, with its defaults and compiled
// labels, or all faults at once. It is the one way in of create, update, apply, form and rollback.
func admit(m Manifest, p place, geo fleet.GeoAwareness) (fleet.Deployment, fleet.FieldErrors, []fleet.Warning) {
	if m.unread {
		return fleet.Deployment{}, m.Faults, nil
	}
	d := m.Deployment
	var faults fleet.FieldErrors
	if given := d.Metadata.Namespace; given != "" && given != p.namespace.Name {
		faults = append(faults, fleet.FieldError{Code: fleet.CodeNamespaceMismatch, Field: "metadata.namespace", Value: given, Want: "same_namespace",
			WantArgs: map[string]string{"Namespace": p.namespace.Name}, Suggestion: p.namespace.Name})
	}
	switch given := d.Metadata.Name; {
	case p.name == "":
	case given == "" && !covered("metadata.name", m.Faults):
		d.Metadata.Name = p.name
	case given != p.name:
		faults = append(faults, fleet.FieldError{Code: fleet.CodeNameMismatch, Field: "metadata.name", Value: given, Want: "same_name",
			WantArgs: map[string]string{"Name": p.name}, Suggestion: p.name})
	}
	d.Metadata.Namespace = p.namespace.Name
	d.Tenant = p.namespace.Tenant
	d.Status = nil
	d.ResidencyLabels = nil
	if p.old != nil {
		d.ResidencyLabels = p.old.ResidencyLabels // the enforced ones are kept
	}
	checked, warnings := fleet.ValidateDeployment(&d, &geo)
	faults = located(m.Doc, merge(m.Faults, append(faults, checked...)))
	if len(faults) > 0 {
		return fleet.Deployment{}, faults, nil
	}
	d.APIVersion, d.Kind = fleet.APIVersion, fleet.KindDeployment
	return d, nil, warnings
}

// residencyField is where the two warnings about the fleet point at.
const residencyField = "spec.placement.residency"

// warn adds to a deployment's own warnings those that the settings and the fleet of this moment give. "Both
// warnings are given when both hold."
func (c *Control) warn(d fleet.Deployment, geo fleet.GeoAwareness, own []fleet.Warning) []fleet.Warning {
	if d.Spec.Residency().Empty() {
		return own
	}
	return residencyWarnings(geo, own, c.deps.Fleet.AnyMatch(d.Tenant, d.ResidencyLabels), func() fleet.Geography { return c.deps.Fleet.Geography(d.Tenant) })
}

// residencyWarnings are given of a deployment with residency, whichever fleet it is asked about.
func residencyWarnings(geo fleet.GeoAwareness, own []fleet.Warning, matched bool, advertised func() fleet.Geography) []fleet.Warning {
	var warnings []fleet.Warning
	if !geo.Enabled {
		warnings = append(warnings, fleet.Warning{Code: fleet.CodeEnforcementOff, Field: residencyField, Setting: fleet.SettingEnforcement})
	}
	if !matched {
		values := advertised()
		warnings = append(warnings, fleet.Warning{Code: fleet.CodeNoMatchingNode, Field: residencyField, Advertised: &values})
	}
	return append(warnings, own...)
}

// warnNow are the warnings of a stored deployment that are true at this moment.
func (c *Control) warnNow(d fleet.Deployment, geo fleet.GeoAwareness) []fleet.Warning {
	_, own := fleet.ValidateDeployment(&d, &geo) // faults: a region that is no longer declared is shown by the status
	return c.warn(d, geo, own)
}
