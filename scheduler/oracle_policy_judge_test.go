package scheduler

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"odysseus/fleet"
)

// judgePolicies looks at a batch before it is stored: every decision as the page on policies would have it.
func (w *policyWorld) judgePolicies(decisions []fleet.Decision) (faults []string) {
	extra := map[string]fleet.Amount{}
	w.before = maps.Clone(w.store.containers)
	for i := range decisions {
		dec, found := &decisions[i], len(faults)
		fault := func(format string, args ...any) {
			faults = append(faults, dec.DeploymentUID+": "+fmt.Sprintf(format, args...))
		}
		s, ok := w.subject(dec.DeploymentUID)
		if dec.Deleted {
			if len(dec.Assign)+len(dec.Adopt) > 0 || dec.Binding != nil || ok {
				fault("is treated as deleted")
			}
			continue
		}
		for _, c := range dec.Assign {
			w.needs[c.ID] = s.need
		}
		if !ok || s.generation != dec.Generation {
			continue // it will not hold
		}
		before := w.used(extra)
		for _, c := range dec.Assign {
			extra[c.Node] = extra[c.Node].Plus(s.need)
			w.judgeNode(s, c, extra, fault)
		}
		if dec.Status == nil && dec.Binding == nil && len(dec.Assign)+len(dec.Events) == 0 && w.unsure[s.uid] {
			continue // it makes sure of what a commit left that failed
		}
		w.observe(s)
		w.judgeDecision(s, dec, before, w.used(extra), fault)
		if len(faults) > found {
			fault("decided to assign %+v, adopt %v, stop %v, remove %v, bind %+v, status %+v", dec.Assign, dec.Adopt, dec.Stop, dec.Remove, dec.Binding, dec.Status)
		}
	}
	return faults
}

// used answers what a node holds: by the rows, by assignments that failed and may be stored all the same, and by the
// decisions before in the batch.
func (w *policyWorld) used(extra map[string]fleet.Amount) func(string) fleet.Amount {
	sums := map[string]fleet.Amount{}
	for _, c := range w.store.containers {
		sums[c.Node] = sums[c.Node].Plus(w.needs[c.ID])
	}
	for id, c := range w.phantoms {
		if _, stored := w.store.containers[id]; !stored {
			sums[c.Node] = sums[c.Node].Plus(w.needs[id])
		}
	}
	for node, a := range extra {
		sums[node] = sums[node].Plus(a)
	}
	return func(node string) fleet.Amount { return sums[node] }
}

// judgeNode judges one assignment by its node alone.
func (w *policyWorld) judgeNode(s subject, c fleet.Container, extra map[string]fleet.Amount, fault func(string, ...any)) {
	n, exists := w.store.nodes[c.Node]
	switch {
	case !exists:
		fault("%s is assigned to %s, which does not exist", c.ID, c.Node)
		return
	case !w.alive(c.Node):
		fault("%s is assigned to %s, which is lost", c.ID, c.Node)
	case n.Cordoned || !n.DrainDeadline.IsZero():
		fault("%s is assigned to %s, which is closed", c.ID, c.Node)
	case !w.granted(s.tenant, n.Cluster):
		fault("%s of %s is assigned to %s, which it was not granted", c.ID, s.tenant, n.Cluster)
	case !w.allows(s, n):
		fault("%s requires %v and is assigned to %s at %v", c.ID, s.residency, c.Node, n.Labels)
	}
	if free := n.Capacity.Minus(w.world.used(c.Node)); !extra[c.Node].Fits(free) {
		fault("%s takes more of %s than is free", c.ID, c.Node)
	}
	if c.Revision != s.revision {
		fault("%s is of revision %d, not %d", c.ID, c.Revision, s.revision)
	}
	if c.Requests != s.need {
		fault("%s takes %+v, not %+v", c.ID, c.Requests, s.need)
	}
}

