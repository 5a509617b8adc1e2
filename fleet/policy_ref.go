package fleet

// String names the policy as lists of overrides do: "OverridePolicy demo/x", and "ClusterOverridePolicy x" for one
// without a namespace.
func (r PolicyRef) String() string {
	if r.Namespace == "" {
		return r.Kind + " " + r.Name
	}
	return r.Kind + " " + r.Namespace + "/" + r.Name
}
