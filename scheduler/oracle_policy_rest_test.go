package scheduler

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"odysseus/fleet"
)

// inspectPolicies looks at everything once the scheduler rests.
func (w *policyWorld) inspectPolicies() (faults []string) {
	faults = w.inspect()
	owners := map[string]bool{}
	for _, s := range w.subjects() {
		owners[s.uid] = true
		fault := func(format string, args ...any) {
			faults = append(faults, s.uid+": "+fmt.Sprintf(format, args...))
		}
		w.observe(s)
		if !s.preserved {
			w.inspectSubject(s, fault)
		}
	}
	for _, c := range sortedValues(w.store.containers) {
		if _, exists := w.store.nodes[c.Node]; c.Gone() || !exists {
			faults = append(faults, fmt.Sprintf("%s on %s is gone and still there", c.ID, c.Node))
		}
		if !owners[c.DeploymentUID] && !c.Stop {
			faults = append(faults, fmt.Sprintf("%s goes on though what it is of was deleted", c.ID))
		}
	}
	return faults
}

// governed says whether the subject's report is of the kind that policies are told by.
func (w *policyWorld) governed(uid string) bool {
	s, ok := w.subject(uid)
	return ok && (s.preserved || !s.own || w.store.bindings[uid].Policy != nil || w.gated(s, nil, "", w.store.bindings))
}

func (w *policyWorld) inspectSubject(s subject, fault func(string, ...any)) {
	b := w.store.bindings[s.uid]
	if want := w.claimant(s, b.Policy); !sameRef(want, b.Policy) {
		fault("is held by %v, want %v", b.Policy, want)
		return
	}
	if b.Kept != w.kept[s.uid] {
		fault("kept %v, want %v", b.Kept, w.kept[s.uid])
	}
	used := w.used(nil)
	v := w.look(s, b, w.active(s.uid), used, false)
	w.inspectRecords(&v, fault)
	if !s.counted {
		w.inspectConfig(&v, fault)
		return
	}
	r := resting{view: &v, used: used}
	r.count(w)
	for _, x := range v.dropped {
		if !v.unclear {
			fault("%s goes on in %s, where it has no business", x.counts.ID, w.clusterOf(x.counts))
		}
	}
	if len(v.numbers) > v.total && v.waits == "" {
		fault("%d replicas, %d wanted: %s", len(v.numbers), v.total, &v)
	}
	for _, x := range v.numbers {
		if n := w.store.nodes[x.all[0].Node]; len(x.all) > 1 && !n.DrainDeadline.IsZero() && !w.clock.Now().Before(n.DrainDeadline) && x.standing == atHome && v.waits == "" {
			fault("%s goes on though the grace has ended and it is replaced", x.all[0].ID)
		}
		if len(x.all) > 2 {
			fault("%d containers of replica %d", len(x.all), x.number)
		}
	}
	if v.waits == "" && !v.unclear {
		w.inspectParts(&r, fault)
	}
	w.inspectStatus(&r, fault)
	if w.governed(s.uid) {
		w.inspectReport(&r, fault)
	}
}

// resting sums a view up at rest.
type resting struct {
	*view
	used func(string) fleet.Amount
	// missing have no number; moves have to leave where they are; old are of an older revision and nothing replaces them.
	missing, moves, old, homeless int
	placed, ready, drifting       int
	rolling                       bool
}

