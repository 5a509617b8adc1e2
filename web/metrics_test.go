package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

func TestMetricsHaveWhatTheSchedulerAndControlTell(t *testing.T) {
	m := NewMetrics()
	m.Scheduler(func() SchedulerStats {
		return SchedulerStats{Decisions: 1, Commits: 2, Failures: 3, Stale: 4, Assigned: 5, Stopped: 6, Queued: 7, Waiting: 8, LiveNodes: 9, Nodes: 10, Deployments: 11}
	}, true)
	m.Committed(2 * time.Millisecond)
	m.Rejected("residency_empty")
	m.Pending(func() map[string]int { return map[string]int{"capacity": 2, "geo_mismatch": 1} })
	m.observe("/page", "GET", 200, time.Millisecond)
	want := `
# HELP residency_rejections_total Refusals of what was submitted, by code.
# TYPE residency_rejections_total counter
residency_rejections_total{code="residency_empty"} 1
# HELP scheduler_pending_deployments Deployments with replicas that have no node, by reason; one with two reasons counts twice.
# TYPE scheduler_pending_deployments gauge
scheduler_pending_deployments{reason="capacity"} 2
scheduler_pending_deployments{reason="geo_mismatch"} 1
`
	if err := testutil.GatherAndCompare(m.registry, strings.NewReader(want), "residency_rejections_total", "scheduler_pending_deployments"); err != nil {
		t.Error(err)
	}
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, family := range families {
		metric := family.GetMetric()[0]
		got[family.GetName()] = metric.GetCounter().GetValue() + metric.GetGauge().GetValue()
	}
	for name, value := range map[string]float64{
		"decisions_total": 1, "commits_total": 2, "commit_failures_total": 3, "stale_decisions_total": 4, "containers_assigned_total": 5,
		"containers_stopped_total": 6, "queued_deployments": 7, "waiting_deployments": 8, "live_nodes": 9, "nodes": 10, "deployments": 11,
	} {
		if got["scheduler_"+name] != value {
			t.Errorf("scheduler_%s: got %v, want %v", name, got["scheduler_"+name], value)
		}
	}
	for _, name := range []string{"http_request_duration_seconds", "scheduler_commit_duration_seconds", "go_goroutines", "process_open_fds"} {
		if n, err := testutil.GatherAndCount(m.registry, name); err != nil || n != 1 {
			t.Errorf("%s: %d, %v", name, n, err)
		}
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if !strings.HasPrefix(p.Metric, "go_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}

func TestRequestsAreMeasuredByRouteNeverByPath(t *testing.T) {
	s := start(t, defaultTimeouts, func(s *server) []Route {
		return []Route{
			{"GET", "/things/{name}", Public, ok, Ordinary},
			{"GET", "/stream", Public, ok, Stream},
			{"GET", "/metrics", Public, s.metrics, Ordinary},
		}
	})
	s.ask(t, "GET", "/things/secret-name", "")
	s.ask(t, "GET", "/secret-path", "")
	s.ask(t, "BREW", "/things/x", "")
	s.ask(t, "GET", "/stream", "")
	got := s.ask(t, "GET", "/metrics", "")
	for _, line := range []string{
		`http_request_duration_seconds_count{code="200",method="GET",route="/things/{name}"} 1`,
		`http_request_duration_seconds_count{code="404",method="GET",route="unmatched"} 1`,
		`http_request_duration_seconds_count{code="405",method="other",route="/things/{name}"} 1`,
		"http_requests_in_flight 1",
		"http_streams 0",
	} {
		if !strings.Contains(got.body, line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	if strings.Contains(got.body, "secret") || strings.Contains(got.body, "BREW") || strings.Contains(got.body, `route="/stream"`) {
		t.Error("a label holds what a client chose, or a stream was measured")
	}
}

func TestTwoServersShareNoMetric(t *testing.T) {
	a, b := NewMetrics(), NewMetrics()
	a.Rejected("x")
	if n, err := testutil.GatherAndCount(b.registry, "residency_rejections_total"); err != nil || n != 0 {
		t.Errorf("got %d, %v", n, err)
	}
}

func panicRoutes(*server) []Route {
	return []Route{{"GET", "/panic", Public, func(http.ResponseWriter, *http.Request) { panic("boom\nsecond line") }, Ordinary}}
}
