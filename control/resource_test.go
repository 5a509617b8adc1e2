package control_test

import (
	"reflect"
	"strings"
	"testing"

	"odysseus/control"
	"odysseus/fleet"
)

func resource(text string) control.ResourceManifest {
	return control.ParseResource([]byte(text), fleet.FormatYAML)
}

func (r *rig) resource(a control.Actor, namespace, text string) fleet.StoredResource {
	r.t.Helper()
	w, faults, err := r.CreateResource(r.ctx, a, namespace, resource(text), nothing)
	r.must(faults, err)
	return w.Object.Resource
}

const webApp = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 2\n  template: {spec: {containers: [{name: a, image: nginx}]}}\n"

var webKey = fleet.ResourceKey{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "acme", Name: "web"}

// TestWhatANewVersionOfAResourceCounts: a generation where what it asks for changes, of a workload a revision, and a
// template only where what runs does.
func TestWhatANewVersionOfAResourceCounts(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.resource(acme, "acme", webApp)
	config := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n"
	r.resource(acme, "acme", config)
	tests := []struct {
		name, text                     string
		generation, revision, template int64
	}{
		{"nothing", webApp, 1, 1, 1},
		{"a label", strings.Replace(webApp, "{name: web}", "{name: web, labels: {a: b}}", 1), 1, 1, 1},
		{"the count", strings.Replace(webApp, "replicas: 2", "replicas: 5", 1), 2, 2, 1},
		{"the image", strings.Replace(webApp, "nginx", "nginx:2", 1), 3, 3, 3},
		{"a ConfigMap has no revisions", strings.Replace(config, "a: b", "a: c", 1), 2, 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			key := webKey
			if strings.Contains(tt.text, "ConfigMap") {
				key = fleet.ResourceKey{APIVersion: "v1", Kind: "ConfigMap", Namespace: "acme", Name: "c"}
			}
			w, faults, err := r.UpdateResource(r.ctx, acme, key, resource(tt.text), nothing)
			r.must(faults, err)
			if got := w.Object.Resource; got.Generation != tt.generation || got.Revision != tt.revision || got.TemplateRevision != tt.template {
				t.Errorf("generation %d, revision %d, template %d", got.Generation, got.Revision, got.TemplateRevision)
			}
		})
	}
}

func TestAWriteOfASecretIsAuditedByItsKeys(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	secret := func(data string) control.ResourceManifest {
		return resource("apiVersion: v1\nkind: Secret\nmetadata: {name: s, labels: {a: b}}\nstringData: {" + data + "}\n")
	}
	_, faults, err := r.CreateResource(r.ctx, acme, "acme", secret("one: swordfish, two: swordfish"), nothing)
	r.must(faults, err)
	key := fleet.ResourceKey{APIVersion: "v1", Kind: "Secret", Namespace: "acme", Name: "s"}
	_, faults, err = r.UpdateResource(r.ctx, acme, key, secret("one: marlin, three: swordfish"), nothing)
	r.must(faults, err)
	entries := r.auditLength()
	_, faults, err = r.UpdateResource(r.ctx, acme, key, secret("one: marlin, three: swordfish"), nothing)
	r.must(faults, err)
	if r.auditLength() != entries {
		t.Error("the same values are audited as a change")
	}
	_, faults, err = r.DeleteResource(r.ctx, acme, key, nothing)
	r.must(faults, err)
	const hidden = fleet.HiddenValue
	want := [][]fleet.Change{
		{{Field: "data.one", After: hidden}, {Field: "data.two", After: hidden}, {Field: "metadata.labels.a", After: "b"}},
		{{Field: "data.one", Before: hidden, After: hidden}, {Field: "data.three", After: hidden}, {Field: "data.two", Before: hidden}},
		{{Field: "data.one", Before: hidden}, {Field: "data.three", Before: hidden}, {Field: "metadata.labels.a", Before: "b"}},
	}
	for i, e := range r.audit(3) {
		if !reflect.DeepEqual(e.Changes, want[i]) || e.Kind != "v1 Secret" || e.Name != "s" || e.Tenant != "acme" {
			t.Errorf("audited %+v, want %+v", e, want[i])
		}
	}
}

