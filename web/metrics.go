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
	m.registry.MustRegister(m.requests, m.inFlight, m.streams, m.commits, m.rejections,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Committed observes how long one commit of decisions took.
func (m *Metrics) Committed(took time.Duration) { m.commits.Observe(took.Seconds()) }

// Rejected counts one refusal. Codes come from the registry, so the label is bounded.
func (m *Metrics) Rejected(code string) { m.rejections.WithLabelValues(code).Inc() }

func (m *Metrics) observe(route, method string, code int, took time.Duration) {
	m.requests.WithLabelValues(route, method, strconv.Itoa(code)).Observe(took.Seconds())
}

func (m *Metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{DisableCompression: true})
}