func (r *resting) count(w *policyWorld) {
	s := r.s
	r.missing = max(0, r.total-len(r.numbers))
	r.homeless = r.missing
	for _, x := range r.numbers {
		outdated := x.counts.Revision < s.revision && (x.counts.Revision < s.template || !w.allows(s, w.store.nodes[x.counts.Node]))
		oldWaits := false
		for _, c := range x.all {
			oldWaits = oldWaits || c.ID != x.counts.ID && w.standing(s, c) == ofOld
		}
		switch {
		case x.standing > ofOld:
			r.moves++
			if x.standing == silent || outdated {
				r.homeless++
			}
		case x.standing == ofOld:
			r.old++
		case oldWaits && !x.ready:
			r.rolling = true
		}
		r.placed += oneIf(w.holds(s, x))
		if slices.ContainsFunc(x.all, w.runs) {
			r.ready++
		}
	}
	for _, c := range w.active(s.uid) {
		if !w.allows(s, w.store.nodes[c.Node]) {
			r.drifting++
		}
	}
	if r.rolling || r.waits != "" {
		r.old = 0
	}
	r.homeless += r.old
}

// holds: "Placed counts the replicas that a live node holds", and those that have done their work.
func (w *policyWorld) holds(s subject, x numbered) bool {
	return w.alive(x.counts.Node) || s.job && x.counts.State == "exited"
}

// lacking have no acceptable place.
func (r *resting) lacking() int {
	if r.waits != "" {
		return max(0, r.s.count-r.placed)
	}
	return r.missing + r.moves + r.old
}

// inspectParts: nothing is pending that some candidate could take, and every part is what it should be.
func (w *policyWorld) inspectParts(r *resting, fault func(string, ...any)) {
	sum := r.kept + r.rest
	// A part that waits for a ConfigMap stays where it is, though by what is free now it would be divided otherwise.
	waits := r.flexible() && slices.ContainsFunc(r.candidates, func(name string) bool { return w.gated(r.s, r.policy, name, w.store.bindings) })
	for _, name := range r.candidates {
		sum += r.parts[name]
		open := !w.gated(r.s, r.policy, name, w.store.bindings) && w.room(r.s, name, r.used) > 0
		held := r.held[name]
		if !r.flexible() {
			held += r.keptIn[name]
		}
		if held > r.parts[name] && !(r.gang() && r.missing+r.moves == 0) { // a gang that is all there is left as it is
			fault("%s holds %d, its part is %d: %s", name, held, r.parts[name], r.view)
		}
		if r.missing+r.moves > 0 && held < r.parts[name] && open && !waits && (r.flexible() || w.keptElsewhere(r.view) == 0) {
			fault("%s holds %d, its part is %d, and it has room: %s", name, held, r.parts[name], r.view)
		}
	}
	if r.division() == "duplicated" || r.division() == "static" {
		sum -= r.kept // beside the parts
	}
	if want := r.s.count; len(r.candidates) > 0 && (r.division() == "duplicated" && sum != want*len(r.candidates) && !r.gang() || r.division() != "duplicated" && sum != max(want, r.kept*oneIf(r.flexible()))) {
		fault("the parts and the rest make %d of %d: %s", sum, want, r.view)
	}
	if r.old == 0 {
		return
	}
	for _, x := range r.numbers {
		at := w.clusterOf(x.counts)
		if x.standing == ofOld && r.refused[at] == "" && !w.gated(r.s, r.policy, at, w.store.bindings) && w.room(r.s, at, r.used) > 0 {
			fault("%s is outdated, %s has room, and nothing replaces it", x.counts.ID, at)
		}
	}
}

// leftToAPerson says whether something is unhealthy for too long and is not moved: since its policy says so, or since there
// is nowhere to go.
func (w *policyWorld) leftToAPerson(v *view) bool {
	f := w.failoverOf(v.s, v.binding.Policy)
	if f == nil || v.waits != "" {
		return false
	}
	return slices.ContainsFunc(v.binding.Failovers, func(r fleet.ClusterFailover) bool {
		over := !r.UnhealthySince.IsZero() && !w.clock.Now().Before(r.UnhealthySince.Add(f.toleration))
		moved := !r.MovedAt.IsZero() && r.Generation == v.s.generation
		return r.Manual || over && !moved && !slices.ContainsFunc(v.candidates, func(c string) bool { return c != r.Cluster })
	})
}

