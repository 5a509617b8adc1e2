package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"odysseus/fleet"
)

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

// outage is a workload of four over the clusters a and b, under a policy that fails over, on a clock that the test moves.
type outage struct {
	*plane
	t     *testing.T
	clock *handClock
	token string
	all   sites
}

// startOutage has two replicas run in each cluster.
func startOutage(t *testing.T, apiVersion, application string) *outage {
	t.Helper()
	clock := newHandClock()
	o := &outage{plane: startPlaneAt(t, "", clock.Now), t: t, clock: clock}
	o.token = o.tenant("acme")
	o.all = o.sitesOf("a", "b")
	o.apply(o.token, "acme", over(apiVersion, "web", everyDeployment, "a, b", evenly+"  failover: {application: {"+application+"}}\n"), podded("web", 4, ""))
	o.all.wantRunning(t, "before", "web", "a=2 b=2")
	return o
}

// restart stops the control plane and starts it on its file again.
func (o *outage) restart() {
	o.stop()
	o.start()
}

// told is what the agents are to run, while they do nothing.
func (o *outage) told(when, want string) {
	o.t.Helper()
	o.settle()
	if got := o.all.listed("web"); got != want {
		o.t.Errorf("%s: the agents are to run %q, want %q", when, got, want)
	}
}

// TestPurgeModesAsTheAgentsSeeThem: every step is what the agents' lists hold and what they run, with a control plane
// that stays and with one that is stopped and started again before each step.
func TestPurgeModesAsTheAgentsSeeThem(t *testing.T) {
	type step struct {
		name string
		do   func(*outage)
		// told is what the lists hold before the agents do anything; the agents of the clusters named in act then do.
		told string
		act  string
		runs string
	}
	pass := func(n int) func(*outage) { return func(o *outage) { o.all.pass(o.clock, seconds(n)) } }
	say := func(cluster, state string) func(*outage) { return func(o *outage) { o.all.say(cluster, "web", state) } }
	for _, tt := range []struct {
		name, apiVersion, application string
		steps                         []step
		placement                     func(*testing.T, placementAnswer)
	}{
		{"Immediately", ackOne, "purgeMode: Immediately", []step{
			{"unhealthy", say("a", "unhealthy"), "a=2 b=2", "a b", "a=2 b=2"},
			{"299 s", pass(299), "a=2 b=2", "a b", "a=2 b=2"},
			{"301 s: removed and placed again in one go", pass(2), "b=4", "a b", "b=4"},
			{"nothing comes back", pass(3600), "b=4", "a b", "b=4"},
		}, func(t *testing.T, p placementAnswer) {
			if p.State != fleet.Placed || p.desired() != "b=4" || p.out() != "a: moved_off" || p.reasons() != "" {
				t.Errorf("placement %+v", p)
			}
		}},
		{"Immediately, recovered in time", ackOne, "purgeMode: Immediately, decisionConditions: {tolerationSeconds: 60}", []step{
			{"failed", say("a", "failed"), "a=2 b=2", "", "a=2 b=2"},
			{"59 s", pass(59), "a=2 b=2", "", "a=2 b=2"},
			{"recovered", say("a", "running"), "a=2 b=2", "", "a=2 b=2"},
			{"an hour later", pass(3600), "a=2 b=2", "", "a=2 b=2"},
		}, func(t *testing.T, p placementAnswer) {
			if p.State != fleet.Placed || p.desired() != "a=2 b=2" || p.out() != "" {
				t.Errorf("placement %+v", p)
			}
		}},
		{"Graciously, the new come to run", ackOne, "purgeMode: Graciously", []step{
			{"unhealthy", say("a", "unhealthy"), "a=2 b=2", "a b", "a=2 b=2"},
			{"301 s: placed again first", pass(301), "a=2 b=4", "a", "a=2 b=2"},
			{"the new ones run: the old are told to stop", func(o *outage) { o.all.act("b") }, "b=4", "a b", "b=4"},
		}, func(t *testing.T, p placementAnswer) {
			if p.State != fleet.Placed || p.desired() != "b=4" || p.out() != "a: moved_off" {
				t.Errorf("placement %+v", p)
			}
		}},
		{"Graciously, the new never run", ackOne, "purgeMode: Graciously, gracePeriodSeconds: 120", []step{
			{"unhealthy for 300 s", func(o *outage) { o.all.say("a", "web", "unhealthy"); o.all.pass(o.clock, seconds(300)) }, "a=2 b=4", "a", "a=2 b=2"},
			{"119 s of grace", pass(119), "a=2 b=4", "a", "a=2 b=2"},
			{"121 s of grace", pass(2), "b=4", "a", "b=2"},
		}, func(t *testing.T, p placementAnswer) {
			if p.State != fleet.Placed || p.desired() != "b=4" || len(p.Clusters) != 1 || p.Clusters[0].Ready != 2 {
				t.Errorf("placement %+v", p)
			}
		}},
		{"Graciously, called off at 599 s", ackOne, "purgeMode: Graciously", []step{
			{"unhealthy for 300 s", func(o *outage) { o.all.say("a", "web", "unhealthy"); o.all.pass(o.clock, seconds(300)) }, "a=2 b=4", "a", "a=2 b=2"},
			{"598 s of grace", pass(598), "a=2 b=4", "a", "a=2 b=2"},
			{"the old recover a second later", func(o *outage) { o.clock.advance(time.Second); o.all.say("a", "web", "running") }, "a=2 b=2", "a b", "a=2 b=2"},
			{"for good", pass(3600), "a=2 b=2", "a b", "a=2 b=2"},
		}, func(t *testing.T, p placementAnswer) {
			if p.State != fleet.Placed || p.desired() != "a=2 b=2" || p.out() != "" {
				t.Errorf("placement %+v", p)
			}
		}},
		{"Never", ackOne, "purgeMode: Never", []step{
			{"unhealthy for an hour", func(o *outage) { o.all.say("a", "web", "unhealthy"); o.all.pass(o.clock, time.Hour) }, "a=2 b=2", "a b", "a=2 b=2"},
			{"and another", pass(3600), "a=2 b=2", "a b", "a=2 b=2"},
		}, func(t *testing.T, p placementAnswer) {
			if p.State != fleet.Placed || p.desired() != "a=2 b=2" || p.reasons() != "failover_manual" || strings.Join(p.Pending.Reasons[0].Clusters, " ") != "a" || p.Pending.Replicas != 2 {
				t.Errorf("placement %+v", p)
			}
		}},
		{"Karmada's word for Immediately", karmada, "purgeMode: Directly, decisionConditions: {tolerationSeconds: 5}", []step{
			{"exited", say("a", "exited"), "a=2 b=2", "", "a=2 b=2"},
			{"4 s", pass(4), "a=2 b=2", "", "a=2 b=2"},
			{"6 s", pass(2), "b=4", "a b", "b=4"},
		}, func(t *testing.T, p placementAnswer) {
			if p.State != fleet.Placed || p.desired() != "b=4" {
				t.Errorf("placement %+v", p)
			}
		}},
	} {
		for _, restarts := range []bool{false, true} {
			if restarts && testing.Short() {
				continue // once over is enough for the race detector: TestACKOnesDynamicWeightsAsTheyStand restarts too
			}
			t.Run(fmt.Sprintf("%s, restarts=%v", tt.name, restarts), func(t *testing.T) {
				o := startOutage(t, tt.apiVersion, tt.application)
				for _, s := range tt.steps {
					if restarts {
						o.restart()
					}
					s.do(o)
					o.told(s.name, s.told)
					if s.act != "" {
						o.all.act(strings.Fields(s.act)...)
					}
					if got := o.all.running("web"); got != s.runs {
						t.Errorf("%s: the agents run %q, want %q", s.name, got, s.runs)
					}
				}
				is := o.placed(o.token, "acme", "Deployment", "web")
				tt.placement(t, is)
				// A simulation of what is stored says what is; of another count what would be, were it applied: then the
				// cluster is a candidate again.
				if said := o.simulated(o.token, "acme", podded("web", 4, "")); said.desired() != is.desired() || said.out() != is.out() {
					t.Errorf("simulated as it is: %+v, placed %+v", said, is)
				}
				said := o.simulated(o.token, "acme", podded("web", 6, ""))
				o.apply(o.token, "acme", podded("web", 6, ""))
				o.all.act()
				if is := o.placed(o.token, "acme", "Deployment", "web"); said.desired() != "a=3 b=3" || is.desired() != said.desired() || o.all.running("web") != "a=3 b=3" {
					t.Errorf("simulated with 6: %s, placed %s, running %s", said.desired(), is.desired(), o.all.running("web"))
				}
			})
		}
	}
}

