package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/secrets"
	"github.com/counterfoil/counterfoil/ops/keyloss"
)

func keyCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "key", Usage: "The key file that secrets in the database are encrypted with: show, rotate, reset", Action: group,
		Commands: []*cli.Command{
			{
				Name: "show", Usage: "Show the ids of the keys in the file and of the database's; exit code 1 if that is not in the file",
				Action: func(ctx context.Context, _ *cli.Command) error { return withKeys(ctx, env, showKey) },
			},
			{
				Name: "rotate", Usage: "Encrypt all secrets with a new key, also while serving; or finish that",
				Flags: []cli.Flag{&cli.BoolFlag{Name: "prepare",
					Usage: "only add the new key to the file, to copy it to other servers first"}},
				Action: func(ctx context.Context, c *cli.Command) error {
					if c.Bool("prepare") {
						return withKeys(ctx, env, prepareKey)
					}
					return withKeys(ctx, env, rotateKey)
				},
			},
			{
				Name: "reset", Usage: "Give up what was encrypted with a lost key, and list what must be entered again; requires --lost",
				Flags: []cli.Flag{&cli.BoolFlag{Name: "lost", Usage: "the key file is lost for good"}},
				Action: func(ctx context.Context, c *cli.Command) error {
					if !c.Bool("lost") {
						return usageError{"reset stops the webhooks whose secrets cannot be decrypted. Look for a copy of the key file first; if there is none, stop serve and work, then add --lost."}
					}
					return withKeys(ctx, env, resetKey)
				},
			},
		},
	}
}

// firstWithSecrets is the schema version that added the table sealed_secret.
const firstWithSecrets = 24

// codeOldSchema: the schema of the database has no encrypted secrets yet. Bring it up first.
const codeOldSchema fault.Code = "Key.OldSchema"

func withKeys(
	ctx context.Context, env environment, do func(context.Context, environment, *db.DB, *secrets.Keys) error,
) error {
	d, err := env.openExisting(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	status, err := db.Schema(d.url)
	if err != nil {
		return err
	}
	if status.Version < firstWithSecrets {
		return fault.Conflict.New(codeOldSchema, "",
			"The database has no encrypted secrets yet: its schema is older. Start “counterfoil serve”, or use “counterfoil schema up”.")
	}
	return do(ctx, env, d.DB, env.keys())
}

func showKey(ctx context.Context, env environment, d *db.DB, keys *secrets.Keys) error {
	state, err := keys.State(ctx, d.Queries)
	if err != nil {
		return err
	}
	if state.Err != nil {
		return state.Err
	}
	for _, id := range state.IDs {
		what := ""
		switch {
		case id == state.Current:
			what = "  the database's"
		case state.Current != "" && !slices.Contains(state.IDs[:slices.Index(state.IDs, id)], state.Current):
			what = "  prepared; “counterfoil key rotate” encrypts with it"
		case state.Current != "":
			what = "  old; “counterfoil key rotate” finishes, and drops it"
		}
		fmt.Fprintf(env.stdout, "%s  %s%s\n", id, state.Path, what)
	}
	if state.Current == "" {
		fmt.Fprintln(env.stdout, "The database has no key yet; “counterfoil serve” gives it one.")
	}
	return nil
}

func prepareKey(ctx context.Context, env environment, d *db.DB, keys *secrets.Keys) error {
	id, err := keys.Prepare(ctx, d)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.stdout, "%s has the new key %s; nothing is encrypted with it yet.\n", keys.Path(), id)
	_, err = fmt.Fprintln(env.stdout, "Copy the file to every server of this database, then use “counterfoil key rotate”.")
	return err
}

