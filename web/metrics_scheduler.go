package web

import "github.com/prometheus/client_golang/prometheus"

// SchedulerStats are the scheduler's counters since its start, and how much there is to do now. The fields are
// those of scheduler.Stats, so that cmd converts one into the other.
type SchedulerStats struct {
	Decisions           uint64
	Commits             uint64
	Failures            uint64
	Stale               uint64
	Assigned            uint64
	Stopped             uint64
	Queued              int
	Waiting             int
	DriftingReplicas    int
	DriftingDeployments int
	LiveNodes           int
	Nodes               int
	Deployments         int
}

// Scheduler makes scrapes ask the scheduler. Call it once, before serving. The nodes are counted only with
// countNodes: where anyone may read /metrics, tenants may, and they are told no counts of nodes.
func (m *Metrics) Scheduler(read func() SchedulerStats, countNodes bool) {
	c := schedulerCollector{read: read}
	add := func(name, help string, kind prometheus.ValueType, value func(SchedulerStats) float64) {
		c.metrics = append(c.metrics, schedulerMetric{prometheus.NewDesc("scheduler_"+name, help, nil, nil), kind, value})
	}
	counter := func(name, help string, value func(SchedulerStats) uint64) {
		add(name, help, prometheus.CounterValue, func(s SchedulerStats) float64 { return float64(value(s)) })
	}
	gauge := func(name, help string, value func(SchedulerStats) int) {
		add(name, help, prometheus.GaugeValue, func(s SchedulerStats) float64 { return float64(value(s)) })
	}
	counter("decisions_total", "Looks at a deployment.", func(s SchedulerStats) uint64 { return s.Decisions })
	counter("commits_total", "Groups of decisions that were stored.", func(s SchedulerStats) uint64 { return s.Commits })
	counter("commit_failures_total", "Groups of decisions that could not be stored.", func(s SchedulerStats) uint64 { return s.Failures })
	counter("stale_decisions_total", "Decisions that no longer held when they were to be stored.", func(s SchedulerStats) uint64 { return s.Stale })
	counter("containers_assigned_total", "Containers that were assigned to a node.", func(s SchedulerStats) uint64 { return s.Assigned })
	counter("containers_stopped_total", "Containers that were told to stop.", func(s SchedulerStats) uint64 { return s.Stopped })
	gauge("queued_deployments", "Deployments that are to be looked at.", func(s SchedulerStats) int { return s.Queued })
	gauge("waiting_deployments", "Deployments that wait for a change which could lift their reason.", func(s SchedulerStats) int { return s.Waiting })
	gauge("drifting_replicas", "Replicas outside their residency under enforcement.", func(s SchedulerStats) int { return s.DriftingReplicas })
	gauge("drifting_deployments", "Deployments with replicas outside their residency.", func(s SchedulerStats) int { return s.DriftingDeployments })
	gauge("deployments", "Deployments.", func(s SchedulerStats) int { return s.Deployments })
	if countNodes {
		gauge("live_nodes", "Nodes whose lease holds.", func(s SchedulerStats) int { return s.LiveNodes })
		gauge("nodes", "Nodes, live and lost.", func(s SchedulerStats) int { return s.Nodes })
	}
	m.registry.MustRegister(c)
}

// Pending makes scrapes ask how many deployments are pending for each reason. Call it once, before serving.
func (m *Metrics) Pending(count func() map[string]int) {
	m.registry.MustRegister(pendingCollector{
		desc: prometheus.NewDesc("scheduler_pending_deployments",
			"Deployments with replicas that have no node, by reason; one with two reasons counts twice.", []string{"reason"}, nil),
		count: count,
	})
}

// Both collectors read the numbers when they are asked for: nobody has to keep a gauge true.

type schedulerMetric struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(SchedulerStats) float64
}

type schedulerCollector struct {
	read    func() SchedulerStats
	metrics []schedulerMetric
}

func (c schedulerCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, metric := range c.metrics {
		ch <- metric.desc
	}
}

func (c schedulerCollector) Collect(ch chan<- prometheus.Metric) {
	stats := c.read()
	for _, metric := range c.metrics {
		ch <- prometheus.MustNewConstMetric(metric.desc, metric.kind, metric.value(stats))
	}
}

type pendingCollector struct {
	desc  *prometheus.Desc
	count func() map[string]int
}

func (c pendingCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.desc }

func (c pendingCollector) Collect(ch chan<- prometheus.Metric) {
	for reason, n := range c.count() {
		ch <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, float64(n), reason)
	}
}
