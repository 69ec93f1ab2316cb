package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/db/dbtest"
)

func TestCLIHelp(t *testing.T) {
	t.Parallel()
	env := newEnv(t, "")
	var check func(c *cli.Command, path []string)
	check = func(c *cli.Command, path []string) {
		name := strings.Join(append([]string{"counterfoil"}, path...), " ")
		for _, help := range []string{"-h", "--help"} {
			env.command(t, 0, "\nUsage: "+name, append(path, help)...)
			if env.err.Len() > 0 || !strings.HasPrefix(env.out.String(), c.Usage+"\n") {
				t.Errorf("%s %s prints %s%s", name, help, env.out, env.err)
			}
		}
		for _, option := range c.Flags {
			if !strings.Contains(env.out.String(), "  --"+option.Names()[0]) {
				t.Errorf("the help of %s does not know --%s", name, option.Names()[0])
			}
		}
		for word := range strings.FieldsSeq(c.ArgsUsage) {
			if meanings[word] == "" && !strings.HasPrefix(word, "[") && !strings.HasPrefix(word, "…") {
				t.Errorf("%s does not say what %s is", name, word)
			}
		}
		for _, below := range c.Commands {
			if !strings.Contains(env.out.String(), "  "+below.Name+" ") {
				t.Errorf("the help of %s does not know %s", name, below.Name)
			}
		}
		for _, below := range c.Commands {
			check(below, append(path[:len(path):len(path)], below.Name))
		}
	}
	check(commandLine(env.environment), nil)
}

func TestCLIVersion(t *testing.T) {
	t.Parallel()
	env := newEnv(t, "")
	env.command(t, 0, "counterfoil "+version+" (schema ", "version")
	env.command(t, 0, `{"version":"`+version+`","schema":`, "version", "-json")
	env.command(t, 0, version, "--version")
}

func TestCLICompletion(t *testing.T) {
	t.Parallel()
	env := newEnv(t, "")
	for shell, want := range map[string]string{"bash": "complete -o bashdefault", "zsh": "#compdef counterfoil",
		"fish": "complete -c counterfoil"} {
		env.command(t, 0, want, "completion", shell)
	}
	env.command(t, 2, "there are bash, zsh and fish", "completion", "tcsh")
	t.Run("all shells ask the program itself", func(t *testing.T) {
		for want, args := range map[string]string{"mint:Mint N codes": "refs", "--length:": "refs mint --l",
			"bash:": "completion", "down:": "schema"} {
			env.command(t, 0, want, append(strings.Fields(args), "--generate-shell-completion")...)
		}
	})
	t.Run("bash completes commands and options", func(t *testing.T) {
		env.command(t, 0, "complete", "completion", "bash")
		for line, want := range map[string]string{
			"counterfoil ref":                        "refs",
			"counterfoil migrations re":              "resume retry rejections report release",
			"counterfoil migrations start count --c": "--canary",
		} {
			words := strings.Fields(line)
			script := "_comp_initialize() { :; }\ncounterfoil() { \"$PROGRAM\" \"$@\"; }\n" + env.out.String() +
				"\nCOMP_WORDS=(" + line +
				"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n__counterfoil_bash_autocomplete; echo \"${COMPREPLY[@]}\""
			cmd := exec.Command("bash", "-c", script)
			cmd.Env = append(os.Environ(), asProgram+"=1", "PROGRAM="+os.Args[0])
			if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != want {
				t.Errorf("%s<TAB>: %v, %s", words[len(words)-1], err, out)
			}
		}
	})
}

func TestCLIJSON(t *testing.T) {
	t.Parallel()
	env := newEnv(t, dbtest.Empty(t))
	env.environment.migrations, env.patience = probes(), time.Millisecond
	for _, c := range []struct{ args, want string }{
		{"schema up --json", `"dirty":false`},
		{"schema status -json", `"version":`},
		{"refs mint 100 --json", `"migration":"mint-refs"`},
		{"migrations failures 1 --json", `{"items":[]`},
		{"migrations cancel 1 --json", `"state":"cancelled"`},
		{"feed republish --json --all tickets", `"migration":"republish"`},
		{"refs status --json", `"available":0`},
	} {
		env.command(t, 0, c.want, strings.Fields(c.args)...)
		if !json.Valid(env.out.Bytes()) || strings.Count(env.out.String(), "\n") != 1 || env.err.Len() > 0 {
			t.Errorf("%s prints %s%s", c.args, env.out, env.err)
		}
	}
	env.command(t, 2, "choose one", "migrations", "failures", "1", "--csv", "--json")
}

