package fleet

// Values of replicaScheduling.
const (
	SchedulingDuplicated    = "Duplicated"
	SchedulingDivided       = "Divided"
	PreferenceWeighted      = "Weighted"
	PreferenceAggregated    = "Aggregated"
	WeightAvailableReplicas = "AvailableReplicas"
	SchedulingGang          = "Gang"
)

// ReplicaScheduling is how the replicas of a workload are spread over the clusters of its policy.
type ReplicaScheduling struct {
	ReplicaSchedulingType     string            `json:"replicaSchedulingType,omitempty" validate:"omitempty,oneof=Duplicated Divided" default:"Divided"`
	ReplicaDivisionPreference string            `json:"replicaDivisionPreference,omitempty" validate:"omitempty,oneof=Weighted Aggregated" default:"Weighted"`
	WeightPreference          *WeightPreference `json:"weightPreference,omitempty"`
	CustomSchedulingType      string            `json:"customSchedulingType,omitempty" validate:"omitempty,oneof=Gang"`
}

// WeightPreference says what each cluster weighs. Its two fields are alternatives; with neither all weigh the same.
type WeightPreference struct {
	StaticWeightList []StaticWeight `json:"staticWeightList,omitempty" validate:"dive"`
	DynamicWeight    string         `json:"dynamicWeight,omitempty" validate:"omitempty,oneof=AvailableReplicas"`
}

// StaticWeight gives the clusters of an affinity a weight.
type StaticWeight struct {
	TargetCluster *ClusterAffinity `json:"targetCluster,omitempty" validate:"required"`
	Weight        *int64           `json:"weight,omitempty" validate:"required,min=1,max=9223372036854775807"`
}

// Division is one of the four ways in which a count becomes parts.
type Division string

// The full count on each cluster; or parts that add up to it: by given weights, by what each cluster can take, or
// packed into as few clusters as can hold it.
const (
	DivisionDuplicated Division = "Duplicated"
	DivisionStatic     Division = "StaticWeight"
	DivisionDynamic    Division = "DynamicWeight"
	DivisionAggregated Division = "Aggregated"
)

// Division that the block asks for: Duplicated where it was left out (s is nil), Divided where it stands and
// names no type, by weight where it names no preference. Without weights it is StaticWeight, all the same.
func (s *ReplicaScheduling) Division() Division {
	switch {
	case s == nil || s.ReplicaSchedulingType == SchedulingDuplicated:
		return DivisionDuplicated
	case s.ReplicaDivisionPreference == PreferenceAggregated:
		return DivisionAggregated
	case s.WeightPreference != nil && s.WeightPreference.DynamicWeight != "":
		return DivisionDynamic
	default:
		return DivisionStatic
	}
}

// Gang says whether all replicas are to be placed at once, or none.
func (s *ReplicaScheduling) Gang() bool { return s != nil && s.CustomSchedulingType == SchedulingGang }

// StaticWeights gives each of the clusters its weight, in their order: the largest of the rules that match it, 0
// where none does, which is to say that it gets nothing. Where no rule matches any of them all weigh 1.
func (s *ReplicaScheduling) StaticWeights(clusters []Cluster) []int64 {
	weights := make([]int64, len(clusters))
	matched := false
	if s != nil && s.WeightPreference != nil {
		for i, c := range clusters {
			weights[i] = s.WeightPreference.staticWeight(c)
			matched = matched || weights[i] > 0
		}
	}
	if !matched {
		for i := range weights {
			weights[i] = 1
		}
	}
	return weights
}

func (w *WeightPreference) staticWeight(c Cluster) int64 {
	var largest int64
	for _, rule := range w.StaticWeightList {
		if weight := valueOr(rule.Weight, 0); weight > largest && rule.TargetCluster.Matches(c.Name, c.Labels) {
			largest = weight
		}
	}
	return largest
}

const schedulingPath = "spec.placement.replicaScheduling"

// validateScheduling refuses what the table of replicaScheduling rules out together. A weight that no division
// would look at is refused too: every field is acted on or refused.
func validateScheduling(p *Policy) FieldErrors {
	s := p.Scheduling()
	if s == nil {
		return nil
	}
	var faults FieldErrors
	if s.ReplicaSchedulingType == SchedulingDuplicated && s.ReplicaDivisionPreference != "" {
		faults = append(faults, conflict(schedulingPath+".replicaDivisionPreference", s.ReplicaDivisionPreference, "replicaSchedulingType: Duplicated"))
	}
	if w := s.WeightPreference; w != nil {
		at := schedulingPath + ".weightPreference"
		static, dynamic := len(w.StaticWeightList) > 0, w.DynamicWeight != ""
		switch d := s.Division(); {
		case static && dynamic:
			faults = append(faults, FieldError{Code: CodeWeightsBoth, Field: at + ".dynamicWeight", Value: w.DynamicWeight, Want: "static_or_dynamic"})
		case !static && !dynamic:
			// empty counts as left out
		case d == DivisionDuplicated:
			faults = append(faults, weightsUnused(at, w, "replicaSchedulingType: Duplicated"))
		case d == DivisionAggregated:
			faults = append(faults, weightsUnused(at, w, "replicaDivisionPreference: Aggregated"))
		}
		for i, rule := range w.StaticWeightList {
			faults = append(faults, validateAffinity(joinIndex(at+".staticWeightList", i)+".targetCluster", rule.TargetCluster)...)
		}
	}
	if s.Gang() {
		faults = append(faults, validateGang(p.Spec.ResourceSelectors)...)
	}
	return faults
}

func weightsUnused(at string, w *WeightPreference, beside string) FieldError {
	if w.DynamicWeight != "" {
		return conflict(at+".dynamicWeight", w.DynamicWeight, beside)
	}
	return conflict(at+".staticWeightList", jsonOf(w.StaticWeightList), beside)
}

// validateGang: Gang is for job-type workloads. A Job's ConfigMaps and Secrets may stand beside it, another
// workload may not, and without any Job there is nothing to place at once.
func validateGang(selectors []ResourceSelector) FieldErrors {
	field := schedulingPath + ".customSchedulingType"
	jobs := len(selectors) == 0 // selects_nothing is said already
	for _, sel := range selectors {
		switch {
		case sel.APIVersion == "" || sel.Kind == "":
			return nil // refused already; what is meant is unknown
		case isJob(sel.APIVersion, sel.Kind):
			jobs = true
		case HasReplicas(sel.APIVersion, sel.Kind):
			return FieldErrors{{Code: CodeGangKind, Field: field, Value: SchedulingGang, Want: "gang_jobs", Args: map[string]string{"Kind": sel.Kind}}}
		}
	}
	if jobs {
		return nil
	}
	return FieldErrors{{Code: CodeGangKind, Field: field, Value: SchedulingGang, Want: "gang_jobs", Args: map[string]string{"Kind": selectors[0].Kind}}}
}
