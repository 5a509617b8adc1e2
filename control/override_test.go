package control_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"odysseus/control"
	"odysseus/fleet"
)

func override(text string) control.OverrideManifest {
	return control.ParseOverride([]byte(text), fleet.FormatYAML)
}

func overrideIn(namespace, name string) fleet.PolicyRef {
	return fleet.PolicyRef{Kind: fleet.KindOverridePolicy, Namespace: namespace, Name: name}
}

func (r *rig) override(a control.Actor, namespace, text string) fleet.Override {
	r.t.Helper()
	ref := overrideIn(namespace, "")
	if namespace == "" {
		ref.Kind = fleet.KindClusterOverridePolicy
	}
	w, faults, err := r.CreateOverride(r.ctx, a, ref, override(text), nothing)
	r.must(faults, err)
	return w.Object
}

// overriding is an OverridePolicy of acme's web app and ConfigMap, with the rules as flow YAML.
func overriding(name, rules string) string {
	return ackOne + "kind: OverridePolicy\nmetadata: {name: " + name + "}\nspec:\n  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}, {apiVersion: v1, kind: ConfigMap}]\n  overrideRules: " + rules + "\n"
}

const marked = "[{targetCluster: {clusterNames: [a]}, overriders: {annotationsOverrider: [{operator: add, value: {marked: 'yes'}}]}}]"

func TestAWriteOfAnOverrideIsAuditedByWhatItChanges(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	text := overriding("web", marked)
	r.override(acme, "acme", text)
	write := func(text string) fleet.FieldErrors {
		t.Helper()
		_, faults, err := r.UpdateOverride(r.ctx, acme, overrideIn("acme", "web"), override(text), nothing)
		if err != nil {
			t.Fatal(err)
		}
		return faults
	}
	next := strings.Replace(text, "'yes'", "'no', size: '9007199254740993'", 1)
	r.must(write(next), nil)
	entries := r.auditLength()
	r.must(write(next), nil)
	if r.auditLength() != entries {
		t.Error("what changes nothing is audited")
	}
	if faults := write(strings.Replace(next, "marked:", "odysseus.io/x:", 1)); !sameCodes(faults.Codes(), fleet.CodeOverrideResidency) {
		t.Errorf("refused %v", faults)
	}
	_, faults, err := r.DeleteOverride(r.ctx, acme, overrideIn("acme", "web"), dryRun)
	r.must(faults, err)
	if r.auditLength() != entries+1 {
		t.Error("a dry run is audited")
	}
	_, faults, err = r.DeleteOverride(r.ctx, acme, overrideIn("acme", "web"), nothing)
	r.must(faults, err)
	type entry struct {
		verb     string
		accepted bool
		changes  []fleet.Change
	}
	var got []entry
	for _, e := range r.audit(4) {
		if e.Kind != "OverridePolicy" || e.Namespace != "acme" || e.Name != "web" || e.Tenant != "acme" || e.Actor != acme.Name {
			t.Errorf("audited %+v", e)
		}
		got = append(got, entry{e.Verb, e.Accepted, e.Changes})
	}
	const value = "spec.overrideRules[0].overriders.annotationsOverrider[0].value"
	of := func(after bool, rows ...string) []fleet.Change {
		rows = append([]string{"apiVersion", strings.TrimSpace(strings.TrimPrefix(ackOne, "apiVersion: ")), "metadata", "{}", "spec.overrideRules[0].overriders.annotationsOverrider[0].operator", "add"}, rows...)
		rows = append(rows, "spec.overrideRules[0].targetCluster.clusterNames[0]", "a", "spec.resourceSelectors[0].apiVersion", "apps/v1", "spec.resourceSelectors[0].kind", "Deployment",
			"spec.resourceSelectors[1].apiVersion", "v1", "spec.resourceSelectors[1].kind", "ConfigMap")
		var changes []fleet.Change
		for i := 0; i < len(rows); i += 2 {
			c := fleet.Change{Field: rows[i], Before: rows[i+1]}
			if after {
				c.Before, c.After = "", c.Before
			}
			changes = append(changes, c)
		}
		return changes
	}
	want := []entry{
		{"create", true, of(true, value+".marked", "yes")},
		{"update", true, []fleet.Change{{Field: value + ".marked", Before: "yes", After: "no"}, {Field: value + ".size", After: "9007199254740993"}}},
		{"update", false, []fleet.Change{{Field: value + "[odysseus.io/x]", After: "odysseus.io/x"}}},
		{"delete", true, of(false, value+".marked", "no", value+".size", "9007199254740993")},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("audited\n%+v\nwant\n%+v", got, want)
	}
}

