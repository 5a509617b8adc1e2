package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"odysseus/agent"
	"odysseus/agent/simulated"
	"odysseus/control"
	"odysseus/fleet"
)

// demoCommand runs a whole control plane on a temporary file, with sample tenants and simulated agents.
type demoCommand struct {
	Listen  string `default:"127.0.0.1:8080" help:"Loopback address to serve."`
	Verbose bool   `short:"v" help:"Log what the control plane and the agents do."`
}

// demoPassword is everybody's: the demo serves loopback from a file that goes with it.
const demoPassword = "all at sea with no oars"

const demoToken = "demo-operator-token-on-loopback"

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

// demoDeployments show every state on the first screen: placed, partly placed, pending with a reason, warned, and
// drifting once core-gva-1 says that it is somewhere else.
func demoDeployments() map[string][]string {
	manifest := func(name, image string, replicas int, rest string) string {
		return fmt.Sprintf("apiVersion: odysseus/v1\nkind: Deployment\nmetadata:\n  name: %s\n  labels: {app: %s}\nspec:\n  image: %s\n  replicas: %d\n%s", name, name, image, replicas, rest)
	}
	residency := func(lines string) string { return "  placement:\n    residency:\n" + lines }
	return map[string][]string{
		"acme": {
			manifest("ledger-api", "registry.example.com/ledger-api:1.4.0", 2, residency("      country: CA\n")),
			manifest("storefront", "registry.example.com/storefront:2.0.1", 4, ""),
			manifest("vault-sync", "registry.example.com/vault-sync:0.9.3", 2, residency("      country: CH\n")),
			manifest("kanji-search", "registry.example.com/kanji-search:3.1.0", 3, residency("      country: JP\n")),
			manifest("reports", "registry.example.com/reports:7.2.0", 2, residency("      region: eu-core\n      blockedCountries: [FR]\n")),
			manifest("render-farm", "registry.example.com/render-farm:5.0.0", 4, "  resources: {requests: {cpu: \"3\", memory: 1Gi}}\n"+residency("      country: CA\n")),
		},
		"globex": {
			manifest("claims", "registry.example.com/claims:1.0.0", 3, residency("      region: north-america\n")),
			manifest("archive", "registry.example.com/archive:4.4.2", 1, residency("      blockedCountries: [US, RU]\n")),
		},
	}
}

func (c *demoCommand) Run(p *program) error {
	dir, err := os.MkdirTemp("", "odysseus-demo-")
	if err != nil {
		return fmt.Errorf("make the demo's folder: %w", err)
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(p.stderr, "odysseus: the demo's folder is left behind:", err)
		}
	}()
	d := &demo{program: p, dir: dir, logger: slog.New(slog.DiscardHandler)}
	if c.Verbose {
		d.logger = slog.New(slog.NewTextHandler(p.stderr, nil))
	}
	return d.run(p.ctx, c.Listen, d.invite)
}

// demo is a control plane and its simulated members in one process. They talk over loopback like any others.
type demo struct {
	*program
	dir    string
	logger *slog.Logger
	plane  *controlPlane
	api    *client
	agents map[string]*agent.Agent
}

// run serves until ctx ends; ready is called once everything is as the first screen is to show it.
func (d *demo) run(ctx context.Context, listen string, ready func(io.Writer)) error {
	config := defaultConfig()
	config.Database = filepath.Join(d.dir, "odysseus.db")
	config.Agents = AgentsConfig{HeartbeatSeconds: 5, LeaseSeconds: 20}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return fmt.Errorf("listen: %w (another demo? choose an address with --listen)", err)
	}
	config.Listen = listener.Addr().String()
	d.plane, err = assemble(ctx, assembly{config: config, catalogue: d.catalogue, logger: d.logger,
		bootstrap: control.Bootstrap{Operator: "operator@example.com", Password: demoPassword, Token: demoToken}})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	d.api = &client{ctx: ctx, base: d.plane.url(), token: demoToken, http: &http.Client{Timeout: time.Minute}}

	// What belongs to the demo ends with whichever of its parts ends first.
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var parts sync.WaitGroup
	defer parts.Wait()
	failed := make(chan error, 1)
	parts.Go(func() {
		defer stop()
		failed <- d.plane.run(ctx, listener)
	})
	if err := d.furnish(ctx, &parts); err != nil {
		stop()
		return errors.Join(fmt.Errorf("furnish the demo: %w", err), <-failed)
	}
	ready(d.stdout)
	return <-failed
}

// furnish declares the regions, makes tenants and people, starts the agents and deploys. Agents are added to parts.
func (d *demo) furnish(ctx context.Context, parts *sync.WaitGroup) error {
	if err := d.write(http.MethodPut, "/api/v1/scheduler/geo-awareness", fleet.GeoAwareness{Enabled: true, OnDrift: fleet.OnDriftReport, Regions: []fleet.Region{
		{Name: "eu-core", Description: "The Union's core", Countries: []string{"DE", "FR", "NL"}},
		{Name: "north-america", Description: "Canada and the United States", Countries: []string{"CA", "US"}},
	}}); err != nil {
		return err
	}
	if err := d.people(); err != nil {
		return err
	}
	if err := d.members(ctx, parts); err != nil {
		return err
	}
	for _, tenant := range []string{"acme", "globex"} {
		for _, manifest := range demoDeployments()[tenant] {
			if err := d.api.call(http.MethodPost, "/api/v1/apply?namespace="+tenant, "", []byte(manifest), fleet.FormatYAML, nil); err != nil {
				return err
			}
		}
	}
	if err := d.plane.scheduler.Settled(ctx); err != nil {
		return fmt.Errorf("wait for placement: %w", err)
	}
	for _, n := range demoNodes() {
		if n.movesTo != "" {
			d.agents[n.name].SetGeo(n.movesTo, n.region)
		}
	}
	return nil
}

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

func (d *demo) write(method, path string, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode %s: %w", path, err)
	}
	return d.api.call(method, path, "", raw, fleet.FormatJSON, nil)
}

func (d *demo) invite(w io.Writer) {
	fmt.Fprintf(w, `
Odysseus is at %s
The containers here are simulated; everything is gone when you stop it with Ctrl-C.

  operator   operator@example.com   defines regions, turns enforcement on and off
  support    support@example.com    reads everything, finds out why something is pending
  editor     ada@acme.example       deploys for the tenant acme
  viewer     vera@acme.example      reads what acme has
  editor     gus@globex.example     deploys for the tenant globex

  password   %s

With ODYSSEUS_URL=%s and ODYSSEUS_TOKEN=%s the commands apply, get, delete and explain work too.
`, d.plane.url(), demoPassword, d.plane.url(), demoToken)
}
