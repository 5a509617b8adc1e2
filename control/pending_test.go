package control_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"odysseus/control"
	"odysseus/fleet"
)

const onlyMade = `{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: p}, spec: {resourceSelectors: [{apiVersion: batch/v1, kind: Job}], placement: {clusterAffinity: {clusterNames: [nowhere]}}}}`

// pendingIn is every page of what is pending, an item a page, oldest first.
func (r *rig) pendingIn(a control.Actor, f control.PendingFilter) []control.PendingWorkload {
	r.t.Helper()
	var every []control.PendingWorkload
	o := fleet.ListOptions{Limit: 1}
	for {
		page, err := r.Pending(r.ctx, a, f, o)
		if err != nil {
			r.t.Fatal(err)
		}
		every = append(every, page.Items...)
		if o.After = page.Continue; o.After == "" {
			return every
		}
	}
}

func TestPendingAndCountsAreOfDeploymentsAndOtherWorkloads(t *testing.T) {
	r := newRig(t, pinned(true, twoRegions...))
	r.tenants("acme", "globex")
	r.cluster("c1")
	r.node("n1", "c1", "CA", "")
	r.create(acme, "acme", named("placed", head))
	r.create(acme, "acme", named("nowhere", resident("country: JP")))
	r.policy(acme, "acme", onlyMade)
	r.resource(acme, "acme", webApp)
	r.resource(acme, "acme", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: sums}\nspec: {parallelism: 4, template: {spec: {restartPolicy: Never, containers: [{name: a, image: nginx}]}}}\n")
	r.resource(acme, "acme", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n")
	r.resource(globex, "globex", strings.ReplaceAll(webApp, "web", "theirs"))
	r.settle()

	tests := []struct {
		name string
		who  control.Actor
		f    control.PendingFilter
		want []string
	}{
		{"a tenant's own", acme, control.PendingFilter{}, []string{
			"acme: apps/v1 Deployment acme/web Waiting 2 of 2 no_policy",
			"acme: batch/v1 Job acme/sums Pending 4 of 4 no_cluster_selected",
			"acme: odysseus/v1 Deployment acme/nowhere Pending 2 of 2 geo_mismatch",
		}},
		{"whatever it asks", globex, control.PendingFilter{Tenant: "acme"}, []string{"globex: apps/v1 Deployment globex/theirs Waiting 2 of 2 no_policy"}},
		{"the platform's view of one", helper, control.PendingFilter{Tenant: "globex"}, []string{"globex: apps/v1 Deployment globex/theirs Waiting 2 of 2 no_policy"}},
		{"for one reason, of all", root, control.PendingFilter{Reason: fleet.ReasonNoPolicy}, []string{
			"acme: apps/v1 Deployment acme/web Waiting 2 of 2 no_policy", "globex: apps/v1 Deployment globex/theirs Waiting 2 of 2 no_policy",
		}},
		{"for another reason", root, control.PendingFilter{Reason: fleet.ReasonGeoMismatch}, []string{"acme: odysseus/v1 Deployment acme/nowhere Pending 2 of 2 geo_mismatch"}},
		{"for one nobody has", root, control.PendingFilter{Reason: fleet.ReasonGang}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			items := r.pendingIn(tt.who, tt.f)
			if !slices.IsSortedFunc(items, func(a, b control.PendingWorkload) int { return a.PendingSince.Compare(b.PendingSince) }) {
				t.Errorf("not oldest first: %+v", items)
			}
			var got []string
			for _, w := range items {
				var codes []string
				for _, reason := range w.Pending.Reasons {
					codes = append(codes, string(reason.Code))
				}
				if w.Pending.Since.UnixMilli() != w.PendingSince.UnixMilli() {
					t.Errorf("%s: since %v, listed by %v", w.Name, w.Pending.Since, w.PendingSince)
				}
				got = append(got, fmt.Sprintf("%s: %s %s %s/%s %s %d of %d %s", w.Tenant, w.APIVersion, w.Kind, w.Namespace, w.Name, w.State, w.Pending.Replicas, *w.Replicas, strings.Join(codes, ",")))
			}
			slices.Sort(got)
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}

	type states = map[fleet.PlacementState]int
	for name, c := range map[string]struct {
		who  control.Actor
		want control.StateCounts
	}{
		"a tenant":     {acme, control.StateCounts{Deployments: states{fleet.Placed: 1, fleet.Pending: 1}, Others: states{fleet.Waiting: 1, fleet.Pending: 1}}},
		"another":      {globex, control.StateCounts{Deployments: states{}, Others: states{fleet.Waiting: 1}}},
		"the platform": {helper, control.StateCounts{Deployments: states{fleet.Placed: 1, fleet.Pending: 1}, Others: states{fleet.Waiting: 2, fleet.Pending: 1}}},
	} {
		if got, err := r.CountStates(r.ctx, c.who); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s counts %+v, want %+v; error %v", name, got, c.want, err)
		}
	}

	_, faults, err := r.DeleteResource(r.ctx, acme, webKey, nothing)
	r.must(faults, err)
	if items := r.pendingIn(acme, control.PendingFilter{Reason: fleet.ReasonNoPolicy}); len(items) != 0 {
		t.Errorf("deleted, and pending still: %+v", items)
	}
}
