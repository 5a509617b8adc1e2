package fleet

import "strings"

// ValidatePolicy holds a propagation policy to every rule that needs nothing but itself, and warns of what is
// accepted and may surprise. It is the one validator of every way in. The caller has filled in the namespace from
// the request's path and looks after whether it is the tenant's; an empty name is accepted, for the caller to make
// one. Faults have no position; Doc.Locate knows it.
//
// clusters are the names known to the tenant, to warn of others; nil checks none.
func ValidatePolicy(p *Policy, clusters []string) (FieldErrors, []Warning) {
	faults := ValidateStruct(p)
	for i := range faults {
		if faults[i].Code == CodeRequired {
			faults[i].Want, faults[i].WantArgs = missing(p, faults[i].Field)
		}
	}
	faults = append(faults, validatePolicyMetadata(p.Metadata, p.Kind, p.Scope())...)
	faults = append(faults, validateSelectors(p.Spec.ResourceSelectors)...)
	faults = append(faults, validatePlacement(p)...)
	faults = append(faults, validatePreemption(p)...)
	for i, name := range p.Spec.DependentOverrides {
		faults = append(faults, validateName(joinIndex("spec.dependentOverrides", i), name)...)
	}
	faults = append(faults, validateFailover(p)...)
	return faults, policyWarnings(p, clusters)
}

// missing is the accepted form of a required field that was left out.
func missing(p *Policy, field string) (want string, args map[string]string) {
	switch field[strings.LastIndexByte(field, '.')+1:] {
	case "apiVersion":
		return "group_version", nil
	case "kind":
		return "kind_word", nil
	case "key":
		return "label_key", nil
	case "operator":
		return "one_of", map[string]string{"Values": strings.Join(labelOperators(), ", ")}
	case "purgeMode":
		return "one_of", map[string]string{"Values": strings.Join(p.purgeModes(), ", ")}
	case "targetCluster":
		return "cluster_affinity", nil
	case "weight":
		return "range", rangeOf(field)
	}
	return "required", nil
}

// validatePolicyMetadata holds the metadata of a policy of any kind to their rules. Whether a name is required is its
// kind's affair.
func validatePolicyMetadata(m Metadata, kind string, scope Scope) FieldErrors {
	var faults FieldErrors
	if m.Name != "" {
		faults = append(faults, validateName("metadata.name", m.Name)...)
	}
	switch {
	case m.Namespace == "":
	case scope == ScopeCluster:
		faults = append(faults, conflict("metadata.namespace", m.Namespace, "kind: "+kind))
	case SystemNamespace(m.Namespace):
		// No tenant has one, so it reads as one that is not there.
		faults = append(faults, FieldError{Code: CodeNamespaceUnknown, Field: "metadata.namespace", Value: m.Namespace, Want: "namespace"})
	default:
		faults = append(faults, validateName("metadata.namespace", m.Namespace)...)
	}
	return append(append(faults, validateLabels(m)...), reservedKeysOf(m, kind)...)
}

// validatePlacement: under ACK One's API the placement is required, under Karmada's its absence means every cluster.
func validatePlacement(p *Policy) FieldErrors {
	if p.Spec.Placement == nil {
		if p.Karmada() {
			return nil
		}
		return FieldErrors{{Code: CodeRequired, Field: "spec.placement", Want: "placement"}}
	}
	faults := validateAffinity("spec.placement.clusterAffinity", p.Affinity())
	return append(faults, validateScheduling(p)...)
}

// validatePreemption: Always needs a name in every selector, so that nobody takes a whole kind from others.
func validatePreemption(p *Policy) FieldErrors {
	if !p.Preempts() {
		return nil
	}
	var faults FieldErrors
	for i, s := range p.Spec.ResourceSelectors {
		if s.Name == "" {
			faults = append(faults, FieldError{Code: CodeRequired, Field: joinIndex(selectorsPath, i) + ".name", Want: "name_to_preempt"})
		}
	}
	return faults
}

// validateName refuses what is no DNS label, as every name of this product is.
func validateName(field, name string) FieldErrors {
	if IsName(name) {
		return nil
	}
	f := FieldError{Code: CodeNameInvalid, Field: field, Value: name, Want: "name"}
	if lower := strings.ToLower(strings.TrimSpace(name)); IsName(lower) {
		f.Suggestion = lower
	}
	return FieldErrors{f}
}

func policyWarnings(p *Policy, clusters []string) []Warning {
	var warnings []Warning
	if len(p.Spec.ResourceSelectors) == 0 {
		warnings = append(warnings, Warning{Code: CodeSelectsNothing, Field: selectorsPath})
	}
	warnings = append(warnings, selectorWarnings(p.span(), p.Spec.ResourceSelectors)...)
	if p.Spec.Placement == nil && p.Karmada() {
		warnings = append(warnings, Warning{Code: CodeAllClusters, Field: "spec.placement"})
	}
	if clusters == nil {
		return warnings
	}
	warnings = append(warnings, unknownClusters("spec.placement.clusterAffinity", p.Affinity(), clusters)...)
	if s := p.Scheduling(); s != nil && s.WeightPreference != nil {
		for i, rule := range s.WeightPreference.StaticWeightList {
			at := joinIndex(schedulingPath+".weightPreference.staticWeightList", i) + ".targetCluster"
			warnings = append(warnings, unknownClusters(at, rule.TargetCluster, clusters)...)
		}
	}
	return warnings
}