func TestAnOverrideIsNowhereButInItsPlace(t *testing.T) {
	r := newRig(t)
	r.tenants("acme", "globex")
	r.override(acme, "acme", overriding("web", marked))
	wide := fleet.PolicyRef{Kind: fleet.KindClusterOverridePolicy, Name: "web"}
	for name, c := range map[string]struct {
		actor control.Actor
		ref   fleet.PolicyRef
		want  error
	}{
		"its own":                         {acme, overrideIn("acme", "web"), nil},
		"a viewer's":                      {reader, overrideIn("acme", "web"), nil},
		"an operator's":                   {root, overrideIn("acme", "web"), nil},
		"somebody else's":                 {globex, overrideIn("acme", "web"), fleet.ErrNotFound},
		"in another namespace":            {root, overrideIn("globex", "web"), fleet.ErrNotFound},
		"in no namespace":                 {root, fleet.PolicyRef{Kind: fleet.KindOverridePolicy, Name: "web"}, fleet.ErrNotFound},
		"without a name":                  {root, overrideIn("acme", ""), fleet.ErrNotFound},
		"of the other sort":               {acme, policyIn("acme", "web"), fleet.ErrNotFound},
		"a cluster-wide one":              {root, wide, fleet.ErrNotFound},
		"a cluster-wide one, for tenants": {acme, wide, control.ErrForbidden},
		"one in a namespace":              {root, fleet.PolicyRef{Kind: wide.Kind, Namespace: "acme", Name: "web"}, fleet.ErrNotFound},
		"nobody's":                        {control.Actor{}, overrideIn("acme", "web"), control.ErrUnauthenticated},
	} {
		if _, err := r.OverrideDetail(r.ctx, c.actor, c.ref); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if _, err := r.Override(r.ctx, c.actor, c.ref); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if _, err := r.Policy(r.ctx, acme, overrideIn("acme", "web")); !errors.Is(err, fleet.ErrNotFound) {
		t.Errorf("among propagation policies: %v", err)
	}
	for name, c := range map[string]struct {
		actor  control.Actor
		filter fleet.PolicyFilter
		want   int
		err    error
	}{
		"of the namespace":        {acme, fleet.PolicyFilter{Namespace: "acme"}, 1, nil},
		"of all its namespaces":   {acme, fleet.PolicyFilter{Tenant: "globex"}, 1, nil},
		"of another tenant":       {globex, fleet.PolicyFilter{}, 0, nil},
		"of its namespace":        {globex, fleet.PolicyFilter{Namespace: "acme"}, 0, fleet.ErrNotFound},
		"cluster-wide":            {root, fleet.PolicyFilter{ClusterScoped: true}, 0, nil},
		"cluster-wide, a tenant":  {acme, fleet.PolicyFilter{ClusterScoped: true}, 0, control.ErrForbidden},
		"of one tenant, operator": {root, fleet.PolicyFilter{Tenant: "acme"}, 1, nil},
	} {
		page, err := r.Overrides(r.ctx, c.actor, c.filter, all)
		if len(page.Items) != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %d, %v", name, len(page.Items), err)
		}
	}
	if page, err := r.Policies(r.ctx, acme, fleet.PolicyFilter{Namespace: "acme"}, all); err != nil || len(page.Items) != 0 {
		t.Errorf("among propagation policies: %+v, %v", page, err)
	}
}

// told is a scheduler that writes down what it is told, in order.
type told struct {
	control.Scheduler
	calls *[]string
}

func (s told) say(call string) { *s.calls = append(*s.calls, call) }

func (s told) OverrideChanged(o fleet.Override) {
	s.say(o.Ref().String())
	s.Scheduler.OverrideChanged(o)
}

func (s told) OverrideDeleted(o fleet.Override) {
	s.say("no " + o.Ref().String())
	s.Scheduler.OverrideDeleted(o)
}

func (s told) PolicyChanged(p fleet.Policy) {
	s.say(p.Ref().String())
	s.Scheduler.PolicyChanged(p)
}

func (s told) ResourceChanged(o fleet.StoredResource) {
	s.say(o.Kind + " " + o.Name)
	s.Scheduler.ResourceChanged(o)
}

func (s told) DeploymentChanged(d fleet.Deployment) {
	s.say("Deployment " + d.Metadata.Name)
	s.Scheduler.DeploymentChanged(d)
}

