package scheduler

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"odysseus/fleet"
)

// The oracle judges the scheduler from the text of the specification and the rows of the store alone: it uses none
// of the package's filters, indexes or verdicts, and takes no care to be quick.

// inside is the geo filter, read off "The geo filter" of the residency page, step by step.
func inside(labels map[string]string, regions []fleet.Region, country, geoRegion string) bool {
	inRegion := func(name string) bool {
		for _, r := range regions {
			if r.Name == name {
				return geoRegion == name || country != "" && slices.Contains(r.Countries, country)
			}
		}
		return false
	}
	if want, ok := labels["odysseus.io/data-residency-region-enforced"]; ok && !inRegion(want) {
		return false
	}
	if want, ok := labels["odysseus.io/data-residency-country-enforced"]; ok && country != want {
		return false
	}
	if want, ok := labels["odysseus.io/data-residency-region"]; ok {
		return inRegion(want)
	}
	if want, ok := labels["odysseus.io/data-residency-country"]; ok && country != want {
		return false
	}
	if list, ok := labels["odysseus.io/blocked-countries"]; ok {
		return country != "" && !slices.Contains(strings.Split(list, ","), country)
	}
	return true
}

func (w *world) granted(tenant, clusterName string) bool {
	c := w.store.clusters[clusterName]
	return slices.Contains(c.Tenants, "*") || slices.Contains(c.Tenants, tenant)
}

// alive: heard of, or new, within the lease.
func (w *world) alive(node string) bool {
	beat, ok := w.beats[node]
	return ok && w.clock.Now().Sub(beat) < DefaultLease
}

func (w *world) insideNode(d fleet.Deployment, n fleet.Node) bool {
	return inside(d.ResidencyLabels, w.settings.Regions, n.Labels["odysseus.io/country"], n.Labels["odysseus.io/geo-region"])
}

// used sums up what the rows of a node hold.
func (w *world) used(node string) fleet.Amount {
	var sum fleet.Amount
	for _, c := range w.store.containers {
		if c.Node == node {
			sum = sum.Plus(w.needs[c.ID])
		}
	}
	return sum
}

// judge looks at a batch before it is stored.
func (w *world) judge(decisions []fleet.Decision) (faults []string) {
	extra := map[string]fleet.Amount{}
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	for _, dec := range decisions {
		d, ok := w.store.deployments[dec.DeploymentUID]
		if dec.Deleted {
			if len(dec.Assign)+len(dec.Adopt) > 0 || ok {
				fault("%s is treated as deleted", dec.DeploymentUID)
			}
			continue
		}
		for _, c := range dec.Assign {
			w.needs[c.ID] = d.Spec.Requests()
		}
		if !ok || d.Metadata.Generation != dec.Generation {
			continue // it will not hold
		}
		for _, c := range dec.Assign {
			n, exists := w.store.nodes[c.Node]
			switch {
			case !exists:
				fault("%s is assigned to %s, which does not exist", c.ID, c.Node)
				continue
			case !w.alive(c.Node):
				fault("%s is assigned to %s, which is lost", c.ID, c.Node)
			case n.Cordoned || !n.DrainDeadline.IsZero():
				fault("%s is assigned to %s, which is closed", c.ID, c.Node)
			case !w.granted(d.Tenant, n.Cluster):
				fault("%s of %s is assigned to %s in %s, which it was not granted", c.ID, d.Tenant, c.Node, n.Cluster)
			case w.settings.Enabled && !w.insideNode(d, n):
				fault("%s requires %v and is assigned to %s at %v", c.ID, d.ResidencyLabels, c.Node, n.Labels)
			}
			extra[c.Node] = extra[c.Node].Plus(d.Spec.Requests())
			if free := n.Capacity.Minus(w.used(c.Node)); !extra[c.Node].Fits(free) {
				fault("%s takes more of %s than is free", c.ID, c.Node)
			}
			if c.Revision != d.Revision {
				fault("%s is of revision %d, not %d", c.ID, c.Revision, d.Revision)
			}
		}
		faults = append(faults, w.judgeNumbers(d, dec)...)
	}
	return faults
}

