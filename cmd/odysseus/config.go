package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"odysseus/control"
	"odysseus/fleet"
	"odysseus/views/locale"
)

// Config is odysseus.yaml. Pointers are settings that the console may set where the file does not.
type Config struct {
	Listen   string `json:"listen"`
	Database string `json:"database"`
	// AllowPlainHTTP serves plain HTTP on an address that is not loopback: somebody else ends TLS before it.
	AllowPlainHTTP bool            `json:"allow_plain_http"`
	TLS            TLSConfig       `json:"tls"`
	Scheduler      SchedulerConfig `json:"scheduler"`
	Agents         AgentsConfig    `json:"agents"`
	Metrics        MetricsConfig   `json:"metrics"`
	Secrets        SecretsConfig   `json:"secrets"`
}

// TLSConfig names the files of a certificate and its key; both or neither.
type TLSConfig struct {
	CertificateFile string `json:"certificate_file"`
	KeyFile         string `json:"key_file"`
}

// SchedulerConfig is what concerns placing.
type SchedulerConfig struct {
	GeoAwareness GeoAwarenessConfig `json:"geo_awareness"`
}

// GeoAwarenessConfig pins what it sets: the console shows it read-only.
type GeoAwarenessConfig struct {
	Enabled *bool           `json:"enabled"`
	OnDrift *string         `json:"on_drift"`
	Regions *[]fleet.Region `json:"regions"`
}

// AgentsConfig is how agents report and when a silent one is lost.
type AgentsConfig struct {
	HeartbeatSeconds int `json:"heartbeat_seconds"`
	LeaseSeconds     int `json:"lease_seconds"`
}

// MetricsConfig closes /metrics.
type MetricsConfig struct {
	Token string `json:"token"`
}

// SecretsConfig is how the values of Secrets are kept.
type SecretsConfig struct {
	// KeyFile holds the key that they are sealed with; beside the database where it is left out.
	KeyFile string `json:"key_file"`
}

func defaultConfig() Config {
	return Config{Listen: "127.0.0.1:8080", Database: "odysseus.db", Agents: AgentsConfig{HeartbeatSeconds: 10, LeaseSeconds: 40}}
}

// refusedError is a command that ends because of what it was given: every fault on a line of its own.
type refusedError struct{ lines []string }

func (e *refusedError) Error() string { return strings.Join(e.lines, "\n") }

// loadConfig reads the file, none with an empty name, and the environment.
func loadConfig(name string, environ []string, words *locale.Words) (Config, control.Pinned, error) {
	c := defaultConfig()
	var file []byte
	if name != "" {
		var err error
		if file, err = os.ReadFile(name); err != nil {
			return c, control.Pinned{}, fmt.Errorf("read configuration: %w", err)
		}
	}
	sources, faults, err := loadSettings(name, file, environ, &c)
	if err != nil {
		return c, control.Pinned{}, err
	}
	if len(faults) == 0 {
		faults = c.validate(sources)
	}
	if len(faults) > 0 {
		return c, control.Pinned{}, refuseSettings(faults, words)
	}
	if c.Secrets.KeyFile == "" {
		c.Secrets.KeyFile = c.Database + ".key"
	}
	geo := c.Scheduler.GeoAwareness
	pinned := control.Pinned{Enabled: geo.Enabled, OnDrift: geo.OnDrift, Regions: geo.Regions, Source: map[string]string{}}
	for key, field := range map[string]string{"enabled": "enabled", "on_drift": "onDrift", "regions": "regions"} {
		if source, set := sources.by["scheduler.geo_awareness."+key]; set {
			pinned.Source[field] = source
		}
	}
	return c, pinned, nil
}

// validate holds the values to their rules; sources says where each came from.
func (c Config) validate(sources settingSources) []settingFault {
	var faults []settingFault
	add := func(key string, f fleet.FieldError) {
		f.Field = key
		faults = append(faults, sources.locate(key, f))
	}
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		add("listen", fleet.FieldError{Code: fleet.CodeNotAccepted, Value: c.Listen, Want: "listen"})
	}
	if c.Database == "" {
		add("database", fleet.FieldError{Code: fleet.CodeRequired, Want: "file"})
	}
	if (c.TLS.CertificateFile == "") != (c.TLS.KeyFile == "") {
		add("tls.key_file", fleet.FieldError{Code: fleet.CodeRequired, Want: "both_files"})
	}
	seconds := func(key string, v, low, high int) {
		if v < low || v > high {
			add(key, fleet.FieldError{Code: fleet.CodeOutOfRange, Value: strconv.Itoa(v), Want: "range",
				WantArgs: map[string]string{"Low": strconv.Itoa(low), "High": strconv.Itoa(high)}})
		}
	}
	seconds("agents.heartbeat_seconds", c.Agents.HeartbeatSeconds, 1, 3600)
	// A lease shorter than two heartbeats loses nodes that are well.
	seconds("agents.lease_seconds", c.Agents.LeaseSeconds, 2*c.Agents.HeartbeatSeconds, 86400)

	geo := fleet.GeoAwareness{}
	if v := c.Scheduler.GeoAwareness.OnDrift; v != nil {
		if geo.OnDrift = *v; *v == "" {
			add("scheduler.geo_awareness.on_drift", fleet.FieldError{Code: fleet.CodeNotAccepted, Want: "one_of",
				WantArgs: map[string]string{"Values": fleet.OnDriftReport + ", " + fleet.OnDriftReschedule}})
		}
	}
	if v := c.Scheduler.GeoAwareness.Regions; v != nil {
		geo.Regions = *v
	}
	for _, f := range fleet.ValidateGeoAwareness(geo) {
		key := "scheduler.geo_awareness.regions"
		if f.Field == "onDrift" {
			key, f.Field = "scheduler.geo_awareness.on_drift", "on_drift"
		}
		f.Field = "scheduler.geo_awareness." + f.Field
		faults = append(faults, sources.locate(key, f))
	}
	return faults
}

// refuseSettings words each fault: where it was set, the key, the value and what is accepted.
func refuseSettings(faults []settingFault, words *locale.Words) error {
	e := &refusedError{}
	for _, f := range faults {
		at := f.Source
		if f.Line > 0 {
			at += fmt.Sprintf(":%d:%d", f.Line, f.Column)
		}
		line := fmt.Sprintf("%s: %s: %s", at, f.Code, words.Refusal(f.FieldError))
		if f.Field != "" && f.Field != f.Source {
			line = fmt.Sprintf("%s: %s: %s: %s", at, f.Field, f.Code, words.Refusal(f.FieldError))
		}
		if f.Suggestion != "" && f.Code != fleet.CodeUnknownField {
			line += fmt.Sprintf(" (%s?)", f.Suggestion)
		}
		e.lines = append(e.lines, line)
	}
	return e
}

// exitCode of a command that ended with err: 1 for what it was given, 2 for what broke.
func exitCode(err error) int {
	var refused *refusedError
	if errors.As(err, &refused) {
		return 1
	}
	return 2
}
