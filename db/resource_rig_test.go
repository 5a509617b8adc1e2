package db_test

import (
	"context"
	"encoding/json"
	"fmt"

	"odysseus/db"
	"odysseus/fleet"
)

// resource as control would hand it over; with an empty tenant it is cluster-scoped.
func resource(tenant, apiVersion, kind, name, object string, change ...func(*fleet.StoredResource)) fleet.StoredResource {
	r := fleet.StoredResource{
		Resource: fleet.Resource{APIVersion: apiVersion, Kind: kind, Namespace: tenant, Name: name, Object: json.RawMessage(object)},
		Tenant:   tenant, UID: fmt.Sprintf("uid-%s-%s-%s", tenant, kind, name), Generation: 1, Revision: 1, TemplateRevision: 1, CreationTimestamp: start,
	}
	for _, fn := range change {
		fn(&r)
	}
	return r
}

func secret(tenant, name, object string) fleet.StoredResource {
	return resource(tenant, "v1", "Secret", name, object)
}

func configMap(tenant, name, object string) fleet.StoredResource {
	return resource(tenant, "v1", "ConfigMap", name, object)
}

// workload is an apps/v1 Deployment of three replicas.
func workload(tenant, name string) fleet.StoredResource {
	return resource(tenant, "apps/v1", "Deployment", name, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"`+name+`"},"spec":{"replicas":3}}`)
}

// store inserts resources and answers them as stored.
func (r *rig) store(resources ...fleet.StoredResource) []fleet.StoredResource {
	r.Helper()
	out := make([]fleet.StoredResource, len(resources))
	r.update(func(ctx context.Context, tx *db.Tx) (err error) {
		for i, s := range resources {
			if out[i], err = tx.InsertResource(ctx, s); err != nil {
				return err
			}
		}
		return nil
	})
	return out
}

func (r *rig) change(s fleet.StoredResource) fleet.StoredResource {
	r.Helper()
	r.update(func(ctx context.Context, tx *db.Tx) (err error) {
		s, err = tx.UpdateResource(ctx, s)
		return err
	})
	return s
}

// policy as control would hand it over; with an empty tenant it is cluster-wide.
func policy(tenant, name string, change ...func(*fleet.Policy)) fleet.Policy {
	kind := fleet.KindPropagationPolicy
	if tenant == "" {
		kind = fleet.KindClusterPropagationPolicy
	}
	p := fleet.Policy{
		APIVersion: fleet.PolicyAPIVersion, Kind: kind, Tenant: tenant,
		Metadata: fleet.Metadata{Name: name, Namespace: tenant, UID: "policy-" + tenant + "-" + name, Generation: 1, CreationTimestamp: at(start)},
		Spec:     fleet.PropagationSpec{ResourceSelectors: []fleet.ResourceSelector{{APIVersion: "apps/v1", Kind: "Deployment"}}},
	}
	for _, fn := range change {
		fn(&p)
	}
	return p
}

func (r *rig) decree(policies ...fleet.Policy) []fleet.Policy {
	r.Helper()
	out := make([]fleet.Policy, len(policies))
	r.update(func(ctx context.Context, tx *db.Tx) (err error) {
		for i, p := range policies {
			if out[i], err = tx.InsertPolicy(ctx, p); err != nil {
				return err
			}
		}
		return nil
	})
	return out
}

// override policy as control would hand it over; with an empty tenant it is cluster-wide.
func override(tenant, name string, change ...func(*fleet.Override)) fleet.Override {
	kind := fleet.KindOverridePolicy
	if tenant == "" {
		kind = fleet.KindClusterOverridePolicy
	}
	o := fleet.Override{
		APIVersion: fleet.PolicyAPIVersion, Kind: kind, Tenant: tenant,
		Metadata: fleet.Metadata{Name: name, Namespace: tenant, UID: "override-" + tenant + "-" + name, Generation: 1, CreationTimestamp: at(start)},
		Spec:     fleet.OverrideSpec{ResourceSelectors: []fleet.ResourceSelector{{APIVersion: "apps/v1", Kind: "Deployment"}}},
	}
	for _, fn := range change {
		fn(&o)
	}
	return o
}

func (r *rig) override(overrides ...fleet.Override) []fleet.Override {
	r.Helper()
	out := make([]fleet.Override, len(overrides))
	r.update(func(ctx context.Context, tx *db.Tx) (err error) {
		for i, o := range overrides {
			if out[i], err = tx.InsertOverride(ctx, o); err != nil {
				return err
			}
		}
		return nil
	})
	return out
}

// about is a decision about a resource as stored.
func about(s fleet.StoredResource, change func(*fleet.Decision)) fleet.Decision {
	out := fleet.Decision{
		Ref:      fleet.Ref{Tenant: s.Tenant, Namespace: s.Namespace, Name: s.Name},
		Resource: true, DeploymentUID: s.UID, Generation: s.Generation,
	}
	change(&out)
	return out
}

func (r *rig) binding(uid string) fleet.Binding {
	r.Helper()
	var b fleet.Binding
	r.view(func(ctx context.Context, tx *db.Tx) (err error) {
		b, err = tx.Binding(ctx, uid)
		return err
	})
	return b
}

// rows of a table.
func (r *rig) rows(query string, args ...any) int {
	r.Helper()
	var n int
	if err := r.Sessions().QueryRow("SELECT count(*) FROM "+query, args...).Scan(&n); err != nil {
		r.Fatal(err)
	}
	return n
}

// keyOf a v1 resource in acme.
func keyOf(kind, name string) fleet.ResourceKey {
	return fleet.ResourceKey{APIVersion: "v1", Kind: kind, Namespace: "acme", Name: name}
}