// judgeNumbers checks that no more than the desired replicas and their replacements would exist.
func (w *world) judgeNumbers(d fleet.Deployment, dec fleet.Decision) (faults []string) {
	numbers := map[int]int{}
	for _, c := range w.store.containers {
		if c.DeploymentUID == dec.DeploymentUID && !c.Stop && !slices.Contains(dec.Stop, c.ID) && !slices.Contains(dec.Remove, c.ID) {
			numbers[c.Replica]++
		}
	}
	for _, c := range dec.Assign {
		numbers[c.Replica]++
	}
	if len(dec.Assign) > 0 && len(numbers) > d.Spec.ReplicaCount() {
		faults = append(faults, fmt.Sprintf("%s would have %d replicas, %d are wanted", d.Metadata.UID, len(numbers), d.Spec.ReplicaCount()))
	}
	if len(dec.Assign) == 0 {
		return nil // it only takes away
	}
	for number, count := range numbers {
		if count > 2 {
			faults = append(faults, fmt.Sprintf("%s has %d containers of replica %d", d.Metadata.UID, count, number))
		}
	}
	return faults
}

// slotView is one replica number as the oracle sees it.
type slotView struct {
	containers []fleet.Container
	right      bool // some container of it is where and what it should be
	outdated   bool // none is, and the best only is of an older revision
	rolling    bool // an outdated one waits for a replacement that does not run yet
	ready      bool
	held       bool // some container of it is on a node that answers
	assigned   bool // and one of these is what the newest revision asks for: it counts for the state
}

func (w *world) slotsOf(d fleet.Deployment) map[int]*slotView {
	slots := map[int]*slotView{}
	for _, c := range sortedValues(w.store.containers) {
		if c.DeploymentUID != d.Metadata.UID || c.Stop {
			continue
		}
		s := slots[c.Replica]
		if s == nil {
			s = &slotView{}
			slots[c.Replica] = s
		}
		s.containers = append(s.containers, c)
	}
	for _, s := range slots {
		var oldWaits, newStarts bool
		for _, c := range s.containers {
			n := w.store.nodes[c.Node]
			in := !w.settings.Enabled || w.insideNode(d, n)
			usable := w.alive(c.Node) && w.granted(d.Tenant, n.Cluster) && n.DrainDeadline.IsZero()
			current := c.Revision >= d.Revision || c.Revision >= d.TemplateRevision && in
			right := usable && current && (in || w.settings.OnDrift != "reschedule")
			s.right = s.right || right
			s.outdated = s.outdated || usable && !current
			oldWaits = oldWaits || usable && !current
			s.held = s.held || w.alive(c.Node)
			s.assigned = s.assigned || w.alive(c.Node) && current
			running := c.State == "running" && w.alive(c.Node)
			newStarts = newStarts || right && !running
			s.ready = s.ready || running
		}
		s.rolling = s.right && oldWaits && newStarts
		s.outdated = s.outdated && !s.right
	}
	return slots
}

// fits says whether some node would take one more replica of the deployment.
func (w *world) fits(d fleet.Deployment) string {
	for _, n := range sortedValues(w.store.nodes) {
		if w.alive(n.Name) && !n.Cordoned && n.DrainDeadline.IsZero() && w.granted(d.Tenant, n.Cluster) &&
			(!w.settings.Enabled || w.insideNode(d, n)) && d.Spec.Requests().Fits(n.Capacity.Minus(w.used(n.Name))) {
			return n.Name
		}
	}
	return ""
}

