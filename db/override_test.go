package db_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"odysseus/db"
	"odysseus/fleet"
)

// values that a policy sets come back byte for byte, but for what JSON takes as the same.
var overrideValues = []string{
	`null`, `9223372036854775807`, `-9223372036854775808`, `18446744073709551615`, `0.1000`, `1e400`, `""`, `"null"`, `false`, `{}`, `[]`,
	`{"z":1,"a":{"y":null,"b":[null,9007199254740993]},"z2":""}`, `"<&> ü \" \\ / \n"`, `[{"b":1,"a":2}]`,
}

// wholeOverride has a value in every block of an override's spec.
func wholeOverride() fleet.Override {
	return override("acme", "mirror", func(o *fleet.Override) {
		o.APIVersion = fleet.PolicyAPIVersionKarmada
		o.Metadata.Labels, o.Metadata.Annotations = map[string]string{"tier": "front"}, map[string]string{"note": "<&>"}
		o.Spec.ResourceSelectors[0].Name = "web"
		path, root := "/metadata/labels/a~1b", ""
		all := fleet.Overriders{
			ImageOverrider:       []fleet.ImageOverrider{{Component: fleet.ImageRegistry, Operator: fleet.OverrideAdd, Value: "mirror.example", Predicate: &fleet.ImagePredicate{Path: "/spec/x"}}},
			CommandOverrider:     []fleet.ArgumentsOverrider{{ContainerName: "web", Operator: fleet.OverrideAdd, Value: []string{"--b", "--a", ""}}},
			ArgsOverrider:        []fleet.ArgumentsOverrider{{ContainerName: "web", Operator: fleet.OverrideRemove, Value: []string{"x"}}},
			LabelsOverrider:      []fleet.MetadataOverrider{{Operator: fleet.OverrideReplace, Value: map[string]string{"b": "", "a": "1"}}},
			AnnotationsOverrider: []fleet.MetadataOverrider{{Operator: fleet.OverrideRemove, Value: map[string]string{"c": ""}}},
			FieldOverrider:       []fleet.FieldOverrider{{FieldPath: "/data/x", YAML: []fleet.FieldPatch{{SubPath: "/a", Operator: fleet.OverrideAdd, Value: json.RawMessage(`null`)}}}},
			Plaintext:            []fleet.PlaintextOverrider{{Path: &path, Operator: fleet.OverrideRemove}, {Path: &root, Operator: fleet.OverrideReplace, Value: json.RawMessage(`{"b":1,"a":2}`)}},
		}
		o.Spec.OverrideRules = []fleet.OverrideRule{
			{TargetCluster: &fleet.ClusterAffinity{ClusterNames: []string{"b", "a"}}, Overriders: &all},
			{TargetCluster: &fleet.ClusterAffinity{}, Overriders: &fleet.Overriders{}}, {},
		}
	})
}

func TestOverrideReadsBackAsWritten(t *testing.T) {
	r := newRig(t)
	want, wide := wholeOverride(), override("", "everyone")
	stored := r.override(want, wide)
	want.Metadata.ResourceVersion, wide.Metadata.ResourceVersion = stored[0].Metadata.ResourceVersion, stored[1].Metadata.ResourceVersion
	same(t, "as stored", stored, []fleet.Override{want, wide})
	r.view(func(ctx context.Context, tx *db.Tx) error {
		for _, c := range []struct {
			what, tenant string
			ref          fleet.PolicyRef
			want         fleet.Override
			err          error
		}{
			{"its tenant's", "acme", want.Ref(), want, nil},
			{"the platform's caller", "", want.Ref(), want, nil},
			{"another tenant's", "other", want.Ref(), fleet.Override{}, fleet.ErrNotFound},
			{"cluster-wide", "", wide.Ref(), wide, nil},
			{"cluster-wide, by a tenant", "acme", wide.Ref(), fleet.Override{}, fleet.ErrNotFound},
			{"of another kind", "acme", fleet.PolicyRef{Kind: fleet.KindClusterOverridePolicy, Namespace: "acme", Name: "mirror"}, fleet.Override{}, fleet.ErrNotFound},
			{"unknown", "acme", fleet.PolicyRef{Kind: want.Kind, Namespace: "acme", Name: "none"}, fleet.Override{}, fleet.ErrNotFound},
		} {
			got, err := tx.Override(ctx, c.tenant, c.ref)
			same(t, c.what, got, c.want)
			is(t, c.what, err, c.err)
		}
		return nil
	})
	r.update(func(ctx context.Context, tx *db.Tx) error {
		twin := want
		twin.Metadata.UID = "another"
		is(t, "second of the name", second(tx.InsertOverride(ctx, twin)), fleet.ErrExists)
		is(t, "another tenant's namespace", second(tx.InsertOverride(ctx, override("acme", "x", func(o *fleet.Override) { o.Metadata.Namespace = "other" }))), fleet.ErrNotFound)
		is(t, "of the same name in another namespace", second(tx.InsertOverride(ctx, override("other", "mirror"))), nil)
		return nil
	})
}