func (w *policyWorld) inspectRecords(v *view, fault func(string, ...any)) {
	f := w.failoverOf(v.s, v.binding.Policy)
	if f == nil || v.waits != "" {
		return
	}
	now := w.clock.Now()
	for name := range w.store.clusters {
		r, h := recordIn(v.binding.Failovers, name), w.healthIn(v.s, name)
		moved := !r.MovedAt.IsZero() && r.Generation == v.s.generation
		others := slices.DeleteFunc(slices.Clone(v.candidates), func(c string) bool { return c == name })
		switch over := !now.Before(r.UnhealthySince.Add(f.toleration)); {
		case !moved && h.bad > 0 && r.UnhealthySince.IsZero():
			fault("%s: unhealthy (%+v) and nobody knows", name, h)
		case !moved && !r.UnhealthySince.IsZero() && over && f.mode == "Never" && !r.Manual:
			fault("%s: unhealthy since %s, and no person is told", name, r.UnhealthySince)
		case !moved && !r.UnhealthySince.IsZero() && over && f.mode != "Never" && len(others) > 0:
			fault("%s: unhealthy since %s, now %s, and not moved to %v", name, r.UnhealthySince, now, others)
		case moved && !r.Purged && (h.replicas == 0 || !now.Before(r.MovedAt.Add(time.Duration(f.grace)*time.Second)) || v.s.count > 0 && h.readyElsewhere >= v.s.count):
			fault("%s: moved off, and not purged: %+v %+v", name, r, h)
		}
	}
}

// inspectConfig: "a resource without a replica count goes to every candidate whatever the type", and where a workload takes
// it along to.
func (w *policyWorld) inspectConfig(v *view, fault func(string, ...any)) {
	on := map[string]bool{}
	for _, name := range v.candidates {
		on[name] = true
	}
	for _, o := range w.subjects() {
		if o.config != v.s.name || o.namespace != v.s.namespace || o.preserved {
			continue
		}
		b := w.store.bindings[o.uid]
		if b.Policy == nil && !o.own || b.Policy != nil && !w.store.policies[*b.Policy].Spec.PropagateDeps {
			continue
		}
		for _, c := range w.active(o.uid) {
			on[w.clusterOf(c)] = true
		}
	}
	got := v.binding.Clusters
	for name := range w.store.clusters {
		if is := slices.Contains(got, name); !is && on[name] || is && !on[name] && !v.frozen {
			fault("is on %v, want %v", got, slices.Sorted(maps.Keys(on)))
		}
	}
	state := "Pending"
	switch {
	case len(got) > 0:
		state = "Placed"
	case v.waits != "":
		state = "Waiting"
	}
	if v.s.status == nil || string(v.s.status.State) != state {
		fault("status %+v, want %s", v.s.status, state)
	}
	r := w.scheduler.Placement(v.s.uid, true)
	if string(r.State) != state || !sameRef(r.Policy, v.binding.Policy) || r.Unmanaged != v.binding.Kept {
		fault("placement is %s of %v, want %s of %v", r.State, r.Policy, state, v.binding.Policy)
	}
}

func (r *resting) state() string {
	switch {
	case r.waits != "":
		return "Waiting"
	case r.homeless == 0:
		return "Placed"
	case r.homeless >= r.total:
		return "Pending"
	}
	return "PartlyPlaced"
}

func (w *policyWorld) inspectStatus(r *resting, fault func(string, ...any)) {
	st := r.s.status
	if st == nil {
		fault("no status")
		return
	}
	if r.unclear {
		return
	}
	manual := w.leftToAPerson(r.view)
	got := fmt.Sprint(st.State, st.Replicas, st.Placed, st.Ready, st.Drifting, st.PendingSince != nil, st.ObservedGeneration, st.Revision)
	want := fmt.Sprint(r.state(), r.total, r.placed, r.ready, r.drifting, r.lacking() > 0 || manual, r.s.generation, r.s.revision)
	if got != want {
		fault("status is %s, want %s: %s", got, want, r.view)
	}
}

