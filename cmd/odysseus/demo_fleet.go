package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"odysseus/agent"
	"odysseus/agent/simulated"
	"odysseus/fleet"
)

// demoNode is a simulated machine.
type demoNode struct {
	name, cluster, country, region string
	cpu, memory                    string
	// movesTo is the country that it reports once everything is placed: its replicas then drift.
	movesTo string
}

func demoNodes() []demoNode {
	return []demoNode{
		{name: "edge-yul-1", cluster: "canada", country: "CA", region: "north-america", cpu: "4", memory: "8Gi"},
		{name: "edge-yul-2", cluster: "canada", country: "CA", region: "north-america", cpu: "4", memory: "8Gi"},
		{name: "edge-yyz-1", cluster: "canada", country: "CA", region: "north-america", cpu: "2", memory: "4Gi"},
		{name: "core-fra-1", cluster: "europe", country: "DE", region: "eu-core", cpu: "8", memory: "16Gi"},
		{name: "core-ams-1", cluster: "europe", country: "NL", region: "eu-core", cpu: "4", memory: "8Gi"},
		{name: "core-gva-1", cluster: "europe", country: "CH", cpu: "4", memory: "8Gi", movesTo: "FR"},
	}
}

// people makes tenants, those who sign in, and the clusters.
func (d *demo) people() error {
	type body = map[string]any
	steps := []struct {
		path string
		body body
	}{
		{"/api/v1/tenants", body{"name": "acme", "displayName": "Acme Ledgers"}},
		{"/api/v1/tenants", body{"name": "globex", "displayName": "Globex Insurance"}},
		{"/api/v1/tenants/acme/users", body{"email": "ada@acme.example", "password": demoPassword, "role": "editor"}},
		{"/api/v1/tenants/acme/users", body{"email": "vera@acme.example", "password": demoPassword, "role": "viewer"}},
		{"/api/v1/tenants/globex/users", body{"email": "gus@globex.example", "password": demoPassword, "role": "editor"}},
		{"/api/v1/users", body{"email": "support@example.com", "password": demoPassword, "role": "support"}},
		{"/api/v1/clusters", body{"name": "canada", "runtime": "agents", "labels": body{"tier": "edge"}, "tenants": []string{"*"}}},
		{"/api/v1/clusters", body{"name": "europe", "runtime": "agents", "labels": body{"tier": "core"}, "tenants": []string{"*"}}},
	}
	for _, s := range steps {
		if err := d.write(http.MethodPost, s.path, s.body); err != nil {
			return err
		}
	}
	return nil
}

// members starts an agent for each node and waits until all have enrolled.
func (d *demo) members(ctx context.Context, parts *sync.WaitGroup) error {
	d.agents = map[string]*agent.Agent{}
	for _, n := range demoNodes() {
		var issued struct {
			Token string `json:"token"`
		}
		if err := d.api.call(http.MethodPost, "/api/v1/clusters/"+n.cluster+"/enrolment-tokens", "", []byte(`{"expiresIn": "1h", "uses": 1}`), fleet.FormatJSON, &issued); err != nil {
			return err
		}
		file := filepath.Join(d.dir, n.name+".token")
		if err := os.WriteFile(file, []byte(issued.Token+"\n"), 0o600); err != nil {
			return fmt.Errorf("write enrolment token: %w", err)
		}
		config := agent.Config{ControlPlane: d.plane.url(), Name: n.name, Cluster: n.cluster, EnrolmentTokenFile: file, Country: n.country, GeoRegion: n.region,
			Capacity: agent.Capacity{CPU: fleet.Quantity(n.cpu), Memory: fleet.Quantity(n.memory), Containers: 20}, Runtime: fleet.RuntimeSimulated}
		a, faults := agent.New(agent.Options{Config: config.Complete(file, agent.ThisMachine()), Runtime: simulated.New(simulated.Options{StartAfter: 700 * time.Millisecond}), Logger: d.logger})
		if len(faults) > 0 {
			return fmt.Errorf("agent %s: %v", n.name, faults.Codes())
		}
		d.agents[n.name] = a
		parts.Go(func() {
			if err := a.Run(ctx); err != nil && ctx.Err() == nil {
				fmt.Fprintf(d.stderr, "agent %s ended: %v\n", n.name, err)
			}
		})
	}
	return d.awaitNodes(ctx, len(demoNodes()))
}

// awaitNodes asks until that many nodes are there.
func (d *demo) awaitNodes(ctx context.Context, n int) error {
	for ctx.Err() == nil {
		var list struct {
			Items []struct{} `json:"items"`
		}
		if err := d.api.call(http.MethodGet, "/api/v1/nodes", "", nil, fleet.FormatJSON, &list); err != nil {
			return err
		}
		if len(list.Items) >= n {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
	return ctx.Err()
}
