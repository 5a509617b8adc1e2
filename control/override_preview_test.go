package control_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"odysseus/control"
	"odysseus/fleet"
)

// distributing is a plane whose acme has a web app, a ConfigMap and a Secret on the clusters a and b, by a policy.
func distributing(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	r.tenants("acme", "globex")
	for _, name := range []string{"a", "b"} {
		r.cluster(name, "acme")
		r.node("n-"+name, name, "", "")
	}
	r.policy(acme, "acme", ackOne+"kind: PropagationPolicy\nmetadata: {name: p}\nspec:\n  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}, {apiVersion: v1, kind: ConfigMap}, {apiVersion: v1, kind: Secret}]\n  placement: {replicaScheduling: {replicaSchedulingType: Divided}}\n")
	r.resource(acme, "acme", webApp)
	r.resource(acme, "acme", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, labels: {app: web}}\ndata: {a: b}\n")
	r.resource(acme, "acme", "apiVersion: v1\nkind: Secret\nmetadata: {name: password}\nstringData: {word: swordfish}\n")
	r.create(acme, "acme", head)
	r.resource(globex, "globex", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: theirs}\n")
	r.settle()
	return r
}

// TestPreviewOverride shows each cluster's before and after, under all that is stored, and who changed what; nothing is
// stored.
func TestPreviewOverride(t *testing.T) {
	r := distributing(t)
	entries := r.auditLength()
	preview := func(a control.Actor, ref fleet.PolicyRef, text string, only *fleet.ResourceKey) (control.OverridePreview, fleet.FieldErrors) {
		t.Helper()
		p, faults, err := r.PreviewOverride(r.ctx, a, ref, override(text), only)
		if err != nil {
			t.Fatal(err)
		}
		return p, faults
	}
	shown := func(p control.OverridePreview) []string {
		var out []string
		for _, s := range p.Selected {
			line := s.Kind + " " + s.Name
			if s.Report == nil {
				out = append(out, line)
				continue
			}
			for _, d := range s.Report.Deliveries {
				line += " " + d.Cluster
				switch {
				case d.Err != nil:
					line += "!" + d.Err.Detail
				case string(d.Object) != string(d.Before):
					line += "*"
				}
			}
			out = append(out, line)
		}
		return out
	}
	const replaced = "[{targetCluster: {clusterNames: [a]}, overriders: {plaintext: [{path: /spec/replicas, operator: replace, value: 7}]}}]"
	p, faults := preview(reader, overrideIn("acme", ""), overriding("o", replaced), nil)
	if want := []string{"ConfigMap settings a!missing_parent b", "Deployment web a* b"}; !slices.Equal(shown(p), want) || p.Total != 2 || len(faults) != 0 || len(p.Warnings) != 0 {
		t.Errorf("a new one: %v of %d, refused %v, warned %v", shown(p), p.Total, faults, p.Warnings)
	}
	web := p.Selected[1]
	mine := fleet.AppliedRule{Policy: overrideIn("acme", "o")}
	d := web.Report.Deliveries[0]
	if !strings.Contains(string(d.Before), `"replicas":1`) || !strings.Contains(string(d.Object), `"replicas":7`) || !reflect.DeepEqual(d.Applied, []fleet.AppliedRule{mine}) ||
		!reflect.DeepEqual(d.Steps, []fleet.RenderStep{{AppliedRule: mine, List: "plaintext", Path: "/spec/replicas"}}) || web.UID == "" || web.ResourceKey != webKey {
		t.Errorf("of the web app: %s → %s by %+v, %+v", d.Before, d.Object, d.Applied, d.Steps)
	}
	if at := web.Report.Clusters[0]; at.Desired != 7 || at.Divided == nil || *at.Divided != 1 {
		t.Errorf("both numbers: %+v", at)
	}
	// One alone.
	if p, _ := preview(acme, overrideIn("acme", ""), overriding("o", replaced), &webKey); !slices.Equal(shown(p), []string{"Deployment web a* b"}) || p.Total != 2 {
		t.Errorf("one alone: %v of %d", shown(p), p.Total)
	}
	elsewhere := webKey
	elsewhere.Kind = "StatefulSet"
	if p, _ := preview(acme, overrideIn("acme", ""), overriding("o", replaced), &elsewhere); len(p.Selected) != 0 || p.Total != 2 {
		t.Errorf("one that it does not select: %v", shown(p))
	}
	// What is refused renders nothing, and what it selects is said beside the refusals.
	p, faults = preview(acme, overrideIn("acme", ""), overriding("o", strings.Replace(replaced, "/spec/replicas", "/metadata/name", 1)), nil)
	if want := []string{"ConfigMap settings", "Deployment web"}; !slices.Equal(shown(p), want) || !sameCodes(faults.Codes(), fleet.CodeOverrideIdentity) {
		t.Errorf("with a fault: %v, refused %v", shown(p), faults)
	}
	if p, faults := preview(acme, overrideIn("acme", ""), "kind: [", nil); p.Selected != nil || len(faults) != 1 {
		t.Errorf("unreadable: %v, refused %v", shown(p), faults)
	}
	// Beside what is stored, and in the place of the stored one of its name.
	r.override(acme, "acme", overriding("stored", marked))
	r.settle()
	p, _ = preview(acme, overrideIn("acme", ""), overriding("o", replaced), &webKey)
	if d := p.Selected[0].Report.Deliveries[0]; len(d.Applied) != 2 || !strings.Contains(string(d.Object), `"marked":"yes"`) {
		t.Errorf("beside another: %s by %+v", d.Object, d.Applied)
	}
	p, _ = preview(acme, overrideIn("acme", "stored"), overriding("stored", replaced), &webKey)
	if d := p.Selected[0].Report.Deliveries[0]; len(d.Applied) != 1 || strings.Contains(string(d.Object), "marked") {
		t.Errorf("in its own place: %s by %+v", d.Object, d.Applied)
	}
	// A Secret's values are hidden, in what was and in what would be.
	secret := strings.Replace(overriding("s", "[{targetCluster: {}, overriders: {labelsOverrider: [{operator: add, value: {a: b}}]}}]"), "kind: ConfigMap", "kind: Secret", 1)
	p, _ = preview(acme, overrideIn("acme", ""), secret, nil)
	if d := p.Selected[1].Report.Deliveries[0]; p.Selected[1].Kind != fleet.KindSecret || !strings.Contains(string(d.Object), `"word":"\u003chidden\u003e"`) ||
		strings.Contains(string(d.Before)+string(d.Object), "c3dvcmRmaXNo") || string(d.Before) == string(d.Object) {
		t.Errorf("a Secret: %s → %s", d.Before, d.Object)
	}
	// A cluster-wide one is an operator's, and reaches everybody; of others' a tenant learns nothing.
	wide := strings.Replace(overriding("o", replaced), "kind: O", "kind: ClusterO", 1)
	if p, _ := preview(root, fleet.PolicyRef{Kind: fleet.KindClusterOverridePolicy}, wide, nil); !slices.Equal(shown(p), []string{"ConfigMap settings a!missing_parent b", "Deployment web a* b", "ConfigMap theirs"}) {
		t.Errorf("a cluster-wide one: %v", shown(p))
	}
	for _, ref := range []fleet.PolicyRef{overrideIn("globex", ""), {Kind: fleet.KindClusterOverridePolicy}} {
		if _, _, err := r.PreviewOverride(r.ctx, acme, ref, override(overriding("o", replaced)), nil); !errors.Is(err, fleet.ErrNotFound) && !errors.Is(err, control.ErrForbidden) {
			t.Errorf("in %+v: %v", ref, err)
		}
	}
	if page, err := r.Overrides(r.ctx, acme, fleet.PolicyFilter{}, all); err != nil || len(page.Items) != 1 || r.auditLength() != entries+1 {
		t.Errorf("stored %+v, error %v, %d audit entries", page.Items, err, r.auditLength()-entries)
	}
}

