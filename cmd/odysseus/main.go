// Command odysseus is the whole product in one binary: the control plane (serve), its agents (agent), a complete
// trial of both (demo), and the tools around them.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"odysseus/views/locale"
)

// commands is the command line; each field's type has a Run.
type commands struct {
	Serve    serveCommand    `cmd:"" help:"Run the control plane."`
	Agent    agentCommand    `cmd:"" help:"Run a node's agent."`
	Demo     demoCommand     `cmd:"" help:"Run a whole control plane with sample tenants and simulated agents."`
	Validate validateCommand `cmd:"" help:"Check manifests offline."`
	Apply    applyCommand    `cmd:"" help:"Create or update what manifests declare."`
	Get      getCommand      `cmd:"" help:"Print a deployment, a policy or another resource, or all of a kind."`
	Delete   deleteCommand   `cmd:"" help:"Delete a deployment, a policy or another resource, or all that manifests declare."`
	Explain  explainCommand  `cmd:"" help:"Say where a deployment or another resource is, and why not elsewhere; of a policy, what it selects and where it does not apply."`
	Backup   backupCommand   `cmd:"" help:"Copy the database while it is in use."`
	Restore  restoreCommand  `cmd:"" help:"Put a copy in the place of the database."`

	ForgetSecrets forgetSecretsCommand `cmd:"" help:"Empty the Secrets of a database whose key is lost for good."`
}

// program is what a command needs of the process, so that tests can run commands in-process.
type program struct {
	ctx            context.Context
	stdin          io.Reader
	stdout, stderr io.Writer
	environ        []string
	words          *locale.Words
	catalogue      *locale.Catalogue
}

func (p *program) getenv(name string) string {
	for _, pair := range p.environ {
		if key, text, _ := strings.Cut(pair, "="); key == name {
			return text
		}
	}
	return ""
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ())
	stop()
	os.Exit(code)
}

// run is main with everything given: the exit code is 0, 1 where something given was refused, 2 where something
// broke.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	catalogue, err := locale.New(locale.OnMissing(func(key string) { slog.Error("no words for a key", slog.String("key", key)) }))
	if err != nil {
		fmt.Fprintln(stderr, "odysseus:", err)
		return 2
	}
	p := &program{ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr, environ: environ, catalogue: catalogue, words: catalogue.Words()}
	exit := -1
	parser, err := kong.New(&commands{}, kong.Name("odysseus"),
		kong.Description("Runs containers for tenants on machines in several countries, inside the country or region that each deployment declares."),
		kong.UsageOnError(), kong.Writers(stdout, stderr), kong.Exit(func(code int) { exit = code }))
	if err != nil {
		fmt.Fprintln(stderr, "odysseus:", err)
		return 2
	}
	command, err := parser.Parse(args)
	if exit >= 0 { // --help
		return exit
	}
	if err != nil {
		fmt.Fprintln(stderr, "odysseus:", err)
		return 1
	}
	err = command.Run(p)
	switch {
	case err == nil, errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return 0
	default:
		prefix := "odysseus: "
		if exitCode(err) == 1 {
			prefix = "" // FILE:LINE:COL: stands at the start of its line
		}
		fmt.Fprintln(stderr, prefix+err.Error())
		return exitCode(err)
	}
}
