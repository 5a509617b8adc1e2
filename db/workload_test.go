package db_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"odysseus/db"
	"odysseus/fleet"
)

// manyWorkloads of two tenants and of both tables, many since the same moment and of the same name: told apart by kind
// and apiVersion alone. Some are not pending, and some are preserved.
func manyWorkloads(r *rig) []fleet.Workload {
	var every []fleet.Workload
	var deployments []fleet.Deployment
	var resources []fleet.StoredResource
	kinds := []fleet.ResourceKey{
		{APIVersion: fleet.APIVersion, Kind: "Deployment"}, {APIVersion: "apps/v1", Kind: "Deployment"}, {APIVersion: "batch/v1", Kind: "Job"}, {APIVersion: "v1", Kind: "ConfigMap"},
	}
	for i := range 160 {
		key, tenant := kinds[i%4], []string{"acme", "other"}[i/4%2]
		key.Namespace, key.Name = tenant, fmt.Sprintf("%s_%02d", []string{"web", "B"}[i/8%2], i/8)
		w := fleet.Workload{ResourceKey: key, Tenant: tenant, UID: fmt.Sprint("uid-", i), State: fleet.Pending}
		status := &fleet.DeploymentStatus{State: fleet.Placed}
		if i%7 > 1 {
			w.PendingSince = start.Add(-time.Duration(i/16%5) * time.Minute)
			status = &fleet.DeploymentStatus{State: w.State, PendingSince: at(w.PendingSince)}
		}
		if i%3 == 0 {
			w.Labels = map[string]string{"tier": "front"}
		}
		replicas := i % 5
		if key.APIVersion == fleet.APIVersion {
			deployments = append(deployments, deployment(tenant, key.Name, func(d *fleet.Deployment) {
				d.Metadata.UID, d.Metadata.Labels, d.Status, d.Spec.Replicas = w.UID, w.Labels, status, &replicas
			}))
		} else {
			field := map[string]string{"Deployment": "replicas", "Job": "parallelism", "ConfigMap": "opaque"}[key.Kind]
			resources = append(resources, resource(tenant, key.APIVersion, key.Kind, key.Name, fmt.Sprintf(`{"spec":{%q:%d}}`, field, replicas), func(s *fleet.StoredResource) {
				s.UID, s.Labels, s.Status = w.UID, w.Labels, status
			}))
		}
		if key.Kind != "ConfigMap" {
			w.Replicas = &replicas
		}
		if !w.PendingSince.IsZero() && i%11 != 0 {
			every = append(every, w)
		}
	}
	r.insert(deployments...)
	r.store(resources...)
	r.update(func(ctx context.Context, tx *db.Tx) error {
		for i := 0; i < 160; i += 11 {
			preserve := tx.PreserveResource
			if i%4 == 0 {
				preserve = tx.PreserveDeployment
			}
			if err := preserve(ctx, []string{"acme", "other"}[i/4%2], fmt.Sprint("uid-", i)); err != nil {
				return err
			}
		}
		return nil
	})
	slices.SortFunc(every, func(a, b fleet.Workload) int {
		return cmp.Or(a.PendingSince.Compare(b.PendingSince),
			slices.Compare([]string{a.Namespace, a.Name, a.Kind, a.APIVersion}, []string{b.Namespace, b.Name, b.Kind, b.APIVersion}))
	})
	return every
}

func TestPendingWorkloadsOfBothTablesArePagedOldestFirst(t *testing.T) {
	r := newRig(t)
	every := manyWorkloads(r)
	for _, tenant := range []string{"", "acme", "other", "nobody"} {
		for _, o := range []fleet.ListOptions{{}, {Query: "b_0"}, {Query: "%"}, {Labels: front{}}} {
			for _, limit := range []int{1, 7, 500} {
				var want, got []fleet.Workload
				for _, w := range every {
					if (tenant == "" || w.Tenant == tenant) && strings.Contains(strings.ToLower(w.Name), o.Query) && (o.Labels == nil || o.Labels.Matches(w.Labels)) {
						want = append(want, w)
					}
				}
				o.Limit, o.After = limit, ""
				r.view(func(ctx context.Context, tx *db.Tx) error {
					for {
						page, next, err := tx.PendingWorkloads(ctx, tenant, o)
						if err != nil {
							return err
						}
						if next != "" && len(page) != limit || len(page) > limit {
							t.Errorf("of %q, %+v: a page of %d, next %q", tenant, o, len(page), next)
						}
						got = append(got, page...)
						if o.After = next; next == "" {
							return nil
						}
					}
				})
				same(t, fmt.Sprintf("of %q, %+v", tenant, o), got, want)
				if tenant != "nobody" && o.Query != "%" && len(want) < 10 {
					t.Errorf("of %q, %+v: only %d, the test compares next to nothing", tenant, o, len(want))
				}
			}
		}
	}
}

