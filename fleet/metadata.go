package fleet

import "time"

// Metadata is what every stored object carries beside its spec. UID, ResourceVersion, Generation and
// CreationTimestamp are set by the control plane: a manifest may hold them, as what GET answers can be sent
// back, but only ResourceVersion is read, and compared as If-Match is.
type Metadata struct {
	Name              string            `json:"name" validate:"required,name"`
	Namespace         string            `json:"namespace,omitempty" validate:"omitempty,name"`
	UID               string            `json:"uid,omitempty" decode:"ignore"`
	ResourceVersion   string            `json:"resourceVersion,omitempty"`
	Generation        int64             `json:"generation,omitempty" decode:"ignore"`
	CreationTimestamp *time.Time        `json:"creationTimestamp,omitempty" decode:"ignore"`
	Labels            map[string]string `json:"labels,omitempty"`
	Annotations       map[string]string `json:"annotations,omitempty"`
}
