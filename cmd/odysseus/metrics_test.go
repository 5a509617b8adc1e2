package main

import (
	"net/http"
	"strings"
	"testing"
)

// TestTheSchedulersMetricsAreWired: what is pending, what drifts and how long commits take is there to scrape.
func TestTheSchedulersMetricsAreWired(t *testing.T) {
	p := startPlane(t, enforced)
	token := p.tenant("acme")
	p.cluster("europe")
	p.must(http.StatusCreated, http.MethodPost, "/api/v1/namespaces/acme/deployments", token, ledgerAPI)
	scrape := func(lines ...string) {
		t.Helper()
		p.settle()
		body := p.must(http.StatusOK, http.MethodGet, "/metrics", operatorToken, nil).body
		for _, line := range lines {
			if !strings.Contains(body, "\n"+line+"\n") {
				t.Errorf("no line %s", line)
			}
		}
		if strings.Contains(body, "\nscheduler_commit_duration_seconds_count 0\n") {
			t.Error("no commit was timed")
		}
	}
	scrape(`scheduler_pending_deployments{reason="no_reachable_node"} 1`, `scheduler_pending_deployments{reason="geo_mismatch"} 0`, "scheduler_drifting_replicas 0")
	node := p.node("n-1", "europe", "CA", "")
	scrape(`scheduler_pending_deployments{reason="no_reachable_node"} 0`)
	node.setGeo("DE", "")
	node.beat()
	scrape("scheduler_drifting_replicas 2", "scheduler_drifting_deployments 1")
}
