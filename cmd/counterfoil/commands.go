package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
)

// commandLine is the tree of commands.
func commandLine(env environment) *cli.Command {
	root := &cli.Command{
		Name:    "counterfoil",
		Usage:   "Counterfoil " + version + " is a self-hosted ticket tracker for teams.",
		Version: version,
		Reader:  env.stdin, Writer: env.stdout, ErrWriter: env.stderr,
		Commands: []*cli.Command{
			serveCommand(env), workCommand(env), schemaCommand(env), setupCommand(env), tokenCommand(env),
			resetPasswordCommand(env), resetSecondFactorCommand(env), issuersCommand(env),
			migrationsCommand(env), feedCommand(env), refsCommand(env),
			verifyCommand(env), doctorCommand(env), backupCommand(env), restoreCommand(env), keyCommand(env),
			failoverCommand(env),
			benchCommand(env),
			versionCommand(env),
		},
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: arrangeCompletion,
		ExitErrHandler:                  func(context.Context, *cli.Command, error) {}, // run decides
		Description:                     settings,
		Action:                          func(_ context.Context, c *cli.Command) error { return cli.ShowRootCommandHelp(c) },
	}
	arrange(root, "")
	return root
}

// settings ends the help of the program.
const settings = `Settings come from the environment: DATABASE_URL (without it, a private database), COUNTERFOIL_REPLICAS,
COUNTERFOIL_ADDR (127.0.0.1:8080), COUNTERFOIL_URL, COUNTERFOIL_TOKEN, COUNTERFOIL_TRUSTED_PROXIES,
COUNTERFOIL_DATA (./data), COUNTERFOIL_BLOBS (a folder, or s3://bucket), COUNTERFOIL_SEARCH (search in the
COUNTERFOIL_DATA folder), COUNTERFOIL_KEY_FILE (key in the
data directory), COUNTERFOIL_MAX_UPLOAD (2GB), COUNTERFOIL_UPLOAD_MAX (100MB),
COUNTERFOIL_WEBHOOK_ALLOW, COUNTERFOIL_PICTURE_ALLOW, COUNTERFOIL_ISSUER_ALLOW, COUNTERFOIL_DOWNLOAD_ALLOW,
COUNTERFOIL_OUTBOUND_DENY,
COUNTERFOIL_API_RATE (1200), COUNTERFOIL_SECOND_FACTOR (off, or operators), COUNTERFOIL_LOG (text or json),
COUNTERFOIL_METRICS_ADDR (127.0.0.1:9464, or off), COUNTERFOIL_COMPANY_STREAMS (500), COUNTERFOIL_SESSION_IDLE_DAYS (14),
COUNTERFOIL_BULK_EDITS (2), COUNTERFOIL_BULK_TICKETS (10000).
docs/operations.md says more.`

// arrange sets what all commands have in common: they check their arguments, name themselves in errors, and show help
// in one form.
func arrange(c *cli.Command, above string) {
	name := strings.TrimSpace(above + " " + c.Name)
	if c.UsageText == "" {
		c.UsageText = usageOf(c, name)
	}
	c.UsageText = strings.ReplaceAll(c.UsageText, "\n", "\n       ") // below the word “Usage: ”
	fail := func(err error) error {
		if err == nil {
			return nil
		}
		return failure{name, fmt.Sprintf("Usage: %s\n“%s --help” says more.\n", c.UsageText, name), err}
	}
	act := c.Action
	c.Action = func(ctx context.Context, c *cli.Command) error {
		if err := checkArguments(c); err != nil {
			return fail(err)
		}
		return fail(act(ctx, c))
	}
	c.OnUsageError = func(_ context.Context, _ *cli.Command, err error, _ bool) error {
		return fail(usageError{inPlainWords(err)})
	}
	c.HideHelpCommand = len(c.Commands) == 0 // else an argument “help” could not be given
	c.CommandNotFound = func(_ context.Context, c *cli.Command, _ string) { cli.HelpPrinter(c.Root().Writer, helpTemplate, c) }
	for _, below := range c.Commands {
		arrange(below, name)
	}
}

