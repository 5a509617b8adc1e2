package fleet

import "slices"

// ClusterAffinity names clusters: of a placement, and of a weight's or an override's target. Its parts are in any
// combination, each narrowing; with none of them it names every cluster.
type ClusterAffinity struct {
	ClusterNames  []string       `json:"clusterNames,omitempty"`
	LabelSelector *LabelSelector `json:"labelSelector,omitempty"`
	// ExcludeClusters and Exclude are ACK One's and Karmada's spelling of one list; both together are refused.
	ExcludeClusters []string `json:"excludeClusters,omitempty"`
	Exclude         []string `json:"exclude,omitempty"`
}

// Matches says whether the affinity names the cluster. Exclusion beats inclusion. A nil affinity names every
// cluster.
func (a *ClusterAffinity) Matches(name string, labels map[string]string) bool {
	switch {
	case a == nil:
		return true
	case slices.Contains(a.ExcludeClusters, name) || slices.Contains(a.Exclude, name):
		return false
	case len(a.ClusterNames) > 0 && !slices.Contains(a.ClusterNames, name):
		return false
	}
	return a.LabelSelector == nil || a.LabelSelector.Matches(labels)
}

// Select keeps the clusters that the affinity names, in their order.
func (a *ClusterAffinity) Select(clusters []Cluster) []Cluster {
	var selected []Cluster
	for _, c := range clusters {
		if a.Matches(c.Name, c.Labels) {
			selected = append(selected, c)
		}
	}
	return selected
}

// validateAffinity checks what is written. Whether the clusters exist is a warning's matter.
func validateAffinity(path string, a *ClusterAffinity) FieldErrors {
	if a == nil {
		return nil
	}
	var faults FieldErrors
	if a.ExcludeClusters != nil && a.Exclude != nil {
		faults = append(faults, FieldError{Code: CodeExcludeBoth, Field: path + ".exclude", Value: jsonOf(a.Exclude), Want: "exclude_once"})
	}
	for _, list := range a.lists(path) {
		for i, name := range list.names {
			// A cluster's name is a DNS label: anything else would never match.
			faults = append(faults, validateName(joinIndex(list.path, i), name)...)
		}
	}
	return append(faults, validateLabelSelector(path+".labelSelector", a.LabelSelector)...)
}

type namedList struct {
	path  string
	names []string
}

func (a *ClusterAffinity) lists(path string) []namedList {
	return []namedList{
		{path + ".clusterNames", a.ClusterNames},
		{path + ".excludeClusters", a.ExcludeClusters},
		{path + ".exclude", a.Exclude},
	}
}

// unknownClusters warns of every name that no known cluster has. A cluster that is not granted to the tenant is
// not among the known ones: it reads as unknown.
func unknownClusters(path string, a *ClusterAffinity, known []string) []Warning {
	if a == nil {
		return nil
	}
	var warnings []Warning
	for _, list := range a.lists(path) {
		for i, name := range list.names {
			if !slices.Contains(known, name) {
				warnings = append(warnings, Warning{Code: CodeClusterUnknown, Field: joinIndex(list.path, i),
					Args: map[string]string{"Cluster": name, "Suggestion": nearest(name, known)}})
			}
		}
	}
	return warnings
}
