package fleet

import (
	"maps"
	"slices"
)

// Operators of a label selector's expressions.
const (
	OperatorIn           = "In"
	OperatorNotIn        = "NotIn"
	OperatorExists       = "Exists"
	OperatorDoesNotExist = "DoesNotExist"
)

func labelOperators() []string {
	return []string{OperatorIn, OperatorNotIn, OperatorExists, OperatorDoesNotExist}
}

// LabelSelector decides on labels, as Kubernetes' does: all of its parts must hold; an empty one matches all.
type LabelSelector struct {
	MatchLabels      map[string]string  `json:"matchLabels,omitempty"`
	MatchExpressions []LabelRequirement `json:"matchExpressions,omitempty" validate:"dive"`
}

// LabelRequirement is one expression on one label.
type LabelRequirement struct {
	Key      string   `json:"key" validate:"required" default:"required"`
	Operator string   `json:"operator" validate:"required,oneof=In NotIn Exists DoesNotExist" default:"required"`
	Values   []string `json:"values,omitempty"`
}

// Matches decides on an object's labels; a nil selector matches nothing, as in Kubernetes. The selector was
// checked when it was written: one with an operator that does not exist matches nothing.
func (s *LabelSelector) Matches(labels map[string]string) bool {
	if s == nil {
		return false
	}
	for key, want := range s.MatchLabels {
		if have, set := labels[key]; !set || have != want {
			return false
		}
	}
	for i := range s.MatchExpressions {
		if !s.MatchExpressions[i].holds(labels) {
			return false
		}
	}
	return true
}

func (r *LabelRequirement) holds(labels map[string]string) bool {
	have, set := labels[r.Key]
	switch r.Operator {
	case OperatorIn:
		return set && slices.Contains(r.Values, have)
	case OperatorNotIn:
		return !set || !slices.Contains(r.Values, have)
	case OperatorExists:
		return set
	case OperatorDoesNotExist:
		return !set
	}
	return false
}

// validateLabelSelector refuses when it is written what would never match: Karmada accepts it and never does.
func validateLabelSelector(path string, s *LabelSelector) FieldErrors {
	if s == nil {
		return nil
	}
	var faults FieldErrors
	for _, key := range slices.Sorted(maps.Keys(s.MatchLabels)) {
		at := joinKey(path+".matchLabels", key)
		if !IsLabelKey(key) {
			faults = append(faults, FieldError{Code: CodeLabelInvalid, Field: at, Value: key, Want: "label_key", AtKey: true})
		} else if v := s.MatchLabels[key]; !IsLabelValue(v) {
			faults = append(faults, FieldError{Code: CodeLabelInvalid, Field: at, Value: v, Want: "label_value"})
		}
	}
	for i := range s.MatchExpressions {
		faults = append(faults, s.MatchExpressions[i].faults(joinIndex(path+".matchExpressions", i))...)
	}
	return faults
}

func (r *LabelRequirement) faults(path string) FieldErrors {
	var faults FieldErrors
	if r.Key != "" && !IsLabelKey(r.Key) {
		faults = append(faults, FieldError{Code: CodeLabelInvalid, Field: path + ".key", Value: r.Key, Want: "label_key"})
	}
	for i, v := range r.Values {
		if !IsLabelValue(v) {
			faults = append(faults, FieldError{Code: CodeLabelInvalid, Field: joinIndex(path+".values", i), Value: v, Want: "label_value"})
		}
	}
	switch r.Operator {
	case OperatorIn, OperatorNotIn:
		if len(r.Values) == 0 {
			f := FieldError{Code: CodeRequired, Field: path + ".values", Want: "selector_values", WantArgs: map[string]string{"Operator": r.Operator}}
			if r.Values != nil {
				f.Value = "[]"
			}
			faults = append(faults, f)
		}
	case OperatorExists, OperatorDoesNotExist:
		if len(r.Values) > 0 {
			faults = append(faults, conflict(path+".values", jsonOf(r.Values), "operator: "+r.Operator))
		}
	}
	return faults
}
