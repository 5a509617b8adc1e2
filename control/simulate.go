package control

import (
	"context"
	"errors"
	"fmt"

	"odysseus/fleet"
)

// Simulated is where a workload would go, and what its author should know.
type Simulated struct {
	Workload fleet.Resource
	Report   fleet.SimulationReport
	Warnings []fleet.Warning
}

// question is what the documents of a simulation ask, as far as they were readable.
type question struct {
	path       fleet.Namespace
	geo        fleet.GeoAwareness
	workload   *fleet.Resource
	deployment *fleet.Deployment // of an odysseus/v1 workload
	tenant     string            // of the workload's namespace
	policies   []policyDocument
	overrides  []overrideDocument
	hypothesis *fleet.HypothesisSpec
	warnings   []fleet.Warning // of the workload itself
	faults     fleet.FieldErrors
}

type policyDocument struct {
	doc    *fleet.Doc
	policy *fleet.Policy
	faults fleet.FieldErrors // of decoding
}

type overrideDocument struct {
	doc      *fleet.Doc
	override *fleet.Override
	faults   fleet.FieldErrors // of decoding
}

// Simulate answers where a workload would go, and why not elsewhere: "the code that answers is the scheduler's own".
// The documents are one workload, any policies, and at most one Fleet that stands in for the real members. "Policies are
// held to their write rules", and so is a Deployment of this product: every fault of every document is answered at once.
// Nothing is stored and nothing is audited. Faults are those of parsing the stream.
//
// It answers what would be if the documents were applied: stored policies count, those of the same name are replaced,
// and what holds the stored workload keeps it. Beside a Fleet that is given with policies these alone count: whoever
// makes up the members and the policies asks about a world that is made up. Override policies alone are tried out on what
// the stored propagation policies would send there.
func (c *Control) Simulate(ctx context.Context, a Actor, namespace string, docs []*fleet.Doc, faults fleet.FieldErrors) (Simulated, fleet.FieldErrors, error) {
	var s Simulated
	var refused fleet.FieldErrors
	err := c.read(ctx, a, kindSimulation, func(tx Reader) error {
		ns, err := ownNamespace(ctx, tx, a, namespace)
		if err != nil {
			return err
		}
		if err := mayWrite(a, kindSimulation); err != nil {
			return err
		}
		if refused = withoutText(faults); len(refused) > 0 {
			return nil
		}
		s, refused, err = c.simulate(ctx, tx, a, ns, docs)
		return err
	})
	if err != nil {
		return Simulated{}, nil, fmt.Errorf("simulate in %q: %w", namespace, err)
	}
	return s, refused, nil
}

func (c *Control) simulate(ctx context.Context, tx Reader, a Actor, ns fleet.Namespace, docs []*fleet.Doc) (Simulated, fleet.FieldErrors, error) {
	geo, _, err := c.effective(ctx, tx)
	if err != nil {
		return Simulated{}, nil, err
	}
	q := &question{path: ns, geo: geo, tenant: ns.Tenant}
	for _, doc := range docs {
		if err := q.take(ctx, tx, a, doc); err != nil {
			return Simulated{}, nil, err
		}
	}
	if q.workload == nil && len(q.faults) == 0 {
		q.faults = fleet.FieldErrors{{Code: fleet.CodeNoDocument, Want: "one_workload", Args: map[string]string{"Simulation": "true"}}}
	}
	clusters, err := grantedClusters(ctx, tx, q.tenant)
	if err != nil {
		return Simulated{}, nil, err
	}
	known := clusterNames(clusters)
	if q.hypothesis != nil {
		known = q.hypothesis.Names() // "real members never stand in"
	}
	policies, warnings := q.checkPolicies(known)
	overrides, warned := q.checkOverrides(known)
	warnings = append(warnings, warned...)
	if len(q.faults) > 0 {
		return Simulated{}, q.faults.Sorted(), nil
	}
	// A Secret's values are never shown, not even to who sent them.
	asked := fleet.Simulation{Tenant: q.tenant, Resource: q.workload.Hidden(), Policies: policies, Overrides: overrides, Hypothesis: q.hypothesis, Detail: a.SeesNodes()}
	if q.deployment != nil {
		asked.ResidencyLabels = q.deployment.ResidencyLabels
	}
	if err := q.amongStored(ctx, tx, &asked); err != nil {
		return Simulated{}, nil, err
	}
	report := c.deps.Fleet.Simulate(asked)
	return Simulated{Workload: asked.Resource, Report: report, Warnings: append(q.warn(report), warnings...)}, nil, nil
}

// amongStored adds the stored policies of both sorts that could select the workload, and what is stored of the workload
// itself.
func (q *question) amongStored(ctx context.Context, tx Reader, asked *fleet.Simulation) error {
	was := fleet.Simulation{}
	if _, err := ask(ctx, tx, asked.Resource.Key(), q.tenant, &was); err != nil {
		return err
	}
	asked.UID = was.UID
	if asked.UID != "" {
		var err error
		if asked.Unchanged, err = q.asksFor(was.Resource); err != nil {
			return err
		}
	}
	if q.hypothesis == nil || len(q.policies) == 0 {
		stored, err := policiesInReach(ctx, tx, q.tenant, asked.Resource.Namespace)
		if err != nil {
			return err
		}
		asked.Policies, asked.Holder = replaced(stored, asked.Policies...), was.Holder
	}
	if q.hypothesis == nil || len(q.policies)+len(q.overrides) == 0 {
		stored, err := overridesInReach(ctx, tx, q.tenant, asked.Resource.Namespace)
		if err != nil {
			return err
		}
		asked.Overrides = overridesReplaced(stored, asked.Overrides...)
	}
	return nil
}

