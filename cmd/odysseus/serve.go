package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/alexedwards/scs/sqlite3store"
	"github.com/google/uuid"

	"odysseus/control"
	"odysseus/db"
	"odysseus/fleet"
	"odysseus/scheduler"
	"odysseus/static"
	"odysseus/views/locale"
	"odysseus/web"
)

// serveCommand runs the control plane until it is asked to stop.
type serveCommand struct {
	Config string `help:"Configuration file; without one the defaults hold."`
}

func (c *serveCommand) Run(p *program) error {
	config, pinned, err := loadConfig(c.Config, p.environ, p.words)
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(p.stderr, nil))
	// Listening first: a port that is taken is known before the database is touched.
	listener, err := new(net.ListenConfig).Listen(p.ctx, "tcp", config.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	config.Listen = listener.Addr().String() // the port that it is, where the configuration leaves it open
	parts, err := assemble(p.ctx, assembly{config: config, pinned: pinned, catalogue: p.catalogue, logger: logger, bootstrap: control.Bootstrap{
		Operator: p.getenv("ODYSSEUS_BOOTSTRAP_OPERATOR"), Password: p.getenv("ODYSSEUS_BOOTSTRAP_PASSWORD"), Token: p.getenv("ODYSSEUS_BOOTSTRAP_TOKEN"),
	}})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	fmt.Fprintf(p.stdout, "odysseus serves %s\n", parts.url())
	if parts.setup != "" {
		fmt.Fprintf(p.stdout, "set up the first operator, once, at %s/setup?token=%s\n", parts.url(), parts.setup)
	}
	return parts.run(p.ctx, listener)
}

// assembly is what a control plane is made of.
type assembly struct {
	config    Config
	pinned    control.Pinned
	catalogue *locale.Catalogue
	logger    *slog.Logger
	bootstrap control.Bootstrap
	// now is the clock; nil is the machine's.
	now func() time.Time
	// drain is how long the server says that it is not ready before it stops; 0 for as long as load balancers need.
	drain time.Duration
}

// controlPlane is all parts, wired: see run.
type controlPlane struct {
	config    Config
	logger    *slog.Logger
	db        *db.DB
	scheduler *scheduler.Scheduler
	control   *control.Control
	server    *web.Server
	setup     string // the one-time set-up secret; empty where nobody needs it
}

// assemble opens the database and wires the parts; nothing runs yet. It leaves nothing open when it fails.
func assemble(ctx context.Context, a assembly) (_ *controlPlane, err error) {
	store, err := db.Open(ctx, a.config.Database, db.Options{KeyFile: a.config.Secrets.KeyFile})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, store.Close())
		}
	}()
	if a.now == nil {
		a.now = time.Now
	}
	if !static.Has(static.HTMX) {
		a.logger.Warn("the console works without JavaScript: htmx is not in this build, run npm ci before go build")
	}
	metrics := web.NewMetrics()
	hub := control.NewHub()
	placer := scheduler.New(scheduler.Options{
		Store: store, Listener: listener{hub}, Now: a.now, Logger: a.logger,
		Lease: time.Duration(a.config.Agents.LeaseSeconds) * time.Second, Committed: metrics.Committed,
	})
	plane := control.New(control.Deps{
		Store: control.StoreOf(store.View, store.Update), Scheduler: placer, Fleet: placer, Now: a.now,
		NewID: uuid.NewString, Random: rand.Reader, Pinned: a.pinned, Logger: a.logger, Hub: hub,
		Refused:          func(code fleet.Code) { metrics.Rejected(string(code)) },
		HeartbeatSeconds: a.config.Agents.HeartbeatSeconds, LeaseSeconds: a.config.Agents.LeaseSeconds,
	})
	geo, err := plane.Effective(ctx)
	if err != nil {
		return nil, err
	}
	placer.GeoAwarenessChanged(geo)
	if err := placer.Start(ctx); err != nil {
		return nil, fmt.Errorf("start scheduler: %w", err)
	}
	metrics.Scheduler(func() web.SchedulerStats { return web.SchedulerStats(placer.Stats()) }, a.config.Metrics.Token != "")
	metrics.Pending(placer.PendingReasons)
	setup, faults, err := plane.Bootstrap(ctx, a.bootstrap)
	if err != nil {
		return nil, err
	}
	if len(faults) > 0 {
		return nil, refuseBootstrap(faults, a.catalogue.Words())
	}
	secret, err := cookieSecret(ctx, store)
	if err != nil {
		return nil, err
	}
	server, err := web.New(web.Options{
		Listen: a.config.Listen, CertFile: a.config.TLS.CertificateFile, KeyFile: a.config.TLS.KeyFile, AllowPlainHTTP: a.config.AllowPlainHTTP,
		Control: plane, Words: a.catalogue, Sessions: sqlite3store.NewWithCleanupInterval(store.Sessions(), 0), Secret: secret,
		Metrics: metrics, MetricsToken: a.config.Metrics.Token, Clock: a.now, Logger: a.logger, DrainDelay: a.drain,
		Ready: []web.Check{{Name: "database", Run: store.Ping}},
	})
	if err != nil {
		return nil, err
	}
	return &controlPlane{config: a.config, logger: a.logger, db: store, scheduler: placer, control: plane, server: server, setup: setup}, nil
}

