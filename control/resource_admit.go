package control

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"odysseus/fleet"
)

// ResourceManifest is one resource as submitted. Resource is its identity as far as it could be read; the rest is
// judged when it is written, since the scope of a kind may be a stored CustomResourceDefinition's to say.
type ResourceManifest struct {
	Resource fleet.Resource
	Doc      *fleet.Doc
	Faults   fleet.FieldErrors // of parsing
}

// ParseResource reads a body that holds exactly one resource.
func ParseResource(body []byte, format fleet.Format) ResourceManifest {
	doc, faults := fleet.ParseOne(body, format)
	if len(faults) > 0 {
		return ResourceManifest{Faults: withoutText(faults)}
	}
	return ResourceOf(doc)
}

// ResourceOf reads the identity of a document that is to be a resource.
func ResourceOf(doc *fleet.Doc) ResourceManifest {
	return ResourceManifest{Doc: doc, Resource: fleet.Resource{APIVersion: doc.APIVersion(), Kind: doc.Kind(), Namespace: doc.Namespace(), Name: doc.Name()}}
}

// withoutText takes what was written out of the refusal of a body that cannot be read: it may be a Secret's.
func withoutText(faults fleet.FieldErrors) fleet.FieldErrors {
	out := slices.Clone(faults)
	for i := range out {
		f := &out[i]
		if f.Code != fleet.CodeInvalidYAML && f.Code != fleet.CodeInvalidJSON && f.Code != fleet.CodeTooLarge {
			continue
		}
		f.Value = ""
		// The detail quotes tags, anchors and aliases: "unknown anchor 'x' referenced".
		detail := f.Args["Detail"]
		if quoted := strings.IndexAny(detail, "!'\"`*&"); quoted >= 0 {
			f.Args = maps.Clone(f.Args)
			f.Args["Detail"] = strings.TrimSpace(detail[:quoted])
		}
	}
	return out
}

// resourcePlace is where a resource is to go.
type resourcePlace struct {
	// namespace of the path; the zero value for cluster-scoped resources.
	namespace fleet.Namespace
	// key is the path's, where it names one; zero for a new resource.
	key fleet.ResourceKey
	// old is what is stored there, nil for nothing; where it is preserved it is taken over.
	old *fleet.StoredResource
}

// admitResource holds a resource to every rule and answers it in the form in which it is stored, or all faults at once.
// Its ResourceVersion is the one that the manifest says it is a version of.
func admitResource(ctx context.Context, tx Reader, a Actor, at resourcePlace, m ResourceManifest, scopes fleet.Scopes) (fleet.StoredResource, fleet.FieldErrors, error) {
	if m.Doc == nil {
		return fleet.StoredResource{}, m.Faults, nil
	}
	r, faults := fleet.DecodeResource(m.Doc, scopes)
	if foreign := elsewhere(m.Doc, at.namespace.Name); len(foreign) > 0 {
		return fleet.StoredResource{}, foreign, nil
	}
	var checked fleet.FieldErrors
	scope := scopes.Of(r.APIVersion, r.Kind)
	switch namespaced := at.namespace.Name != ""; {
	case r.APIVersion == "" || r.Kind == "":
		// Of no kind there is no scope.
	case namespaced && scope == fleet.ScopeCluster:
		checked = append(checked, fleet.FieldError{Code: fleet.CodeKindUnsupported, Field: "kind", Value: r.Kind, Want: "kind_of_namespace"})
	case !namespaced && scope == fleet.ScopeNamespace:
		checked = append(checked, fleet.FieldError{Code: fleet.CodeKindUnsupported, Field: "kind", Value: r.Kind, Want: "kind_of_cluster"})
	case namespaced:
		fault, err := otherNamespace(ctx, tx, a, r.Namespace, at.namespace.Name)
		if err != nil {
			return fleet.StoredResource{}, nil, err
		}
		checked = append(checked, fault...)
	}
	checked = append(checked, otherAddress(&r, at.key)...)
	r.Namespace = at.namespace.Name
	var held []string
	if at.old != nil && !at.old.Preserved {
		held = at.old.DataKeys()
	}
	faults = fleet.JoinFaults(fleet.JoinFaults(faults, m.Doc.Locate(checked)), fleet.AdmitData(m.Doc, &r, held))
	if len(faults) > 0 {
		return fleet.StoredResource{}, faults, nil
	}
	metadata := metadataOf(r.Object)
	r.Object = r.AsStored()
	return fleet.StoredResource{Resource: r, Tenant: at.namespace.Tenant, Annotations: metadata.Annotations, ResourceVersion: metadata.ResourceVersion}, nil, nil
}