// A page goes on after the row it ended at, also where that row is gone and older and younger ones have come.
func TestCursorOfPendingWorkloadsHoldsWhileRowsComeAndGo(t *testing.T) {
	r := newRig(t)
	since := func(minutes int) func(*fleet.StoredResource) {
		return func(s *fleet.StoredResource) {
			s.Status = &fleet.DeploymentStatus{State: fleet.Waiting, PendingSince: at(start.Add(time.Duration(minutes) * time.Minute))}
		}
	}
	job := func(name string, minutes int) fleet.StoredResource {
		return resource("acme", "batch/v1", "Job", name, `{}`, since(minutes))
	}
	r.store(job("a", 1), job("b", 2), job("d", 4))
	var next string
	r.view(func(ctx context.Context, tx *db.Tx) (err error) {
		_, next, err = tx.PendingWorkloads(ctx, "", fleet.ListOptions{Limit: 2})
		return err
	})
	r.update(func(ctx context.Context, tx *db.Tx) error { return tx.DeleteResource(ctx, "acme", "uid-acme-Job-b") })
	r.store(job("older", 0), job("c", 3))
	r.view(func(ctx context.Context, tx *db.Tx) error {
		page, end, err := tx.PendingWorkloads(ctx, "", fleet.ListOptions{After: next})
		var names []string
		for _, w := range page {
			names = append(names, w.Name)
		}
		same(t, "the rest", names, []string{"c", "d"})
		same(t, "the end", end, "")
		is(t, "the rest", err, nil)
		_, _, err = tx.Deployments(ctx, fleet.DeploymentFilter{PendingFirst: true}, fleet.ListOptions{After: next})
		is(t, "for another list", err, fleet.ErrCursor)
		return nil
	})
}

// A page must cost what it holds, and a count must read its index alone. The last two terms of the order are constants of
// deployments: SQLite sorts by them what is equal in the others, which is one row each time.
func TestNoListOfWorkloadsSortsOrScansATable(t *testing.T) {
	r := newRig(t)
	manyWorkloads(r)
	for _, tenant := range []string{"", "acme"} {
		var next string
		r.view(func(ctx context.Context, tx *db.Tx) (err error) {
			_, next, err = tx.PendingWorkloads(ctx, tenant, fleet.ListOptions{Limit: 1})
			return err
		})
		for _, o := range []fleet.ListOptions{{}, {After: next}, {Query: "b", After: next}} {
			plan, err := r.PendingPlan(t.Context(), tenant, o)
			text := strings.ReplaceAll(strings.Join(plan, "\n"), "USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY", "")
			if err != nil || strings.Contains(text, "TEMP B-TREE") || strings.Contains(text, "SCAN") || strings.Count(text, "USING INDEX") != 2 || !strings.HasPrefix(text, "MERGE") {
				t.Errorf("of %q, %+v: %v\n%s", tenant, o, err, text)
			}
		}
		plan, err := r.CountPlan(t.Context(), tenant)
		if text := strings.Join(plan, "\n"); err != nil || !strings.Contains(text, "COVERING INDEX resources_by_state") {
			t.Errorf("count of %q: %v\n%s", tenant, err, text)
		}
	}
}

func TestStatesAreCountedOfResourcesWithReplicas(t *testing.T) {
	r := newRig(t)
	in := func(state fleet.PlacementState) func(*fleet.StoredResource) {
		return func(s *fleet.StoredResource) { s.Status = &fleet.DeploymentStatus{State: state} }
	}
	r.insert(deployment("acme", "not-counted"))
	stored := r.store(resource("acme", "apps/v1", "Deployment", "a", `{}`, in(fleet.Placed)), resource("acme", "batch/v1", "Job", "b", `{}`, in(fleet.Pending)),
		resource("acme", "apps/v1", "Deployment", "hidden", `{}`, in(fleet.Pending)), resource("acme", "v1", "ConfigMap", "c", `{}`, in(fleet.Pending)),
		resource("other", "apps/v1", "StatefulSet", "d", `{}`, in(fleet.Pending)), resource("", "v1", "Namespace", "e", `{}`, in(fleet.Waiting)))
	r.update(func(ctx context.Context, tx *db.Tx) error { return tx.PreserveResource(ctx, "acme", stored[2].UID) })
	for tenant, want := range map[string]map[fleet.PlacementState]int{
		"acme": {fleet.Placed: 1, fleet.Pending: 1}, "other": {fleet.Pending: 1}, "nobody": {}, "": {fleet.Placed: 1, fleet.Pending: 2},
	} {
		r.view(func(ctx context.Context, tx *db.Tx) error {
			got, err := tx.CountResourceStates(ctx, tenant)
			same(t, "of "+tenant, got, want)
			return err
		})
	}
	for _, apiVersion := range []string{"apps/v1", "apps/v1beta1", "batch/v1", "v1"} {
		for _, kind := range []string{"Deployment", "StatefulSet", "ReplicaSet", "DaemonSet", "Job", "CronJob", "ReplicationController", "Pod"} {
			got, err := r.CountsResource(t.Context(), apiVersion, kind)
			is(t, kind, err, nil)
			same(t, apiVersion+" "+kind, got, fleet.HasReplicas(apiVersion, kind))
		}
	}
}
