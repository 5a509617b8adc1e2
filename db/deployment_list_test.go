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

// front selects deployments labelled tier=front.
type front struct{}

func (front) Matches(labels map[string]string) bool { return labels["tier"] == "front" }

// manyDeployments of both tenants: all states, countries, regions (one of them named like a country), labels.
func manyDeployments(r *rig) []fleet.Deployment {
	var out []fleet.Deployment
	for i := range 120 {
		tenant := []string{"acme", "other"}[i%2]
		d := deployment(tenant, fmt.Sprintf("%s_%03d%%", []string{"web", "Job", "a"}[i%3], i))
		switch i % 5 {
		case 0:
			inCountry("CA")(&d)
		case 1:
			inRegion("eu-core")(&d)
		case 2:
			inRegion("CA")(&d)
		case 3:
			d.Spec.Placement = &fleet.Placement{Residency: &fleet.Residency{BlockedCountries: []string{"US"}}}
		}
		if res := d.Spec.Residency(); res != nil {
			d.ResidencyLabels = res.Labels()
		}
		if i%4 < 2 {
			d.Metadata.Labels = map[string]string{"tier": "front"}
		}
		d.Status = &fleet.DeploymentStatus{State: []fleet.PlacementState{fleet.Placed, fleet.PartlyPlaced, fleet.Pending, fleet.Waiting}[i%4], Drifting: i % 3 / 2}
		if d.Status.State == fleet.Pending || d.Status.State == fleet.PartlyPlaced {
			d.Status.PendingSince = at(start.Add(-time.Duration(i%7) * time.Minute))
		}
		out = append(out, d)
	}
	return r.insert(out...)
}

// oracle is the filter in plain words.
func oracle(d fleet.Deployment, f fleet.DeploymentFilter, o fleet.ListOptions) bool {
	required := fleet.RequirementOf(d.ResidencyLabels)
	residency := true
	switch f.Residency {
	case "":
	case "any":
		residency = !required.Empty()
	case "none":
		residency = required.Empty()
	case "drift":
		residency = d.Status.Drifting > 0
	default:
		residency = required.Country == f.Residency || required.Region == f.Residency
	}
	return residency &&
		(f.Tenant == "" || d.Tenant == f.Tenant) &&
		(f.Namespace == "" || d.Metadata.Namespace == f.Namespace) &&
		(f.State == "" || d.Status.State == f.State) &&
		(!f.PendingFirst || d.Status.PendingSince != nil) &&
		strings.Contains(strings.ToLower(d.Metadata.Name), strings.ToLower(o.Query)) &&
		(o.Labels == nil || o.Labels.Matches(d.Metadata.Labels))
}

func TestListsOfDeploymentsPageThroughWhatTheFilterMeans(t *testing.T) {
	r := newRig(t)
	every := manyDeployments(r)
	eachFilter(func(f fleet.DeploymentFilter, o fleet.ListOptions) {
		var want []fleet.Deployment
		for _, d := range every {
			if oracle(d, f, o) {
				want = append(want, d)
			}
		}
		slices.SortFunc(want, func(a, b fleet.Deployment) int {
			since := 0
			if f.PendingFirst {
				since = a.Status.PendingSince.Compare(*b.Status.PendingSince)
			}
			return cmp.Or(since, cmp.Compare(a.Metadata.Namespace, b.Metadata.Namespace), cmp.Compare(a.Metadata.Name, b.Metadata.Name))
		})
		o.Limit = 23
		var got []fleet.Deployment
		r.view(func(ctx context.Context, tx *db.Tx) error {
			for {
				page, next, err := tx.Deployments(ctx, f, o)
				if err != nil {
					return err
				}
				if next != "" && len(page) != o.Limit || len(page) > o.Limit {
					t.Errorf("%+v: a page of %d, next %q", f, len(page), next)
				}
				got = append(got, page...)
				if o.After = next; next == "" {
					return nil
				}
			}
		})
		same(t, fmt.Sprintf("%+v %+v", f, o), uids(got), uids(want))
	})
}