func TestCLIWait(t *testing.T) {
	t.Parallel()
	env := migrationHouse(t)
	t.Run("a run that no worker works on is not waited for", func(t *testing.T) {
		env.command(t, 1, "so run 1 waits", "refs", "mint", "100", "--wait")
	})
	env.patience = 10 * time.Minute
	env.works(t)
	t.Run("it ends with the run", func(t *testing.T) {
		env.command(t, 0, "count-up, complete: ", "migrations", "start", "count-up", "to=40", "--wait")
		env.command(t, 0, "mint-refs, complete: ", "refs", "mint", "200", "--wait")
		env.command(t, 0, "republish, complete: ", "feed", "republish", "comments", "--all", "--wait")
		env.command(t, 0, "complete (dry): ", "migrations", "start", "count-up", "to=5", "--dry", "--wait")
	})
	t.Run("JSON is the run at its end, and nothing else", func(t *testing.T) {
		env.command(t, 0, `"state":"complete"`, "migrations", "start", "count-up", "to=41", "--wait", "--json")
		if !json.Valid(env.out.Bytes()) {
			t.Error(env.out)
		}
	})
	t.Run("failed tasks are findings", func(t *testing.T) {
		env.command(t, 1, " shows what failed", "migrations", "start", "count-up", "to=42", "fails=3", "--wait")
		if !strings.Contains(env.out.String(), "1 failed") {
			t.Error(env.out)
		}
	})
	t.Run("a canary that is done is what was asked for, and resume does the rest", func(t *testing.T) {
		env.command(t, 0, "paused: The canary is done", "migrations", "start", "count-up", "to=43", "--canary", "5", "--wait",
			"--json=false")
		run := strings.Fields(env.out.String())[1]
		env.command(t, 0, "43 of 43 done", "migrations", "resume", run, "--wait")
	})
	t.Run("a run that is prepared has nothing to wait for", func(t *testing.T) {
		env.command(t, 0, "It has 44 tasks", "migrations", "start", "count-up", "to=44", "--prepare", "--wait")
	})
	t.Run("on a terminal there is a bar", func(t *testing.T) {
		env.terminal = true
		env.command(t, 0, "count-up, complete: ", "migrations", "start", "count-up", "to=45", "--wait")
		if !strings.Contains(env.err.String(), "run ") || !strings.HasSuffix(env.err.String(), "\x1b[2K\r") {
			t.Errorf("%q", env.err)
		}
	})
}

func TestCLIProgress(t *testing.T) {
	t.Parallel()
	from, to := newEnv(t, dbtest.Empty(t)), newEnv(t, dbtest.Empty(t))
	file := filepath.Join(t.TempDir(), "acme.backup")
	bars := func(env *env, want ...string) {
		t.Helper()
		for _, step := range want {
			if !strings.Contains(env.err.String(), step) {
				t.Errorf("no bar of “%s”: %q", step, env.err)
			}
		}
		if !strings.HasSuffix(env.err.String(), "\x1b[2K\r") {
			t.Errorf("the bar stays: %q", env.err)
		}
	}
	from.terminal, to.terminal = true, true
	from.command(t, 0, "schema version", "schema", "up")
	bars(from, "schema")
	from.setUp(t)
	from.command(t, 0, "holds", "backup", file)
	bars(from, "rows")
	from.command(t, 0, "as it should be", "verify")
	bars(from, "verify")
	to.command(t, 0, "is whole", "restore", "--check", file)
	bars(to, "check the file")
	to.command(t, 0, "Restored", "restore", file)
	bars(to, "check the file", "load rows", "verify")

	from.terminal = false
	from.command(t, 0, "as it should be", "verify")
	if from.err.Len() > 0 {
		t.Errorf("without a terminal it prints %q", from.err)
	}
}