// inspect looks at everything once the scheduler rests.
func (w *world) inspect() (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	for _, c := range sortedValues(w.store.containers) {
		n, exists := w.store.nodes[c.Node]
		d, wanted := w.store.deployments[c.DeploymentUID]
		if _, resource := w.store.resources[c.DeploymentUID]; resource || wanted && w.elsewhere != nil && w.elsewhere(c.DeploymentUID) {
			continue
		}
		switch {
		case c.Gone() || !exists:
			fault("%s on %s is gone and still there", c.ID, c.Node)
		case !wanted && !c.Stop:
			fault("%s goes on though its deployment was deleted", c.ID)
		case wanted && !c.Stop && !n.DrainDeadline.IsZero() && !w.clock.Now().Before(n.DrainDeadline) && w.slotsOf(d)[c.Replica].right:
			fault("%s goes on on %s though the grace has ended and it is replaced", c.ID, c.Node)
		}
	}
	w.pending = map[string]int{"geo_mismatch": 0, "no_reachable_node": 0, "capacity": 0, "region_undeclared": 0}
	driftingReplicas, driftingDeployments := 0, 0
	for _, d := range sortedValues(w.store.deployments) {
		if w.elsewhere == nil || !w.elsewhere(d.Metadata.UID) {
			faults = append(faults, w.inspectDeployment(d)...)
		}
		if d.Status != nil && d.Status.Drifting > 0 {
			driftingReplicas += d.Status.Drifting
			driftingDeployments++
		}
	}
	if got := w.scheduler.PendingReasons(); w.elsewhere == nil && !maps.Equal(got, w.pending) {
		fault("pending for %v, want %v", got, w.pending)
	}
	if st := w.scheduler.Stats(); st.DriftingReplicas != driftingReplicas || st.DriftingDeployments != driftingDeployments {
		fault("%d replicas of %d drift, want %d of %d", st.DriftingReplicas, st.DriftingDeployments, driftingReplicas, driftingDeployments)
	}
	for _, n := range sortedValues(w.store.nodes) {
		state, known := w.scheduler.NodeState(n.Name)
		region := n.Labels["odysseus.io/geo-region"]
		held := 0
		for _, c := range w.store.containers {
			if c.Node == n.Name {
				held++
			}
		}
		undeclared := region != "" && !slices.ContainsFunc(w.settings.Regions, func(r fleet.Region) bool { return r.Name == region })
		if !known || state.Live != w.alive(n.Name) || state.Used != w.used(n.Name) || state.UndeclaredRegion != undeclared || state.Containers != held {
			fault("node %s: %+v (known %v), alive %v, used %+v, %d containers", n.Name, state, known, w.alive(n.Name), w.used(n.Name), held)
		}
	}
	for _, tenant := range []string{"", "acme", "zen"} {
		if got, want := w.scheduler.Geography(tenant), w.geography(tenant, func(fleet.Node) bool { return true }); !slices.Equal(got.Countries, want.Countries) || !slices.Equal(got.Regions, want.Regions) {
			fault("geography of %q is %+v, want %+v", tenant, got, want)
		}
	}
	return faults
}

// geography of the live nodes within reach that count.
func (w *world) geography(tenant string, counts func(fleet.Node) bool) fleet.Geography {
	countries, regions := map[string]bool{}, map[string]bool{}
	for _, n := range w.store.nodes {
		if w.alive(n.Name) && (tenant == "" || w.granted(tenant, n.Cluster)) && counts(n) {
			countries[n.Labels["odysseus.io/country"]] = true
			regions[n.Labels["odysseus.io/geo-region"]] = true
		}
	}
	delete(countries, "")
	delete(regions, "")
	return fleet.Geography{Countries: slices.Sorted(maps.Keys(countries)), Regions: slices.Sorted(maps.Keys(regions))}
}

