package scheduler

import (
	"fmt"
	"strings"

	"odysseus/fleet"
)

// writeResource creates a resource, or takes over what one left that was preserved.
func (w *policyWorld) writeResource() {
	m := manifest{namespace: w.name("acme", "acme", "zen"), labels: w.anyLabels(), completions: -1, image: "a"}
	if len(w.deleted) > 0 && w.rng.IntN(2) == 0 {
		m = w.made[w.deleted[0]]
		m.replicas, m.labels = w.rng.IntN(5), w.anyLabels()
		w.deleted = w.deleted[1:]
	} else {
		if len(w.store.resources) >= 10 {
			return
		}
		w.names++
		m.name = fmt.Sprint("r", w.names)
		w.anyManifest(&m)
	}
	w.say("resource %+v", m)
	w.put(m)
}

func (w *policyWorld) anyManifest(m *manifest) {
	switch w.rng.IntN(8) {
	case 0, 1:
		m.api, m.kind, m.name = "v1", "ConfigMap", fmt.Sprint("c", w.names%3)
		m.data = pick(w.randomWorld, []string{"one"}, []string{"one", "two"}, nil)
		return
	case 2, 3:
		m.api, m.kind = "batch/v1", "Job"
		m.completions = pick(w.randomWorld, -1, -1, 1, 2, 9)
	default:
		m.api, m.kind = "apps/v1", "Deployment"
	}
	m.replicas, m.containers, m.milli = w.rng.IntN(5), pick(w.randomWorld, 1, 1, 1, 2), pick[int64](w.randomWorld, 0, 0, 500, 1500)
	if w.rng.IntN(5) == 0 {
		m.config, m.key = fmt.Sprint("c", w.rng.IntN(3)), w.name("", "one", "two")
	}
}

// put stores a resource as control does: every change is a generation, a change of the object a revision, and one of the
// pod template a revision that replicas are replaced for.
func (w *policyWorld) put(m manifest) {
	docs, faults := fleet.Parse([]byte(m.yaml()), fleet.FormatYAML)
	if len(faults) > 0 {
		w.t.Fatal(faults)
	}
	r, faults := fleet.DecodeResource(docs[0], nil)
	if len(faults) > 0 {
		w.t.Fatal(faults)
	}
	r.Namespace, r.Labels = m.namespace, m.labels
	uid := ""
	for _, old := range w.store.resources {
		if old.Key() == r.Key() {
			uid = old.UID
		}
	}
	next := fleet.StoredResource{Resource: r, UID: uid, Tenant: m.namespace, Generation: 1, Revision: 1, TemplateRevision: 1, ResourceVersion: w.store.version()}
	if uid == "" {
		w.uids++
		next.UID = fmt.Sprintf("res%04d", w.uids)
	} else {
		old, was := w.store.resources[uid], w.made[uid]
		next.Generation, next.Revision, next.TemplateRevision = old.Generation+1, old.Revision, old.TemplateRevision
		next.Status, next.LastContainer, next.DividedAfresh = old.Status, old.LastContainer, old.DividedAfresh
		if was.image != m.image || was.replicas != m.replicas || was.completions != m.completions {
			next.Revision++
		}
		if was.image != m.image {
			next.TemplateRevision = next.Revision
		}
	}
	w.store.resources[next.UID], w.made[next.UID] = next, m
	w.tell(func() { w.scheduler.ResourceChanged(next) })
}

func (m manifest) yaml() string {
	text := fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: %s}\n", m.api, m.kind, m.name)
	if m.kind == "ConfigMap" {
		var data []string
		for _, k := range m.data {
			data = append(data, k+": text")
		}
		return text + "data: {" + strings.Join(data, ", ") + "}\n"
	}
	var containers []string
	for i := range m.containers {
		c := fmt.Sprintf("{name: c%d, image: %q", i, m.image)
		if m.milli > 0 {
			c += fmt.Sprintf(`, resources: {requests: {cpu: "%dm"}}`, m.milli)
		}
		switch {
		case i > 0 || m.config == "":
		case m.key == "":
			c += ", envFrom: [{configMapRef: {name: " + m.config + "}}]"
		default:
			c += ", env: [{name: A, valueFrom: {configMapKeyRef: {name: " + m.config + ", key: " + m.key + "}}}]"
		}
		containers = append(containers, c+"}")
	}
	pod := "spec: {containers: [" + strings.Join(containers, ", ") + "]"
	if m.kind == "Job" {
		if m.completions >= 0 {
			text += fmt.Sprintf("spec: {completions: %d, ", m.completions)
		} else {
			text += "spec: {"
		}
		return text + fmt.Sprintf("parallelism: %d, template: {%s, restartPolicy: OnFailure}}}\n", m.replicas, pod)
	}
	return text + fmt.Sprintf("spec: {replicas: %d, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, %s}}}\n", m.replicas, pod)
}

// changeResource scales, relabels or edits a resource, or has it divided afresh.
func (w *policyWorld) changeResource() {
	r, ok := w.anyResource()
	if !ok {
		return
	}
	m := w.made[r.UID]
	switch w.rng.IntN(6) {
	case 0, 1:
		m.replicas = w.rng.IntN(7)
	case 2:
		m.labels = w.anyLabels()
	case 3:
		m.image = w.name("a", "b")
	case 4:
		if m.kind == "ConfigMap" {
			m.data = pick(w.randomWorld, []string{"one"}, []string{"one", "two"}, nil)
		}
	default:
		r.Generation++
		r.DividedAfresh = r.Generation
		w.say("divide %s afresh", r.UID)
		w.store.resources[r.UID] = r
		w.tell(func() { w.scheduler.ResourceChanged(r) })
		return
	}
	w.say("change %s %+v", r.UID, m)
	w.put(m)
}

// dropResource deletes a resource: "a deleted resource is removed from the members, unless a policy under Karmada's
// apiVersion preserves it".
func (w *policyWorld) dropResource() {
	r, ok := w.anyResource()
	if !ok {
		return
	}
	if b := w.store.bindings[r.UID]; b.Policy != nil {
		p := w.store.policies[*b.Policy]
		r.Preserved = p.APIVersion == fleet.PolicyAPIVersionKarmada && p.Spec.PreserveResourcesOnDeletion != nil && *p.Spec.PreserveResourcesOnDeletion
	}
	w.say("delete %s, preserved %v", r.UID, r.Preserved)
	if r.Preserved {
		w.store.resources[r.UID] = r
		w.deleted = append(w.deleted, r.UID)
	} else {
		delete(w.store.resources, r.UID)
		w.unbind(r.UID)
	}
	w.tell(func() { w.scheduler.ResourceDeleted(r) })
}
