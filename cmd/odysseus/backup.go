package main

import (
	"fmt"

	"odysseus/db"
)

// backupCommand copies the database while it is in use; the copy is checked before it gets its name.
type backupCommand struct {
	File   string `arg:"" help:"Where to put the copy; it must not exist."`
	Config string `help:"Configuration that names the database."`
}

func (c *backupCommand) Run(p *program) error {
	config, _, err := loadConfig(c.Config, p.environ, p.words)
	if err != nil {
		return err
	}
	if err := db.BackupFile(p.ctx, config.Database, c.File); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s copied to %s\n", config.Database, c.File)
	sealed, err := db.Sealed(p.ctx, c.File)
	if err != nil {
		return err
	}
	if sealed {
		// A key that lies beside what it opens protects nothing, so the copy does not hold it.
		fmt.Fprintf(p.stdout, "its Secrets need the key in %s: keep a copy of that too, in another place\n", config.Secrets.KeyFile)
	}
	return nil
}

// restoreCommand puts a copy in the place of the database, of a control plane that does not run.
type restoreCommand struct {
	File   string `arg:"" help:"The copy."`
	Config string `help:"Configuration that names the database."`
}

func (c *restoreCommand) Run(p *program) error {
	config, _, err := loadConfig(c.Config, p.environ, p.words)
	if err != nil {
		return err
	}
	if err := db.CheckKey(p.ctx, c.File, config.Secrets.KeyFile); err != nil {
		return fmt.Errorf("restore %s: %w", c.File, err)
	}
	if err := db.Restore(p.ctx, c.File, config.Database); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s restored from %s\n", config.Database, c.File)
	return nil
}
