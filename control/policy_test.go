package control_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"odysseus/control"
	"odysseus/fleet"
)

const (
	ackOne  = "apiVersion: policy.one.alibabacloud.com/v1alpha1\n"
	karmada = "apiVersion: policy.karmada.io/v1alpha1\n"
	selects = "spec:\n  resourceSelectors: [{apiVersion: odysseus/v1, kind: Deployment}, {apiVersion: apps/v1, kind: Deployment}, {apiVersion: v1, kind: ConfigMap}]\n"
)

func policy(text string) control.PolicyManifest {
	return control.ParsePolicy([]byte(text), fleet.FormatYAML)
}

func policyIn(namespace, name string) fleet.PolicyRef {
	return fleet.PolicyRef{Kind: fleet.KindPropagationPolicy, Namespace: namespace, Name: name}
}

func (r *rig) policy(a control.Actor, namespace, text string) fleet.Policy {
	r.t.Helper()
	w, faults, err := r.CreatePolicy(r.ctx, a, policyIn(namespace, ""), policy(text), nothing)
	r.must(faults, err)
	return w.Object
}

func TestAWriteOfAPolicyIsAuditedByWhatItChanges(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	const text = ackOne + "kind: PropagationPolicy\nmetadata: {name: web}\nspec: {placement: {clusterAffinity: {clusterNames: [a]}}}\n"
	r.policy(acme, "acme", text)
	_, faults, err := r.UpdatePolicy(r.ctx, acme, policyIn("acme", "web"), policy(strings.Replace(text, "[a]", "[a, b]", 1)), nothing)
	r.must(faults, err)
	entries := r.auditLength()
	_, faults, err = r.UpdatePolicy(r.ctx, acme, policyIn("acme", "web"), policy(strings.Replace(text, "[a]", "[a, b]", 1)), nothing)
	r.must(faults, err)
	if r.auditLength() != entries {
		t.Error("what changes nothing is audited")
	}
	_, faults, err = r.UpdatePolicy(r.ctx, acme, policyIn("acme", "web"), policy(strings.Replace(text, "[a]", "[A]", 1)), nothing)
	if err != nil || !sameCodes(faults.Codes(), fleet.CodeNameInvalid) {
		t.Errorf("refused %v, error %v", faults, err)
	}
	_, faults, err = r.DeletePolicy(r.ctx, acme, policyIn("acme", "web"), nothing)
	r.must(faults, err)
	type entry struct {
		verb     string
		accepted bool
		changes  []fleet.Change
	}
	var got []entry
	for _, e := range r.audit(4) {
		if e.Kind != "PropagationPolicy" || e.Namespace != "acme" || e.Name != "web" || e.Tenant != "acme" || e.Actor != acme.Name {
			t.Errorf("audited %+v", e)
		}
		got = append(got, entry{e.Verb, e.Accepted, e.Changes})
	}
	const names = "spec.placement.clusterAffinity.clusterNames"
	version := strings.TrimSpace(strings.TrimPrefix(ackOne, "apiVersion: "))
	want := []entry{
		{"create", true, []fleet.Change{{Field: "apiVersion", After: version}, {Field: "metadata", After: "{}"}, {Field: names + "[0]", After: "a"}}},
		{"update", true, []fleet.Change{{Field: names + "[1]", After: "b"}}},
		{"update", false, []fleet.Change{{Field: names + "[0]", After: "A"}}},
		{"delete", true, []fleet.Change{{Field: "apiVersion", Before: version}, {Field: "metadata", Before: "{}"}, {Field: names + "[0]", Before: "a"}, {Field: names + "[1]", Before: "b"}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("audited\n%+v\nwant\n%+v", got, want)
	}
}

func TestAPolicyIsNowhereButInItsPlace(t *testing.T) {
	r := newRig(t)
	r.tenants("acme", "globex")
	r.policy(acme, "acme", ackOne+"kind: PropagationPolicy\nmetadata: {name: web}\nspec: {placement: {}}\n")
	wide := fleet.PolicyRef{Kind: fleet.KindClusterPropagationPolicy, Name: "web"}
	for name, c := range map[string]struct {
		actor control.Actor
		ref   fleet.PolicyRef
		want  error
	}{
		"its own":                         {acme, policyIn("acme", "web"), nil},
		"a viewer's":                      {reader, policyIn("acme", "web"), nil},
		"an operator's":                   {root, policyIn("acme", "web"), nil},
		"somebody else's":                 {globex, policyIn("acme", "web"), fleet.ErrNotFound},
		"in another namespace":            {root, policyIn("globex", "web"), fleet.ErrNotFound},
		"in no namespace":                 {root, fleet.PolicyRef{Kind: fleet.KindPropagationPolicy, Name: "web"}, fleet.ErrNotFound},
		"without a name":                  {root, policyIn("acme", ""), fleet.ErrNotFound},
		"a cluster-wide one":              {root, wide, fleet.ErrNotFound},
		"a cluster-wide one, for tenants": {acme, wide, control.ErrForbidden},
		"one in a namespace":              {root, fleet.PolicyRef{Kind: wide.Kind, Namespace: "acme", Name: "web"}, fleet.ErrNotFound},
	} {
		if _, err := r.PolicyDetail(r.ctx, c.actor, c.ref); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if _, err := r.Policy(r.ctx, c.actor, c.ref); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
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
		page, err := r.Policies(r.ctx, c.actor, c.filter, all)
		if len(page.Items) != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %d, %v", name, len(page.Items), err)
		}
	}
}

// TestPreviewPolicy shows what a policy that is being written selects, and where that would go, beside all that is
// stored; nothing is.
func TestPreviewPolicy(t *testing.T) {
	r := newRig(t)
	r.tenants("acme", "globex")
	r.cluster("cluster-1", "acme")
	r.cluster("cluster-2", "acme")
	r.node("n-1", "cluster-1", "", "")
	r.node("n-2", "cluster-2", "", "")
	r.create(acme, "acme", head)
	r.create(globex, "globex", head)
	r.resource(acme, "acme", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n")
	r.resource(acme, "acme", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3, template: {spec: {containers: [{name: a, image: b}]}}}\n")
	r.settle()
	entries := r.auditLength()
	split := ackOne + "kind: PropagationPolicy\n" + selects + "  placement:\n    replicaScheduling:\n      weightPreference:\n        staticWeightList:\n" +
		"        - {weight: 2, targetCluster: {clusterNames: [cluster-1]}}\n        - {weight: 1, targetCluster: {clusterNames: [cluster-2]}}\n"
	preview := func(a control.Actor, ref fleet.PolicyRef, text string) (control.PolicyPreview, fleet.FieldErrors) {
		t.Helper()
		p, faults, err := r.PreviewPolicy(r.ctx, a, ref, policy(text))
		if err != nil {
			t.Fatal(err)
		}
		return p, faults
	}
	type seen struct {
		name    string
		divided map[string]int
	}
	shown := func(p control.PolicyPreview) []seen {
		var out []seen
		for _, s := range p.Selected {
			line := seen{name: s.Kind + " " + s.Name}
			if s.Report != nil {
				line.divided = map[string]int{}
				for _, c := range s.Report.Clusters {
					line.divided[c.Name] = c.Desired
				}
			}
			out = append(out, line)
		}
		return out
	}
	want := []seen{{"ConfigMap settings", nil}, {"Deployment ledger-api", map[string]int{"cluster-1": 1, "cluster-2": 1}}, {"Deployment web", map[string]int{"cluster-1": 2, "cluster-2": 1}}}
	p, faults := preview(reader, policyIn("acme", ""), split)
	if !reflect.DeepEqual(shown(p), want) || len(faults) != 0 || len(p.Warnings) != 0 {
		t.Errorf("a new one: %+v, refused %v, warned %v", shown(p), faults, p.Warnings)
	}
	// What is at fault is said beside what could be read.
	p, faults = preview(acme, policyIn("acme", ""), split+"  priority: high\n")
	if !reflect.DeepEqual(shown(p), want) || !sameCodes(faults.Codes(), fleet.CodeWrongType) {
		t.Errorf("with a fault: %+v, refused %v", shown(p), faults)
	}
	if p, faults := preview(acme, policyIn("acme", ""), "kind: ["); p.Selected != nil || len(faults) != 1 {
		t.Errorf("unreadable: %+v, refused %v", p, faults)
	}
	// One that is stored wins over a new one of a later name, and is replaced by itself.
	r.policy(acme, "acme", strings.Replace(strings.Replace(split, "kind: PropagationPolicy\n", "kind: PropagationPolicy\nmetadata: {name: a}\n", 1), "weight: 2", "weight: 1000", 1))
	r.settle()
	p, _ = preview(acme, policyIn("acme", ""), split)
	if p.Selected[2].Holder == nil || p.Selected[2].Holder.Name != "a" || p.Selected[2].Report.Clusters[0].Desired != 3 {
		t.Errorf("beside a holder: %+v", p.Selected[2])
	}
	p, _ = preview(acme, policyIn("acme", "a"), split)
	if p.Selected[2].Report.Clusters[0].Desired != 2 {
		t.Errorf("replacing itself: %+v", p.Selected[2].Report)
	}
	// Of others it learns nothing, and a cluster-wide one is an operator's.
	wide := strings.Replace(split, "kind: P", "kind: ClusterP", 1)
	p, _ = preview(root, fleet.PolicyRef{Kind: fleet.KindClusterPropagationPolicy}, wide)
	if len(p.Selected) != 4 {
		t.Errorf("a cluster-wide one selects %+v", shown(p))
	}
	for _, ref := range []fleet.PolicyRef{policyIn("globex", ""), {Kind: fleet.KindClusterPropagationPolicy}} {
		if _, _, err := r.PreviewPolicy(r.ctx, acme, ref, policy(split)); !errors.Is(err, fleet.ErrNotFound) && !errors.Is(err, control.ErrForbidden) {
			t.Errorf("in %+v: %v", ref, err)
		}
	}
	if page, err := r.Policies(r.ctx, root, fleet.PolicyFilter{}, all); err != nil || len(page.Items) != 1 || r.auditLength() != entries+1 {
		t.Errorf("stored %+v, error %v, %d audit entries", page.Items, err, r.auditLength()-entries)
	}
}

func TestResourceNamesAreOffered(t *testing.T) {
	r := newRig(t)
	r.tenants("acme", "globex")
	r.create(acme, "acme", head)
	r.create(globex, "globex", head)
	r.resource(acme, "acme", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n")
	r.resource(root, "", "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\n")
	own := fleet.ResourceKey{APIVersion: fleet.APIVersion, Kind: fleet.KindDeployment, Namespace: "acme", Name: "ledger-api"}
	config := fleet.ResourceKey{APIVersion: "v1", Kind: "ConfigMap", Namespace: "acme", Name: "settings"}
	theirs := own
	theirs.Namespace = "globex"
	for name, c := range map[string]struct {
		actor     control.Actor
		namespace string
		want      []fleet.ResourceKey
		err       error
	}{
		"of a namespace":   {acme, "acme", []fleet.ResourceKey{own, config}, nil},
		"somebody else's":  {globex, "acme", nil, fleet.ErrNotFound},
		"of everything":    {root, "", []fleet.ResourceKey{own, theirs, {APIVersion: "storage.k8s.io/v1", Kind: "StorageClass", Name: "fast"}, config}, nil},
		"not for a tenant": {acme, "", nil, control.ErrForbidden},
	} {
		got, err := r.ResourceNames(r.ctx, c.actor, c.namespace)
		if !slices.Equal(got, c.want) || !errors.Is(err, c.err) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