// listener passes on what the scheduler committed. Pages read what is; only the long polls of agents must be woken.
type listener struct{ *control.Hub }

func (listener) DeploymentsChanged([]fleet.Ref) {}

func refuseBootstrap(faults fleet.FieldErrors, words *locale.Words) error {
	e := &refusedError{}
	for _, f := range faults {
		e.lines = append(e.lines, fmt.Sprintf("%s: %s: %s", f.Field, f.Code, words.Refusal(f)))
	}
	return e
}

// settingCookies keeps the secret that the preferences cookie's keys are derived from. Nothing in that cookie
// grants anything.
const settingCookies = "cookies.secret"

func cookieSecret(ctx context.Context, store *db.DB) ([]byte, error) {
	var secret []byte
	err := store.Update(ctx, func(tx *db.Tx) error {
		text, err := tx.Setting(ctx, settingCookies)
		if err == nil {
			secret, err = hex.DecodeString(text)
			return err
		}
		if !errors.Is(err, fleet.ErrNotFound) {
			return err
		}
		secret = make([]byte, 32)
		if _, err := rand.Read(secret); err != nil {
			return err
		}
		return tx.PutSetting(ctx, settingCookies, hex.EncodeToString(secret))
	})
	if err != nil {
		return nil, fmt.Errorf("read cookie secret: %w", err)
	}
	return secret, nil
}

func (c *controlPlane) url() string {
	scheme := "http"
	if c.config.TLS.CertificateFile != "" {
		scheme = "https"
	}
	return scheme + "://" + c.config.Listen
}

// trimEvery is how often what is past its retention is removed.
const trimEvery = 10 * time.Minute

// run serves until ctx ends or the server fails, then stops every part in order and closes the database.
func (c *controlPlane) run(ctx context.Context, listener net.Listener) error {
	// The scheduler outlives the server by a moment: what the last requests committed is still placed.
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	var parts sync.WaitGroup
	var failed error
	parts.Go(func() {
		if err := c.scheduler.Run(background); err != nil && !errors.Is(err, context.Canceled) {
			failed = fmt.Errorf("run scheduler: %w", err)
		}
	})
	parts.Go(func() { c.trim(background) })
	err := c.server.Run(ctx, listener)
	stop()
	parts.Wait()
	return errors.Join(err, failed, c.db.Close())
}

func (c *controlPlane) trim(ctx context.Context) {
	ticker := time.NewTicker(trimEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			if err := c.db.Trim(ctx, now); err != nil && ctx.Err() == nil {
				c.logger.Warn("cannot trim history", slog.Any("error", err))
			}
		}
	}
}