// TestThePreviewIsOfTheFirstTwenty, and says how many there are.
func TestThePreviewIsOfTheFirstTwenty(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	for i := range 23 {
		r.resource(acme, "acme", fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c-%02d}\n", i))
	}
	r.settle()
	last := fleet.ResourceKey{APIVersion: "v1", Kind: "ConfigMap", Namespace: "acme", Name: "c-22"}
	for name, c := range map[string]struct {
		only *fleet.ResourceKey
		want int
	}{"all": {nil, 20}, "one beyond": {&last, 1}} {
		p, faults, err := r.PreviewOverride(r.ctx, acme, overrideIn("acme", ""), override(overriding("o", marked)), c.only)
		r.must(faults, err)
		if len(p.Selected) != c.want || p.Total != 23 || p.Selected[0].Report == nil || (c.only != nil) != (p.Selected[0].Name == "c-22") {
			t.Errorf("%s: %d of %d", name, len(p.Selected), p.Total)
		}
	}
}

// TestOverrideDetailSaysWhatItHoldsBack, and what it selects by a label that another override gave.
func TestOverrideDetailSaysWhatItHoldsBack(t *testing.T) {
	r := distributing(t)
	r.override(acme, "acme", overriding("o", "[{targetCluster: {clusterNames: [a]}, overriders: {plaintext: [{path: /data/c, operator: replace, value: d}]}}]"))
	r.override(root, "", strings.Replace(overriding("gives", "[{targetCluster: {}, overriders: {labelsOverrider: [{operator: add, value: {tier: edge}}]}}]"), "kind: O", "kind: ClusterO", 1))
	labelled := ackOne + "kind: OverridePolicy\nmetadata: {name: takes}\nspec:\n  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchLabels: {tier: edge}}}, {apiVersion: v1, kind: Secret, labelSelector: {matchLabels: {tier: edge}}}]\n" +
		"  overrideRules: [{targetCluster: {clusterNames: [b]}, overriders: {annotationsOverrider: [{operator: add, value: {x: z}}]}}]\n"
	r.override(acme, "acme", labelled)
	r.settle()
	detail, err := r.OverrideDetail(r.ctx, reader, overrideIn("acme", "o"))
	if err != nil {
		t.Fatal(err)
	}
	var blocked []string
	for _, b := range detail.Blocked {
		blocked = append(blocked, b.Kind+" "+b.Name+" in "+b.Cluster+": "+b.Err.Detail)
		if b.Err.Code != fleet.ReasonOverrideBlocked || b.Err.Policy != overrideIn("acme", "o") {
			t.Errorf("blocked by %+v", b.Err)
		}
	}
	if want := []string{"ConfigMap settings in a: missing", "Deployment web in a: missing_parent"}; !slices.Equal(blocked, want) || len(detail.Reached) != 2 {
		t.Errorf("it holds back %q of %d", blocked, len(detail.Reached))
	}
	detail, err = r.OverrideDetail(r.ctx, acme, overrideIn("acme", "takes"))
	if err != nil {
		t.Fatal(err)
	}
	if len(detail.Reached) != 1 || detail.Reached[0].Name != "web" || len(detail.Blocked) != 0 {
		t.Errorf("by another's label it selects %+v", detail.Reached)
	}
	detail, err = r.OverrideDetail(r.ctx, root, fleet.PolicyRef{Kind: fleet.KindClusterOverridePolicy, Name: "gives"})
	if err != nil || len(detail.Reached) != 3 || !sameCodes(warned(detail.Warnings), fleet.CodeTargetsAllClusters) {
		t.Errorf("the cluster-wide one: %+v, %v", detail.Reached, err)
	}
}

