package fleet

// unsupportedOverrideFields are what Karmada's API has, or Kubernetes' metadata, and this product does not act on:
// refused by name, never accepted and ignored. The value is the field that does what is meant, where there is one.
func unsupportedOverrideFields() map[string]string {
	fields := map[string]string{
		// Karmada's own form of before v1.0, which it deprecates.
		"spec.targetCluster": "spec.overrideRules[].targetCluster",
		"spec.overriders":    "spec.overrideRules[].overriders",

		"spec.overrideRules[].targetCluster.fieldSelector": "",
	}
	for path, instead := range unsupportedPolicyFields() {
		if parentPath(path) == "metadata" {
			fields[path] = instead
		}
	}
	return fields
}

// DecodeOverride decodes an override policy strictly. The Override holds whatever was well-formed, so that
// ValidateOverride can add its faults to those returned here; JoinFaults puts them together.
func DecodeOverride(doc *Doc) (Override, FieldErrors) {
	var o Override
	faults := nameUnsupported(DecodeStrict(doc, &o), unsupportedOverrideFields())
	faults = append(faults, expectPolicy(doc, o.APIVersion, o.Kind, OverrideKinds())...)
	return o, faults.Sorted()
}