// TestWhatAPolicyPreservesStays: under Karmada's apiVersion a deleted resource may stay on the members. It is shown no
// more, and one created under its name takes it over: the same UID, the same replicas, a new generation.
func TestWhatAPolicyPreservesStays(t *testing.T) {
	for name, c := range map[string]struct {
		policy string
		stays  bool
	}{
		"Karmada, preserving": {karmada + "kind: PropagationPolicy\nmetadata: {name: p}\n" + selects + "  placement: {}\n  preserveResourcesOnDeletion: true\n", true},
		"Karmada, by default": {karmada + "kind: PropagationPolicy\nmetadata: {name: p}\n" + selects + "  placement: {}\n", false},
		"ACK One, preserving": {ackOne + "kind: PropagationPolicy\nmetadata: {name: p}\n" + selects + "  placement: {}\n  preserveResourcesOnDeletion: true\n", false},
		"no policy":           {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.tenants("acme")
			r.cluster("cluster-1")
			agent := r.node("n-1", "cluster-1", "", "")
			if c.policy != "" {
				r.policy(acme, "acme", c.policy)
			}
			deployment := r.create(acme, "acme", head).Object
			web := r.resource(acme, "acme", webApp)
			before, _ := r.assigned(agent)
			count := map[bool]int{true: 2, false: 4}[c.policy == ""] // an apps/v1 Deployment waits for a policy
			if len(before) != count {
				t.Fatalf("assigned %v", before)
			}

			says := func(name string, warnings []fleet.Warning) {
				want := []fleet.Warning{{Code: fleet.CodeKeptOnMembers, Args: map[string]string{"Name": name}}}
				if !c.stays {
					want = nil
				}
				if !reflect.DeepEqual(warnings, want) {
					t.Errorf("deleting %s warns of %+v", name, warnings)
				}
			}
			for _, o := range []control.WriteOptions{dryRun, nothing} {
				gone, faults, err := r.DeleteDeployment(r.ctx, acme, "acme", "ledger-api", o)
				r.must(faults, err)
				says("ledger-api", gone.Warnings)
			}
			for _, o := range []control.WriteOptions{dryRun, nothing} {
				gone, faults, err := r.DeleteResource(r.ctx, acme, webKey, o)
				r.must(faults, err)
				says("web", gone.Warnings)
			}
			run, stop := r.assigned(agent)
			if stays := len(run) == count && len(stop) == 0; stays != c.stays || !c.stays && len(run) != 0 {
				t.Errorf("running %v, stopping %v", run, stop)
			}
			deployments, err := r.Deployments(r.ctx, root, fleet.DeploymentFilter{}, all)
			if err != nil || len(deployments.Items) != 0 {
				t.Errorf("listed %+v, %v", deployments.Items, err)
			}
			resources, err := r.Resources(r.ctx, root, fleet.ResourceFilter{}, all)
			if err != nil || len(resources.Items) != 0 {
				t.Errorf("listed %+v, %v", resources.Items, err)
			}

			again, faults, err := r.CreateDeployment(r.ctx, acme, "acme", manifest(head), nothing)
			r.must(faults, err)
			webAgain, faults, err := r.CreateResource(r.ctx, acme, "acme", resource(webApp), nothing)
			r.must(faults, err)
			if !again.Created || !webAgain.Created {
				t.Error("what was deleted is not created again")
			}
			if same := again.Object.Metadata.UID == deployment.Metadata.UID; same != c.stays || same && again.Object.Metadata.Generation != 2 {
				t.Errorf("taken over: %t, generation %d", same, again.Object.Metadata.Generation)
			}
			if same := webAgain.Object.Resource.UID == web.UID; same != c.stays || same && webAgain.Object.Resource.Generation != 2 {
				t.Errorf("taken over: %t, generation %d", same, webAgain.Object.Resource.Generation)
			}
			run, _ = r.assigned(agent)
			if c.stays && !reflect.DeepEqual(run, before) {
				t.Errorf("running %v, before %v", run, before)
			}
			if e := r.audit(1)[0]; e.Verb != "create" || len(e.Changes) == 0 || e.Changes[0].Before != "" {
				t.Errorf("audited %+v", e)
			}
		})
	}
}

