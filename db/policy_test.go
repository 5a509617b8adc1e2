package db_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"odysseus/db"
	"odysseus/fleet"
)

// whole has a value in every block of a policy's spec.
func wholePolicy() fleet.Policy {
	return policy("acme", "split", func(p *fleet.Policy) {
		weight, priority, keep, tolerate, grace := int64(math.MaxInt64), int64(-7), false, int64(30), int64(600)
		p.APIVersion = fleet.PolicyAPIVersionKarmada
		p.Metadata.Labels = map[string]string{"tier": "front"}
		p.Metadata.Annotations = map[string]string{"note": "<&> \"quoted\"\n"}
		p.Spec.PropagateDeps, p.Spec.Priority, p.Spec.Preemption = true, &priority, fleet.PreemptionAlways
		p.Spec.DependentOverrides, p.Spec.PreserveResourcesOnDeletion = []string{"o"}, &keep
		p.Spec.Placement = &fleet.PolicyPlacement{
			ClusterAffinity: &fleet.ClusterAffinity{ClusterNames: []string{"b", "a"}},
			ReplicaScheduling: &fleet.ReplicaScheduling{ReplicaSchedulingType: fleet.SchedulingDivided, WeightPreference: &fleet.WeightPreference{
				StaticWeightList: []fleet.StaticWeight{{TargetCluster: &fleet.ClusterAffinity{ClusterNames: []string{"b"}}, Weight: &weight}},
			}},
		}
		p.Spec.Failover = &fleet.Failover{Application: &fleet.ApplicationFailover{
			DecisionConditions: &fleet.DecisionConditions{TolerationSeconds: &tolerate}, PurgeMode: fleet.PurgeGraciously, GracePeriodSeconds: &grace,
		}}
	})
}

func TestPolicyReadsBackAsWritten(t *testing.T) {
	r := newRig(t)
	want, wide := wholePolicy(), policy("", "everyone")
	stored := r.decree(want, wide)
	want.Metadata.ResourceVersion, wide.Metadata.ResourceVersion = stored[0].Metadata.ResourceVersion, stored[1].Metadata.ResourceVersion
	same(t, "as stored", stored, []fleet.Policy{want, wide})
	r.view(func(ctx context.Context, tx *db.Tx) error {
		for _, c := range []struct {
			what, tenant string
			ref          fleet.PolicyRef
			want         fleet.Policy
			err          error
		}{
			{"its tenant's", "acme", want.Ref(), want, nil},
			{"the platform's caller", "", want.Ref(), want, nil},
			{"another tenant's", "other", want.Ref(), fleet.Policy{}, fleet.ErrNotFound},
			{"cluster-wide", "", wide.Ref(), wide, nil},
			{"cluster-wide, by a tenant", "acme", wide.Ref(), fleet.Policy{}, fleet.ErrNotFound},
			{"of another kind", "acme", fleet.PolicyRef{Kind: fleet.KindClusterPropagationPolicy, Namespace: "acme", Name: "split"}, fleet.Policy{}, fleet.ErrNotFound},
			{"unknown", "acme", fleet.PolicyRef{Kind: want.Kind, Namespace: "acme", Name: "none"}, fleet.Policy{}, fleet.ErrNotFound},
		} {
			got, err := tx.Policy(ctx, c.tenant, c.ref)
			same(t, c.what, got, c.want)
			is(t, c.what, err, c.err)
		}
		return nil
	})
	r.update(func(ctx context.Context, tx *db.Tx) error {
		twin := want
		twin.Metadata.UID = "another"
		is(t, "second of the name", second(tx.InsertPolicy(ctx, twin)), fleet.ErrExists)
		is(t, "another tenant's namespace", second(tx.InsertPolicy(ctx, policy("acme", "x", func(p *fleet.Policy) { p.Metadata.Namespace = "other" }))), fleet.ErrNotFound)
		is(t, "an unknown namespace", second(tx.InsertPolicy(ctx, policy("nowhere", "x"))), fleet.ErrNotFound)
		is(t, "of the same name in another namespace", second(tx.InsertPolicy(ctx, policy("other", "split"))), nil)
		return nil
	})
}

