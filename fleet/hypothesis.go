package fleet

import (
	"maps"
	"slices"
	"strconv"
)

// KindFleet is the kind of a Hypothesis.
const KindFleet = "Fleet"

// Hypothesis is a fleet that stands in for the real members in a simulation: what if I had these? It is never stored.
type Hypothesis struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Spec       HypothesisSpec `json:"spec"`
}

// HypothesisSpec is the clusters, and what they held before. "clusters: [] is a fleet without clusters".
type HypothesisSpec struct {
	Clusters []HypotheticalCluster `json:"clusters" validate:"required,dive" default:"required"`
	// Previous replicas by cluster. Those of clusters that are not among Clusters are lost.
	Previous map[string]int64 `json:"previous,omitempty"`
	// Fresh divides afresh what is held too.
	Fresh bool `json:"fresh,omitempty" default:"false"`
}

// HypotheticalCluster may leave out Available, for no limit, and Countries, for none.
type HypotheticalCluster struct {
	Name   string            `json:"name" validate:"required,name"`
	Labels map[string]string `json:"labels,omitempty"`
	// Available is how many replicas it can take beside those it holds.
	Available *int64   `json:"available,omitempty"`
	Countries []string `json:"countries,omitempty" validate:"dive,country"`
}

// Names of the clusters, in the order written; never nil.
func (s *HypothesisSpec) Names() []string {
	names := make([]string, len(s.Clusters))
	for i, c := range s.Clusters {
		names[i] = c.Name
	}
	return names
}

// DecodeHypothesis decodes a document of kind Fleet strictly and holds it to every rule. Faults are located.
func DecodeHypothesis(doc *Doc) (Hypothesis, FieldErrors) {
	var h Hypothesis
	decoded := DecodeStrict(doc, &h)
	checked := ValidateStruct(&h)
	checked = append(checked, validateHypothesis(&h.Spec)...)
	return h, JoinFaults(decoded, doc.Locate(checked))
}

const hypotheticalPath = "spec.clusters"

func validateHypothesis(s *HypothesisSpec) FieldErrors {
	var faults FieldErrors
	seen := map[string]int{}
	for i, c := range s.Clusters {
		at := joinIndex(hypotheticalPath, i)
		if first, repeated := seen[c.Name]; repeated && c.Name != "" {
			faults = append(faults, FieldError{Code: CodeRepeated, Field: at + ".name", Value: c.Name, Want: "distinct",
				Args: map[string]string{"First": joinIndex(hypotheticalPath, first) + ".name"}})
		} else {
			seen[c.Name] = i
		}
		if c.Available != nil && *c.Available < 0 {
			faults = append(faults, countOutOfRange(at+".available", *c.Available, "9223372036854775807"))
		}
		faults = append(faults, validateClusterLabels(at+".labels", c.Labels)...)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Previous)) {
		at := joinKey("spec.previous", name)
		for _, f := range validateName(at, name) {
			f.AtKey = true
			faults = append(faults, f)
		}
		if n := s.Previous[name]; n < 0 || n > MaxResourceReplicas {
			faults = append(faults, countOutOfRange(at, n, strconv.Itoa(MaxResourceReplicas)))
		}
	}
	return faults
}

func countOutOfRange(field string, n int64, most string) FieldError {
	return FieldError{Code: CodeOutOfRange, Field: field, Value: strconv.FormatInt(n, 10), Want: "range", WantArgs: map[string]string{"Low": "0", "High": most}}
}

// validateClusterLabels holds labels to what a cluster's may be.
func validateClusterLabels(path string, set map[string]string) FieldErrors {
	faults := ReservedLabelFaults(path, set)
	for _, key := range slices.Sorted(maps.Keys(set)) {
		switch at := joinKey(path, key); {
		case reservedLabel(key):
			// refused for what it is
		case !IsLabelKey(key):
			faults = append(faults, FieldError{Code: CodeLabelInvalid, Field: at, Value: key, Want: "label_key", AtKey: true})
		case !IsLabelValue(set[key]):
			faults = append(faults, FieldError{Code: CodeLabelInvalid, Field: at, Value: set[key], Want: "label_value"})
		}
	}
	return faults
}