// "An explicit null is a value; 64-bit integers survive", and so does the order of keys.
func TestNothingOfAnOverridesValuesIsLost(t *testing.T) {
	r := newRig(t)
	path := "/x"
	written := override("acme", "o", func(o *fleet.Override) {
		overriders := &fleet.Overriders{FieldOverrider: []fleet.FieldOverrider{{FieldPath: "/data/x"}}}
		for _, v := range overrideValues {
			overriders.Plaintext = append(overriders.Plaintext, fleet.PlaintextOverrider{Path: &path, Operator: fleet.OverrideAdd, Value: json.RawMessage(v)})
			overriders.FieldOverrider[0].JSON = append(overriders.FieldOverrider[0].JSON, fleet.FieldPatch{SubPath: "/x", Operator: fleet.OverrideReplace, Value: json.RawMessage(v)})
		}
		overriders.Plaintext = append(overriders.Plaintext, fleet.PlaintextOverrider{Path: &path, Operator: fleet.OverrideRemove})
		o.Spec.OverrideRules = []fleet.OverrideRule{{Overriders: overriders}}
	})
	stored := r.override(written)[0]
	r.update(func(ctx context.Context, tx *db.Tx) (err error) {
		stored, err = tx.UpdateOverride(ctx, stored) // twice through the store
		return err
	})
	got := stored.Spec.OverrideRules[0].Overriders
	plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")
	for i, want := range overrideValues {
		same(t, "plaintext", plain.Replace(string(got.Plaintext[i].Value)), want)
		same(t, "field", plain.Replace(string(got.FieldOverrider[0].JSON[i].Value)), want)
	}
	same(t, "no value", got.Plaintext[len(overrideValues)].Value, json.RawMessage(nil))
	same(t, "no target", stored.Spec.OverrideRules[0].TargetCluster, (*fleet.ClusterAffinity)(nil))
}

func TestUpdateOfAnOverride(t *testing.T) {
	r := newRig(t)
	stored := r.override(wholeOverride(), override("", "everyone"))
	next := stored[0]
	next.APIVersion = fleet.PolicyAPIVersionShort
	next.Metadata.Generation, next.Metadata.Labels, next.Metadata.Annotations = 2, map[string]string{"a": "b"}, nil
	next.Spec = fleet.OverrideSpec{}
	r.update(func(ctx context.Context, tx *db.Tx) error {
		got, err := tx.UpdateOverride(ctx, next)
		want := next
		want.Metadata.ResourceVersion = got.Metadata.ResourceVersion
		same(t, "updated", got, want)
		is(t, "updated", err, nil)
		if got.Metadata.ResourceVersion == stored[0].Metadata.ResourceVersion {
			t.Error("an update kept its resourceVersion")
		}
		is(t, "stale", second(tx.UpdateOverride(ctx, next)), fleet.ErrStale)
		for _, tenant := range []string{"other", ""} {
			foreign := got
			foreign.Tenant = tenant
			is(t, "by "+tenant, second(tx.UpdateOverride(ctx, foreign)), fleet.ErrNotFound)
			is(t, "deleting by "+tenant, tx.DeleteOverride(ctx, foreign), fleet.ErrNotFound)
		}
		wide := stored[1]
		wide.Tenant = "acme"
		is(t, "cluster-wide, by a tenant", second(tx.UpdateOverride(ctx, wide)), fleet.ErrNotFound)
		is(t, "deleting it", tx.DeleteOverride(ctx, wide), fleet.ErrNotFound)
		is(t, "cluster-wide", second(tx.UpdateOverride(ctx, stored[1])), nil)
		is(t, "delete", tx.DeleteOverride(ctx, got), nil)
		is(t, "delete again", tx.DeleteOverride(ctx, got), fleet.ErrNotFound)
		is(t, "read", second(tx.Override(ctx, "", got.Ref())), fleet.ErrNotFound)
		is(t, "update", second(tx.UpdateOverride(ctx, got)), fleet.ErrNotFound)
		return nil
	})
}

