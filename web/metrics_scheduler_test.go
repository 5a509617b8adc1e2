package web

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestMetricsCountWhatDrifts(t *testing.T) {
	m := NewMetrics()
	m.Scheduler(func() SchedulerStats { return SchedulerStats{DriftingReplicas: 5, DriftingDeployments: 2} }, false)
	want := `
# HELP scheduler_drifting_deployments Deployments with replicas outside their residency.
# TYPE scheduler_drifting_deployments gauge
scheduler_drifting_deployments 2
# HELP scheduler_drifting_replicas Replicas outside their residency under enforcement.
# TYPE scheduler_drifting_replicas gauge
scheduler_drifting_replicas 5
`
	if err := testutil.GatherAndCompare(m.registry, strings.NewReader(want), "scheduler_drifting_deployments", "scheduler_drifting_replicas"); err != nil {
		t.Error(err)
	}
	if n, err := testutil.GatherAndCount(m.registry, "scheduler_nodes", "scheduler_live_nodes"); err != nil || n != 0 {
		t.Errorf("nodes are counted for anyone: %d, %v", n, err)
	}
}