func usageOf(c *cli.Command, name string) string {
	parts := []string{name, c.ArgsUsage}
	if len(c.Commands) > 0 {
		parts = append(parts, "COMMAND")
	}
	if len(c.Flags) > 0 || len(c.Commands) > 0 {
		parts = append(parts, "[OPTIONS]")
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// arrangeCompletion shows the library's command for completion.
func arrangeCompletion(c *cli.Command) {
	c.Hidden, c.Usage = false, "Print a completion script for bash, zsh or fish"
	c.Commands = slices.DeleteFunc(c.Commands, func(shell *cli.Command) bool { return shell.Name == "pwsh" })
	for _, shell := range c.Commands {
		shell.Usage = "The script for " + shell.Name
	}
	c.Description = `bash, in ~/.bashrc:  source <(counterfoil completion bash)
zsh, in ~/.zshrc:    source <(counterfoil completion zsh)
fish, once:          counterfoil completion fish > ~/.config/fish/completions/counterfoil.fish`
	c.Action = group
	arrange(c, "counterfoil")
}

// group is the action of a command that only has subcommands; checkArguments has refused it.
func group(context.Context, *cli.Command) error { return nil }

// meanings describe the arguments.
var meanings = map[string]string{
	"RUN": "the number of a run", "TASK": "the number of a task", "WORKER": "the number of a worker",
	"LOT":    "the number of a lot",
	"ISSUER": "the number of an issuer, as “issuers list” shows it", "COMPANY": "the short name of a company, as in URLs",
	"NAME|RUN": "the name of a migration, or the number of a run that is ready", "NAME=VALUE": "a setting to change",
	"FEED": "the name of a feed", "FEED|all": "the name of a feed, or all", "N": "how many codes",
	"FILE": "the name of a file", "REASON": "why, in quotes: operators see it",
}

// checkArguments compares the arguments with a command's ArgsUsage: words in brackets are optional, and “…” follows
// one that may be repeated.
func checkArguments(c *cli.Command) error {
	if below := slices.DeleteFunc(slices.Clone(c.Commands),
		func(b *cli.Command) bool { return b.Name == "help" }); len(below) > 0 {
		return checkWord(c, below)
	}
	var needed []string
	most := 0
	for word := range strings.FieldsSeq(c.ArgsUsage) {
		switch {
		case strings.HasPrefix(word, "…"):
			most = c.NArg()
		case strings.HasPrefix(word, "["):
			most++
		default:
			needed = append(needed, word)
			most++
		}
	}
	switch given := c.NArg(); {
	case given < len(needed):
		return usageError{fmt.Sprintf("%s is missing: %s.", needed[given], meanings[needed[given]])}
	case given > most && most == 0:
		return usageError{fmt.Sprintf("it takes no arguments, but %q is given.", c.Args().First())}
	case given > most:
		return usageError{fmt.Sprintf("%q is too much: it takes only %s.", c.Args().Get(most), c.ArgsUsage)}
	}
	return nil
}

// checkWord refuses a command line without a subcommand, or with an unknown one.
func checkWord(c *cli.Command, below []*cli.Command) error {
	names := make([]string, len(below))
	for i, b := range below {
		names[i] = b.Name
	}
	switch last := len(names) - 1; {
	case c == c.Root() && !c.Args().Present():
		return nil
	case c == c.Root():
		return usageError{fmt.Sprintf("there is no command %q.", c.Args().First())}
	case !c.Args().Present():
		return usageError{fmt.Sprintf("say what to do: %s or %s.", strings.Join(names[:last], ", "), names[last])}
	default:
		return usageError{fmt.Sprintf("there is no %q; there are %s and %s.", c.Args().First(),
			strings.Join(names[:last], ", "), names[last])}
	}
}

// inPlainWords rewrites the library's error about an option.
func inPlainWords(err error) string {
	text := err.Error()
	if name, found := strings.CutPrefix(text, "flag provided but not defined: -"); found {
		return "there is no option --" + strings.TrimLeft(name, "-") + "."
	}
	if name, found := strings.CutPrefix(text, "flag needs an argument: "); found {
		return "the option --" + strings.TrimLeft(name, "-") + " needs a value."
	}
	var value, name string
	if _, err := fmt.Sscanf(text, "invalid value %q for flag -%s", &value, &name); err == nil {
		return fmt.Sprintf("%q is no value of the option --%s.", value, strings.TrimSuffix(name, ":"))
	}
	return text
}

type failure struct {
	command, usage string
	err            error
}

func (f failure) Error() string { return f.err.Error() }
func (f failure) Unwrap() error { return f.err }

// usageError is a command line that cannot be understood.
type usageError struct{ message string }

func (e usageError) Error() string { return e.message }

// jsonOption adds --json to a command.
func jsonOption(usage string) cli.Flag { return &cli.BoolFlag{Name: "json", Usage: usage} }

// openFile opens a file that is no folder.
func openFile(name string) (*os.File, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if about, err := file.Stat(); err != nil || about.IsDir() {
		file.Close()
		return nil, cmp.Or(err, fmt.Errorf("%s is a folder", name))
	}
	return file, nil
}
