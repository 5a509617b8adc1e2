package control

import (
	"context"

	"odysseus/fleet"
)

// OverrideManifest is one override policy as submitted, as Manifest is of a deployment.
type OverrideManifest struct {
	Override fleet.Override
	Doc      *fleet.Doc
	Faults   fleet.FieldErrors
	unread   bool
}

// ParseOverride reads a body that holds exactly one override policy.
func ParseOverride(body []byte, format fleet.Format) OverrideManifest {
	doc, faults := fleet.ParseOne(body, format)
	if len(faults) > 0 {
		return OverrideManifest{Faults: faults, unread: true}
	}
	return OverrideOf(doc)
}

// OverrideOf decodes a document that is to be an override policy.
func OverrideOf(doc *fleet.Doc) OverrideManifest {
	if kind := doc.Kind(); kind != "" && kind != fleet.KindOverridePolicy && kind != fleet.KindClusterOverridePolicy {
		// Of another kind nothing else can be said: its fields are not ours to know.
		return OverrideManifest{Faults: fleet.ForeignPolicy(doc, fleet.OverrideKinds()...), Doc: doc, unread: true}
	}
	o, faults := fleet.DecodeOverride(doc)
	return OverrideManifest{Override: o, Faults: faults, Doc: doc}
}

// overridePlace is where an override policy is to go: the path of an API call, a page, or what an apply found.
type overridePlace struct {
	// ref is the path's: its Kind, the namespace of a namespaced one, and the name where the path gives it.
	ref    fleet.PolicyRef
	tenant string
	// old is what is stored there; nil for a new policy.
	old *fleet.Override
}

// admitOverride holds an override policy to every rule and answers what is to be stored, or all faults at once. It is
// the one way in of create, update, apply, form and preview; the preview also looks at what is at fault, as far as it
// was read.
func admitOverride(ctx context.Context, tx Reader, a Actor, at overridePlace, m OverrideManifest) (fleet.Override, fleet.FieldErrors, []fleet.Warning, error) {
	if m.unread {
		return fleet.Override{}, m.Faults, nil, nil
	}
	o := m.Override
	if o.Kind != "" && o.Kind != at.ref.Kind {
		return fleet.Override{}, located(m.Doc, fleet.FieldErrors{{Code: fleet.CodeKindUnsupported, Field: "kind", Value: o.Kind, Want: "one_of",
			WantArgs: map[string]string{"Values": at.ref.Kind}, Suggestion: at.ref.Kind}}), nil, nil
	}
	o.Kind = at.ref.Kind
	var faults fleet.FieldErrors
	if at.ref.Namespace != "" {
		fault, err := otherNamespace(ctx, tx, a, o.Metadata.Namespace, at.ref.Namespace)
		if err != nil {
			return fleet.Override{}, nil, nil, err
		}
		faults = append(faults, fault...)
		o.Metadata.Namespace = at.ref.Namespace
	}
	faults = append(faults, otherName(&o.Metadata.Name, at.ref.Name, m.Faults)...)
	o.Tenant, o.Status = at.tenant, nil
	clusters, err := grantedClusters(ctx, tx, at.tenant)
	if err != nil {
		return fleet.Override{}, nil, nil, err
	}
	checked, warnings := fleet.ValidateOverride(&o, clusterNames(clusters))
	return o, located(m.Doc, fleet.JoinFaults(m.Faults, append(faults, checked...))), warnings, nil
}
