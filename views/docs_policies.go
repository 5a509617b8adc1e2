package views

import (
	"fmt"
	"strconv"
	"strings"

	"odysseus/fleet"
)

// PolicyDocsPage is /docs/policies: prose, and what is generated from the typed structs, the rules and the divider.
type PolicyDocsPage struct {
	Chrome   Chrome
	Sections []DocsSection
	// Division of the worked example, from one replica up.
	Division    []DivisionStep
	Blocks      []PolicyReferenceBlock
	Dialects    []fleet.PolicyDialect
	Unsupported []fleet.UnsupportedField
}

// DivisionStep is one more replica given out: what each cluster's claim to it was, who got it, and what all have then.
type DivisionStep struct {
	Replicas int            `json:"replicas"`
	To       string         `json:"to"`
	Parts    []DivisionPart `json:"parts"`
}

// DivisionPart is one cluster's part. Quotient is its claim to the newest replica, weight / (2 × replicas before + 1).
type DivisionPart struct {
	Cluster  string `json:"cluster"`
	Weight   int64  `json:"weight"`
	Quotient string `json:"quotient"`
	Replicas int    `json:"replicas"`
}

// examplePolicy is ACK One's own example, shortened: weights 2 and 1.
const examplePolicy = `apiVersion: policy.one.alibabacloud.com/v1alpha1
kind: PropagationPolicy
metadata:
  name: web-demo
  namespace: demo
spec:
  resourceSelectors:
    - apiVersion: apps/v1
      kind: Deployment
      name: web-demo
    - apiVersion: v1
      kind: ConfigMap
      name: cm-demo
  placement:
    clusterAffinity:
      clusterNames: [cluster-1, cluster-2]
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Weighted
      weightPreference:
        staticWeightList:
          - targetCluster: {clusterNames: [cluster-1]}
            weight: 2
          - targetCluster: {clusterNames: [cluster-2]}
            weight: 1
`

// exampleWorkload is what the policy selects, with a count.
func exampleWorkload(replicas int) string {
	return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web-demo, namespace: demo}\nspec: {replicas: " + strconv.Itoa(replicas) + "}\n"
}

// ExampleReplicas is the count that the worked example divides, and ExampleSteps how far its table goes.
const (
	ExampleReplicas = 3
	ExampleSteps    = 6
)

// PolicyExample is the worked example with a number of replicas, as a question to the scheduler.
func PolicyExample(replicas int) (fleet.Simulation, error) {
	policy, faults := fleet.ParseOne([]byte(examplePolicy), fleet.FormatYAML)
	workload, more := fleet.ParseOne([]byte(exampleWorkload(replicas)), fleet.FormatYAML)
	if faults = append(faults, more...); len(faults) > 0 {
		return fleet.Simulation{}, fmt.Errorf("parse the example: %s", faults[0].Code)
	}
	p, faults := fleet.DecodePolicy(policy)
	checked, _ := fleet.ValidatePolicy(&p, nil)
	r, more := fleet.DecodeResource(workload, nil)
	if faults = append(append(faults, checked...), more...); len(faults) > 0 {
		return fleet.Simulation{}, fmt.Errorf("check the example: %s at %s", faults[0].Code, faults[0].Field)
	}
	q := fleet.Simulation{Resource: r, Policies: []*fleet.Policy{&p}, Hypothesis: &fleet.HypothesisSpec{}, Detail: true}
	for _, name := range p.Affinity().ClusterNames {
		q.Hypothesis.Clusters = append(q.Hypothesis.Clusters, fleet.HypotheticalCluster{Name: name})
	}
	return q, nil
}

// DivisionSteps tells a row of answers, for no replica, one, two and so on, as one replica given out after the other.
func DivisionSteps(answers []fleet.SimulationReport) []DivisionStep {
	var steps []DivisionStep
	for n := 1; n < len(answers); n++ {
		step := DivisionStep{Replicas: n}
		for i, c := range answers[n].Clusters {
			part := DivisionPart{Cluster: c.Name, Replicas: c.Desired}
			before := answers[n-1].Clusters[i].Desired
			if c.Weight != nil {
				part.Weight = *c.Weight
				part.Quotient = strconv.FormatInt(*c.Weight, 10) + "/" + strconv.Itoa(2*before+1)
			}
			if c.Desired > before {
				step.To = c.Name
			}
			step.Parts = append(step.Parts, part)
		}
		steps = append(steps, step)
	}
	return steps
}

// example is the step that the worked example ends with.
func (m PolicyDocsPage) example() DivisionStep {
	for _, step := range m.Division {
		if step.Replicas == ExampleReplicas {
			return step
		}
	}
	return DivisionStep{}
}

// division is what all clusters have, in a row: "2 / 1".
func (s DivisionStep) division() string {
	parts := make([]string, len(s.Parts))
	for i, p := range s.Parts {
		parts[i] = strconv.Itoa(p.Replicas)
	}
	return strings.Join(parts, " / ")
}

// PolicySections are the prose of /docs/policies.
func PolicySections() []DocsSection {
	return []DocsSection{
		{Key: "example", Paragraphs: []string{"docs.policies.example.p1"}, Code: examplePolicy},
		{Key: "kinds"},
		{Key: "selecting", Paragraphs: []string{"docs.policies.selecting.p1", "docs.policies.selecting.p2", "docs.policies.selecting.p3"}},
		{Key: "division", Paragraphs: []string{"docs.policies.division.p1"}, Items: []string{"docs.policies.division.duplicated", "docs.policies.division.static", "docs.policies.division.dynamic", "docs.policies.division.aggregated", "docs.policies.division.gang"}},
		{Key: "webster", Paragraphs: []string{"docs.policies.webster.p1", "docs.policies.webster.p2"}},
		{Key: "wins", Paragraphs: []string{"docs.policies.wins.p1"}, Items: []string{"docs.policies.wins.scope", "docs.policies.wins.priority", "docs.policies.wins.specific", "docs.policies.wins.name"},
			More: []string{"docs.policies.wins.p2", "docs.policies.wins.p3"}},
		{Key: "deleting", Paragraphs: []string{"docs.policies.deleting.p1", "docs.policies.deleting.p2", "docs.policies.deleting.p3"}},
		{Key: "health", Paragraphs: []string{"docs.policies.health.p1", "docs.policies.health.p2"}, Items: []string{"docs.policies.health.immediately", "docs.policies.health.graciously", "docs.policies.health.never"},
			More: []string{"docs.policies.health.p3", "docs.policies.health.p4"}},
		{Key: "resources", Paragraphs: []string{"docs.policies.resources.p1", "docs.policies.resources.p2", "docs.policies.resources.p3"}},
		{Key: "agents", Paragraphs: []string{"docs.policies.agents.p1", "docs.policies.agents.p2", "docs.policies.agents.p3"}},
	}
}