// inspectReport compares what Placement says with the truth.
func (w *policyWorld) inspectReport(r *resting, fault func(string, ...any)) {
	if r.unclear {
		return
	}
	report := w.scheduler.Placement(r.s.uid, false)
	manual := w.leftToAPerson(r.view)
	if string(report.State) != r.state() || !sameRef(report.Policy, r.binding.Policy) || report.Unmanaged != r.binding.Kept {
		fault("placement is %s of %v (%v), want %s of %v (%v)", report.State, report.Policy, report.Unmanaged, r.state(), r.binding.Policy, r.binding.Kept)
	}
	if (report.Pending != nil) != (r.lacking() > 0 || manual || r.waits != "") || report.Pending != nil && r.lacking() > 0 && report.Pending.Replicas != r.lacking() {
		fault("pending %+v, want %d: %s", report.Pending, r.lacking(), r.view)
	}
	if report.Pending != nil && len(report.Pending.Reasons) == 0 {
		fault("pending for no reason: %s", r.view)
	}
	w.inspectOutranking(r, &report, fault)
	var excluded, want []string
	for _, x := range report.Excluded {
		excluded = append(excluded, x.Name+":"+string(x.Reason.Code))
	}
	for _, name := range slices.Sorted(maps.Keys(r.refused)) {
		if why := r.refused[name]; r.waits == "" && why != "" && why != "ungranted" && why != "unselected" {
			want = append(want, name+":"+why)
		}
	}
	if !slices.Equal(excluded, want) {
		fault("excluded %v, want %v", excluded, want)
	}
	w.inspectClusters(r, &report, fault)
}

func (w *policyWorld) inspectOutranking(r *resting, report *fleet.PlacementReport, fault func(string, ...any)) {
	var got, want []string
	for _, ref := range report.Outranking {
		got = append(got, ref.Namespace+"/"+ref.Name)
	}
	for _, p := range w.ranking(r.s) {
		ref := p.Ref()
		if sameRef(&ref, r.binding.Policy) {
			break
		}
		want = append(want, ref.Namespace+"/"+ref.Name)
	}
	if !slices.Equal(got, want) {
		fault("outranked by %v, want %v", got, want)
	}
}

func (w *policyWorld) inspectClusters(r *resting, report *fleet.PlacementReport, fault func(string, ...any)) {
	desired, placed, ready, shown := map[string]int{}, map[string]int{}, map[string]int{}, map[string]bool{}
	for _, name := range r.candidates {
		desired[name], shown[name] = r.parts[name], true
	}
	for _, x := range slices.Concat(r.numbers, r.parked) {
		at := w.clusterOf(x.counts)
		placed[at] += oneIf(w.holds(r.s, x))
		if i := slices.IndexFunc(x.all, w.runs); i >= 0 {
			ready[w.clusterOf(x.all[i])]++
		}
		for _, c := range x.all {
			shown[w.clusterOf(c)] = true
		}
	}
	var got, want []string
	for _, c := range report.Clusters {
		got = append(got, fmt.Sprintf("%s=%d/%d/%d", c.Name, c.Desired, c.Placed, c.Ready))
		if c.Available > int64(max(r.s.count, c.Placed)) || len(c.Nodes) > 0 {
			fault("a tenant is told %+v of a workload of %d", c, r.s.count)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		if !w.granted(r.s.tenant, name) {
			continue
		}
		if !slices.Contains(r.candidates, name) {
			desired[name] = placed[name]
			if r.refused[name] == "moved_off" {
				desired[name] = 0
			}
		}
		want = append(want, fmt.Sprintf("%s=%d/%d/%d", name, desired[name], placed[name], ready[name]))
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		fault("clusters %v, want %v: %s", got, want, r.view)
	}
}