func (w *world) inspectDeployment(d fleet.Deployment) (faults []string) {
	uid := d.Metadata.UID
	fault := func(format string, args ...any) {
		faults = append(faults, uid+": "+fmt.Sprintf(format, args...))
	}
	replicas := d.Spec.ReplicaCount()
	slots := w.slotsOf(d)
	var lacking, homeless, placed, ready, drifting, waiting int
	rolling := false
	lacking = replicas - len(slots)
	homeless = lacking
	for number, s := range slots {
		rolling = rolling || s.rolling
		if s.ready {
			ready++
		}
		if s.outdated {
			waiting++
		} else if !s.right {
			lacking++
			if !s.assigned {
				homeless++
			}
		}
		if s.held {
			placed++
		}
		for _, c := range s.containers {
			if w.settings.Enabled && !w.insideNode(d, w.store.nodes[c.Node]) {
				drifting++
			}
		}
		if len(s.containers) > 2 {
			fault("%d containers of replica %d", len(s.containers), number)
		}
	}
	if !rolling {
		homeless += waiting
		lacking += waiting // nothing replaces them though nothing is in the way but room
	}
	if lacking > 0 {
		if node := w.fits(d); node != "" {
			fault("%d replicas are pending, and %s would take one", lacking, node)
		}
	}
	if len(slots) > replicas {
		fault("%d replicas, %d wanted", len(slots), replicas)
	}
	state := "PartlyPlaced"
	switch homeless {
	case 0:
		state = "Placed"
	case replicas:
		state = "Pending"
	}
	st := d.Status
	if st == nil {
		return append(faults, uid+": no status")
	}
	undeclared := ""
	for _, key := range []string{"odysseus.io/data-residency-region-enforced", "odysseus.io/data-residency-region"} {
		name := d.ResidencyLabels[key]
		if undeclared == "" && name != "" && !slices.ContainsFunc(w.settings.Regions, func(r fleet.Region) bool { return r.Name == name }) {
			undeclared = name
		}
	}
	got := fmt.Sprint(st.State, st.Replicas, st.Placed, st.Ready, st.Drifting, st.PendingSince != nil, st.ObservedGeneration, st.Revision, st.UndeclaredRegion)
	want := fmt.Sprint(state, replicas, placed, ready, drifting, lacking > 0, d.Metadata.Generation, d.Revision, undeclared)
	if got != want {
		fault("status is %s, want %s", got, want)
	}
	return append(faults, w.inspectReports(d, state, lacking, placed, undeclared)...)
}