// asksFor says whether the workload asks for what the stored one does, so that applying it would change nothing.
func (q *question) asksFor(stored fleet.Resource) (bool, error) {
	asked := *q.workload
	if q.deployment != nil {
		var err error
		if asked, err = resourceOf(*q.deployment); err != nil {
			return false, err
		}
	}
	asked.Object = asked.AsStored()
	return fleet.SameObject(&stored, &asked, false), nil
}

// take reads one document for what it is.
func (q *question) take(ctx context.Context, tx Reader, a Actor, doc *fleet.Doc) error {
	switch doc.SimulationPart() {
	case fleet.PartHypothesis:
		h, faults := fleet.DecodeHypothesis(doc)
		if q.hypothesis != nil {
			faults = append(faults, oneTooMany(doc, "one_fleet"))
		}
		q.faults = append(q.faults, faults...)
		q.hypothesis = &h.Spec
	case fleet.PartForeignPolicy:
		q.faults = append(q.faults, fleet.ForeignPolicy(doc)...)
	case fleet.PartPolicy:
		return q.takePolicy(ctx, tx, a, doc)
	case fleet.PartOverride:
		return q.takeOverride(ctx, tx, a, doc)
	default:
		return q.takeWorkload(ctx, tx, a, doc)
	}
	return nil
}

func (q *question) takeWorkload(ctx context.Context, tx Reader, a Actor, doc *fleet.Doc) error {
	if q.workload != nil {
		q.faults = append(q.faults, oneTooMany(doc, "one_workload"))
	}
	scopes, err := tx.DefinedScopes(ctx)
	if err != nil {
		return err
	}
	r, faults := fleet.DecodeResource(doc, scopes)
	ns := q.path
	if doc.APIVersion() == fleet.APIVersion || scopes.Of(r.APIVersion, r.Kind) == fleet.ScopeNamespace {
		own, fault, err := q.namespace(ctx, tx, a, r.Namespace)
		if err != nil {
			return err
		}
		ns, r.Namespace = own, own.Name
		if len(fault) > 0 && !covered("metadata.namespace", faults) {
			faults = append(faults, located(doc, fault)...)
		}
	}
	if doc.APIVersion() == fleet.APIVersion {
		// One of this product's own is held to all of its rules, not to those of any document.
		d, own, warnings := admit(ManifestOf(doc), place{namespace: ns}, q.geo)
		q.deployment, q.warnings = &d, warnings
		faults = append(namespaceFaults(faults), own...)
	}
	q.workload, q.tenant = &r, ns.Tenant
	q.faults = append(q.faults, faults...)
	return nil
}

// namespaceFaults are those that only a look at the store finds.
func namespaceFaults(faults fleet.FieldErrors) fleet.FieldErrors {
	var own fleet.FieldErrors
	for _, f := range faults {
		if f.Code == fleet.CodeNamespaceUnknown {
			own = append(own, f)
		}
	}
	return own
}

// namespace that a document lies in: "a namespaced document without metadata.namespace takes the path's". Another one
// has to be one that the actor may look into; where it is not, the document is read as if it were.
func (q *question) namespace(ctx context.Context, tx Reader, a Actor, given string) (fleet.Namespace, fleet.FieldErrors, error) {
	if given == "" || given == q.path.Name {
		return q.path, nil, nil
	}
	ns, err := ownNamespace(ctx, tx, a, given)
	if errors.Is(err, fleet.ErrNotFound) {
		return fleet.Namespace{Name: given, Tenant: q.path.Tenant},
			fleet.FieldErrors{{Code: fleet.CodeNamespaceUnknown, Field: "metadata.namespace", Value: given, Want: "namespace"}}, nil
	}
	return ns, nil, err
}

// warn gives what a Deployment is warned of when it is written, of the clusters that were asked about.
func (q *question) warn(report fleet.SimulationReport) []fleet.Warning {
	if q.deployment == nil || q.deployment.Spec.Residency().Empty() {
		return q.warnings
	}
	return residencyWarnings(q.geo, q.warnings, report.AnyMatch, func() fleet.Geography { return report.Advertised })
}

func oneTooMany(doc *fleet.Doc, want string) fleet.FieldError {
	line, column := doc.Position()
	return fleet.FieldError{Code: fleet.CodeTooManyDocuments, Value: doc.Kind(), Want: want, Args: map[string]string{"Simulation": "true"}, Line: line, Column: column}
}

// grantedClusters are all clusters that the tenant may use, with their labels.
func grantedClusters(ctx context.Context, tx Reader, tenant string) ([]fleet.Cluster, error) {
	var all []fleet.Cluster
	o := fleet.ListOptions{Limit: 500}
	for {
		clusters, next, err := tx.Clusters(ctx, tenant, o)
		if err != nil {
			return nil, err
		}
		all = append(all, clusters...)
		if next == "" {
			return all, nil
		}
		o.After = next
	}
}

// clusterNames is never nil: without any cluster every name is unknown.
func clusterNames(clusters []fleet.Cluster) []string {
	names := make([]string, len(clusters))
	for i, c := range clusters {
		names[i] = c.Name
	}
	return names
}
