package fleet

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// PolicyField is one field of a propagation policy as the reference documents it, made from the typed structs and
// the rules beside them. It carries codes and values; words are made from them at the edge.
type PolicyField struct {
	// Path of the field, list items as []: spec.resourceSelectors[].kind.
	Path string
	// Part and Name key the field's words. A selector or an affinity is the same part wherever it stands; Part is
	// empty for the document's own keys.
	Part, Name string
	Type       reflect.Type
	// What becomes of a policy that leaves the field out, under each of the two APIs.
	ACKOne, Karmada Absence
	// Want is the accepted form, keyed as that of a refusal; empty where anything of the type goes.
	Want     string
	WantArgs map[string]string
	// Refusals and Warnings are given at this very field, beside the ones of any field: see PolicyFieldFaults.
	Refusals, Warnings []Code
}

// Absence is what the lack of a field means.
type Absence struct {
	Required bool
	// Default is the value that counts, as it would be written; Words key it where no value says it.
	Default, Words string
}

// PolicyFieldFaults are the refusals that any field of a policy may get: what is no field, or is of another type.
func PolicyFieldFaults() []Code {
	return []Code{CodeUnknownField, CodeFieldUnsupported, CodeDuplicateKey, CodeWrongType}
}

// policyPart names the part of a policy that a struct is, as the keys of its words have it.
func policyPart(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[Metadata]():
		return "metadata"
	case reflect.TypeFor[PropagationSpec]():
		return "spec"
	case reflect.TypeFor[ResourceSelector]():
		return "selector"
	case reflect.TypeFor[LabelSelector]():
		return "labels"
	case reflect.TypeFor[LabelRequirement]():
		return "expression"
	case reflect.TypeFor[PolicyPlacement]():
		return "placement"
	case reflect.TypeFor[ClusterAffinity]():
		return "affinity"
	case reflect.TypeFor[ReplicaScheduling]():
		return "scheduling"
	case reflect.TypeFor[WeightPreference]():
		return "weights"
	case reflect.TypeFor[StaticWeight]():
		return "weight"
	case reflect.TypeFor[Failover]():
		return "failover"
	case reflect.TypeFor[ApplicationFailover]():
		return "application"
	case reflect.TypeFor[DecisionConditions]():
		return "conditions"
	}
	return ""
}

// PolicyFields lists every field of a propagation policy in the order of the structs, parents first.
func PolicyFields() []PolicyField {
	var fields []PolicyField
	rules := policyRules()
	var walk func(t reflect.Type, path string)
	walk = func(t reflect.Type, path string) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			return
		}
		part := policyPart(t)
		for f := range t.Fields() {
			name := jsonName(f)
			if name == "" || f.Tag.Get("decode") == "ignore" {
				continue
			}
			field := PolicyField{Path: joinKey(path, name), Part: part, Name: name, Type: f.Type}
			field.fromTags(f)
			if rule, found := rules[strings.TrimPrefix(part+"."+name, ".")]; found {
				rule(&field)
			}
			fields = append(fields, field)
			below := field.Path
			if f.Type.Kind() == reflect.Slice {
				below += "[]"
			}
			walk(f.Type, below)
		}
	}
	walk(reflect.TypeFor[Policy](), "")
	return fields
}

// fromTags takes what the tags say, which is what the validator goes by.
func (p *PolicyField) fromTags(f reflect.StructField) {
	limits := map[string]string{}
	for rule := range strings.SplitSeq(f.Tag.Get("validate"), ",") {
		switch name, value, _ := strings.Cut(rule, "="); name {
		case "required":
			p.require()
		case "oneof":
			p.refuse(CodeNotAccepted)
			p.accept("one_of", "Values", strings.ReplaceAll(value, " ", ", "))
		case "min":
			limits["Low"] = value
		case "max":
			limits["High"] = value
		}
	}
	if len(limits) > 0 {
		p.refuse(CodeOutOfRange)
		p.Want, p.WantArgs = "range", limits
	}
	if value := f.Tag.Get("default"); value != "" && value != "required" {
		p.fallBack(value)
	}
}

func (p *PolicyField) require() {
	p.ACKOne, p.Karmada = Absence{Required: true}, Absence{Required: true}
	p.refuse(CodeRequired)
}

func (p *PolicyField) fallBack(value string) {
	p.ACKOne, p.Karmada = Absence{Default: value}, Absence{Default: value}
}

func (p *PolicyField) meaning(words string) {
	p.ACKOne, p.Karmada = Absence{Words: words}, Absence{Words: words}
}

func (p *PolicyField) accept(want, arg, value string) {
	p.Want, p.WantArgs = want, nil
	if arg != "" {
		p.WantArgs = map[string]string{arg: value}
	}
}

func (p *PolicyField) refuse(codes ...Code) { p.Refusals = append(p.Refusals, codes...) }

func (p *PolicyField) warn(codes ...Code) { p.Warnings = append(p.Warnings, codes...) }

// PolicyDialect is what differs between the two APIs that a policy may be written for.
type PolicyDialect struct {
	APIVersions []string `json:"apiVersions"`
	// PlacementRequired: without one the policy is refused; else it goes to every cluster, with a warning.
	PlacementRequired bool `json:"placementRequired"`
	// Preserves is preserveResourcesOnDeletion where it is left out.
	Preserves bool `json:"preservesByDefault"`
	// What stays on the members when the policy, or the resource, is deleted, by preserveResourcesOnDeletion.
	PolicyDeleted   Kept     `json:"keptWhenPolicyIsDeleted"`
	ResourceDeleted Kept     `json:"keptWhenResourceIsDeleted"`
	PurgeModes      []string `json:"purgeModes"`
}

// Kept is whether something stays, where preserveResourcesOnDeletion is true and where it is false.
type Kept struct {
	WhenTrue  bool `json:"whenTrue"`
	WhenFalse bool `json:"whenFalse"`
}

// PolicyDialects asks the rules themselves: ACK One's API first, then Karmada's.
func PolicyDialects() []PolicyDialect {
	dialect := func(apiVersions ...string) PolicyDialect {
		plain := Policy{APIVersion: apiVersions[0], Kind: KindPropagationPolicy}
		kept, removed := plain, plain
		kept.Spec.PreserveResourcesOnDeletion, removed.Spec.PreserveResourcesOnDeletion = ptr(true), ptr(false)
		return PolicyDialect{
			APIVersions:       apiVersions,
			PlacementRequired: len(validatePlacement(&plain)) > 0,
			Preserves:         plain.Preserves(),
			PolicyDeleted:     Kept{kept.KeepsOnPolicyDeletion(), removed.KeepsOnPolicyDeletion()},
			ResourceDeleted:   Kept{kept.KeepsOnResourceDeletion(), removed.KeepsOnResourceDeletion()},
			PurgeModes:        plain.purgeModes(),
		}
	}
	return []PolicyDialect{dialect(PolicyAPIVersion, PolicyAPIVersionShort), dialect(PolicyAPIVersionKarmada)}
}

// UnsupportedField is one that a policy may not have, and the field that does what is meant, where there is one.
type UnsupportedField struct {
	Path    string `json:"path"`
	Instead string `json:"instead,omitempty"`
}

// UnsupportedPolicyFields are refused by name, sorted by path.
func UnsupportedPolicyFields() []UnsupportedField {
	known := unsupportedPolicyFields()
	fields := make([]UnsupportedField, 0, len(known))
	for _, path := range slices.Sorted(maps.Keys(known)) {
		fields = append(fields, UnsupportedField{path, known[path]})
	}
	return fields
}
