package scheduler

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"odysseus/fleet"
)

// docs parses a stream of YAML documents.
func (w *world) docs(text string) []*fleet.Doc {
	w.t.Helper()
	docs, faults := fleet.Parse([]byte(text), fleet.FormatYAML)
	if len(faults) > 0 {
		w.t.Fatal(faults)
	}
	return docs
}

// apply stores policies and resources, written as YAML, in the namespace acme, and tells of them.
func (w *world) apply(text string) {
	w.t.Helper()
	for _, doc := range w.docs(text) {
		switch {
		case fleet.IsPolicy(doc.APIVersion(), doc.Kind()):
			w.applyPolicy(doc)
		case fleet.IsOverride(doc.APIVersion(), doc.Kind()):
			w.applyOverride(doc)
		default:
			w.applyResource(doc)
		}
	}
}

func (w *world) applyPolicy(doc *fleet.Doc) {
	w.t.Helper()
	p, faults := fleet.DecodePolicy(doc)
	if p.Scope() == fleet.ScopeNamespace {
		p.Metadata.Namespace, p.Tenant = "acme", "acme"
	}
	checked, _ := fleet.ValidatePolicy(&p, nil)
	if faults = append(faults, checked...); len(faults) > 0 {
		w.t.Fatal(faults)
	}
	w.store.mu.Lock()
	p.Metadata.ResourceVersion = w.store.version()
	w.store.policies[p.Ref()] = p
	w.store.mu.Unlock()
	w.scheduler.PolicyChanged(p)
}

func (w *world) applyOverride(doc *fleet.Doc) {
	w.t.Helper()
	o, faults := fleet.DecodeOverride(doc)
	if o.Scope() == fleet.ScopeNamespace {
		o.Metadata.Namespace, o.Tenant = "acme", "acme"
	}
	checked, _ := fleet.ValidateOverride(&o, nil)
	if faults = append(faults, checked...); len(faults) > 0 {
		w.t.Fatal(faults)
	}
	w.store.mu.Lock()
	o.Metadata.ResourceVersion = w.store.version()
	w.store.overrides[o.Ref()] = o
	w.store.mu.Unlock()
	w.scheduler.OverrideChanged(o)
}

func (w *world) unoverride(name string) {
	w.store.mu.Lock()
	for ref, o := range w.store.overrides {
		if ref.Name == name {
			delete(w.store.overrides, ref)
			w.store.mu.Unlock()
			w.scheduler.OverrideDeleted(o)
			return
		}
	}
	w.store.mu.Unlock()
	w.t.Fatalf("no override %q", name)
}

// images is what the containers that were not told to stop run, by cluster: "a=nginx*2 b=reg/nginx*1".
func (w *world) images(uid string) string {
	counts := map[string]int{}
	for _, c := range w.store.of(uid) {
		if c.Stop {
			continue
		}
		r := w.store.resources[uid].Resource
		if c.Rendering > 0 {
			r.Object = w.store.renderings[uid][c.Rendering].Object
		}
		counts[w.store.nodes[c.Node].Cluster+" "+fleet.TemplateOf(&r).Containers[0].Image]++
	}
	return written(counts)
}

// unpolicy deletes a policy as db does: what it holds is freed in the same moment.
func (w *world) unpolicy(name string) {
	w.store.mu.Lock()
	for ref, p := range w.store.policies {
		if ref.Name != name {
			continue
		}
		delete(w.store.policies, ref)
		for uid, b := range w.store.bindings {
			if b.Policy != nil && *b.Policy == ref {
				b.Policy, b.Kept = nil, p.KeepsOnPolicyDeletion()
				w.store.bindings[uid] = b
			}
		}
		w.store.mu.Unlock()
		w.scheduler.PolicyDeleted(p)
		return
	}
	w.store.mu.Unlock()
	w.t.Fatalf("no policy %q", name)
}

func (w *world) applyResource(doc *fleet.Doc) {
	w.t.Helper()
	r, faults := fleet.DecodeResource(doc, nil)
	if len(faults) > 0 {
		w.t.Fatal(faults)
	}
	if fleet.BuiltInScope(r.APIVersion, r.Kind) == fleet.ScopeNamespace {
		r.Namespace = "acme"
	}
	w.store.mu.Lock()
	next := fleet.StoredResource{Resource: r, UID: w.uid(r.Name), Tenant: r.Namespace, Generation: 1, Revision: 1, TemplateRevision: 1}
	if old, ok := w.store.resources[next.UID]; ok {
		next.Generation, next.Revision, next.TemplateRevision = old.Generation+1, old.Revision+1, old.TemplateRevision
		next.Status, next.LastContainer = old.Status, old.LastContainer
	}
	next.ResourceVersion = w.store.version()
	w.store.resources[next.UID] = next
	w.store.mu.Unlock()
	w.scheduler.ResourceChanged(next)
}

