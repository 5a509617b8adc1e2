package fleet

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// defaultPodGrace is Kubernetes' own, for a pod template that says nothing.
const defaultPodGrace = 30

// PodTemplateOf reads what one replica of an apps/v1 Deployment or a batch/v1 Job runs on a cluster of agents. What
// agents cannot do is named by its path, sorted ("spec.template.spec.volumes", "spec.completions"): "anything else is
// refused for that cluster by name, never dropped". So is what nothing could run: an image that is none, a container
// without a name. A resource with such paths must not run there; its template holds the rest. Of every other kind
// nothing runs there, and the answer is false, with "kind".
func PodTemplateOf(r *Resource) (PodTemplate, []string, bool) {
	deployment := r.APIVersion == "apps/v1" && r.Kind == KindDeployment
	if !deployment && !isJob(r.APIVersion, r.Kind) {
		return PodTemplate{}, []string{"kind"}, false
	}
	p := podReader{refused: map[string]bool{}}
	roots, fault := parseJSON(r.Object)
	if fault != nil || len(roots) != 1 {
		return PodTemplate{}, []string{"spec"}, true // it was checked when it was decoded
	}
	root := roots[0]
	t := PodTemplate{TerminationGracePeriodSeconds: defaultPodGrace}
	spec, policies := p.job, []string{RestartOnFailure, RestartNever}
	if deployment {
		t.RestartPolicy = RestartAlways
		spec, policies = p.deployment, []string{RestartAlways}
	}
	p.fields(root, "", fieldReaders{"apiVersion": skip, "kind": skip, "metadata": skip, "status": skip,
		"spec": func(v *value, at string) { spec(v, at, &t) }}, nil)
	if !slices.Contains(policies, t.RestartPolicy) {
		p.refuse("spec.template.spec.restartPolicy")
	}
	if len(t.Containers) == 0 {
		p.refuse("spec.template.spec.containers")
	}
	return t, p.unsupported(), true
}

func (p *podReader) deployment(v *value, path string, t *PodTemplate) {
	p.fields(v, path, fieldReaders{
		"replicas": skip, // divided by the scheduler
		"template": func(v *value, at string) { p.template(v, at, t) },
		"strategy": func(v *value, at string) {
			p.fields(v, at, fieldReaders{"rollingUpdate": func(v *value, at string) { p.fields(v, at, nil, inertOfRollingUpdate()) }}, inertOfStrategy())
		},
	}, inertOfDeployment())
}

// job: each of its replicas runs to its end once. So there are no more completions than run at the same time, and how
// often one that fails is tried again is its restart policy's affair alone.
func (p *podReader) job(v *value, path string, t *PodTemplate) {
	passes := inertOfJob()
	if v.get("template").get("spec").textOf("restartPolicy") == RestartNever {
		passes = append(passes, inert{"backoffLimit", exactly("0")})
	}
	p.fields(v, path, fieldReaders{
		"parallelism": skip,
		"completions": func(c *value, at string) {
			if parallel := count(v.get("parallelism"), 1); count(c, parallel) > parallel {
				p.refuse(at)
			}
		},
		"template": func(v *value, at string) { p.template(v, at, t) },
	}, passes)
}

// count reads a count that was checked when the resource was decoded.
func count(v *value, otherwise int64) int64 {
	if v == nil || v.kind != numberValue {
		return otherwise
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(v.text, "+"), 10, 64)
	if err != nil {
		return otherwise
	}
	return n
}

func (p *podReader) template(v *value, path string, t *PodTemplate) {
	p.fields(v, path, fieldReaders{
		"metadata": func(v *value, at string) { p.fields(v, at, nil, inertOfMetadata()) },
		"spec": func(v *value, at string) {
			p.fields(v, at, fieldReaders{
				"containers":                    func(v *value, at string) { t.Containers = p.containers(v, at) },
				"restartPolicy":                 func(v *value, at string) { p.restartPolicy(v, at, t) },
				"terminationGracePeriodSeconds": func(v *value, at string) { p.grace(v, at, t) },
			}, inertOfPod())
		},
	}, nil)
}

func (p *podReader) restartPolicy(v *value, path string, t *PodTemplate) {
	switch {
	case v.empty():
	case v.kind != textValue:
		p.refuse(path)
	default:
		t.RestartPolicy = v.text // held against what the kind accepts by PodTemplateOf
	}
}

func (p *podReader) grace(v *value, path string, t *PodTemplate) {
	if v.kind == nullValue {
		return
	}
	n := count(v, -1)
	if n < 0 || n > MaxGraceSeconds {
		p.refuse(path)
		return
	}
	t.TerminationGracePeriodSeconds = int(n)
}

// TemplateOf is what one replica runs: of an odysseus/v1 Deployment too, and the zero value of what runs nothing on agents.
func TemplateOf(r *Resource) PodTemplate {
	if r.APIVersion != APIVersion {
		t, _, _ := PodTemplateOf(r)
		return t
	}
	var d Deployment
	if err := json.Unmarshal(r.Object, &d); err != nil {
		return PodTemplate{} // it was written by us
	}
	d.Default()
	return d.Spec.PodTemplate()
}
