package fleet

import (
	"slices"
	"strings"
)

// inert is a field that passes although agents do nothing with it: with these values it asks for nothing that is not so
// on their clusters anyway.
type inert struct {
	key    string
	accept func(v *value) bool
}

func passed(list []inert, key string, v *value) bool {
	return slices.ContainsFunc(list, func(i inert) bool { return i.key == key && i.accept(v) })
}

func anything(*value) bool { return true }

// exactly takes the value that Kubernetes fills in where the field is left out, so that what a server answered is read
// like what was sent to it.
func exactly(texts ...string) func(*value) bool {
	return func(v *value) bool {
		return v.kind != listValue && v.kind != mapValue && slices.Contains(texts, v.text)
	}
}

// The fields that pass, each with its reason. This is the whole list: what is not here and is not read is refused.

func inertOfDeployment() []inert {
	return []inert{
		{"selector", anything},                // whose pods are whose; here a replica is its workload's by UID
		{"revisionHistoryLimit", anything},    // how many old ReplicaSets are kept; there are none
		{"progressDeadlineSeconds", anything}, // when a condition of the status changes; nothing is done then
		{"minReadySeconds", exactly("0")},     // the default
		{"paused", exactly("false")},          // the default
	}
}

// inertOfStrategy: replicas are replaced one by one, and an old one goes when its successor runs. That keeps every
// maxUnavailable, and every maxSurge that lets one more run; of Recreate it would be the opposite.
func inertOfStrategy() []inert { return []inert{{"type", exactly("RollingUpdate")}} }

func inertOfRollingUpdate() []inert {
	return []inert{
		{"maxUnavailable", anything},
		{"maxSurge", func(v *value) bool { return v.kind <= textValue && v.text != "0" && v.text != "0%" }},
	}
}

func inertOfJob() []inert {
	return []inert{
		{"selector", anything},       // as of a Deployment
		{"manualSelector", anything}, // who wrote the selector
		{"suspend", exactly("false")},
		{"completionMode", exactly("NonIndexed")},
		{"podReplacementPolicy", exactly("TerminatingOrFailed")},
		{"backoffLimit", exactly("6")}, // with Never also 0, which is what an agent does then: see job
	}
}

// inertOfMetadata: labels and annotations of a pod are for selectors and controllers of Kubernetes, which agents'
// clusters do not have; a change of them replaces the containers all the same.
func inertOfMetadata() []inert {
	return []inert{
		{"labels", anything},
		{"annotations", func(v *value) bool {
			return v.kind == mapValue && !slices.ContainsFunc(v.entries, func(e entry) bool { return confines(e.key) })
		}},
		{"name", anything}, // of the template, which has no use
		{"namespace", anything},
		{"creationTimestamp", anything},
	}
}

// confines says whether an annotation is one that a kubelet acts upon: it confines a container.
func confines(annotation string) bool {
	return strings.HasPrefix(annotation, "container.apparmor.security.beta.kubernetes.io/") ||
		strings.HasPrefix(annotation, "container.seccomp.security.alpha.kubernetes.io/") ||
		annotation == "seccomp.security.alpha.kubernetes.io/pod"
}

func inertOfPod() []inert {
	return []inert{
		{"dnsPolicy", exactly("ClusterFirst")},             // the default; there is no DNS of the cluster, as for anybody else
		{"schedulerName", exactly("default-scheduler")},    // the default
		{"serviceAccountName", exactly("default")},         // the default
		{"serviceAccount", exactly("default")},             // its older name
		{"automountServiceAccountToken", exactly("false")}, // none is mounted
		{"enableServiceLinks", anything},                   // variables for Services; there are none
		{"preemptionPolicy", exactly("PreemptLowerPriority")},
		{"priority", exactly("0")},
		{"hostNetwork", exactly("false")},
		{"hostPID", exactly("false")},
		{"hostIPC", exactly("false")},
		{"hostUsers", exactly("true")},
		{"shareProcessNamespace", exactly("false")},
		{"setHostnameAsFQDN", exactly("false")},
	}
}

// inertOfContainer: "It uses the image that the engine already has under that reference, otherwise pulls it", which is
// IfNotPresent. Always is what Kubernetes fills in for an image without a tag, or with :latest.
func inertOfContainer(image string) []inert {
	pull := []string{"IfNotPresent"}
	if alwaysByDefault(image) {
		pull = append(pull, "Always")
	}
	return []inert{
		{"imagePullPolicy", exactly(pull...)},
		{"terminationMessagePath", exactly("/dev/termination-log")},
		{"terminationMessagePolicy", exactly("File")},
		{"stdin", exactly("false")},
		{"stdinOnce", exactly("false")},
		{"tty", exactly("false")},
	}
}

func alwaysByDefault(image string) bool {
	if strings.Contains(image, "@") {
		return false
	}
	name := image[strings.LastIndexByte(image, '/')+1:]
	_, tag, tagged := strings.Cut(name, ":")
	return !tagged || tag == "latest"
}