// eachFilter calls fn with every combination of filters.
func eachFilter(fn func(fleet.DeploymentFilter, fleet.ListOptions)) {
	for _, tenant := range []string{"", "acme"} {
		for _, namespace := range []string{"", "acme", "other"} {
			for _, state := range []fleet.PlacementState{"", fleet.Placed, fleet.Pending} {
				for _, residency := range []string{"", "CA", "eu-core", "DE", "any", "none", "drift"} {
					for _, pending := range []bool{false, true} {
						f := fleet.DeploymentFilter{Tenant: tenant, Namespace: namespace, State: state, Residency: residency, PendingFirst: pending}
						for _, o := range []fleet.ListOptions{{}, {Query: "B_0"}, {Query: "%"}, {Labels: front{}}} {
							fn(f, o)
						}
					}
				}
			}
		}
	}
}

func uids(list []fleet.Deployment) []string {
	out := make([]string, len(list))
	for i, d := range list {
		out[i] = d.Metadata.UID
	}
	return out
}

// A page must cost what it holds, however deep it lies: the order comes from an index, never from a sort, and no list
// walks the table.
func TestNoListOfDeploymentsSortsOrScansTheTable(t *testing.T) {
	r := newRig(t)
	manyDeployments(r)
	eachFilter(func(f fleet.DeploymentFilter, o fleet.ListOptions) {
		if o.Labels != nil { // decided in Go: the same query
			return
		}
		for _, after := range []string{"", firstCursor(r, f)} {
			o.After = after
			plan, err := r.DeploymentPlan(t.Context(), f, o)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Join(plan, "\n")
			if strings.Contains(text, "TEMP B-TREE") || strings.Contains(text, "SCAN deployments\n") || strings.HasSuffix(text, "SCAN deployments") {
				t.Errorf("%+v after %q:\n%s", f, after, text)
			}
		}
	})
}

func firstCursor(r *rig, f fleet.DeploymentFilter) string {
	next := ""
	r.view(func(ctx context.Context, tx *db.Tx) (err error) {
		_, next, err = tx.Deployments(ctx, f, fleet.ListOptions{Limit: 1})
		return err
	})
	return next
}

func TestCursorOfAnotherListIsRefused(t *testing.T) {
	r := newRig(t)
	manyDeployments(r)
	pending := firstCursor(r, fleet.DeploymentFilter{PendingFirst: true})
	byName := firstCursor(r, fleet.DeploymentFilter{})
	r.view(func(ctx context.Context, tx *db.Tx) error {
		for _, after := range []string{"x", "bm90IGpzb24", pending} {
			_, _, err := tx.Deployments(ctx, fleet.DeploymentFilter{}, fleet.ListOptions{After: after})
			is(t, "deployments after "+after, err, fleet.ErrCursor)
			_, _, err = tx.Tenants(ctx, fleet.ListOptions{After: after})
			is(t, "tenants after "+after, err, fleet.ErrCursor)
			_, _, err = tx.Audit(ctx, fleet.ListOptions{After: after})
			is(t, "audit after "+after, err, fleet.ErrCursor)
		}
		_, _, err := tx.Deployments(ctx, fleet.DeploymentFilter{PendingFirst: true}, fleet.ListOptions{After: byName})
		is(t, "pending after a name", err, fleet.ErrCursor)
		return nil
	})
}

func TestPagesAreBounded(t *testing.T) {
	r := newRig(t)
	var many []fleet.Deployment
	for i := range 501 {
		many = append(many, deployment("acme", fmt.Sprintf("d%03d", i)))
	}
	r.insert(many...)
	for limit, want := range map[int]int{-1: 100, 0: 100, 1: 1, 500: 500, 1000: 500} {
		r.view(func(ctx context.Context, tx *db.Tx) error {
			page, _, err := tx.Deployments(ctx, fleet.DeploymentFilter{}, fleet.ListOptions{Limit: limit})
			same(t, fmt.Sprint("limit ", limit), len(page), want)
			return err
		})
	}
}
