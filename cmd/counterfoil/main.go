// Counterfoil is a self-hosted ticket tracker for teams. This program serves it and looks after it;
// run it without arguments for its commands.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// version is set by the Makefile.
var version = "development"

// command is one thing that the program does.
type command struct {
	name, usage string
	run         func(ctx context.Context, env environment, args []string) error
}

var commands = []command{
	{"serve", "serve                       the web app; prints its URL when ready", serve},
	{"work", "work                        background loops only: works on migrations, any number of them", work},
	{"schema", "schema up|down|status       the database's schema; down deletes rows, and wants --delete-rows first", schema},
	{"setup", "setup --company SLUG --name NAME --email ADDRESS --password-file FILE [--person NAME]\n                              the first company and its operator", setup},
	{"token", "token --company SLUG --email ADDRESS\n                              an API token with every scope; last line as of setup", token},
	{"reset-password", "reset-password --email ADDRESS\n                              a link by which this person chooses a new password", resetPassword},
	{"bench", "bench tickets [--json] [--engine mysql] [--boards 2] [--writers 10] [--each 1000]\n  bench migrations [--json] [--engine mysql] [--tasks 50000] [--workers 3,10] [--blocks 10,100]\n  bench feed [--json] [--engine mysql] [--rows 100000] [--flat 2] [--live=false]\n  bench refs [--json] [--engine mysql] [--pool 1000000] [--callers 20,100] [--http=false]\n                              load on a private scratch server", benchmark},
	{"verify", "verify [--json]             proves the stored data; exit code 1 on any finding", verifyData},
	{"doctor", "doctor [--json]             server and settings: what costs safety or speed; exit code 1 on a problem", examine},
	{"migrations", usageOf("migrations", migrationCommands) + "\n                              bulk work: the same as on the page /admin/migrations; “migrations help” says how each is used", migrate},
	{"feed", usageOf("feed", feedCommands) + "\n                              the change feeds; “feed help” says how each is used", feed},
	{"refs", usageOf("refs", refCommands) + "\n                              the pool of reference codes; “refs help” says how each is used", references},
	{"backup", "backup FILE                 everything into one file, also while serving", makeBackup},
	{"restore", "restore [--check] FILE      a backup into an empty database, proven with verify", restore},
}

const introduction = `Counterfoil %s is a self-hosted ticket tracker for teams.

Usage: counterfoil COMMAND [OPTIONS]

`

const settings = `
Settings come from the environment: DATABASE_URL (none: a private database of its own), COUNTERFOIL_REPLICAS,
COUNTERFOIL_ADDR (127.0.0.1:8080), COUNTERFOIL_URL, COUNTERFOIL_TOKEN, COUNTERFOIL_TRUSTED_PROXIES, COUNTERFOIL_DATA (./data),
COUNTERFOIL_BLOBS (a folder, or s3://bucket), COUNTERFOIL_MAX_UPLOAD (2GB), COUNTERFOIL_OUTBOUND_ALLOW,
COUNTERFOIL_LOG (text or json). docs/operations.md says more.
`

// errFindings ends a command that worked and has bad news: it has said so itself.
var errFindings = errors.New("findings")

func main() { os.Exit(program()) }

// program runs the command line, with more migrations than those that come with the program, and
// returns the exit code.
func program(more ...*migrations.Migration) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	env := readEnvironment(os.Getenv, os.Stdin, os.Stdout, os.Stderr)
	env.migrations = more
	return run(ctx, env, os.Args[1:])
}

// run carries out a command line and returns the exit code: 0 done, 1 failed, 2 not understood.
func run(ctx context.Context, env environment, args []string) int {
	if len(args) == 0 || asksForHelp(args[0]) {
		printUsage(env.stdout)
		return 0
	}
	for _, c := range commands {
		if c.name != args[0] {
			continue
		}
		err := c.run(ctx, env, args[1:])
		return exitCode(env, c, err)
	}
	fmt.Fprintf(env.stderr, "counterfoil: there is no command %q.\n\n", args[0])
	printUsage(env.stderr)
	return 2
}

func asksForHelp(word string) bool { return word == "help" || word == "--help" || word == "-h" }

// runVerb carries out what a command does, by the word behind it. Where that is used wrongly, the error says
// how it is used.
func runVerb(ctx context.Context, env environment, name string, verbs []command, args []string) error {
	if len(args) == 0 {
		return usageError{"say what to do: " + inWords(verbs) + "."}
	}
	if asksForHelp(args[0]) {
		for _, verb := range verbs {
			fmt.Fprintf(env.stdout, "counterfoil %s %s\n", name, verb.usage)
		}
		return nil
	}
	for _, verb := range verbs {
		if verb.name != args[0] {
			continue
		}
		err := verb.run(ctx, env, args[1:])
		var usage usageError
		switch {
		case errors.As(err, &usage):
			return usageError{usage.message + " It is: " + name + " " + verb.usage}
		case errors.Is(err, flag.ErrHelp): // which has printed the options
			fmt.Fprintf(env.stderr, "Usage: counterfoil %s %s\n", name, verb.usage)
		}
		return err
	}
	return usageError{fmt.Sprintf("there is no %q; there are %s.", args[0], inWords(verbs))}
}

func names(verbs []command) []string {
	list := make([]string, len(verbs))
	for i, verb := range verbs {
		list[i] = verb.name
	}
	return list
}

func inWords(verbs []command) string {
	list := names(verbs)
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

func usageOf(name string, verbs []command) string {
	return name + " " + strings.Join(names(verbs), "|")
}

func printUsage(w io.Writer) {
	fmt.Fprintf(w, introduction, version)
	for _, c := range commands {
		fmt.Fprintln(w, "  "+c.usage)
	}
	fmt.Fprint(w, settings)
}

// usageError is a command line that cannot be understood.
type usageError struct{ message string }

func (e usageError) Error() string { return e.message }

func exitCode(env environment, c command, err error) int {
	var usage usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errFindings):
		return 1
	case errors.As(err, &usage):
		fmt.Fprintf(env.stderr, "counterfoil %s: %s\n\nUsage: counterfoil %s\n", c.name, usage.message, c.usage)
		return 2
	}
	if fault.Message(err) != "" {
		for _, one := range fault.Each(err) {
			fmt.Fprintf(env.stderr, "counterfoil %s: %s\n", c.name, fault.Message(one))
		}
		env.logger().Debug("command failed", "error", err)
		return 1
	}
	fmt.Fprintf(env.stderr, "counterfoil %s: %v\n", c.name, err)
	return 1
}

// parse reads a command's options; what is left over must be as many words as wanted.
func parse(env environment, flags *flag.FlagSet, args []string, words ...string) error {
	flags.SetOutput(env.stderr)
	flags.Usage = func() {}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			flags.Usage = nil
			flags.PrintDefaults()
			return err
		}
		return usageError{err.Error()}
	}
	if flags.NArg() != len(words) {
		return usageError{fmt.Sprintf("%d words are given, but it takes %d%s.", flags.NArg(), len(words), list(words))}
	}
	return nil
}

func list(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return fmt.Sprintf(": %v", words)
}
