package fleet

import "strings"

// MaxOverriders is how many changes one policy may make, over all of its rules: each is applied to each resource, on
// each cluster.
const MaxOverriders = 1_000

const rulesPath = "spec.overrideRules"

// ValidateOverride holds an override policy to every rule that needs nothing but itself, and warns of what is accepted
// and may surprise. It is the one validator of every way in. The caller has filled in the namespace from the request's
// path and looks after whether it is the tenant's. Faults have no position; Doc.Locate knows it.
//
// clusters are the names known to the tenant, to warn of others; nil checks none.
func ValidateOverride(o *Override, clusters []string) (FieldErrors, []Warning) {
	v := overrideValidator{faults: ValidateStruct(o), ownDeployments: o.selectsOwnDeployments()}
	for i := range v.faults {
		if f := &v.faults[i]; f.Code == CodeRequired {
			f.Want, f.WantArgs = missingOfOverride(f.Field)
		}
	}
	if o.Metadata.Name == "" {
		v.fault(FieldError{Code: CodeRequired, Field: "metadata.name", Want: "name"})
	}
	v.add(validatePolicyMetadata(o.Metadata, o.Kind, o.Scope()))
	if len(o.Spec.ResourceSelectors) == 0 {
		v.fault(emptyList(selectorsPath, o.Spec.ResourceSelectors == nil, "resource_selectors"))
	}
	v.add(validateSelectors(o.Spec.ResourceSelectors))
	v.rules(o)
	return v.faults, overrideWarnings(o, clusters)
}

// overrideValidator collects the faults of one policy.
type overrideValidator struct {
	faults FieldErrors
	// ownDeployments: the policy may select odysseus/v1 Deployments, whose spec holds their residency.
	ownDeployments bool
}

func (v *overrideValidator) fault(f FieldError) { v.faults = append(v.faults, f) }

func (v *overrideValidator) add(faults FieldErrors) { v.faults = append(v.faults, faults...) }

func (o *Override) selectsOwnDeployments() bool {
	for _, s := range o.Spec.ResourceSelectors {
		if s.APIVersion == APIVersion && s.Kind == KindDeployment {
			return true
		}
	}
	return false
}

// emptyList refuses a list that needs an item; one that was written is quoted.
func emptyList(field string, leftOut bool, want string) FieldError {
	f := FieldError{Code: CodeRequired, Field: field, Want: want}
	if !leftOut {
		f.Value = "[]"
	}
	return f
}

func (v *overrideValidator) rules(o *Override) {
	rules := o.Spec.OverrideRules
	if len(rules) == 0 {
		v.fault(emptyList(rulesPath, rules == nil, "override_rules"))
	}
	changes := 0
	for i, rule := range rules {
		at := joinIndex(rulesPath, i)
		if rule.TargetCluster == nil && !o.Karmada() {
			v.fault(FieldError{Code: CodeRequired, Field: at + ".targetCluster", Want: "target_cluster"})
		}
		v.add(validateAffinity(at+".targetCluster", rule.TargetCluster))
		if rule.Overriders != nil {
			if rule.Overriders.count() == 0 {
				v.fault(FieldError{Code: CodeRequired, Field: at + ".overriders", Value: "{}", Want: "overriders"})
			}
			changes += rule.Overriders.count()
			v.overriders(at+".overriders", rule.Overriders)
		}
	}
	if changes > MaxOverriders {
		v.fault(FieldError{Code: CodeTooLarge, Field: rulesPath, Want: "overriders_limit"})
	}
}

// count of the changes, those within texts too.
func (o *Overriders) count() int {
	n := len(o.ImageOverrider) + len(o.CommandOverrider) + len(o.ArgsOverrider) + len(o.LabelsOverrider) +
		len(o.AnnotationsOverrider) + len(o.FieldOverrider) + len(o.Plaintext)
	for _, f := range o.FieldOverrider {
		n += len(f.JSON) + len(f.YAML)
	}
	return n
}

func (v *overrideValidator) overriders(at string, o *Overriders) {
	for i := range o.ImageOverrider {
		v.image(joinIndex(at+".imageOverrider", i), &o.ImageOverrider[i])
	}
	for i := range o.CommandOverrider {
		v.arguments(joinIndex(at+".commandOverrider", i), &o.CommandOverrider[i])
	}
	for i := range o.ArgsOverrider {
		v.arguments(joinIndex(at+".argsOverrider", i), &o.ArgsOverrider[i])
	}
	for i := range o.LabelsOverrider {
		v.metadata(joinIndex(at+".labelsOverrider", i), &o.LabelsOverrider[i], true)
	}
	for i := range o.AnnotationsOverrider {
		v.metadata(joinIndex(at+".annotationsOverrider", i), &o.AnnotationsOverrider[i], false)
	}
	for i := range o.FieldOverrider {
		v.field(joinIndex(at+".fieldOverrider", i), &o.FieldOverrider[i])
	}
	for i := range o.Plaintext {
		v.plaintext(joinIndex(at+".plaintext", i), &o.Plaintext[i])
	}
}

// missingOfOverride is the accepted form of a required field that was left out.
func missingOfOverride(field string) (want string, args map[string]string) {
	oneOf := func(words ...string) (string, map[string]string) {
		return "one_of", map[string]string{"Values": strings.Join(words, ", ")}
	}
	switch field[strings.LastIndexByte(field, '.')+1:] {
	case "apiVersion":
		return "group_version", nil
	case "kind":
		return "kind_word", nil
	case "key":
		return "label_key", nil
	case "component":
		return oneOf(ImageRegistry, ImageRepository, ImageTag)
	case "operator":
		switch {
		case strings.Contains(field, ".matchExpressions["):
			return oneOf(labelOperators()...)
		case strings.Contains(field, ".commandOverrider["), strings.Contains(field, ".argsOverrider["):
			return oneOf(OverrideAdd, OverrideRemove)
		}
		return oneOf(OverrideAdd, OverrideReplace, OverrideRemove)
	case "containerName":
		return "name", nil
	case "overriders":
		return "overriders", nil
	}
	return "json_pointer", nil // path, fieldPath and subPath
}

func overrideWarnings(o *Override, clusters []string) []Warning {
	warnings := selectorWarnings(o.span(), o.Spec.ResourceSelectors)
	for i := range warnings {
		if warnings[i].Code == CodeSelectorNoEffect {
			warnings[i].Args["Reaching"] = KindClusterOverridePolicy
		}
	}
	for i, rule := range o.Spec.OverrideRules {
		at := joinIndex(rulesPath, i) + ".targetCluster"
		if rule.TargetCluster.everyCluster() && (rule.TargetCluster != nil || o.Karmada()) {
			warnings = append(warnings, Warning{Code: CodeTargetsAllClusters, Field: at})
		}
		if clusters != nil {
			warnings = append(warnings, unknownClusters(at, rule.TargetCluster, clusters)...)
		}
	}
	return warnings
}
