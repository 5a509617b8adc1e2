package fleet

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
)

// IsName says whether s is a DNS label of at most 63 characters (RFC 1123): what every name here must be.
func IsName(s string) bool { return len(validation.IsDNS1123Label(s)) == 0 }

// IsLabelKey says whether s is a Kubernetes label key: an optional DNS prefix, a slash, and a name.
func IsLabelKey(s string) bool { return len(validation.IsQualifiedName(s)) == 0 }

// IsLabelValue says whether s is a Kubernetes label value.
func IsLabelValue(s string) bool { return len(validation.IsValidLabelValue(s)) == 0 }

// envName is what a shell can read back (POSIX), as Kubernetes has long asked for.
var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// systemNamespaces hold what runs the platform; no tenant gets one.
var systemNamespaces = []string{"kube-system", "kube-public", "kube-node-lease"}

// SystemNamespace says whether a namespace is the platform's own.
func SystemNamespace(name string) bool {
	return slices.Contains(systemNamespaces, name) || strings.HasPrefix(name, "odysseus-")
}

// ParseSelector reads a labelSelector as Kubernetes writes it in a query: "app=web,tier in (a,b),!old". Empty
// selects everything and answers nil.
func ParseSelector(text string) (Selector, FieldErrors) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	parsed, err := labels.Parse(text)
	if err != nil {
		return nil, FieldErrors{{Code: CodeSelectorInvalid, Field: "labelSelector", Value: text, Want: "selector"}}
	}
	return selector{parsed}, nil
}

type selector struct{ parsed labels.Selector }

func (s selector) Matches(set map[string]string) bool { return s.parsed.Matches(labels.Set(set)) }
