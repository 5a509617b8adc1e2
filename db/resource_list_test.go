package db_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"odysseus/db"
	"odysseus/fleet"
)

// manyResources of three tenants' namespaces (acme has two) and of none, in no order, some of them preserved.
func manyResources(r *rig) []fleet.StoredResource {
	r.update(func(ctx context.Context, tx *db.Tx) error {
		return tx.InsertNamespace(ctx, fleet.Namespace{Name: "staging", Tenant: "acme", CreatedAt: start})
	})
	var all []fleet.StoredResource
	for i := range 60 {
		n := (i * 37) % 60
		kind := []struct{ apiVersion, kind string }{{"v1", "ConfigMap"}, {"apps/v1", "Deployment"}, {"batch/v1", "Job"}, {"apps/v1beta1", "Deployment"}}[n%4]
		namespace := []string{"acme", "other", "staging", ""}[n/4%4]
		tenant := namespace
		if namespace == "staging" {
			tenant = "acme"
		}
		all = append(all, resource(tenant, kind.apiVersion, kind.kind, []string{"a_%02d", "B_%02d"}[n%2], `{}`, func(s *fleet.StoredResource) {
			s.Name, s.Namespace, s.UID = fmt.Sprintf(s.Name, n/8), namespace, fmt.Sprint("uid-", n)
			s.Labels = map[string]string{"tier": []string{"front", "back", "back"}[n%3]}
		}))
	}
	stored := r.store(all...)
	r.update(func(ctx context.Context, tx *db.Tx) error {
		for i := range stored {
			if i%13 == 0 {
				stored[i].Preserved = true
				if err := tx.PreserveResource(ctx, stored[i].Tenant, stored[i].UID); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return stored
}

func TestResourcesAreListedByEveryFilterInPages(t *testing.T) {
	r := newRig(t)
	stored := manyResources(r)
	compare := func(a, b fleet.StoredResource) int {
		return slices.Compare([]string{a.Namespace, a.Kind, a.Name, a.APIVersion}, []string{b.Namespace, b.Kind, b.Name, b.APIVersion})
	}
	slices.SortFunc(stored, compare)
	found := 0
	eachResourceFilter(func(f fleet.ResourceFilter, o fleet.ListOptions) {
		var want []string
		for _, s := range stored {
			if !s.Preserved && (f.Tenant == "" || s.Tenant == f.Tenant) && (s.Namespace == "") == f.ClusterScoped &&
				(f.ClusterScoped || f.Namespace == "" || s.Namespace == f.Namespace) &&
				(f.Kind == "" || s.Kind == f.Kind) && (f.APIVersion == "" || s.APIVersion == f.APIVersion) &&
				strings.Contains(strings.ToLower(s.Name), strings.ToLower(o.Query)) && (o.Labels == nil || o.Labels.Matches(s.Labels)) {
				want = append(want, s.UID)
			}
		}
		found += len(want)
		var got []string
		r.view(func(ctx context.Context, tx *db.Tx) error {
			o.Limit = 4
			for {
				page, next, err := tx.Resources(ctx, f, o)
				if err != nil {
					return err
				}
				if next != "" && len(page) != o.Limit || len(page) > o.Limit {
					t.Errorf("%+v: a page of %d, next %q", f, len(page), next)
				}
				for _, s := range page {
					got = append(got, s.UID)
				}
				if o.After = next; next == "" {
					return nil
				}
			}
		})
		same(t, fmt.Sprintf("%+v %+v", f, o), got, want)
	})
	if found < 500 {
		t.Errorf("the filters found %d resources: the test compares next to nothing", found)
	}
}

func eachResourceFilter(fn func(fleet.ResourceFilter, fleet.ListOptions)) {
	for _, tenant := range []string{"", "acme"} {
		for _, namespace := range []string{"", "acme", "other"} {
			for _, kind := range []string{"", "Deployment"} {
				for _, version := range []string{"", "apps/v1"} {
					for _, cluster := range []bool{false, true} {
						f := fleet.ResourceFilter{Tenant: tenant, Namespace: namespace, APIVersion: version, Kind: kind, ClusterScoped: cluster}
						for _, o := range []fleet.ListOptions{{}, {Query: "B_0"}, {Query: "%"}, {Labels: front{}}} {
							fn(f, o)
						}
					}
				}
			}
		}
	}
}

func TestNoListOfResourcesOrPoliciesSortsOrScansTheTable(t *testing.T) {
	r := newRig(t)
	manyResources(r)
	r.decree(policy("acme", "a"), policy("other", "b"), policy("", "c"))
	sound := func(what string, plan []string, err error) {
		t.Helper()
		text := strings.Join(plan, "\n")
		if err != nil || strings.Contains(text, "TEMP B-TREE") || strings.Contains(text, "SCAN") && !strings.Contains(text, "USING INDEX") {
			t.Errorf("%s: %v\n%s", what, err, text)
		}
	}
	eachResourceFilter(func(f fleet.ResourceFilter, o fleet.ListOptions) {
		plan, err := r.ResourcePlan(t.Context(), f, o)
		sound(fmt.Sprintf("%+v", f), plan, err)
		of := fleet.PolicyFilter{Tenant: f.Tenant, Namespace: f.Namespace, Kind: f.Kind, ClusterScoped: f.ClusterScoped}
		plan, err = r.PolicyPlan(t.Context(), of, o)
		sound(fmt.Sprintf("%+v", of), plan, err)
		plan, err = r.OverridePlan(t.Context(), of, o)
		sound(fmt.Sprintf("overrides %+v", of), plan, err)
	})
	r.view(func(ctx context.Context, tx *db.Tx) error {
		_, next, err := tx.Resources(ctx, fleet.ResourceFilter{}, fleet.ListOptions{Limit: 1})
		is(t, "a page", err, nil)
		is(t, "a cursor of another list", third(tx.Policies(ctx, fleet.PolicyFilter{}, fleet.ListOptions{After: next})), fleet.ErrCursor)
		is(t, "no cursor", third(tx.Resources(ctx, fleet.ResourceFilter{}, fleet.ListOptions{After: "x"})), fleet.ErrCursor)
		return nil
	})
}

// third is the error of a list.
func third[T any](_ []T, _ string, err error) error { return err }
