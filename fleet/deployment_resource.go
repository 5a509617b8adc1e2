package fleet

import "encoding/json"

// Resource is the deployment as policies see it: its identity and labels, and the document that it would be written as,
// complete with its defaults.
func (d *Deployment) Resource() Resource {
	m := d.Metadata
	raw, err := json.Marshal(struct {
		APIVersion string         `json:"apiVersion"`
		Kind       string         `json:"kind"`
		Metadata   Metadata       `json:"metadata"`
		Spec       DeploymentSpec `json:"spec"`
	}{APIVersion, KindDeployment, Metadata{Name: m.Name, Namespace: m.Namespace, Labels: m.Labels, Annotations: m.Annotations}, d.Spec})
	if err != nil {
		raw = nil // texts, numbers and maps of texts always marshal
	}
	return Resource{APIVersion: APIVersion, Kind: KindDeployment, Namespace: m.Namespace, Name: m.Name, Labels: m.Labels, Object: raw}
}
