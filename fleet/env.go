package fleet

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"
)

// MarshalJSON leaves the value out beside a reference, which stands instead of it.
func (e EnvVar) MarshalJSON() ([]byte, error) {
	if e.ValueFrom == nil {
		return json.Marshal(struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		}{e.Name, e.Value})
	}
	type whole EnvVar // without this method
	return json.Marshal(struct {
		whole
		Value string `json:"value,omitempty"`
	}{whole(e), e.Value})
}

// validateSources checks where variables come from: "exactly one" of a value and a reference, and of the two kinds of
// references. The path ends before "env" and "envFrom".
func validateSources(path string, env []EnvVar, from []EnvFromSource) FieldErrors {
	var faults FieldErrors
	for i, e := range env {
		if e.ValueFrom == nil {
			continue
		}
		at := joinIndex(path+"env", i)
		if e.Value != "" {
			faults = append(faults, conflict(at+".value", e.Value, at+".valueFrom"))
		}
		faults = append(faults, oneSource(at+".valueFrom", e.ValueFrom.ConfigMapKeyRef, e.ValueFrom.SecretKeyRef, "configMapKeyRef", "secretKeyRef")...)
	}
	for i, f := range from {
		faults = append(faults, oneSource(joinIndex(path+"envFrom", i), f.ConfigMapRef, f.SecretRef, "configMapRef", "secretRef")...)
	}
	return faults
}

func oneSource[T any](at string, first, second *T, firstKey, secondKey string) FieldErrors {
	switch {
	case first == nil && second == nil:
		return FieldErrors{{Code: CodeRequired, Field: at, Want: "one_of", WantArgs: map[string]string{"Values": firstKey + ", " + secondKey}}}
	case first != nil && second != nil:
		return FieldErrors{conflict(at+"."+secondKey, jsonOf(second), at+"."+firstKey)}
	}
	return nil
}

// isDataKey takes what a key of a ConfigMap or Secret may be called.
func isDataKey(s string) bool { return len(validation.IsConfigMapKey(s)) == 0 }

// isSubdomain takes what ConfigMaps and Secrets may be called.
func isSubdomain(s string) bool { return len(validation.IsDNS1123Subdomain(s)) == 0 }

// ResolveEnv is the environment that a container starts with, as Kubernetes makes it: what envFrom brings, then env in
// its order; of a name given twice the later wins, in the place of the first. lookup answers the data of a ConfigMap or
// Secret of the namespace, false where there is none. A key that is no name of a variable is skipped. What is not
// there, and not optional, is missing, and so is a value that no process can be given (a NUL, or no UTF-8, which the
// agents' API cannot carry); the rest is resolved all the same. Missing is sorted.
func ResolveEnv(c PodContainer, lookup func(kind, name string) (map[string]string, bool)) (env []EnvVar, missing []Dependency) {
	r := resolver{at: map[string]int{}, lookup: lookup, expand: c.expands()}
	for _, f := range c.EnvFrom {
		r.from(f)
	}
	for _, e := range c.Env {
		r.variable(e)
	}
	return r.env, distinct(r.missing)
}

type resolver struct {
	lookup  func(kind, name string) (map[string]string, bool)
	env     []EnvVar
	at      map[string]int // name → index in env
	missing []Dependency
	expand  bool
}

func (r *resolver) set(name, value string) {
	if i, known := r.at[name]; known {
		r.env[i].Value = value
		return
	}
	r.at[name] = len(r.env)
	r.env = append(r.env, EnvVar{Name: name, Value: value})
}

func (r *resolver) get(name string) (string, bool) {
	i, known := r.at[name]
	if !known {
		return "", false
	}
	return r.env[i].Value, true
}

func (r *resolver) from(f EnvFromSource) {
	d, named := f.dependency()
	if !named {
		return
	}
	data, found := r.lookup(d.Kind, d.Name)
	if !found {
		r.lack(d)
		return
	}
	for _, key := range slices.Sorted(maps.Keys(data)) {
		name := f.Prefix + key
		if !envName.MatchString(name) {
			continue
		}
		if !carried(data[key]) {
			r.missing = append(r.missing, Dependency{Kind: d.Kind, Name: d.Name, Key: key})
			continue
		}
		r.set(name, data[key])
	}
}

func (r *resolver) variable(e EnvVar) {
	d, named := e.dependency()
	if !named {
		value := e.Value
		if r.expand {
			value = expand(value, r.get)
		}
		r.set(e.Name, value)
		return
	}
	data, found := r.lookup(d.Kind, d.Name)
	value, has := data[d.Key]
	switch {
	case !found || !has:
		r.lack(d)
	case !carried(value):
		d.Optional = false
		r.lack(d)
	default:
		r.set(e.Name, value)
	}
}

func (r *resolver) lack(d Dependency) {
	if !d.Optional {
		r.missing = append(r.missing, d)
	}
}

func carried(value string) bool { return utf8.ValidString(value) && !strings.ContainsRune(value, 0) }

// dependency that a variable names; false for a plain value.
func (e EnvVar) dependency() (Dependency, bool) {
	switch from := valueOr(e.ValueFrom, EnvVarSource{}); {
	case from.ConfigMapKeyRef != nil:
		return from.ConfigMapKeyRef.dependency(KindConfigMap), true
	case from.SecretKeyRef != nil:
		return from.SecretKeyRef.dependency(KindSecret), true
	}
	return Dependency{}, false
}

func (s KeySelector) dependency(kind string) Dependency {
	return Dependency{Kind: kind, Name: s.Name, Key: s.Key, Optional: s.Optional}
}

func (f EnvFromSource) dependency() (Dependency, bool) {
	switch {
	case f.ConfigMapRef != nil:
		return Dependency{Kind: KindConfigMap, Name: f.ConfigMapRef.Name, Optional: f.ConfigMapRef.Optional}, true
	case f.SecretRef != nil:
		return Dependency{Kind: KindSecret, Name: f.SecretRef.Name, Optional: f.SecretRef.Optional}, true
	}
	return Dependency{}, false
}
