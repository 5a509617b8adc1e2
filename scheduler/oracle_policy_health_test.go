package scheduler

import (
	"time"

	"odysseus/fleet"
)

// failoverRule is the page's table on failover, with its defaults.
type failoverRule struct {
	mode       string
	toleration time.Duration
	grace      int64
}

func (w *policyWorld) failoverOf(s subject, holder *fleet.PolicyRef) *failoverRule {
	if holder == nil || !s.runs {
		return nil
	}
	p, ok := w.store.policies[*holder]
	if !ok || p.Spec.Failover == nil || p.Spec.Failover.Application == nil {
		return nil
	}
	a := p.Spec.Failover.Application
	rule := failoverRule{toleration: 300 * time.Second, grace: 600}
	rule.mode = map[string]string{"Directly": "Immediately", "Gracefully": "Graciously"}[a.PurgeMode]
	if rule.mode == "" {
		rule.mode = a.PurgeMode
	}
	if a.DecisionConditions != nil && a.DecisionConditions.TolerationSeconds != nil {
		rule.toleration = time.Duration(*a.DecisionConditions.TolerationSeconds) * time.Second
	}
	if a.GracePeriodSeconds != nil {
		rule.grace = *a.GracePeriodSeconds
	}
	return &rule
}

// frozen says whether the subject waits, with all that it has left as it is.
func (w *policyWorld) frozen(s subject, b fleet.Binding) bool {
	if b.Policy == nil {
		return !s.own
	}
	return len(w.store.policies[*b.Policy].Spec.DependentOverrides) > 0
}

// healthView is a subject's health on one cluster, by the replicas that count.
type healthView struct{ replicas, bad, readyElsewhere int }

func (w *policyWorld) healthIn(s subject, cluster string) (h healthView) {
	for _, x := range w.number(s, w.active(s.uid)) {
		switch {
		case x.standing == silent:
		case w.clusterOf(x.counts) != cluster:
			if x.ready || s.job && x.counts.State == "exited" {
				h.readyElsewhere++
			}
		default:
			h.replicas++
			if ailing(s, x.counts) {
				h.bad++
			}
		}
	}
	return h
}

func ailing(s subject, c fleet.Container) bool {
	return c.State == "unhealthy" || c.State == "failed" || c.State == "exited" && !s.job
}

// observe keeps since when a subject is unhealthy on each cluster. It begins with the first replica that ails and ends
// only when every one there runs, and none of them runs but for a moment between two crashes: so it never begins later
// than it may be told, and what is moved has been unhealthy for at least that long.
func (w *policyWorld) observe(s subject) {
	there, ails, well := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, c := range w.active(s.uid) {
		at := w.clusterOf(c)
		if !there[at] {
			there[at], well[at] = true, true
		}
		crash := w.crashes[c.ID]
		steady := crash.count < 2 || !w.clock.Now().Before(crash.ran.Add(time.Minute))
		ails[at] = ails[at] || ailing(s, c)
		well[at] = well[at] && (c.State == "running" && steady || s.job && c.State == "exited")
	}
	if w.ill[s.uid] == nil {
		w.ill[s.uid] = map[string]time.Time{}
	}
	for name := range w.store.clusters {
		_, ill := w.ill[s.uid][name]
		switch {
		case !there[name] || well[name]:
			delete(w.ill[s.uid], name)
		case ails[name] && !ill:
			w.ill[s.uid][name] = w.clock.Now().Truncate(time.Millisecond)
		}
	}
}

// crash is how often a container ended, and when it last ran again.
type crash struct {
	count int
	ran   time.Time
}

// hear counts crashes as agents report them.
func (w *policyWorld) hear(id string, state fleet.ContainerState) {
	c := w.crashes[id]
	if state == fleet.StateExited || state == fleet.StateFailed {
		c.count++
	}
	if state == fleet.StateRunning {
		c.ran = w.clock.Now()
	}
	w.crashes[id] = c
}

// recordIn is what is known of one cluster.
func recordIn(all []fleet.ClusterFailover, name string) fleet.ClusterFailover {
	for _, r := range all {
		if r.Cluster == name {
			return r
		}
	}
	return fleet.ClusterFailover{Cluster: name}
}
