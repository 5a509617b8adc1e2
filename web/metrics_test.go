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
	m.Decided("placed", 3)
	m.Decided("placed", 1)
	m.Committed(2 * time.Millisecond)
	m.Rejected("residency_empty")
	m.Pending(func() map[string]int { return map[string]int{"capacity": 2, "geo_mismatch": 1} })
	m.observe("/page", "GET", 200, time.Millisecond)
	want := `
# HELP residency_rejections_total Refusals of what was submitted, by code.
# TYPE residency_rejections_total counter
residency_rejections_total{code="residency_empty"} 1
# HELP scheduler_decisions_total Decisions of the scheduler, by outcome: placed, pending, stale.
# TYPE scheduler_decisions_total counter
scheduler_decisions_total{outcome="placed"} 4
# HELP scheduler_pending_deployments Deployments with replicas that have no node, by reason; one with two reasons counts twice.
# TYPE scheduler_pending_deployments gauge
scheduler_pending_deployments{reason="capacity"} 2
scheduler_pending_deployments{reason="geo_mismatch"} 1
`
	if err := testutil.GatherAndCompare(m.registry, strings.NewReader(want), "residency_rejections_total", "scheduler_decisions_total", "scheduler_pending_deployments"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"http_request_duration_seconds", "scheduler_commit_duration_seconds", "go_goroutines", "process_open_fds"} {
		if n, err := testutil.GatherAndCount(m.registry, name); err != nil || n != 1 {
			t.Errorf("%s: %d, %v", name, n, err)
		}
	}
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
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