// uid of a resource that apply stored.
func (w *world) uid(name string) string { return "res" + strings.ReplaceAll(name, "-", "") }

// discard deletes a resource; what it distributed stays where preserved says so.
func (w *world) discard(name string, preserved bool) {
	w.store.mu.Lock()
	uid := w.uid(name)
	r := w.store.resources[uid]
	r.Preserved = preserved
	if preserved {
		w.store.resources[uid] = r
	} else {
		delete(w.store.resources, uid)
		delete(w.store.bindings, uid)
	}
	w.store.mu.Unlock()
	w.scheduler.ResourceDeleted(r)
}

// label sets a cluster's labels.
func (w *world) label(cluster string, labels map[string]string) {
	w.store.mu.Lock()
	c := w.store.clusters[cluster]
	c.Labels, c.ResourceVersion = labels, w.store.version()
	w.store.clusters[cluster] = c
	w.store.mu.Unlock()
	w.scheduler.ClusterChanged(c)
}

// split is where a workload's replicas run that were not told to stop: "a=2 b=1".
func (w *world) split(uid string) string {
	counts := map[string]int{}
	for _, name := range w.nodesOf(uid) {
		counts[w.store.nodes[name].Cluster]++
	}
	return written(counts)
}

func written(counts map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s=%d", name, counts[name]))
	}
	return strings.Join(parts, " ")
}

// told is the report in short: "PartlyPlaced a=2/1 b=1/1 | capacity(a)": desired and placed by cluster, and why not.
func (w *world) told(uid string) string {
	r := w.scheduler.Placement(uid, false)
	text := string(r.State)
	for _, c := range r.Clusters {
		text += fmt.Sprintf(" %s=%d/%d", c.Name, c.Desired, c.Placed)
	}
	for _, x := range r.Excluded {
		text += fmt.Sprintf(" -%s:%s", x.Name, x.Reason.Code)
	}
	if r.Unmanaged {
		text += " unmanaged"
	}
	if r.Pending != nil {
		for _, reason := range r.Pending.Reasons {
			text += " | " + string(reason.Code)
			if len(reason.Clusters) > 0 {
				text += "(" + strings.Join(reason.Clusters, ",") + ")"
			}
			if reason.Field != "" {
				text += " " + reason.Field
			}
		}
	}
	return text
}

// three clusters of one node each, in three countries.
func (w *world) three(capacity fleet.Amount) {
	for i, country := range []string{"CA", "DE", "US"} {
		name := string(rune('a' + i))
		w.cluster(name, fleet.AllTenants)
		w.node("node-"+name, name, country, "", capacity)
	}
}

// policyOver is a policy of the name over a workload of the same name.
func policyOver(name, placement string) string {
	return `
apiVersion: policy.one.alibabacloud.com/v1alpha1
kind: PropagationPolicy
metadata: {name: ` + name + `}
spec:
  resourceSelectors:
    - {apiVersion: apps/v1, kind: Deployment, name: ` + name + `}
    - {apiVersion: odysseus/v1, kind: Deployment, name: ` + name + `}
    - {apiVersion: batch/v1, kind: Job, name: ` + name + `}
  placement: ` + placement + "\n"
}

// webOf is an apps/v1 Deployment.
func webOf(name string, replicas int, labels string) string {
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s, labels: {app: %[1]s%[3]s}}
spec:
  replicas: %[2]d
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec: {containers: [{name: main, image: "nginx:latest"}]}
`, name, replicas, labels)
}

// jobOf is a batch/v1 Job.
func jobOf(name string, parallelism int, more string) string {
	return fmt.Sprintf(`
apiVersion: batch/v1
kind: Job
metadata: {name: %s}
spec: {parallelism: %d%s, template: {spec: {restartPolicy: OnFailure, containers: [{name: main, image: "nginx:latest"}]}}}
`, name, parallelism, more)
}
