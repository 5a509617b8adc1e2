package fleet

import (
	"cmp"
	"slices"
)

// Dependencies are the ConfigMaps and Secrets that the deployment names, sorted by kind, name and key.
func (s *DeploymentSpec) Dependencies() []Dependency {
	return distinct(s.PodTemplate().dependencies())
}

// dependencies of the containers' environment, in their order.
func (t PodTemplate) dependencies() []Dependency {
	var out []Dependency
	for _, c := range t.Containers {
		for _, f := range c.EnvFrom {
			if d, named := f.dependency(); named {
				out = append(out, d)
			}
		}
		for _, e := range c.Env {
			if d, named := e.dependency(); named {
				out = append(out, d)
			}
		}
	}
	return out
}

// DependenciesOf are the ConfigMaps and Secrets of its namespace that a resource names, whatever its kind, as long as it
// has a pod template: in variables, volumes and pull secrets, of init containers too. Sorted by kind, name and key.
func DependenciesOf(r *Resource) []Dependency {
	roots, fault := parseJSON(r.Object)
	if fault != nil || len(roots) != 1 {
		return nil
	}
	if r.APIVersion == APIVersion {
		var out []Dependency
		ofContainer(roots[0].get("spec"), &out)
		return distinct(out)
	}
	pod := podTemplateIn(roots[0], r.APIVersion, r.Kind).get("spec")
	var out []Dependency
	for _, list := range []string{"containers", "initContainers", "ephemeralContainers"} {
		for _, c := range pod.get(list).each() {
			ofContainer(c, &out)
		}
	}
	for _, v := range pod.get("volumes").each() {
		ofVolume(v, &out)
	}
	for _, s := range pod.get("imagePullSecrets").each() {
		// Kubernetes tries to pull without one that is missing, too.
		add(&out, Dependency{Kind: KindSecret, Name: s.textOf("name"), Optional: true})
	}
	return distinct(out)
}

// podTemplateIn finds the pod template of a workload; of a Pod that is the Pod itself.
func podTemplateIn(root *value, apiVersion, kind string) *value {
	for _, key := range podTemplatePath(apiVersion, kind) {
		root = root.get(key)
	}
	return root
}

// podTemplatePath is where a kind holds its pod template. Kinds that are not built in commonly hold theirs where a
// Deployment does.
func podTemplatePath(apiVersion, kind string) []string {
	switch {
	case apiVersion == "v1" && kind == "Pod":
		return nil
	case apiVersion == "v1" && kind == "PodTemplate":
		return []string{"template"}
	case isCronJob(apiVersion, kind):
		return append(slices.Clone(jobTemplatePath), "spec", "template")
	}
	return []string{"spec", "template"}
}

// jobTemplatePath is where a CronJob holds the template of its Jobs.
var jobTemplatePath = []string{"spec", "jobTemplate"}

func isCronJob(apiVersion, kind string) bool { return apiVersion == "batch/v1" && kind == "CronJob" }

func ofContainer(c *value, out *[]Dependency) {
	for _, f := range c.get("envFrom").each() {
		ofReference(f.get("configMapRef"), KindConfigMap, "name", out)
		ofReference(f.get("secretRef"), KindSecret, "name", out)
	}
	for _, e := range c.get("env").each() {
		ofReference(e.get("valueFrom").get("configMapKeyRef"), KindConfigMap, "name", out)
		ofReference(e.get("valueFrom").get("secretKeyRef"), KindSecret, "name", out)
	}
}

func ofVolume(v *value, out *[]Dependency) {
	ofReference(v.get("configMap"), KindConfigMap, "name", out)
	ofReference(v.get("secret"), KindSecret, "secretName", out)
	for _, s := range v.get("projected").get("sources").each() {
		ofReference(s.get("configMap"), KindConfigMap, "name", out)
		ofReference(s.get("secret"), KindSecret, "name", out)
	}
	// What stores want to be signed in to: the Secret of every other kind of volume.
	ofReference(v.get("azureFile"), KindSecret, "secretName", out)
	ofReference(v.get("csi").get("nodePublishSecretRef"), KindSecret, "name", out)
	if v != nil {
		for _, e := range v.entries {
			ofReference(e.value.get("secretRef"), KindSecret, "name", out)
		}
	}
}

// ofReference reads {name, key, optional}; nothing where there is no name. The keys of a volume's items are no keys here.
func ofReference(ref *value, kind, nameKey string, out *[]Dependency) {
	optional := ref.get("optional")
	add(out, Dependency{Kind: kind, Name: ref.textOf(nameKey), Key: ref.textOf("key"),
		Optional: optional != nil && optional.kind == boolValue && optional.text == "true"})
}

func add(out *[]Dependency, d Dependency) {
	if d.Name != "" {
		*out = append(*out, d)
	}
}

// each is the items of a list; nothing of anything else.
func (v *value) each() []*value {
	if v == nil {
		return nil
	}
	return v.items
}

// distinct sorts dependencies, and keeps each once: one that is needed somewhere is not optional.
func distinct(all []Dependency) []Dependency {
	slices.SortFunc(all, func(a, b Dependency) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Key, b.Key), optionalLast(a, b))
	})
	return slices.CompactFunc(all, func(a, b Dependency) bool { return a.Kind == b.Kind && a.Name == b.Name && a.Key == b.Key })
}

func optionalLast(a, b Dependency) int {
	switch {
	case a.Optional == b.Optional:
		return 0
	case a.Optional:
		return 1
	}
	return -1
}
