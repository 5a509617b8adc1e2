package db

import (
	"context"

	"odysseus/fleet"
)

// environments resolves where variables come from, and asks for each ConfigMap and Secret once.
type environments struct {
	tx *Tx
	// cluster that they are read on.
	cluster string
	// known is by tenant, namespace, kind and name; nil for what is not there.
	known map[string]map[string]string
}

// of answers a container's environment. What has vanished since the replica was assigned is left out: one that runs keeps
// the values that it was started with.
func (e *environments) of(ctx context.Context, tenant, namespace string, c fleet.PodContainer) ([]fleet.EnvVar, error) {
	var failed error
	env, _ := fleet.ResolveEnv(c, func(kind, name string) (map[string]string, bool) {
		if failed != nil {
			return nil, false
		}
		// None of them holds a slash.
		key := tenant + "/" + namespace + "/" + kind + "/" + name
		data, asked := e.known[key]
		if !asked {
			var found bool
			if data, found, failed = e.tx.configData(ctx, e.cluster, tenant, namespace, kind, name); found && data == nil {
				data = map[string]string{}
			}
			e.known[key] = data
		}
		return data, data != nil
	})
	return env, failed
}