// TestTheSchedulerIsToldOfOverridesFirst, so that "the first thing distributed is already overridden".
func TestTheSchedulerIsToldOfOverridesFirst(t *testing.T) {
	var calls []string
	r := newRig(t, func(d *control.Deps) { d.Scheduler = told{d.Scheduler, &calls} })
	r.tenants("acme")
	const propagates = ackOne + "kind: PropagationPolicy\nmetadata: {name: p}\n" + selects + "  placement: {}\n"
	wide := strings.Replace(overriding("c", marked), "kind: O", "kind: ClusterO", 1)
	parse := func(docs ...string) []*fleet.Doc {
		parsed, faults := fleet.Parse([]byte(strings.Join(docs, "---\n")), fleet.FormatYAML)
		r.must(faults, nil)
		return parsed
	}
	stream := []string{head, webApp, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n", propagates, overriding("o", marked), wide}
	apply := func(o control.ApplyOptions, docs ...string) []control.Applied {
		t.Helper()
		calls = nil
		o.Namespace = "acme"
		applied, faults, err := r.Apply(r.ctx, root, parse(docs...), nil, o)
		r.must(faults, err)
		return applied
	}
	apply(control.ApplyOptions{DryRun: true}, stream...)
	if len(calls) != 0 {
		t.Errorf("a dry run tells %v", calls)
	}
	applied := apply(control.ApplyOptions{}, stream...)
	want := []string{"OverridePolicy acme/o", "ClusterOverridePolicy c", "PropagationPolicy acme/p", "ConfigMap settings", "Deployment ledger-api", "Deployment web"}
	if !reflect.DeepEqual(calls, want) {
		t.Errorf("told of %v, want %v", calls, want)
	}
	for i, a := range applied {
		if a.Result != control.ResultCreated || (a.Override != nil) != (i >= 4) {
			t.Errorf("document %d: %+v", i, a)
		}
	}
	if codes := warned(applied[5].Warnings); !sameCodes(codes, fleet.CodeClusterUnknown) || applied[5].Override.Ref().String() != "ClusterOverridePolicy c" || applied[5].Override.Metadata.UID == "" {
		t.Errorf("warned %v of %+v", codes, applied[5].Override)
	}
	// What did not change is not told of, and what did is audited by itself.
	entries := r.auditLength()
	applied = apply(control.ApplyOptions{}, append(stream[:5:5], strings.Replace(wide, "'yes'", "'no'", 1))...)
	if !reflect.DeepEqual(calls, []string{"ClusterOverridePolicy c"}) || applied[4].Result != control.ResultUnchanged || applied[5].Result != control.ResultUpdated || r.auditLength() != entries+1 {
		t.Errorf("told of %v, %+v", calls, applied[4:])
	}
	if e := r.audit(1)[0]; e.Kind != "ClusterOverridePolicy" || e.Name != "c" || e.Verb != "update" || e.Tenant != "" || len(e.Changes) != 1 {
		t.Errorf("audited %+v", e)
	}
	// All or nothing: a version of one that is gone is stale, and somebody else's namespace unknown.
	_, _, err := r.Apply(r.ctx, acme, parse(head, strings.Replace(overriding("gone", marked), "{name: gone}", `{name: gone, resourceVersion: "3"}`, 1)), nil, control.ApplyOptions{})
	if !errors.Is(err, fleet.ErrStale) {
		t.Errorf("a version of nothing: %v", err)
	}
	_, faults, err := r.Apply(r.ctx, globex, parse(strings.Replace(overriding("o", marked), "{name: o}", "{name: O, namespace: acme}", 1)), nil, control.ApplyOptions{})
	if err != nil || !sameCodes(faults.Codes(), fleet.CodeNameInvalid, fleet.CodeNamespaceUnknown) {
		t.Errorf("somebody else's: %v, %v", faults, err)
	}
	_, faults, err = r.Apply(r.ctx, acme, parse(overriding("twice", marked), overriding("twice", marked)), nil, control.ApplyOptions{})
	if err != nil || !sameCodes(faults.Codes(), fleet.CodeRepeated) {
		t.Errorf("twice: %v, %v", faults, err)
	}
	if _, _, err := r.Apply(r.ctx, acme, parse(wide), nil, control.ApplyOptions{}); !errors.Is(err, control.ErrForbidden) {
		t.Errorf("a cluster-wide one by a tenant: %v", err)
	}
	calls = nil
	_, faults, err = r.DeleteOverride(r.ctx, acme, overrideIn("acme", "o"), nothing)
	r.must(faults, err)
	if !reflect.DeepEqual(calls, []string{"no OverridePolicy acme/o"}) {
		t.Errorf("told of %v", calls)
	}
}

// TestATenantWithOverridesStays: a later tenant of its name must not be under them.
func TestATenantWithOverridesStays(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.override(acme, "acme", overriding("web", marked))
	_, faults, err := r.DeleteTenant(r.ctx, root, "acme", nothing)
	if err != nil || !sameCodes(faults.Codes(), fleet.CodeTenantInUse) {
		t.Errorf("refused %+v, error %v", faults, err)
	}
	_, faults, err = r.DeleteOverride(r.ctx, acme, overrideIn("acme", "web"), nothing)
	r.must(faults, err)
	_, faults, err = r.DeleteTenant(r.ctx, root, "acme", nothing)
	r.must(faults, err)
}
