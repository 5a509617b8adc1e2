package fleet

import (
	"encoding/json"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Resource is any Kubernetes resource that a policy may propagate: its identity, read, and the document it was
// written as, opaque.
type Resource struct {
	APIVersion string
	Kind       string
	Namespace  string
	Name       string
	Labels     map[string]string
	// Object is the document as JSON, keys in the order written and numbers exact.
	Object json.RawMessage
}

// Kinds of resources that are treated in a way of their own: namespaces are resources too, a Secret's values are never
// shown, and both of the last make variables of containers.
const (
	KindNamespace = "Namespace"
	KindSecret    = "Secret"
	KindConfigMap = "ConfigMap"
)

// system says whether the resource belongs to what runs the platform: it lies in a system namespace, or is one.
func (r *Resource) system() bool {
	return SystemNamespace(r.Namespace) || r.APIVersion == "v1" && r.Kind == KindNamespace && SystemNamespace(r.Name)
}

// identity is the part of a document that is read of every kind. Everything else is opaque.
type identity struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Metadata   identityMetadata `json:"metadata"`
}

type identityMetadata struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	// ResourceVersion is compared as If-Match is.
	ResourceVersion string `json:"resourceVersion,omitempty"`
}

// DecodeResource reads a resource's identity and refuses what makes it unreadable: no apiVersion, kind or name,
// another type than text in any of them, a reserved label there or in a template, a key given twice anywhere, a number
// that JSON does not have, a replica count that is none; and what was meant to be one of this product's own documents.
// A cluster-scoped kind takes no namespace. Faults are located.
func DecodeResource(doc *Doc, scopes Scopes) (Resource, FieldErrors) {
	var id identity
	faults := decodeKnown(doc, &id)
	// What a key declares is refused beside a value of another type: neither makes up for the other.
	faults = append(faults, residencyElsewhere(doc.root, id.APIVersion, id.Kind)...)
	checked := meantElsewhere(id.APIVersion, id.Kind)
	if len(checked) == 0 {
		checked = written("apiVersion", id.APIVersion, isGroupVersion, CodeNotAccepted, "group_version")
	}
	checked = append(checked, written("kind", id.Kind, isKind, CodeNotAccepted, "kind_word")...)
	checked = append(checked, written("metadata.name", id.Metadata.Name, isResourceName, CodeNameInvalid, "resource_name")...)
	if ns := id.Metadata.Namespace; ns != "" {
		if scopes.Of(id.APIVersion, id.Kind) == ScopeCluster {
			checked = append(checked, conflict("metadata.namespace", ns, "kind: "+id.Kind))
		} else {
			checked = append(checked, validateName("metadata.namespace", ns)...)
		}
	}
	checked = append(checked, validateLabels(Metadata{Labels: id.Metadata.Labels, Annotations: id.Metadata.Annotations})...)
	r := Resource{APIVersion: id.APIVersion, Kind: id.Kind, Namespace: id.Metadata.Namespace, Name: id.Metadata.Name, Labels: id.Metadata.Labels}
	_, _, counted := countOf(doc.root, id.APIVersion, id.Kind)
	checked = append(checked, counted...)
	object, unwritten := doc.object()
	r.Object = object
	return r, withoutSecrets(r, JoinFaults(JoinFaults(faults, unwritten), doc.Locate(checked)))
}

// written refuses a text of the identity that is missing, or none of those that are accepted.
func written(field, text string, accept func(string) bool, wrong Code, want string) FieldErrors {
	switch {
	case text == "":
		return FieldErrors{{Code: CodeRequired, Field: field, Want: want}}
	case !accept(text):
		return FieldErrors{{Code: wrong, Field: field, Value: text, Want: want}}
	}
	return nil
}

// withoutSecrets takes a Secret's values out of what a refusal quotes: they are never shown or logged.
func withoutSecrets(r Resource, faults FieldErrors) FieldErrors {
	if r.Kind != KindSecret {
		return faults
	}
	for i := range faults {
		if !strings.HasPrefix(faults[i].Field, "metadata.") {
			faults[i].Value = ""
		}
	}
	return faults
}

// decodeKnown decodes what into knows and leaves everything else alone.
func decodeKnown(doc *Doc, into any) FieldErrors {
	var faults FieldErrors
	for _, f := range DecodeStrict(doc, into) {
		// Keys given twice are found in the whole document, not in the known part alone.
		if f.Code != CodeUnknownField && f.Code != CodeDuplicateKey {
			faults = append(faults, f)
		}
	}
	return faults
}

// kindWord is what Kubernetes takes as a kind: letters and digits, a letter first.
var kindWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,62}$`)

func isKind(s string) bool { return kindWord.MatchString(s) }

// isGroupVersion takes an apiVersion: "v1", or a group and a version, "apps/v1".
func isGroupVersion(s string) bool {
	group, version, grouped := strings.Cut(s, "/")
	if !grouped {
		return IsName(s)
	}
	return len(validation.IsDNS1123Subdomain(group)) == 0 && IsName(version)
}

// isResourceName takes what some kind of Kubernetes may be called: names of roles hold colons, those of most
// others are DNS names.
func isResourceName(s string) bool {
	return len(s) <= 253 && strings.TrimSpace(s) == s && len(content.IsPathSegmentName(s)) == 0
}
