package fleet

import "strings"

// podContainer is a container of a pod template as it is written; its resources are read apart.
type podContainer struct {
	Name    string          `json:"name" validate:"required,name"`
	Image   string          `json:"image" validate:"required,image"`
	Command []string        `json:"command"`
	Args    []string        `json:"args"`
	Env     []EnvVar        `json:"env" validate:"dive"`
	EnvFrom []EnvFromSource `json:"envFrom" validate:"dive"`
	Ports   []podPort       `json:"ports" validate:"dive"`
}

type podPort struct {
	Name          string `json:"name"` // for probes and Services, which there are none of
	ContainerPort int    `json:"containerPort" validate:"required,min=1,max=65535"`
	Protocol      string `json:"protocol" validate:"omitempty,oneof=TCP UDP"`
	HostPort      int    `json:"hostPort"`
	HostIP        string `json:"hostIP"`
}

func (p *podReader) containers(v *value, path string) []PodContainer {
	var out []PodContainer
	seen := map[string]bool{}
	p.list(v, path, func(v *value, at string) {
		c := p.container(v, at)
		if seen[c.Name] {
			p.refuse(at + ".name")
		}
		seen[c.Name] = true
		out = append(out, c)
	})
	return out
}

func (p *podReader) container(v *value, path string) PodContainer {
	known := &value{kind: mapValue}
	keep := func(key string) func(*value, string) {
		return func(v *value, _ string) { known.set(key, v) }
	}
	var resources *Resources
	p.fields(v, path, fieldReaders{
		"name": keep("name"), "image": keep("image"), "command": keep("command"), "args": keep("args"),
		"env": keep("env"), "envFrom": keep("envFrom"), "ports": keep("ports"),
		"resources": func(v *value, at string) { resources = p.resources(v, at) },
	}, inertOfContainer(v.textOf("image")))
	var c podContainer
	p.decode(known, path, &c)
	for _, f := range validateArguments(path+".command", c.Command) {
		p.refuse(f.Field)
	}
	for _, f := range validateArguments(path+".args", c.Args) {
		p.refuse(f.Field)
	}
	// Kubernetes lets a later variable of the same name win; ResolveEnv does too.
	for _, f := range validateSources(path+".", c.Env, c.EnvFrom) {
		if !p.within(f.Field) { // fieldRef is the one to be named, not that neither of the other two is there
			p.refuse(f.Field)
		}
	}
	return PodContainer{Name: c.Name, Image: c.Image, Command: c.Command, Args: c.Args, Env: c.Env, EnvFrom: c.EnvFrom,
		Ports: p.ports(c.Ports, path+".ports"), Resources: resources}
}

func (p *podReader) ports(written []podPort, path string) []Port {
	var out []Port
	for i, w := range written {
		at := joinIndex(path, i)
		if w.HostPort != 0 {
			p.refuse(at + ".hostPort")
		}
		if w.HostIP != "" {
			p.refuse(at + ".hostIP")
		}
		protocol := w.Protocol
		if protocol == "" {
			protocol = ProtocolTCP
		}
		out = append(out, Port{ContainerPort: w.ContainerPort, Protocol: protocol})
	}
	return out
}

// resources of a container. As Kubernetes has it, a limit without a request is the request.
func (p *podReader) resources(v *value, path string) *Resources {
	var requests, limits ResourceList
	list := func(into *ResourceList) func(*value, string) {
		return func(v *value, at string) {
			p.fields(v, at, fieldReaders{
				"cpu":    func(v *value, at string) { into.CPU = p.quantity(v, at) },
				"memory": func(v *value, at string) { into.Memory = p.quantity(v, at) },
			}, nil)
		}
	}
	p.fields(v, path, fieldReaders{"requests": list(&requests), "limits": list(&limits)}, nil)
	if requests.CPU == "" {
		requests.CPU = limits.CPU
	}
	if requests.Memory == "" {
		requests.Memory = limits.Memory
	}
	if (requests == ResourceList{}) {
		return nil
	}
	out := &Resources{Requests: &requests}
	if (limits != ResourceList{}) {
		out.Limits = &limits
	}
	for _, f := range validateResources(out) {
		p.refuse(path + strings.TrimPrefix(f.Field, "spec.resources"))
	}
	return out
}

// quantity takes a number too, as Kubernetes does.
func (p *podReader) quantity(v *value, path string) Quantity {
	if v.kind == nullValue {
		return ""
	}
	q := Quantity(v.text)
	if v.kind != textValue && v.kind != numberValue || !q.Valid() {
		p.refuse(path)
		return ""
	}
	return q
}

// PodTemplate is what one replica of the deployment runs: its one container, which has no name.
func (s *DeploymentSpec) PodTemplate() PodTemplate {
	return PodTemplate{
		Containers:    []PodContainer{{Image: s.Image, Command: s.Command, Args: s.Args, Env: s.Env, EnvFrom: s.EnvFrom, Ports: s.Ports, Resources: s.Resources}},
		RestartPolicy: s.RestartPolicy, TerminationGracePeriodSeconds: valueOr(s.TerminationGracePeriodSeconds, DefaultGrace),
	}
}