func TestUpdateOfAPolicy(t *testing.T) {
	r := newRig(t)
	stored := r.decree(wholePolicy(), policy("", "everyone"))
	next := stored[0]
	next.APIVersion = fleet.PolicyAPIVersionShort
	next.Metadata.Generation, next.Metadata.Labels, next.Metadata.Annotations = 2, map[string]string{"a": "b"}, nil
	next.Spec = fleet.PropagationSpec{}
	r.update(func(ctx context.Context, tx *db.Tx) error {
		got, err := tx.UpdatePolicy(ctx, next)
		want := next
		want.Metadata.ResourceVersion = got.Metadata.ResourceVersion
		same(t, "updated", got, want)
		is(t, "updated", err, nil)
		if got.Metadata.ResourceVersion == stored[0].Metadata.ResourceVersion {
			t.Error("an update kept its resourceVersion")
		}
		is(t, "stale", second(tx.UpdatePolicy(ctx, next)), fleet.ErrStale)
		for _, tenant := range []string{"other", ""} {
			foreign := got
			foreign.Tenant = tenant
			is(t, "by "+tenant, second(tx.UpdatePolicy(ctx, foreign)), fleet.ErrNotFound)
		}
		wide := stored[1]
		wide.Tenant = "acme"
		is(t, "cluster-wide, by a tenant", second(tx.UpdatePolicy(ctx, wide)), fleet.ErrNotFound)
		is(t, "deleting it", tx.DeletePolicy(ctx, wide), fleet.ErrNotFound)
		is(t, "cluster-wide", second(tx.UpdatePolicy(ctx, stored[1])), nil)
		is(t, "deleting what is another's", tx.DeletePolicy(ctx, policy("other", "split", func(p *fleet.Policy) { p.Metadata.UID = got.Metadata.UID })), fleet.ErrNotFound)
		is(t, "delete", tx.DeletePolicy(ctx, got), nil)
		is(t, "delete again", tx.DeletePolicy(ctx, got), fleet.ErrNotFound)
		is(t, "read", second(tx.Policy(ctx, "", got.Ref())), fleet.ErrNotFound)
		is(t, "update", second(tx.UpdatePolicy(ctx, got)), fleet.ErrNotFound)
		return nil
	})
}

func TestPoliciesAreListedByEveryFilterInPages(t *testing.T) {
	r := newRig(t)
	var stored []fleet.Policy
	for i := range 30 {
		n := (i * 7) % 30
		stored = append(stored, policy([]string{"acme", "other", ""}[n%3], fmt.Sprintf([]string{"a_%02d", "B_%02d"}[n%2], n), func(p *fleet.Policy) {
			p.Metadata.Labels = map[string]string{"tier": []string{"front", "back"}[n/6%2]}
		}))
	}
	stored = r.decree(stored...)
	slices.SortFunc(stored, func(a, b fleet.Policy) int {
		return slices.Compare([]string{a.Metadata.Namespace, a.Kind, a.Metadata.Name}, []string{b.Metadata.Namespace, b.Kind, b.Metadata.Name})
	})
	found := 0
	for _, f := range []fleet.PolicyFilter{
		{}, {ClusterScoped: true}, {Tenant: "acme"}, {Tenant: "acme", Namespace: "acme"}, {Tenant: "acme", Namespace: "other"}, {Tenant: "acme", ClusterScoped: true},
		{Namespace: "other"}, {Kind: fleet.KindPropagationPolicy}, {Tenant: "other", Kind: fleet.KindPropagationPolicy}, {Tenant: "other", Kind: "OverridePolicy"},
		{ClusterScoped: true, Kind: fleet.KindClusterPropagationPolicy}, {ClusterScoped: true, Kind: fleet.KindPropagationPolicy},
	} {
		for _, o := range []fleet.ListOptions{{Limit: 3}, {Limit: 3, Query: "b_"}, {Limit: 3, Query: "%"}, {Limit: 3, Labels: front{}}} {
			var want, got []fleet.Policy
			for _, p := range stored {
				m := p.Metadata
				if (f.Tenant == "" || p.Tenant == f.Tenant) && (m.Namespace == "") == f.ClusterScoped && (f.Namespace == "" || m.Namespace == f.Namespace) &&
					(f.Kind == "" || p.Kind == f.Kind) && strings.Contains(strings.ToLower(m.Name), o.Query) && (o.Labels == nil || o.Labels.Matches(m.Labels)) {
					want = append(want, p)
				}
			}
			found += len(want)
			r.view(func(ctx context.Context, tx *db.Tx) error {
				for {
					page, next, err := tx.Policies(ctx, f, o)
					if err != nil {
						return err
					}
					got = append(got, page...)
					if o.After = next; next == "" {
						return nil
					}
				}
			})
			same(t, fmt.Sprintf("%+v %+v", f, o), got, want)
		}
	}
	if found < 100 {
		t.Errorf("the filters found %d policies: the test compares next to nothing", found)
	}
}