// elsewhere refuses what has an API of its own, with the place to go to.
func elsewhere(doc *fleet.Doc, namespace string) fleet.FieldErrors {
	f := fleet.FieldError{Code: fleet.CodeKindUnsupported, Field: "kind", Value: doc.Kind(), Want: "kind_elsewhere"}
	in := "/api/v1/"
	if namespace != "" {
		in += "namespaces/" + namespace + "/"
	} else {
		in += "namespaces/NAMESPACE/"
	}
	group, _, _ := strings.Cut(doc.APIVersion(), "/")
	own, _, _ := strings.Cut(fleet.APIVersion, "/")
	switch part := doc.SimulationPart(); {
	case part == fleet.PartForeignPolicy:
		return fleet.ForeignPolicy(doc)
	case part == fleet.PartPolicy && doc.Kind() == fleet.KindClusterPropagationPolicy:
		f.Suggestion = "/api/v1/clusterpropagationpolicies"
	case part == fleet.PartPolicy:
		f.Suggestion = in + "propagationpolicies"
	case part == fleet.PartOverride && doc.Kind() == fleet.KindClusterOverridePolicy:
		f.Suggestion = "/api/v1/clusteroverridepolicies"
	case part == fleet.PartOverride:
		f.Suggestion = in + "overridepolicies"
	case part == fleet.PartHypothesis:
		f.Suggestion = in + "scheduler/simulate"
	case group == own:
		f.Suggestion = in + "deployments"
	default:
		return nil
	}
	return doc.Locate(fleet.FieldErrors{f})
}

// otherAddress refuses a manifest of another resource than its address names.
func otherAddress(r *fleet.Resource, key fleet.ResourceKey) fleet.FieldErrors {
	if key.Name == "" {
		return nil
	}
	var faults fleet.FieldErrors
	for _, f := range []struct{ field, given, own string }{{"apiVersion", r.APIVersion, key.APIVersion}, {"kind", r.Kind, key.Kind}} {
		if f.given != "" && f.given != f.own {
			faults = append(faults, fleet.FieldError{Code: fleet.CodeKindUnsupported, Field: f.field, Value: f.given, Want: "one_of",
				WantArgs: map[string]string{"Values": f.own}, Suggestion: f.own})
		}
	}
	if r.Name != "" && r.Name != key.Name {
		faults = append(faults, fleet.FieldError{Code: fleet.CodeNameMismatch, Field: "metadata.name", Value: r.Name, Want: "same_name",
			WantArgs: map[string]string{"Name": key.Name}, Suggestion: key.Name})
	}
	return faults
}

// writtenMetadata is the part of an object's metadata that is its author's, and the version that it is one of.
type writtenMetadata struct {
	Labels          map[string]string `json:"labels,omitempty"`
	Annotations     map[string]string `json:"annotations,omitempty"`
	ResourceVersion string            `json:"resourceVersion,omitempty"`
}

func metadataOf(object json.RawMessage) writtenMetadata {
	var read struct {
		Metadata writtenMetadata `json:"metadata"`
	}
	if err := json.Unmarshal(object, &read); err != nil {
		return writtenMetadata{} // other types than text are refused when the document is decoded
	}
	return read.Metadata
}
