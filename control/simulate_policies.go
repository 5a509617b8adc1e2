package control

import (
	"context"

	"odysseus/fleet"
)

func (q *question) takePolicy(ctx context.Context, tx Reader, a Actor, doc *fleet.Doc) error {
	p, faults := fleet.DecodePolicy(doc)
	if p.Scope() == fleet.ScopeNamespace {
		ns, fault, err := q.namespace(ctx, tx, a, p.Metadata.Namespace)
		if err != nil {
			return err
		}
		p.Metadata.Namespace, p.Tenant = ns.Name, ns.Tenant
		q.faults = append(q.faults, located(doc, fault)...)
	}
	for _, other := range q.policies {
		if p.Metadata.Name != "" && other.policy.Ref() == p.Ref() {
			q.repeated(doc, p.Ref())
			break
		}
	}
	q.policies = append(q.policies, policyDocument{doc: doc, policy: &p, faults: faults})
	return nil
}

func (q *question) takeOverride(ctx context.Context, tx Reader, a Actor, doc *fleet.Doc) error {
	o, faults := fleet.DecodeOverride(doc)
	if o.Scope() == fleet.ScopeNamespace {
		ns, fault, err := q.namespace(ctx, tx, a, o.Metadata.Namespace)
		if err != nil {
			return err
		}
		o.Metadata.Namespace, o.Tenant = ns.Name, ns.Tenant
		q.faults = append(q.faults, located(doc, fault)...)
	}
	for _, other := range q.overrides {
		if o.Metadata.Name != "" && other.override.Ref() == o.Ref() {
			q.repeated(doc, o.Ref())
			break
		}
	}
	q.overrides = append(q.overrides, overrideDocument{doc: doc, override: &o, faults: faults})
	return nil
}

// repeated refuses a policy whose name one before has.
func (q *question) repeated(doc *fleet.Doc, ref fleet.PolicyRef) {
	q.faults = append(q.faults, located(doc, fleet.FieldErrors{{Code: fleet.CodeRepeated, Field: "metadata.name", Value: ref.Name, Want: "distinct",
		Args: map[string]string{"First": "metadata.name"}}})...)
}

// checkPolicies holds the policies to their write rules.
func (q *question) checkPolicies(known []string) ([]*fleet.Policy, []fleet.Warning) {
	var warnings []fleet.Warning
	policies := make([]*fleet.Policy, len(q.policies))
	for i, p := range q.policies {
		checked, own := fleet.ValidatePolicy(p.policy, known)
		q.faults = append(q.faults, fleet.JoinFaults(p.faults, p.doc.Locate(checked))...)
		policies[i], warnings = p.policy, append(warnings, own...)
	}
	return policies, warnings
}

// checkOverrides holds the override policies to theirs.
func (q *question) checkOverrides(known []string) ([]*fleet.Override, []fleet.Warning) {
	var warnings []fleet.Warning
	overrides := make([]*fleet.Override, len(q.overrides))
	for i, o := range q.overrides {
		checked, own := fleet.ValidateOverride(o.override, known)
		q.faults = append(q.faults, fleet.JoinFaults(o.faults, o.doc.Locate(checked))...)
		overrides[i], warnings = o.override, append(warnings, own...)
	}
	return overrides, warnings
}
