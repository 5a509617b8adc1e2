package main

import (
	"context"
	"embed"
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
	for _, of := range []struct{ file, namespace string }{{"platform", ""}, {"acme", "acme"}, {"globex", "globex"}} {
		if err := d.apply(of.file, of.namespace); err != nil {
			return err
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

// manifests are what runs in the demo: a file for each tenant, and one for the platform. They show every state of a
// placement on the first screen.
//
//go:embed demo/*.yaml
var manifests embed.FS

// apply has everything in the file created; what names no namespace goes into the one given.
func (d *demo) apply(file, namespace string) error {
	body, err := manifests.ReadFile("demo/" + file + ".yaml")
	if err != nil {
		return fmt.Errorf("read the demo's manifests: %w", err)
	}
	path := "/api/v1/apply"
	if namespace != "" {
		path += "?namespace=" + namespace
	}
	return d.api.call(http.MethodPost, path, "", body, fleet.FormatYAML, nil)
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