func (w *policyWorld) judgeDecision(s subject, dec *fleet.Decision, before, after func(string) fleet.Amount, fault func(string, ...any)) {
	stored, believed := w.store.bindings[s.uid], w.believed[s.uid]
	binding := believed
	if dec.Binding != nil {
		binding = *dec.Binding
	}
	if s.preserved {
		if len(dec.Assign)+len(dec.Stop) > 0 {
			fault("is preserved, and yet assigned %d and stopped %v", len(dec.Assign), dec.Stop)
		}
		return
	}
	if want, or := w.claimant(s, stored.Policy), w.claimant(s, believed.Policy); !sameRef(binding.Policy, want) && !sameRef(binding.Policy, or) {
		fault("is held by %v, want %v (stored %v, believed %v)", binding.Policy, want, stored.Policy, believed.Policy)
		return
	}
	// "What is kept is shown as no longer managed", until a policy holds it again.
	if kept := binding.Policy == nil && stored.Policy == nil && stored.Kept; !w.unsure[s.uid] && binding.Kept != kept {
		fault("kept %v, want %v (stored %+v)", binding.Kept, kept, stored)
	}
	calledOff := false
	if !w.unsure[s.uid] && stored.Equal(&believed) {
		calledOff = w.judgeFailover(s, dec, stored, binding, fault)
	}
	was := w.active(s.uid)
	v := w.look(s, binding, was, before, calledOff)
	stops := func(c fleet.Container) bool { return slices.Contains(dec.Stop, c.ID) }
	if v.waits != "" {
		if len(dec.Assign) > 0 {
			fault("waits (%s), and is assigned %d", v.waits, len(dec.Assign))
		}
		if v.frozen && len(dec.Stop) > 0 {
			fault("is to stay as it is (%s), and is stopped %v", v.waits, dec.Stop)
		}
		for _, c := range was {
			if !v.frozen && !stops(c) {
				fault("goes on (%s) though no policy selects it any more", c.ID)
			}
		}
		return
	}
	for _, c := range dec.Assign {
		at := w.clusterOf(c)
		if why := v.refused[at]; why != "" {
			fault("%s is assigned to %s, which is no candidate: %s", c.ID, at, why)
		}
		if w.gated(s, v.policy, at, w.believed) && w.gated(s, v.policy, at, w.store.bindings) {
			fault("%s is assigned to %s before its ConfigMap is there", c.ID, at)
		}
		if !s.runs {
			fault("%s has replicas", s.kind)
		}
	}
	for _, x := range v.dropped {
		for _, c := range x.all {
			if !v.unclear && !stops(c) {
				fault("%s goes on in %s, where it has no business (%s)", c.ID, w.clusterOf(c), v.refused[w.clusterOf(c)])
			}
		}
	}
	for _, x := range v.parked {
		if stops(x.counts) {
			fault("%s is stopped before the new one is healthy", x.counts.ID)
		}
	}
	w.judgeParts(&v, dec, after, fault)
}

// judgeParts compares what the candidates hold after the decision with their parts.
func (w *policyWorld) judgeParts(v *view, dec *fleet.Decision, used func(string) fleet.Amount, fault func(string, ...any)) {
	s := v.s
	if v.unclear || !s.runs || w.unsure[s.uid] && s.afresh == s.generation {
		return
	}
	next := w.outcome(dec)
	_, leaving := movedOff(v.binding)
	var numbers []numbered
	for _, x := range w.number(s, next) {
		if !slices.Contains(leaving, w.clusterOf(x.counts)) {
			numbers = append(numbers, x)
		}
	}
	held, moves := map[string]int{}, 0
	there := map[int]numbered{}
	for _, x := range numbers {
		there[x.number] = x
		at := w.clusterOf(x.counts)
		switch {
		case x.standing > ofOld:
			moves++
		case v.refused[at] == "" && w.allows(s, w.store.nodes[x.counts.Node]):
			held[at]++
		case !v.flexible():
			held[at]++ // of a part that is fixed, what is outside the residency is a part
		}
		if len(dec.Assign) > 0 && len(x.all) > 2 {
			fault("%d containers of replica %d", len(x.all), x.number)
		}
	}
	if len(dec.Assign) > 0 && len(numbers) > v.total {
		fault("would have %d replicas, %d are wanted", len(numbers), v.total)
	}
	rolled, mended, lost, was := 0, 0, map[string]int{}, maps.Clone(v.held)
	for _, x := range v.numbers {
		at := w.clusterOf(x.counts)
		y, stays := there[x.number]
		if x.standing == ofOld && stays && y.counts.ID != x.counts.ID && !w.allows(s, w.store.nodes[x.counts.Node]) {
			mended++ // what was outside counts for no part, and its replacement does
		}
		if x.standing > ofOld || v.refused[at] != "" {
			continue
		}
		if !w.allows(s, w.store.nodes[x.counts.Node]) {
			if v.flexible() {
				continue
			}
			was[at]++
		}
		switch {
		case !stays:
			lost[at]++
		case x.standing == ofOld && w.clusterOf(y.counts) != at:
			rolled++
		case x.standing == atHome && slices.Contains(dec.Stop, x.counts.ID) && slices.ContainsFunc(dec.Assign, func(c fleet.Container) bool { return c.ID == y.counts.ID }):
			lost[at]++ // and another has its number
		}
	}
	unplaced := max(0, v.total-len(numbers)) + moves
	for _, name := range v.candidates {
		if more := held[name] - v.parts[name]; more > mended && !(v.flexible() && more <= rolled+mended) {
			fault("%s holds %d, its part is %d: %s", name, held[name], v.parts[name], v)
		}
		if lost[name] > max(0, was[name]-v.parts[name]) {
			fault("%s loses %d of %d, its part is %d: %s", name, lost[name], was[name], v.parts[name], v)
		}
		spare := unplaced > 0 && held[name] < v.parts[name] && (v.flexible() || w.keptElsewhere(v) == 0)
		if spare && rolled == 0 && !w.gated(s, v.policy, name, w.store.bindings) && !w.gated(s, v.policy, name, w.believed) && w.room(s, name, used) > 0 {
			fault("%s holds %d, its part is %d, and it has room: %s", name, held[name], v.parts[name], v)
		}
	}
	if v.gang() && v.division() != "duplicated" && len(numbers) > len(v.numbers) && len(numbers) < v.total {
		fault("a gang of %d is placed in part: %d before, %d now", v.total, len(v.numbers), len(numbers))
	}
}

