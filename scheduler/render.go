package scheduler

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"odysseus/fleet"
)

// rendering is a deployment as one cluster is to receive it.
type rendering struct {
	// number of what is stored; 0 where the cluster receives the deployment as it stands. fresh says that it is yet to be
	// stored.
	number int64
	fresh  bool
	object json.RawMessage
	// template is what its containers run; the zero value of what runs none.
	template fleet.PodTemplate
	// count is the cluster's where an override decides it: "an override of /spec/replicas decides that cluster's count
	// after division".
	count *int
	// blocked is why nothing is distributed there: "while what runs there stays".
	blocked *fleet.RenderError
	applied []fleet.PolicyRef
	// What of the deployment is different there: nil, empty and zero where nothing is rendered.
	unsupported  string
	dependencies []fleet.Dependency
	need         fleet.Amount
	data         map[string]bool
}

// renders is what overrides make of one deployment.
type renders struct {
	// document is the deployment as it stands, with its object.
	document fleet.Resource
	// current is by cluster; a cluster that is not in it receives the deployment as it stands.
	current map[*cluster]*rendering
	// known are the stored ones that something uses, by number.
	known map[int64]known
	// What current was rendered from.
	generation int64
	epoch      uint64
	// last is the highest number given out, whether it came to be stored or not: none is ever given twice.
	last int64
	// lost are numbers of a decision whose commit failed: the store may have them all the same, so they are given up.
	lost []int64
}

// known is a rendering that is stored.
type known struct {
	object   json.RawMessage
	template fleet.PodTemplate
}

// rerender brings what the clusters are to receive up to date. Nothing is rendered of what no propagation policy
// distributes. It is a memory of a pure function: the same inputs leave the same behind.
func (p *picture) rerender(d *deployment, distributed bool) {
	all := p.overrides.reaching(d.ref.Namespace)
	if !distributed || len(all) == 0 {
		if d.renders != nil {
			d.renders.current, d.renders.epoch = nil, 0
		}
		return
	}
	if d.renders == nil {
		d.renders = &renders{known: map[int64]known{}}
	}
	r := d.renders
	if r.epoch == p.overrides.epoch && r.generation == d.generation {
		return
	}
	r.epoch, r.generation, r.document = p.overrides.epoch, d.generation, d.source()
	r.current = map[*cluster]*rendering{}
	r.last = max(r.last, d.binding.LastRendering)
	for _, c := range p.clusterList {
		if !c.known || d.ref.Tenant != "" && !c.grants(d.ref.Tenant) {
			continue
		}
		x := d.render(c, all)
		if x == nil {
			continue
		}
		r.current[c] = x
		if x.blocked != nil || !x.differs(d) {
			continue
		}
		if x.number = r.find(d, c, x); x.number == 0 {
			r.last++
			x.number, x.fresh = r.last, true
		}
	}
}

// render applies the overrides for one cluster; nil where none has anything to say there.
func (d *deployment) render(c *cluster, all []*fleet.Override) *rendering {
	of := fleet.Cluster{Name: c.name, Labels: c.labels}
	out := fleet.Render(&d.renders.document, of, all)
	if out.Err != nil {
		return &rendering{blocked: out.Err, applied: []fleet.PolicyRef{out.Err.Policy}}
	}
	if len(out.Applied) == 0 {
		return nil
	}
	x := &rendering{object: out.Object}
	for _, rule := range out.Applied {
		if !slices.Contains(x.applied, rule.Policy) {
			x.applied = append(x.applied, rule.Policy)
		}
	}
	rendered := out.With(&d.renders.document)
	runs := runnable(&rendered)
	x.unsupported, x.dependencies, x.need = runs.unsupported, fleet.DependenciesOf(&rendered), rendered.Requests()
	x.template = fleet.TemplateOf(&rendered)
	x.data = keysOf(&rendered)
	x.count = d.countRendered(of, all, out)
	return x
}

// countRendered is the count that an override decides; nil where none does. The document's own count is told from one
// that an override set to the same number by rendering another count too.
func (d *deployment) countRendered(c fleet.Cluster, all []*fleet.Override, out fleet.Rendered) *int {
	if !d.runs.counted {
		return nil
	}
	rendered := out.With(&d.renders.document)
	counts, _ := rendered.Replicas()
	own, _ := d.renders.document.Replicas()
	if counts.Count == own.Count {
		probe := d.renders.document
		probe.Object = d.renders.document.Deliver(fleet.Replicas{Count: own.Count + 1, Completions: own.Completions})
		again := fleet.Render(&probe, c, all)
		if again.Err != nil {
			return nil
		}
		rendered = again.With(&probe)
		if other, _ := rendered.Replicas(); other.Count != counts.Count {
			return nil
		}
	}
	n := int(counts.Count)
	return &n
}

// differs says whether what runs, or is read, there is another than the deployment as it stands: a count alone is no
// rendering, for it is carried out by the scheduler.
func (x *rendering) differs(d *deployment) bool {
	if d.runs.containers {
		return !reflect.DeepEqual(x.template, fleet.TemplateOf(&d.renders.document))
	}
	return !bytes.Equal(x.object, d.renders.document.Object)
}