// The two sorts share a table, and may share names; neither is ever taken for the other.
func TestPoliciesAndOverridesAreNeverAmongEachOther(t *testing.T) {
	r := newRig(t)
	policies := r.decree(policy("acme", "same"), policy("", "same"))
	overrides := r.override(override("acme", "same"), override("", "same"))
	ref := policies[0].Ref()
	s := r.store(configMap("acme", "cm", `{}`))[0]
	r.commit(about(s, func(x *fleet.Decision) { x.Binding = &fleet.Binding{Policy: &ref} }))
	for _, f := range []fleet.PolicyFilter{{}, {ClusterScoped: true}, {Tenant: "acme"}, {Namespace: "acme"}} {
		i := 0
		if f.ClusterScoped {
			i = 1
		}
		r.view(func(ctx context.Context, tx *db.Tx) error {
			ps, next, err := tx.Policies(ctx, f, fleet.ListOptions{})
			same(t, "policies", ps, policies[i:i+1])
			same(t, "policies", next, "")
			os, next, err2 := tx.Overrides(ctx, f, fleet.ListOptions{})
			same(t, "overrides", os, overrides[i:i+1])
			same(t, "overrides", next, "")
			return errors.Join(err, err2)
		})
	}
	r.update(func(ctx context.Context, tx *db.Tx) error {
		for i := range policies {
			is(t, "an override as a policy", second(tx.Policy(ctx, "", overrides[i].Ref())), fleet.ErrNotFound)
			is(t, "a policy as an override", second(tx.Override(ctx, "", policies[i].Ref())), fleet.ErrNotFound)
			p, o := policies[i], overrides[i]
			p.Metadata.UID, o.Metadata.UID = o.Metadata.UID, p.Metadata.UID
			p.Metadata.ResourceVersion, o.Metadata.ResourceVersion = "", ""
			is(t, "updating it so", second(tx.UpdatePolicy(ctx, p)), fleet.ErrNotFound)
			is(t, "updating it so", second(tx.UpdateOverride(ctx, o)), fleet.ErrNotFound)
			is(t, "deleting it so", tx.DeletePolicy(ctx, p), fleet.ErrNotFound)
			is(t, "deleting it so", tx.DeleteOverride(ctx, o), fleet.ErrNotFound)
		}
		is(t, "delete an override", tx.DeleteOverride(ctx, overrides[0]), nil)
		return nil
	})
	same(t, "it holds nothing, so nothing is freed", r.binding(s.UID), fleet.Binding{Policy: &ref})
	snapshot, err := r.Load(t.Context())
	is(t, "load", err, nil)
	same(t, "policies", snapshot.Policies, []fleet.Policy{policies[1], policies[0]})
	same(t, "overrides", snapshot.Overrides, overrides[1:])
}

func TestOverridesAreListedByEveryFilterInPages(t *testing.T) {
	r := newRig(t)
	var stored []fleet.Override
	for i := range 30 {
		n := (i * 7) % 30
		stored = append(stored, override([]string{"acme", "other", ""}[n%3], fmt.Sprintf([]string{"a_%02d", "B_%02d"}[n%2], n), func(o *fleet.Override) {
			o.Metadata.Labels = map[string]string{"tier": []string{"front", "back"}[n/6%2]}
		}))
	}
	stored = r.override(stored...)
	slices.SortFunc(stored, func(a, b fleet.Override) int {
		return slices.Compare([]string{a.Metadata.Namespace, a.Kind, a.Metadata.Name}, []string{b.Metadata.Namespace, b.Kind, b.Metadata.Name})
	})
	found := 0
	for _, f := range []fleet.PolicyFilter{
		{}, {ClusterScoped: true}, {Tenant: "acme"}, {Tenant: "acme", Namespace: "other"}, {Tenant: "acme", ClusterScoped: true},
		{Namespace: "other"}, {Kind: fleet.KindOverridePolicy}, {Tenant: "other", Kind: fleet.KindPropagationPolicy}, {ClusterScoped: true, Kind: fleet.KindClusterOverridePolicy},
	} {
		for _, o := range []fleet.ListOptions{{Limit: 3}, {Limit: 3, Query: "b_"}, {Limit: 3, Labels: front{}}} {
			var want, got []fleet.Override
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
					page, next, err := tx.Overrides(ctx, f, o)
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
	if found < 80 {
		t.Errorf("the filters found %d overrides: the test compares next to nothing", found)
	}
}