// inspectReports compares Placement and AnyMatch with brute force.
func (w *world) inspectReports(d fleet.Deployment, state string, lacking, held int, undeclared string) (faults []string) {
	uid := d.Metadata.UID
	var live, refused, passed, matched, unlabelled bool
	refusedNodes, heldNodes := map[string]fleet.Code{}, map[string]int{}
	candidates, available := map[string]bool{}, map[string]int64{}
	for _, n := range w.store.nodes {
		if !w.granted(d.Tenant, n.Cluster) {
			continue
		}
		in := w.insideNode(d, n)
		free := n.Capacity.Minus(w.used(n.Name))
		switch closed := n.Cordoned || !n.DrainDeadline.IsZero(); {
		case !w.alive(n.Name):
			refusedNodes[n.Name] = "node_lost"
			continue
		case w.settings.Enabled && !in && undeclared != "":
			refusedNodes[n.Name] = "region_undeclared"
		case w.settings.Enabled && !in:
			refusedNodes[n.Name] = "geo_mismatch"
		case closed:
			refusedNodes[n.Name] = "node_cordoned"
		case !d.Spec.Requests().Fits(free):
			refusedNodes[n.Name] = "capacity"
		default:
			for rest := free; d.Spec.Requests().Fits(rest); rest = rest.Minus(d.Spec.Requests()) {
				available[n.Cluster]++
			}
		}
		live = true
		matched = matched || in
		if w.settings.Enabled && !in {
			refused = true
			unlabelled = unlabelled || n.Labels["odysseus.io/country"] == "" && n.Labels["odysseus.io/geo-region"] == ""
		} else {
			passed = true
			candidates[n.Cluster] = true
		}
	}
	if got := w.scheduler.AnyMatch(d.Tenant, d.ResidencyLabels); got != matched {
		faults = append(faults, fmt.Sprintf("%s: AnyMatch is %v", uid, got))
	}
	var codes []string
	if lacking > 0 {
		if refused && undeclared == "" {
			codes = append(codes, "geo_mismatch")
		}
		if !live {
			codes = append(codes, "no_reachable_node")
		}
		if passed {
			codes = append(codes, "capacity")
		}
		if w.settings.Enabled && undeclared != "" {
			codes = append(codes, "region_undeclared")
		}
	}
	for _, code := range codes {
		w.pending[code]++
	}
	placed, desired, ready := map[string]int{}, map[string]int{}, map[string]int{}
	for _, s := range w.slotsOf(d) {
		for _, c := range s.containers {
			heldNodes[c.Node]++
			if cluster := w.store.nodes[c.Node].Cluster; w.granted(d.Tenant, cluster) {
				candidates[cluster] = true
			}
		}
		if len(s.containers) == 1 {
			c := s.containers[0]
			desired[w.store.nodes[c.Node].Cluster]++
			if s.held {
				placed[w.store.nodes[c.Node].Cluster]++
			}
			if s.ready {
				ready[w.store.nodes[c.Node].Cluster]++
			}
		}
	}
	var moving bool
	for _, s := range w.slotsOf(d) {
		moving = moving || len(s.containers) > 1
	}
	tenantView, staffView := w.scheduler.Placement(uid, false), w.scheduler.Placement(uid, true)
	for _, r := range []fleet.PlacementReport{tenantView, staffView} {
		if string(r.State) != state || (r.Pending == nil) != (lacking == 0) || r.Pending != nil && r.Pending.Replicas != lacking {
			faults = append(faults, fmt.Sprintf("%s: placement is %s %+v, want %s %d", uid, r.State, r.Pending, state, lacking))
			continue
		}
		var got []string
		if r.Pending != nil {
			for _, reason := range r.Pending.Reasons {
				got = append(got, string(reason.Code))
				if reason.Code == "geo_mismatch" {
					world := w.geography(d.Tenant, func(n fleet.Node) bool { return !w.insideNode(d, n) })
					if !slices.Equal(reason.Reported.Countries, world.Countries) || !slices.Equal(reason.Reported.Regions, world.Regions) || reason.Unlabelled != unlabelled {
						faults = append(faults, fmt.Sprintf("%s: reported %+v, unlabelled %v", uid, reason.Reported, reason.Unlabelled))
					}
				}
			}
		}
		if !slices.Equal(got, codes) {
			faults = append(faults, fmt.Sprintf("%s: reasons %v, want %v", uid, got, codes))
		}
	}
	var names []string
	for _, c := range tenantView.Clusters {
		names = append(names, c.Name)
		room := int64(c.Placed)
		if lacking > 0 {
			room += available[c.Name]
		}
		if room = min(room, int64(d.Spec.ReplicaCount())); c.Available != room {
			faults = append(faults, fmt.Sprintf("%s: %s can take %d, want %d", uid, c.Name, c.Available, room))
		}
		if len(c.Nodes) > 0 {
			faults = append(faults, uid+": a tenant sees nodes")
		}
		if !moving && (c.Placed != placed[c.Name] || c.Desired != desired[c.Name] || c.Ready != ready[c.Name]) {
			faults = append(faults, fmt.Sprintf("%s: %+v, want %d placed of %d, %d ready", uid, c, placed[c.Name], desired[c.Name], ready[c.Name]))
		}
	}
	for _, c := range staffView.Clusters {
		held -= c.Placed
		if c.Available != available[c.Name] {
			faults = append(faults, fmt.Sprintf("%s: %s has room for %d, want %d", uid, c.Name, c.Available, available[c.Name]))
		}
	}
	if held != 0 {
		faults = append(faults, fmt.Sprintf("%s: %d more are placed than in the clusters", uid, held))
	}
	if want := slices.Sorted(maps.Keys(candidates)); !slices.Equal(names, want) {
		faults = append(faults, fmt.Sprintf("%s: clusters %v, want %v", uid, names, want))
	}
	return append(faults, inspectDetail(uid, staffView, refusedNodes, heldNodes)...)
}