// TestFailoverStaysWithinTheResidency: "residency binds failover as it binds everything: no candidate inside, no move".
func TestFailoverStaysWithinTheResidency(t *testing.T) {
	clock := newHandClock()
	p := startPlaneAt(t, enforced, clock.Now)
	token := p.tenant("acme")
	var all sites
	for _, of := range [][2]string{{"canada", "CA"}, {"europe", "DE"}} {
		p.cluster(of[0])
		all = append(all, p.site(of[0], of[0]+"-node", of[1], nil))
	}
	p.apply(token, "acme", over(ackOne, "own", "{apiVersion: odysseus/v1, kind: Deployment}", "canada, europe, quebec",
		evenly+"  failover: {application: {purgeMode: Immediately, decisionConditions: {tolerationSeconds: 30}}}\n"), ledgerAPI)
	all.wantRunning(t, "before", "ledger-api", "canada=2")
	all.say("canada", "ledger-api", "unhealthy")
	all.pass(clock, time.Hour)
	all.wantRunning(t, "an hour without another place in Canada", "ledger-api", "canada=2")
	p.cluster("quebec")
	all = append(all, p.site("quebec", "quebec-node", "CA", nil))
	all.wantRunning(t, "another place in Canada", "ledger-api", "quebec=2")
	if is := p.placedOwn(token, "acme", "ledger-api"); is.State != fleet.Placed || is.desired() != "quebec=2" || is.out() != "canada: moved_off, europe: geo_mismatch" {
		t.Errorf("placement %+v", is)
	}
	if said := p.simulated(token, "acme", ledgerAPI); said.desired() != "quebec=2" || said.out() != "canada: moved_off, europe: geo_mismatch" {
		t.Errorf("simulated %+v", said)
	}
}