func TestFieldsAndContainersToPickFrom(t *testing.T) {
	r := distributing(t)
	own := fleet.ResourceKey{APIVersion: fleet.APIVersion, Kind: fleet.KindDeployment, Namespace: "acme", Name: "ledger-api"}
	secret := fleet.ResourceKey{APIVersion: "v1", Kind: "Secret", Namespace: "acme", Name: "password"}
	for _, c := range []struct {
		key  fleet.ResourceKey
		want []fleet.ResourceField // some of them
	}{
		{own, []fleet.ResourceField{
			{Path: "/apiVersion", Kind: "text", Value: "odysseus/v1", Refused: fleet.CodeOverrideIdentity}, {Path: "/metadata", Kind: "map", Refused: fleet.CodeOverrideResidency},
			{Path: "/spec", Kind: "map", Refused: fleet.CodeOverrideResidency}, {Path: "/spec/image", Kind: "text", Value: "registry.example.com/ledger-api:1.4.0"}, {Path: "/spec/replicas", Kind: "number", Value: "2"},
		}},
		{webKey, []fleet.ResourceField{
			{Path: "/kind", Kind: "text", Value: "Deployment", Refused: fleet.CodeOverrideIdentity}, {Path: "/spec", Kind: "map"}, {Path: "/spec/template/spec/containers", Kind: "list"},
			{Path: "/spec/template/spec/containers/0", Kind: "map"}, {Path: "/spec/template/spec/containers/0/image", Kind: "text", Value: "nginx"},
		}},
		{secret, []fleet.ResourceField{{Path: "/data/word", Kind: "text", Value: fleet.HiddenValue}}},
	} {
		fields, err := r.ResourceFields(r.ctx, reader, c.key)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !slices.Contains(fields, want) {
				t.Errorf("%s has no %+v in %+v", c.key.Name, want, fields)
			}
		}
		for _, f := range fields {
			if strings.Contains(f.Path, "uid") || strings.HasPrefix(f.Path, "/status") {
				t.Errorf("%s is the server's", f.Path)
			}
		}
	}
	for key, want := range map[fleet.ResourceKey][]fleet.ResourceContainer{
		own:    {{ImagePath: "/spec/image", Image: "registry.example.com/ledger-api:1.4.0"}},
		webKey: {{Name: "a", ImagePath: "/spec/template/spec/containers/0/image", Image: "nginx"}},
		secret: nil,
	} {
		if got, err := r.ContainersOf(r.ctx, reader, key); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %+v, %v", key.Name, got, err)
		}
	}
	gone := webKey
	gone.Name = "gone"
	for name, c := range map[string]struct {
		actor control.Actor
		key   fleet.ResourceKey
		want  error
	}{"another's": {globex, webKey, fleet.ErrNotFound}, "another's own": {globex, own, fleet.ErrNotFound}, "gone": {acme, gone, fleet.ErrNotFound}, "no key": {acme, fleet.ResourceKey{Namespace: "acme"}, fleet.ErrNotFound},
		"the platform's": {acme, fleet.ResourceKey{APIVersion: "v1", Kind: "Namespace", Name: "acme"}, control.ErrForbidden}} {
		if _, err := r.ResourceFields(r.ctx, c.actor, c.key); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := r.ContainersOf(r.ctx, c.actor, c.key); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