func TestATenantWithPoliciesOrResourcesStays(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	refusedWith := func(count string) {
		t.Helper()
		_, faults, err := r.DeleteTenant(r.ctx, root, "acme", nothing)
		if err != nil || !sameCodes(faults.Codes(), fleet.CodeTenantInUse) || faults[0].Args["Count"] != count {
			t.Errorf("refused %+v, error %v", faults, err)
		}
	}
	r.policy(acme, "acme", ackOne+"kind: PropagationPolicy\nmetadata: {name: p}\nspec: {placement: {}}\n")
	refusedWith("1")
	r.resource(acme, "acme", webApp)
	refusedWith("2")
	_, faults, err := r.DeletePolicy(r.ctx, acme, policyIn("acme", "p"), nothing)
	r.must(faults, err)
	refusedWith("1")
	_, faults, err = r.DeleteResource(r.ctx, acme, webKey, nothing)
	r.must(faults, err)
	_, faults, err = r.DeleteTenant(r.ctx, root, "acme", nothing)
	r.must(faults, err)
}

func TestSimulationAsksAboutWhatIsStored(t *testing.T) {
	r := newRig(t)
	r.tenants("acme")
	r.cluster("cluster-1")
	r.cluster("cluster-2")
	r.node("n-1", "cluster-1", "", "")
	r.node("n-2", "cluster-2", "", "")
	on := func(name, cluster string) string {
		return ackOne + "kind: PropagationPolicy\nmetadata: {name: " + name + "}\n" + selects + "  placement: {clusterAffinity: {clusterNames: [" + cluster + "]}}\n"
	}
	r.policy(acme, "acme", on("stored", "cluster-1"))
	fleetOf := "apiVersion: odysseus/v1\nkind: Fleet\nspec: {clusters: [{name: cluster-1}, {name: cluster-2}]}\n"
	held := strings.Replace(head, "ledger-api", "held", 1)
	r.create(acme, "acme", held)
	r.settle()
	for name, c := range map[string]struct {
		docs          []string
		policy, place string
	}{
		"by the stored policy":                    {[]string{head}, "stored", "cluster-1"},
		"which a document of its name replaces":   {[]string{head, on("stored", "cluster-2")}, "stored", "cluster-2"},
		"beside a document of an earlier name":    {[]string{head, on("a", "cluster-2")}, "a", "cluster-2"},
		"beside one of a later name":              {[]string{head, on("z", "cluster-2")}, "stored", "cluster-1"},
		"what holds the stored workload keeps it": {[]string{held, on("a", "cluster-2")}, "stored", "cluster-1"},
		"on made-up members too":                  {[]string{head, fleetOf}, "stored", "cluster-1"},
		"but not beside made-up policies":         {[]string{head, fleetOf, on("z", "cluster-2")}, "z", "cluster-2"},
		"nor is anything held there":              {[]string{held, fleetOf, on("z", "cluster-2")}, "z", "cluster-2"},
	} {
		t.Run(name, func(t *testing.T) {
			s, faults, err := r.Simulate(r.ctx, acme, "acme", docs(t, c.docs...), nil)
			r.must(faults, err)
			if s.Report.Policy == nil || s.Report.Policy.Name != c.policy || len(s.Report.Clusters) != 1 || s.Report.Clusters[0].Name != c.place {
				t.Errorf("policy %+v, clusters %+v", s.Report.Policy, s.Report.Clusters)
			}
		})
	}
}