// find answers the number of a stored rendering that is the same; of what runs the containers decide, so that a label
// that changed starts nothing anew.
func (r *renders) find(d *deployment, c *cluster, x *rendering) int64 {
	same := func(k known) bool {
		if d.runs.containers {
			return reflect.DeepEqual(k.template, x.template)
		}
		return bytes.Equal(k.object, x.object)
	}
	if n := d.binding.Renderings[c.name]; n > 0 {
		if k, ok := r.known[n]; ok && same(k) {
			return n
		}
	}
	if !d.runs.containers {
		return 0 // a stored one names its cluster
	}
	for _, n := range slices.Sorted(maps.Keys(r.known)) {
		if same(r.known[n]) {
			return n
		}
	}
	for other, y := range r.current {
		if other != c && y.fresh && reflect.DeepEqual(y.template, x.template) {
			return y.number
		}
	}
	return 0
}

// distributed says whether overrides apply: "to what a propagation policy distributes", what a workload takes along
// included.
func (p *picture) distributed(d *deployment) bool {
	var t target
	if p.chooseClaim(d, &t); t.policy != nil {
		return true
	}
	if d.data != nil {
		for w := range p.resources.dependents[d.object.Key()] {
			if w.policy != nil && w.policy.Spec.PropagateDeps {
				return true
			}
		}
	}
	return false
}

// needOn is what a replica takes on the cluster.
func (d *deployment) needOn(c *cluster) fleet.Amount {
	if x := d.rendered(c); x != nil && x.blocked == nil {
		return x.need
	}
	return d.need.Amount
}

// needFor is the shared record of that.
func (p *picture) needFor(d *deployment, c *cluster) *need {
	want := d.needOn(c)
	if want == d.need.Amount {
		return d.need
	}
	if n, ok := p.needs[want]; ok {
		return n
	}
	n := &need{Amount: want}
	p.needs[want] = n
	return n
}

// rendered is what the cluster is to receive; nil where that is the deployment as it stands.
func (d *deployment) rendered(c *cluster) *rendering {
	if d.renders == nil {
		return nil
	}
	return d.renders.current[c]
}

// wanted is the number of what is to run on the cluster; false where nothing new may be started there.
func (d *deployment) wanted(c *cluster) (int64, bool) {
	x := d.rendered(c)
	switch {
	case x == nil:
		return 0, true
	case x.blocked != nil:
		return 0, false
	}
	return x.number, true
}

// store puts into the decision what is to be stored of the renderings, and what nothing uses any more.
func (r *renders) store(d *deployment, l *plan) {
	next := &l.target.binding
	next.LastRendering = d.binding.LastRendering
	numbers := map[string]int64{}
	used := map[int64]bool{}
	for _, c := range sortedClusters(r.current) {
		x := r.current[c]
		if x.blocked != nil {
			if n := d.binding.Renderings[c.name]; n > 0 {
				numbers[c.name], used[n] = n, true // what runs there stays
			}
			continue
		}
		if x.number == 0 {
			continue
		}
		numbers[c.name] = x.number
		if x.fresh && !used[x.number] {
			l.decision.Renderings = append(l.decision.Renderings, fleet.Rendering{UID: d.uid, Number: x.number, Cluster: c.name, Object: x.object})
		}
		used[x.number] = true
		next.LastRendering = max(next.LastRendering, x.number)
	}
	if len(numbers) > 0 {
		next.Renderings = numbers
	}
	for _, c := range d.containers {
		used[int64(c.rendering)] = true
	}
	for _, n := range slices.Sorted(maps.Keys(r.known)) {
		if !used[n] {
			l.decision.Drop = append(l.decision.Drop, n)
		}
	}
	l.decision.Drop = append(l.decision.Drop, r.lost...)
}

// forget gives up the numbers of a decision whose commit failed, and has everything rendered again.
func (r *renders) forget(decision *fleet.Decision) {
	for _, x := range decision.Renderings {
		r.lost = append(r.lost, x.Number)
	}
	if len(decision.Renderings) > 0 {
		r.epoch = 0
	}
}

// stored takes over what a decision that held left in the store.
func (r *renders) stored(decision *fleet.Decision) {
	for _, n := range decision.Drop {
		delete(r.known, n)
		r.lost = slices.DeleteFunc(r.lost, func(lost int64) bool { return lost == n })
	}
	for _, x := range decision.Renderings {
		of := r.document
		of.Object = x.Object
		r.known[x.Number] = known{x.Object, fleet.TemplateOf(&of)}
	}
	for _, x := range r.current {
		if _, there := r.known[x.number]; there {
			x.fresh = false
		}
	}
}

func sortedClusters(m map[*cluster]*rendering) []*cluster {
	list := slices.Collect(maps.Keys(m))
	slices.SortFunc(list, func(a, b *cluster) int { return bytes.Compare([]byte(a.name), []byte(b.name)) })
	return list
}
