package main

import (
	"fmt"

	"odysseus/db"
)

// forgetSecretsCommand is for a key that is lost for good: without it the control plane does not start.
type forgetSecretsCommand struct {
	Config string `help:"Configuration that names the database."`
}

func (c *forgetSecretsCommand) Run(p *program) error {
	config, _, err := loadConfig(c.Config, p.environ, p.words)
	if err != nil {
		return err
	}
	n, err := db.ForgetSecrets(p.ctx, config.Database, config.Secrets.KeyFile)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s serves again, with the key in %s\nSecrets that lost their values: %d\n", config.Database, config.Secrets.KeyFile, n)
	return nil
}
