package main

import (
	"fmt"
	"log/slog"
	"os"

	"odysseus/agent"
	"odysseus/agent/simulated"
	"odysseus/fleet"
)

// agentCommand runs one node's agent until it is stopped; the containers go on.
type agentCommand struct {
	Config string `required:"" help:"The agent's file, agent.yaml."`
}

func (c *agentCommand) Run(p *program) error {
	config, err := c.load(p)
	if err != nil {
		return err
	}
	a, faults := agent.New(agent.Options{
		Config:  config,
		Runtime: simulated.New(simulated.Options{}),
		Logger:  slog.New(slog.NewTextHandler(p.stderr, nil)),
	})
	if len(faults) > 0 {
		return c.refuse(p, faults)
	}
	if err := a.Run(p.ctx); err != nil {
		return fmt.Errorf("run agent %s: %w", config.Name, err)
	}
	return nil
}

// load reads the file strictly and completes it with what the machine has.
func (c *agentCommand) load(p *program) (agent.Config, error) {
	body, err := os.ReadFile(c.Config)
	if err != nil {
		return agent.Config{}, fmt.Errorf("read agent's configuration: %w", err)
	}
	var file agent.Config
	doc, faults := fleet.ParseOne(body, fleet.FormatYAML)
	if len(faults) == 0 {
		faults = fleet.DecodeStrict(doc, &file)
	}
	if doc == nil {
		return agent.Config{}, c.refuse(p, faults)
	}
	config := file.Complete(c.Config, agent.ThisMachine())
	if faults = append(faults, doc.Locate(config.Validate())...); len(faults) > 0 {
		return agent.Config{}, c.refuse(p, faults.Sorted())
	}
	return config, nil
}

func (c *agentCommand) refuse(p *program, faults fleet.FieldErrors) error {
	e := &refusedError{}
	for _, f := range faults {
		e.lines = append(e.lines, refusalLine(c.Config, f, p.words))
	}
	return e
}
