package control_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"odysseus/control"
	"odysseus/fleet"
)

// names reads a list to its end and answers what its items are called, in order.
func names[T any](t *testing.T, o fleet.ListOptions, list func(fleet.ListOptions) (control.Page[T], error), name func(T) string) []string {
	t.Helper()
	out := []string{}
	for {
		page, err := list(o)
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Items) > o.Limit {
			t.Fatalf("%d items on a page of %d", len(page.Items), o.Limit)
		}
		for _, item := range page.Items {
			out = append(out, name(item))
		}
		if page.Continue == "" {
			return out
		}
		o.After = page.Continue
	}
}

// lists are all lists of things without labels, each with a q and what it answers to it.
func (r *rig) lists() map[string]struct {
	list func(fleet.ListOptions) []string
	q    string
	want []string
} {
	type narrowed = struct {
		list func(fleet.ListOptions) []string
		q    string
		want []string
	}
	event := func(e fleet.Event) string { return e.Reason }
	return map[string]narrowed{
		"tenants": {func(o fleet.ListOptions) []string {
			return names(r.t, o, func(o fleet.ListOptions) (control.Page[fleet.Tenant], error) { return r.Tenants(r.ctx, root, o) }, func(v fleet.Tenant) string { return v.Name })
		}, "GLO", []string{"globex"}},
		"namespaces": {func(o fleet.ListOptions) []string {
			return names(r.t, o, func(o fleet.ListOptions) (control.Page[fleet.Namespace], error) {
				return r.Namespaces(r.ctx, root, "acme", o)
			}, func(v fleet.Namespace) string { return v.Name })
		}, "acm", []string{"acme"}},
		"own namespaces": {func(o fleet.ListOptions) []string {
			return names(r.t, o, func(o fleet.ListOptions) (control.Page[fleet.Namespace], error) {
				return r.OwnNamespaces(r.ctx, acme, o)
			}, func(v fleet.Namespace) string { return v.Name })
		}, "acm", []string{"acme"}},
		"users": {func(o fleet.ListOptions) []string {
			return names(r.t, o, func(o fleet.ListOptions) (control.Page[fleet.User], error) { return r.Users(r.ctx, root, "acme", o) }, func(v fleet.User) string { return v.Email })
		}, "ada", []string{"ada@acme.test"}},
		"tokens": {func(o fleet.ListOptions) []string {
			return names(r.t, o, func(o fleet.ListOptions) (control.Page[fleet.Token], error) { return r.Tokens(r.ctx, root, "acme", o) }, func(v fleet.Token) string { return v.Name })
		}, "depl", []string{"deploy"}},
		"audit by actor": {func(o fleet.ListOptions) []string {
			return names(r.t, o, func(o fleet.ListOptions) (control.Page[fleet.AuditEntry], error) { return r.Audit(r.ctx, root, o) }, func(v fleet.AuditEntry) string { return v.Verb + " " + v.Name })
		}, "ADA@", []string{"update ledger-api", "update ledger-api", "create ledger-api", "create ada@acme.test"}},
		"audit by name": {func(o fleet.ListOptions) []string {
			return names(r.t, o, func(o fleet.ListOptions) (control.Page[fleet.AuditEntry], error) { return r.Audit(r.ctx, root, o) }, func(v fleet.AuditEntry) string { return v.Verb + " " + v.Name })
		}, "glob", []string{"create globex"}},
		"events by reason": {func(o fleet.ListOptions) []string {
			return names(r.t, o, func(o fleet.ListOptions) (control.Page[fleet.Event], error) {
				return r.DeploymentEvents(r.ctx, acme, "acme", "ledger-api", o)
			}, event)
		}, "create", []string{control.EventCreated}},
		"events by what they are about": {func(o fleet.ListOptions) []string {
			return names(r.t, o, func(o fleet.ListOptions) (control.Page[fleet.Event], error) {
				return r.DeploymentEvents(r.ctx, acme, "acme", "ledger-api", o)
			}, event)
		}, "country: ca", []string{control.EventResidencyChanged}},
		"events of a node": {func(o fleet.ListOptions) []string {
			return names(r.t, o, func(o fleet.ListOptions) (control.Page[fleet.Event], error) {
				return r.NodeEvents(r.ctx, root, "n1", o)
			}, event)
		}, "enrol", []string{control.EventEnrolled}},
		"revisions": {func(o fleet.ListOptions) []string {
			return names(r.t, o, func(o fleet.ListOptions) (control.Page[fleet.Revision], error) {
				return r.Revisions(r.ctx, acme, "acme", "ledger-api", o)
			}, func(v fleet.Revision) string { return fmt.Sprint(v.Number) })
		}, ":1.4", []string{"2", "1"}},
	}
}

func (r *rig) somethingOfEach() {
	r.t.Helper()
	r.tenants("acme", "globex")
	r.cluster("c1")
	r.node("n1", "c1", "CA", "")
	_, faults, err := r.CordonNode(r.ctx, root, "n1", nothing)
	r.must(faults, err)
	r.user("acme", "ada@acme.test", fleet.RoleEditor)
	r.user("acme", "bob@acme.test", fleet.RoleViewer)
	for _, name := range []string{"deploy", "watch"} {
		_, faults, err := r.CreateToken(r.ctx, root, "acme", control.Body[control.NewToken]{Value: control.NewToken{Name: name, Role: fleet.RoleEditor}}, nothing)
		r.must(faults, err)
	}
	r.create(acme, "acme", resident())
	r.update(acme, "acme", "ledger-api", resident("country: CA"))
	r.update(acme, "acme", "ledger-api", strings.Replace(resident("country: CA"), ":1.4.0", ":2.0.0", 1))
	r.settle()
}

func TestEveryListIsNarrowedByQuery(t *testing.T) {
	r := newRig(t)
	r.somethingOfEach()
	for name, l := range r.lists() {
		for _, limit := range []int{1, 2, 100} {
			if got := l.list(fleet.ListOptions{Limit: limit, Query: l.q}); !slices.Equal(got, l.want) {
				t.Errorf("%s, %d a page: %q answers %v, want %v", name, limit, l.q, got, l.want)
			}
		}
		if got := l.list(fleet.ListOptions{Limit: 1, Query: "no such thing"}); len(got) != 0 {
			t.Errorf("%s: nothing answers %v", name, got)
		}
	}
}

func TestASelectorChoosesWhatHasNoLabels(t *testing.T) {
	r := newRig(t)
	r.somethingOfEach()
	for selector, chooses := range map[string]bool{"": true, "!team": true, "team!=a": true, "team notin (a, b)": true, "team": false, "team=a": false, "team in (a)": false} {
		parsed, faults := fleet.ParseSelector(selector)
		if len(faults) > 0 {
			t.Fatalf("%s: %v", selector, faults)
		}
		o := fleet.ListOptions{Limit: 2}
		if parsed != nil {
			o.Labels = parsed
		}
		for name, l := range r.lists() {
			all := l.list(fleet.ListOptions{Limit: 100})
			if !chooses {
				all = nil
			}
			if got := l.list(o); !slices.Equal(got, all) {
				t.Errorf("%s: %q answers %v, want %v", name, selector, got, all)
			}
		}
	}
}
