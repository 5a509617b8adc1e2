package scheduler

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"odysseus/fleet"
)

// largeSnapshot is a stored fleet: every node has ten containers' worth of deployments of ten replicas each.
func largeSnapshot(nodes, deployments int) fleet.Snapshot {
	var s fleet.Snapshot
	for i := range 10 {
		s.Clusters = append(s.Clusters, fleet.Cluster{Name: fmt.Sprint("cluster-", i), Tenants: []string{fleet.AllTenants}, ResourceVersion: "1"})
	}
	for i := range nodes {
		s.Nodes = append(s.Nodes, fleet.Node{
			Name: fmt.Sprintf("node-%06d", i), Cluster: fmt.Sprint("cluster-", i%10), Labels: geoLabels(tenCountries[i/10%10], ""), Capacity: bigNode, Version: 1,
		})
	}
	for i := range deployments {
		tenant, uid := fmt.Sprint("tenant-", i%100), fmt.Sprintf("0197f0a1-5c3e-7d10-8000-%012d", i)
		residency := fleet.Residency{Country: tenCountries[i%10]}
		s.Deployments = append(s.Deployments, fleet.Deployment{
			Metadata: fleet.Metadata{Name: fmt.Sprint("app-", i), Namespace: tenant, UID: uid, Generation: 1, ResourceVersion: "1"}, Tenant: tenant,
			Revision: 1, TemplateRevision: 1, Spec: spec{image: "a", replicas: 10, cpu: "10m", residency: residency}.fleet(), ResidencyLabels: residency.Labels(),
			Status: &fleet.DeploymentStatus{State: fleet.Placed, Replicas: 10, Placed: 10, Ready: 10, ObservedGeneration: 1, Revision: 1},
		})
		for k := range 10 {
			// Spread over the nodes of its country, which are every tenth group of ten.
			n := (i*10+k)*97%(nodes/100)*100 + i%10*10 + k
			s.Containers = append(s.Containers, fleet.Container{
				ID: fmt.Sprint(uid, "-", k+1), Tenant: tenant, Namespace: tenant, Deployment: fmt.Sprint("app-", i), DeploymentUID: uid,
				Revision: 1, Replica: k, Node: s.Nodes[n].Name, State: fleet.StateRunning, Requests: fleet.Amount{MilliCPU: 10, Slots: 1},
			})
		}
	}
	return s
}

type snapshotStore struct{ snapshot fleet.Snapshot }

func (s snapshotStore) Load(context.Context) (fleet.Snapshot, error) { return s.snapshot, nil }

func (s snapshotStore) Commit(_ context.Context, d []fleet.Decision) ([]bool, error) {
	held := make([]bool, len(d))
	for i := range held {
		held[i] = true
	}
	return held, nil
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkLarge is the size that one control plane is made for: 100,000 nodes, 100,000 deployments, 1,000,000
// containers. It reports the memory of the picture, the time to build it (T14 without the database), to look at every
// deployment once, to preview turning enforcement on, and to carry it out.
func BenchmarkLarge(b *testing.B) {
	snapshot := largeSnapshot(100_000, 100_000)
	// Taken out of the heap that is measured: rows are read and dropped in production.
	for b.Loop() {
		before := heap()
		s := New(Options{Store: snapshotStore{snapshot}, Now: newFakeClock().Now})
		start := cpuTime()
		if err := s.Start(b.Context()); err != nil {
			b.Fatal(err)
		}
		load := cpuTime() - start
		b.ReportMetric(float64(heap()-before)/(1<<20), "MiB")
		b.ReportMetric(load.Seconds(), "s/load")
		b.ReportMetric(work(b, s), "s/look")

		start = cpuTime()
		impact := s.Impact(fleet.GeoAwareness{Enabled: true})
		b.ReportMetric((cpuTime() - start).Seconds(), "s/impact")
		if len(impact.Drift) != 0 {
			b.Fatalf("%d would drift", len(impact.Drift))
		}
		start = cpuTime()
		s.GeoAwarenessChanged(fleet.GeoAwareness{Enabled: true})
		b.ReportMetric((cpuTime() - start).Seconds(), "s/enforce")
		b.ReportMetric(work(b, s), "s/carryout")
	}
}

func work(b *testing.B, s *Scheduler) float64 {
	start := cpuTime()
	for {
		worked, err := s.step(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if !worked {
			return (cpuTime() - start).Seconds()
		}
	}
}
