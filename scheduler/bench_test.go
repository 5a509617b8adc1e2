package scheduler

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"odysseus/fleet"
)

var tenCountries = []string{"CA", "DE", "FR", "NL", "US", "NO", "SE", "JP", "BR", "ZA"}

var bigNode = fleet.Amount{MilliCPU: 64_000, Memory: 256 << 30, Slots: 500}

// benchFleet is a picture of n nodes in one cluster, evenly in ten countries, under enforcement.
func benchFleet(n int) *picture {
	p := newPicture()
	p.adopt(fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReport})
	p.setCluster(fleet.Cluster{Name: "one", Tenants: []string{fleet.AllTenants}, ResourceVersion: "1"})
	now := time.Unix(1_800_000_000, 0)
	for i := range n {
		p.setNode(fleet.Node{
			Name: fmt.Sprintf("node-%06d", i), Cluster: "one", Labels: geoLabels(tenCountries[i%10], ""), Capacity: bigNode, Version: 1,
		}, now)
	}
	p.settle()
	return p
}

func benchDeployment(p *picture, uid string, replicas int, residency fleet.Residency) *deployment {
	return p.setDeployment(fleet.Deployment{
		Metadata: fleet.Metadata{Name: uid, Namespace: "acme", UID: uid, Generation: 1, ResourceVersion: "1"}, Tenant: "acme", Revision: 1, TemplateRevision: 1,
		Spec:            spec{image: "a", replicas: replicas, cpu: "10m", residency: residency}.fleet(),
		ResidencyLabels: residency.Labels(),
	}, time.Unix(1_800_000_000, 0))
}

// placeAll decides on the deployment, charges what it assigns, and takes all of it back outside the time measured.
func placeAll(p *picture, d *deployment) time.Duration {
	now := time.Unix(1_800_000_000, 0)
	start := cpuTime()
	l := p.schedule(d, now)
	p.charged(&l)
	p.settle()
	took := cpuTime() - start
	if len(l.nodes) != d.replicas {
		panic(fmt.Sprintf("%d of %d placed", len(l.nodes), d.replicas))
	}
	p.takeBack(&l)
	p.settle()
	return took
}

// BenchmarkPlace is T1: 1,000 containers on 5,000 nodes, a tenth of which the country rule accepts, in units of Y1.
func BenchmarkPlace(b *testing.B) {
	p := benchFleet(5_000)
	d := benchDeployment(p, "d", 1_000, fleet.Residency{Country: "CA"})
	naive := make(naiveFleet, 5_000)
	for i := range naive {
		naive[i] = naiveNode{labels: geoLabels(tenCountries[i%10], ""), free: bigNode}
	}
	labels, need := map[string]string{fleet.LabelResidencyCountry: "CA"}, d.need.Amount
	var ours, theirs time.Duration
	for b.Loop() {
		ours, theirs = alternate(7, func() time.Duration { return placeAll(p, d) / 1_000 }, func() time.Duration {
			start := cpuTime()
			for range 20 {
				naive.place(labels, need)
			}
			return (cpuTime() - start) / 20
		})
	}
	b.ReportMetric(float64(ours), "ns/placement")
	b.ReportMetric(float64(theirs), "ns/Y1")
	b.ReportMetric(float64(theirs)/float64(ours), "xY1")
}

// BenchmarkPlaceGrowth is T2: the time per placement at 1,000, 10,000 and 100,000 nodes.
func BenchmarkPlaceGrowth(b *testing.B) {
	var first float64
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := benchFleet(n)
			d := benchDeployment(p, "d", 1_000, fleet.Residency{Country: "CA"})
			var took time.Duration
			for b.Loop() {
				took, _ = alternate(7, func() time.Duration { return placeAll(p, d) }, func() time.Duration { return 0 })
			}
			each := float64(took) / 1_000
			if first == 0 {
				first = each
			}
			b.ReportMetric(each, "ns/placement")
			b.ReportMetric(each/first, "x1000nodes")
		})
	}
}

// BenchmarkAllocations is T8: allocations per placement.
func BenchmarkAllocations(b *testing.B) {
	p := benchFleet(5_000)
	d := benchDeployment(p, "d", 1_000, fleet.Residency{Country: "CA"})
	placeAll(p, d)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	rounds := 0
	for b.Loop() {
		placeAll(p, d)
		rounds++
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(rounds*1_000), "allocs/placement")
}

// BenchmarkNodeEvent is T13: one node's event while deployments wait for something else, with 100 and with 10,000.
func BenchmarkNodeEvent(b *testing.B) {
	var few float64
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := benchFleet(1_000)
			now := time.Unix(1_800_000_000, 0)
			for i := range n {
				country := tenCountries[i%10]
				if i%2 == 0 {
					country = "GB" // waits: no node is there
				}
				d := benchDeployment(p, fmt.Sprint("uid", i), 1, fleet.Residency{Country: country})
				l := p.schedule(d, now)
				p.charged(&l)
			}
			p.settle()
			row := fleet.Node{Name: "node-000005", Cluster: "one", Capacity: bigNode, Version: 1}
			b.ResetTimer()
			start := cpuTime()
			events := 0
			for b.Loop() {
				row.Version++
				row.Labels = geoLabels(tenCountries[row.Version%2], "")
				p.setNode(row, now)
				p.settle()
				events++
			}
			each := float64(cpuTime()-start) / float64(events)
			if few == 0 {
				few = each
			}
			b.ReportMetric(each/few, "x100deployments")
		})
	}
}
