package fleet

import (
	"strconv"
	"strings"
)

// MaxResourceReplicas is the most that Kubernetes' replica counts, which are of 32 bits, can say.
const MaxResourceReplicas = 1<<31 - 1

// Replicas are the counts that a policy divides.
type Replicas struct {
	// Count is spec.replicas, of a Job spec.parallelism; 1 where it was left out.
	Count int64
	// Completions of a Job, divided by the same rule; nil where it was left out, and of other kinds.
	Completions *int64
}

const (
	kindStatefulSet = "StatefulSet"
	kindReplicaSet  = "ReplicaSet"
	kindJob         = "Job"
)

// HasReplicas says whether resources of the kind have a replica count. Others, a ConfigMap for example, go whole
// to every candidate.
func HasReplicas(apiVersion, kind string) bool {
	return isJob(apiVersion, kind) || countField(apiVersion, kind) != ""
}

// IsJob says whether resources of the kind run to an end.
func IsJob(apiVersion, kind string) bool { return isJob(apiVersion, kind) }

func isJob(apiVersion, kind string) bool { return apiVersion == "batch/v1" && kind == kindJob }

func countField(apiVersion, kind string) string {
	switch {
	case isJob(apiVersion, kind):
		return "parallelism"
	case apiVersion == "apps/v1" && (kind == KindDeployment || kind == kindStatefulSet || kind == kindReplicaSet),
		apiVersion == APIVersion && kind == KindDeployment:
		return "replicas"
	}
	return ""
}

// Replicas reads the resource's counts; false for a kind without one. The document was checked when it was decoded.
func (r *Resource) Replicas() (Replicas, bool) {
	roots, fault := parseJSON(r.Object)
	if fault != nil || len(roots) != 1 {
		return Replicas{Count: 1}, HasReplicas(r.APIVersion, r.Kind)
	}
	counts, has, _ := countOf(roots[0], r.APIVersion, r.Kind)
	return counts, has
}

// countOf reads the counts of a document, and refuses one that is no whole number of at least 0.
func countOf(root *value, apiVersion, kind string) (counts Replicas, has bool, faults FieldErrors) {
	field := countField(apiVersion, kind)
	if field == "" {
		return Replicas{}, false, nil
	}
	counts.Count = 1
	if n, fault := countAt(root, field); fault != nil {
		faults = append(faults, *fault)
	} else if n != nil {
		counts.Count = *n
	}
	if field == "parallelism" {
		n, fault := countAt(root, "completions")
		if fault != nil {
			faults = append(faults, *fault)
		}
		counts.Completions = n
	}
	return counts, true, faults
}

func countAt(root *value, field string) (*int64, *FieldError) {
	v := root.get("spec").get(field)
	if v == nil || v.kind == nullValue {
		return nil, nil
	}
	at := FieldError{Field: "spec." + field, Value: v.quoted(), Line: v.line, Column: v.column}
	n, err := strconv.ParseInt(strings.TrimPrefix(v.text, "+"), 10, 64)
	switch {
	case v.kind != numberValue || err != nil:
		at.Code, at.Want = CodeWrongType, "type_integer"
		at.Args = map[string]string{"Got": v.kind.String(), "Want": "integer"}
	case n < 0 || n > MaxResourceReplicas:
		at.Code, at.Want = CodeOutOfRange, "range"
		at.WantArgs = map[string]string{"Low": "0", "High": strconv.Itoa(MaxResourceReplicas)}
	default:
		return &n, nil
	}
	return nil, &at
}
