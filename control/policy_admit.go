package control

import (
	"context"
	"errors"
	"fmt"

	"odysseus/fleet"
)

// PolicyManifest is one propagation policy as submitted, as Manifest is of a deployment.
type PolicyManifest struct {
	Policy fleet.Policy
	Doc    *fleet.Doc
	Faults fleet.FieldErrors
	unread bool
}

// ParsePolicy reads a body that holds exactly one propagation policy.
func ParsePolicy(body []byte, format fleet.Format) PolicyManifest {
	doc, faults := fleet.ParseOne(body, format)
	if len(faults) > 0 {
		return PolicyManifest{Faults: faults, unread: true}
	}
	return PolicyOf(doc)
}

// PolicyOf decodes a document that is to be a propagation policy.
func PolicyOf(doc *fleet.Doc) PolicyManifest {
	if kind := doc.Kind(); kind != "" && !policyKind(kind) {
		// Of another kind nothing else can be said: its fields are not ours to know.
		return PolicyManifest{Faults: fleet.ForeignPolicy(doc, fleet.PolicyKinds()...), Doc: doc, unread: true}
	}
	p, faults := fleet.DecodePolicy(doc)
	return PolicyManifest{Policy: p, Faults: faults, Doc: doc}
}

func policyKind(kind string) bool {
	return kind == fleet.KindPropagationPolicy || kind == fleet.KindClusterPropagationPolicy
}

// policyPlace is where a policy is to go: the path of an API call, a page, or what an apply found.
type policyPlace struct {
	// ref is the path's: its Kind, the namespace of a namespaced one, and the name where the path gives it.
	ref    fleet.PolicyRef
	tenant string
	// old is what is stored there; nil for a new policy.
	old *fleet.Policy
}

// admitPolicy holds a policy to every rule and answers what is to be stored, or all faults at once. It is the one way
// in of create, update, apply, form and preview; the preview also looks at what is at fault, as far as it was read.
func admitPolicy(ctx context.Context, tx Reader, a Actor, at policyPlace, m PolicyManifest) (fleet.Policy, fleet.FieldErrors, []fleet.Warning, error) {
	if m.unread {
		return fleet.Policy{}, m.Faults, nil, nil
	}
	p := m.Policy
	if p.Kind != "" && p.Kind != at.ref.Kind {
		return fleet.Policy{}, located(m.Doc, fleet.FieldErrors{{Code: fleet.CodeKindUnsupported, Field: "kind", Value: p.Kind, Want: "one_of",
			WantArgs: map[string]string{"Values": at.ref.Kind}, Suggestion: at.ref.Kind}}), nil, nil
	}
	p.Kind = at.ref.Kind
	var faults fleet.FieldErrors
	if at.ref.Namespace != "" {
		fault, err := otherNamespace(ctx, tx, a, p.Metadata.Namespace, at.ref.Namespace)
		if err != nil {
			return fleet.Policy{}, nil, nil, err
		}
		faults = append(faults, fault...)
		p.Metadata.Namespace = at.ref.Namespace
	}
	faults = append(faults, otherName(&p.Metadata.Name, at.ref.Name, m.Faults)...)
	p.Tenant, p.Status = at.tenant, nil
	clusters, err := grantedClusters(ctx, tx, at.tenant)
	if err != nil {
		return fleet.Policy{}, nil, nil, err
	}
	checked, warnings := fleet.ValidatePolicy(&p, clusterNames(clusters))
	return p, located(m.Doc, fleet.JoinFaults(m.Faults, append(faults, checked...))), warnings, nil
}

// otherNamespace refuses a manifest that names another namespace than its address. One that the actor may not look
// into is as unknown as one that is not there.
func otherNamespace(ctx context.Context, tx Reader, a Actor, given, own string) (fleet.FieldErrors, error) {
	if given == "" || given == own {
		return nil, nil
	}
	switch _, err := ownNamespace(ctx, tx, a, given); {
	case errors.Is(err, fleet.ErrNotFound):
		return fleet.FieldErrors{{Code: fleet.CodeNamespaceUnknown, Field: "metadata.namespace", Value: given, Want: "namespace"}}, nil
	case err != nil:
		return nil, err
	}
	return fleet.FieldErrors{{Code: fleet.CodeNamespaceMismatch, Field: "metadata.namespace", Value: given, Want: "same_namespace",
		WantArgs: map[string]string{"Namespace": own}, Suggestion: own}}, nil
}

// otherName refuses a manifest that names another object than its address, and takes the address's where it names
// none. Without a name in the address it is the manifest's to give.
func otherName(name *string, own string, decoded fleet.FieldErrors) fleet.FieldErrors {
	switch given := *name; {
	case own == "" || given == own:
	case given == "" && !covered("metadata.name", decoded):
		*name = own
	default:
		*name = own
		return fleet.FieldErrors{{Code: fleet.CodeNameMismatch, Field: "metadata.name", Value: given, Want: "same_name",
			WantArgs: map[string]string{"Name": own}, Suggestion: own}}
	}
	return nil
}

// nameLetters is how many letters a generated name has behind "policy-".
const nameLetters = 5

// generatedName is "`policy-` and five letters" that no policy of that kind and namespace has yet.
func (c *Control) generatedName(ctx context.Context, tx Reader, at policyPlace, taken func(fleet.PolicyRef) bool) (string, error) {
	for {
		letters, err := c.letters(nameLetters)
		if err != nil {
			return "", err
		}
		ref := fleet.PolicyRef{Kind: at.ref.Kind, Namespace: at.ref.Namespace, Name: "policy-" + letters}
		_, err = tx.Policy(ctx, at.tenant, ref)
		switch inUse, err := isTaken(err); {
		case err != nil:
			return "", err
		case !inUse && !taken(ref):
			return ref.Name, nil
		}
	}
}

// letters are random ones, each as likely as any other.
func (c *Control) letters(n int) (string, error) {
	const fair = 26 * (256 / 26) // bytes from here on would favour the first letters
	out := make([]byte, 0, n)
	var b [1]byte
	for len(out) < n {
		if _, err := c.deps.Random.Read(b[:]); err != nil {
			return "", fmt.Errorf("read random: %w", err)
		}
		if b[0] < fair {
			out = append(out, 'a'+b[0]%26)
		}
	}
	return string(out), nil
}
