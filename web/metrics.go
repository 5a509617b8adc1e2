package web

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics is one instance's registry and the meters in it. cmd makes it first, hands its methods to the
// scheduler and to control, and passes it on in Options. No label holds a tenant's or a deployment's name.
type Metrics struct {
	registry *prometheus.Registry

	requests   *prometheus.HistogramVec
	inFlight   prometheus.Gauge
	streams    prometheus.Gauge
	decisions  *prometheus.CounterVec
	commits    prometheus.Histogram
	rejections *prometheus.CounterVec
}

// NewMetrics registers every meter, and the process's own.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "http_request_duration_seconds",
			Help:    "Time from a request's header to the end of its answer, by route pattern. Streams are not counted.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route", "method", "code"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "http_requests_in_flight",
			Help: "Requests being answered, streams apart.",
		}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "http_streams",
			Help: "Long polls and event streams that are open.",
		}),
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "scheduler_decisions_total",
			Help: "Decisions of the scheduler, by outcome: placed, pending, stale.",
		}, []string{"outcome"}),
		commits: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "scheduler_commit_duration_seconds",
			Help:    "Time to store one group of decisions durably.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5},
		}),
		rejections: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "residency_rejections_total",
			Help: "Refusals of what was submitted, by code.",
		}, []string{"code"}),
	}
	m.registry.MustRegister(m.requests, m.inFlight, m.streams, m.decisions, m.commits, m.rejections,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Decided counts n decisions of the scheduler with that outcome.
func (m *Metrics) Decided(outcome string, n int) {
	m.decisions.WithLabelValues(outcome).Add(float64(n))
}

// Committed observes how long one commit of decisions took.
func (m *Metrics) Committed(took time.Duration) { m.commits.Observe(took.Seconds()) }

// Rejected counts one refusal. Codes come from the registry, so the label is bounded.
func (m *Metrics) Rejected(code string) { m.rejections.WithLabelValues(code).Inc() }

// Pending makes scrapes ask how many deployments are pending for each reason. Call it once, before serving.
func (m *Metrics) Pending(count func() map[string]int) {
	m.registry.MustRegister(pendingCollector{
		desc: prometheus.NewDesc("scheduler_pending_deployments",
			"Deployments with replicas that have no node, by reason; one with two reasons counts twice.", []string{"reason"}, nil),
		count: count,
	})
}

// pendingCollector reads the numbers when they are asked for: nobody has to keep a gauge true.
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

func (m *Metrics) observe(route, method string, code int, took time.Duration) {
	m.requests.WithLabelValues(route, method, strconv.Itoa(code)).Observe(took.Seconds())
}

func (m *Metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{DisableCompression: true})
}
