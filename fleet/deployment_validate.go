package fleet

import (
	"maps"
	"slices"
	"strings"
)

// DecodeDeployment decodes a document strictly. The Deployment holds whatever was well-formed, so that
// ValidateDeployment can add its faults to those returned here.
func DecodeDeployment(doc *Doc) (Deployment, FieldErrors) {
	var d Deployment
	faults := DecodeStrict(doc, &d)
	kind := expectKind(d.APIVersion, d.Kind, doc)
	for _, f := range kind {
		if f.Code == CodeKindUnsupported && f.Suggestion == "" {
			// Surely something else, not a slip: of a ConfigMap it would be wrong advice that spec.image is missing.
			doc.foreign = true
			return Deployment{}, kind
		}
	}
	return d, append(faults, kind...)
}

func expectKind(apiVersion, kind string, doc *Doc) FieldErrors {
	var faults FieldErrors
	if v := doc.root.get("apiVersion"); v == nil || v.empty() {
		faults = append(faults, FieldError{Code: CodeRequired, Field: "apiVersion", Want: "api_version", Suggestion: APIVersion})
	} else if apiVersion != "" && apiVersion != APIVersion {
		faults = append(faults, FieldError{Code: CodeKindUnsupported, Field: "apiVersion", Value: apiVersion, Want: "api_version", Suggestion: nearest(apiVersion, []string{APIVersion})})
	}
	if v := doc.root.get("kind"); v == nil || v.empty() {
		faults = append(faults, FieldError{Code: CodeRequired, Field: "kind", Want: "kind", Suggestion: KindDeployment})
	} else if kind != "" && kind != KindDeployment {
		faults = append(faults, FieldError{Code: CodeKindUnsupported, Field: "kind", Value: kind, Want: "kind", Suggestion: nearest(kind, []string{KindDeployment})})
	}
	return doc.Locate(faults)
}

// ValidateDeployment holds a Deployment to every rule that needs nothing but itself and the declared regions,
// and fills in its defaults and compiled labels where it finds no fault. It is the one validator of every way in: form, API, apply,
// CLI, rollback. Faults have no position; Doc.Locate knows it. With g nil regions are not checked and each one
// named gives the warning region_unchecked.
func ValidateDeployment(d *Deployment, g *GeoAwareness) (FieldErrors, []Warning) {
	faults := ValidateStruct(d)
	if d.Metadata.Name == reservedDeployment {
		faults = append(faults, FieldError{Code: CodeNameReserved, Field: "metadata.name", Value: reservedDeployment, Want: "name_not_new"})
	}
	faults = append(faults, validateLabels(d.Metadata)...)
	faults = append(faults, validateArguments("spec.command", d.Spec.Command)...)
	faults = append(faults, validateArguments("spec.args", d.Spec.Args)...)
	faults = append(faults, validateEnv(d.Spec.Env)...)
	faults = append(faults, validateSources("spec.", d.Spec.Env, d.Spec.EnvFrom)...)
	faults = append(faults, validatePorts(d.Spec.Ports)...)
	faults = append(faults, validateResources(d.Spec.Resources)...)
	residencyFaults, warnings := validateResidency(d, g)
	// validator/v10 reported unassigned countries already; validateResidency reports them with the handwritten
	// ones, once.
	faults = slices.DeleteFunc(faults, func(f FieldError) bool { return f.Code == CodeCountryUnassigned })
	faults = append(faults, residencyFaults...)
	if len(faults) == 0 {
		d.Default()
		enforced := map[string]string{}
		for _, key := range []string{LabelEnforcedCountry, LabelEnforcedRegion} {
			if v, set := d.ResidencyLabels[key]; set {
				enforced[key] = v
			}
		}
		d.ResidencyLabels = d.Spec.Residency().Labels()
		if len(enforced) > 0 {
			if d.ResidencyLabels == nil {
				d.ResidencyLabels = map[string]string{}
			}
			maps.Copy(d.ResidencyLabels, enforced)
		}
	}
	return faults, warnings
}

// validateArguments: no process can be given a NUL.
func validateArguments(path string, arguments []string) FieldErrors {
	var faults FieldErrors
	for i, a := range arguments {
		if strings.ContainsRune(a, 0) {
			faults = append(faults, FieldError{Code: CodeNotAccepted, Field: joinIndex(path, i), Value: a, Want: "no_nul"})
		}
	}
	return faults
}

func validateEnv(env []EnvVar) FieldErrors {
	var faults FieldErrors
	seen := map[string]int{}
	for i, e := range env {
		if strings.ContainsRune(e.Value, 0) {
			faults = append(faults, FieldError{Code: CodeNotAccepted, Field: joinIndex("spec.env", i) + ".value", Value: e.Value, Want: "no_nul"})
		}
		if first, repeated := seen[e.Name]; repeated && e.Name != "" {
			faults = append(faults, FieldError{Code: CodeRepeated, Field: joinIndex("spec.env", i) + ".name", Value: e.Name, Want: "distinct",
				Args: map[string]string{"First": joinIndex("spec.env", first) + ".name"}})
			continue
		}
		seen[e.Name] = i
	}
	return faults
}

func validatePorts(ports []Port) FieldErrors {
	var faults FieldErrors
	type key struct {
		port     int
		protocol string
	}
	seen := map[key]int{}
	for i, p := range ports {
		k := key{p.ContainerPort, p.Protocol}
		if k.protocol == "" {
			k.protocol = ProtocolTCP
		}
		if first, repeated := seen[k]; repeated && p.ContainerPort != 0 {
			faults = append(faults, FieldError{Code: CodeRepeated, Field: joinIndex("spec.ports", i) + ".containerPort", Value: textOf(p.ContainerPort), Want: "distinct",
				Args: map[string]string{"First": joinIndex("spec.ports", first) + ".containerPort"}})
			continue
		}
		seen[k] = i
	}
	return faults
}

// validateResources: a request above its limit could never be used.
func validateResources(r *Resources) FieldErrors {
	var faults FieldErrors
	requests, limits := r.list(true), r.list(false)
	check := func(name string, request, limit Quantity, number func(Quantity) int64) {
		if request.Valid() && limit.Valid() && number(request) > number(limit) {
			faults = append(faults, FieldError{Code: CodeRequestExceedsLimit, Field: "spec.resources.requests." + name, Value: string(request),
				Want: "at_most", WantArgs: map[string]string{"Limit": string(limit)}})
		}
	}
	check("cpu", requests.CPU, limits.CPU, Quantity.Milli)
	check("memory", requests.Memory, limits.Memory, Quantity.Bytes)
	return faults
}

// validateLabels checks syntax of labels and annotations; what they may not say is validateResidency's matter.
func validateLabels(m Metadata) FieldErrors {
	var faults FieldErrors
	for _, key := range slices.Sorted(maps.Keys(m.Labels)) {
		at := joinKey("metadata.labels", key)
		switch {
		case reservedLabel(key):
			// refused for what it is; its syntax does not matter any more
		case !IsLabelKey(key):
			faults = append(faults, FieldError{Code: CodeLabelInvalid, Field: at, Value: key, Want: "label_key", AtKey: true})
		case !IsLabelValue(m.Labels[key]):
			faults = append(faults, FieldError{Code: CodeLabelInvalid, Field: at, Value: m.Labels[key], Want: "label_value"})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(m.Annotations)) {
		if !reservedLabel(key) && !IsLabelKey(strings.ToLower(key)) {
			faults = append(faults, FieldError{Code: CodeAnnotationInvalid, Field: joinKey("metadata.annotations", key), Value: key, Want: "label_key", AtKey: true})
		}
	}
	return faults
}
