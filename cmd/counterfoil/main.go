// Counterfoil is a self-hosted ticket tracker for teams. This program serves and maintains it; run it without
// arguments for its commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// errFindings ends a command that has reported findings.
var errFindings = errors.New("findings")

func main() { os.Exit(program()) }

// program runs the command line, with additional migrations, and returns the exit code.
func program(more ...*migrations.Migration) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	env := readEnvironment(os.Getenv, os.Stdin, os.Stdout, os.Stderr)
	env.migrations, env.terminal = more, isTerminal(os.Stderr)
	return run(ctx, env, os.Args[1:])
}

// run carries out a command line and returns the exit code: 0 done, 1 failed or findings, 2 not understood.
func run(ctx context.Context, env environment, args []string) int {
	err := commandLine(env).Run(ctx, append([]string{"counterfoil"}, withoutIdleDashes(args)...))
	var of failure
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errFindings):
		return 1
	case !errors.As(err, &of):
		of = failure{"counterfoil", "", err}
	}
	if errors.As(err, &usage) {
		fmt.Fprintf(env.stderr, "%s: %s\n\n%s", of.command, usage.message, of.usage)
		return 2
	}
	if fault.Message(of.err) != "" {
		for _, one := range fault.Each(of.err) {
			fmt.Fprintf(env.stderr, "%s: %s\n", of.command, fault.Message(one))
		}
		env.logger().Debug("command failed", "error", of.err)
		return 1
	}
	fmt.Fprintf(env.stderr, "%s: %v\n", of.command, of.err)
	return 1
}

// withoutIdleDashes removes each “--” before a word that is no option: options after such a word were always accepted.
func withoutIdleDashes(args []string) (kept []string) {
	for i, arg := range args {
		if arg == "--" && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			continue
		}
		kept = append(kept, arg)
	}
	return kept
}