func rotateKey(ctx context.Context, env environment, d *db.DB, keys *secrets.Keys) error {
	prepared, err := keys.Prepared(ctx, d)
	if err != nil {
		return err
	}
	if !prepared {
		if hosts, err := otherHosts(ctx, d); err != nil || hosts != "" {
			if err == nil {
				err = secrets.NotEverywhere(keys.Path(), hosts)
			}
			return err
		}
	}
	done, err := keys.Rotate(ctx, d, func(ctx context.Context, tx *db.Tx, from, to string) error {
		return accounts.RecordInstance(ctx, tx, 0, accounts.AuditKeyRotated, accounts.AuditDetail{Name: to, Was: from})
	})
	if err != nil {
		return err
	}
	if done.From == "" {
		fmt.Fprintf(env.stdout, "The rotation to the key %s is finished; %d secrets were left to encrypt.\n", done.To,
			done.Encrypted)
		return nil
	}
	fmt.Fprintf(env.stdout, "%d secrets are encrypted with the new key %s. Keep a copy of %s, apart from backups.\n",
		done.Encrypted, done.To, keys.Path())
	_, err = fmt.Fprintf(env.stdout, "Backups from before need the old key %s: keep your copy of it as long as those.\n",
		done.From)
	return err
}

// otherHosts names the other machines on which servers run, "" if there are none.
func otherHosts(ctx context.Context, d *db.DB) (string, error) {
	workers, err := db.Read(d.LivingWorkers(ctx))
	if err != nil {
		return "", err
	}
	here, err := os.Hostname()
	if err != nil {
		return "", err
	}
	var hosts []string
	for _, w := range workers {
		if w.MigrationWorker.Host != here && !slices.Contains(hosts, w.MigrationWorker.Host) {
			hosts = append(hosts, w.MigrationWorker.Host)
		}
	}
	return strings.Join(hosts, ", "), nil
}

// codeServersRun: servers run on the database, so they have its key. Stop them first.
const codeServersRun fault.Code = "Key.ServersRunning"

func resetKey(ctx context.Context, env environment, d *db.DB, keys *secrets.Keys) error {
	workers, err := db.Read(d.LivingWorkers(ctx))
	if err != nil {
		return err
	}
	if len(workers) > 0 {
		return fault.Conflict.New(codeServersRun, "", fmt.Sprintf(
			"A server runs on %s, and may have the key: copy its key file. If it is lost there, too, stop serve and work first.",
			workers[0].MigrationWorker.Host))
	}
	lost, err := keyloss.Reset(ctx, d, keys)
	if err != nil {
		return err
	}
	if lost.Key == "" && lost.None() {
		fmt.Fprintf(env.stdout, "Nothing is lost: every secret opens with %s.\n", keys.Path())
		return nil
	}
	return printLost(env, keys, lost)
}

// printLost lists what must be entered again.
func printLost(env environment, keys *secrets.Keys, lost keyloss.Lost) error {
	if lost.Key != "" {
		fmt.Fprintf(env.stdout, "The key %s, which secrets were encrypted with, is not in %s. From now on they are encrypted with the key there.\n",
			lost.Key, keys.Path())
	}
	if lost.Chains {
		fmt.Fprintln(env.stdout, "The chains of the audit lists begin anew: their entries are sealed again, marked as existing.")
	}
	if lost.Apps > 0 {
		fmt.Fprintf(env.stdout, "Authenticator apps that must be set up anew: %d. Their users sign in with a recovery code, "+
			"or after counterfoil reset-second-factor.\n", lost.Apps)
	}
	if lost.Issuers > 0 {
		fmt.Fprintf(env.stdout, "Issuers whose client secret must be entered again, by an owner of their company or by an "+
			"operator: %d.\n", lost.Issuers)
	}
	if len(lost.Webhooks) == 0 {
		return nil
	}
	fmt.Fprintln(env.stdout, "These webhooks are stopped. Each needs a new secret, which its receiver is given; then turn it on:")
	for _, w := range lost.Webhooks {
		fmt.Fprintf(env.stdout, "  %s  %s\n", w.Company, w.Host)
	}
	return nil
}