// keptElsewhere is what is kept where nothing more may go: what the sum of fixed parts lacks is not placed anew.
func (w *policyWorld) keptElsewhere(v *view) int {
	n := 0
	for at, kept := range v.keptIn {
		if v.refused[at] != "" && v.division() == "static" {
			n += kept
		}
	}
	return n
}

// outcome is the subject's containers once the decision is stored.
func (w *policyWorld) outcome(dec *fleet.Decision) []fleet.Container {
	var next []fleet.Container
	for _, c := range w.active(dec.DeploymentUID) {
		if slices.Contains(dec.Stop, c.ID) || slices.Contains(dec.Remove, c.ID) {
			continue
		}
		for _, a := range dec.Adopt {
			if a.ID == c.ID {
				c.Revision = a.Revision
			}
		}
		next = append(next, c)
	}
	return append(next, dec.Assign...)
}

func (v *view) String() string {
	return fmt.Sprintf("%s of %d, candidates %v, held %v, kept %v, parts %v, rest %d, total %d", v.division(), v.s.count, v.candidates, v.held, v.keptIn, v.parts, v.rest, v.total)
}

// judgeFailover judges what becomes of the records of clusters where the subject is unhealthy, and says whether a move was
// called off.
func (w *policyWorld) judgeFailover(s subject, dec *fleet.Decision, before, after fleet.Binding, fault func(string, ...any)) (calledOff bool) {
	now := w.clock.Now().Truncate(time.Millisecond)
	f := w.failoverOf(s, after.Policy)
	for _, name := range slices.Sorted(maps.Keys(w.store.clusters)) {
		was, is := recordIn(before.Failovers, name), recordIn(after.Failovers, name)
		h := w.healthIn(s, name)
		if w.frozen(s, after) {
			// What was moved stays so. How long it has been unhealthy nobody looks at, so it does not count.
			if was.MovedAt.IsZero() {
				was = fleet.ClusterFailover{Cluster: name}
			}
			if was != is {
				fault("%s: %+v comes to %+v though it waits", name, was, is)
			}
			continue
		}
		switch {
		case f == nil && is != (fleet.ClusterFailover{Cluster: name}):
			fault("%s: %+v without any failover", name, is)
		case f == nil || was == is:
		case !is.UnhealthySince.IsZero() && !is.UnhealthySince.Equal(was.UnhealthySince) && !is.UnhealthySince.Equal(now):
			fault("%s: unhealthy since %s, at %s", name, is.UnhealthySince, now)
		case !is.MovedAt.IsZero() && (was.MovedAt.IsZero() || was.Generation != s.generation):
			w.judgeMove(s, f, is, after, now, fault)
		case !was.MovedAt.IsZero() && is.MovedAt.IsZero():
			changed := was.Generation != s.generation
			calledOff = calledOff || !changed
			if !changed && (was.Purged || h.bad > 0 || h.replicas == 0) {
				fault("%s: the move is forgotten: %+v, %+v", name, was, h)
			}
		case !was.Purged && is.Purged:
			over := !now.Before(was.MovedAt.Add(time.Duration(f.grace) * time.Second))
			if h.replicas > 0 && !over && (h.readyElsewhere < s.count || s.count == 0) {
				fault("%s: purged after %s, %d of %d ready elsewhere", name, now.Sub(was.MovedAt), h.readyElsewhere, s.count)
			}
		case !was.UnhealthySince.IsZero() && is.UnhealthySince.IsZero() && h.bad > 0:
			fault("%s: unhealthy and forgotten: %+v", name, h)
		case is.Manual && (f.mode != "Never" || now.Sub(w.ill[s.uid][name]) < f.toleration):
			fault("%s: left to a person after %s of %s", name, now.Sub(w.ill[s.uid][name]), f.toleration)
		}
	}
	return calledOff
}

func (w *policyWorld) judgeMove(s subject, f *failoverRule, is fleet.ClusterFailover, after fleet.Binding, now time.Time, fault func(string, ...any)) {
	since, ill := w.ill[s.uid][is.Cluster]
	if !ill || now.Sub(since) < f.toleration {
		fault("%s: moved off %s after %s (ill %v), %s are tolerated", s.uid, is.Cluster, now.Sub(since), ill, f.toleration)
	}
	h := w.healthIn(s, is.Cluster)
	if f.mode == "Never" || is.Purged != (f.mode == "Immediately" || s.count > 0 && h.readyElsewhere >= s.count) {
		fault("%s: %s moves, purged %v", is.Cluster, f.mode, is.Purged)
	}
	if !is.MovedAt.Equal(now) || is.Generation != s.generation {
		fault("%s: moved at %s of generation %d, now %s and %d", is.Cluster, is.MovedAt, is.Generation, now, s.generation)
	}
	v := w.look(s, after, nil, w.used(nil), false)
	if len(v.candidates) == 0 {
		fault("moved off %s, and nothing is left to go to: %v", is.Cluster, v.refused)
	}
}
