package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/ops/failover"
)

func failoverCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "failover", Usage: "Prepare a promoted database, which may lack the last changes, for use",
		UsageText: "counterfoil failover --old URL|--old-is-gone --lost DURATION [--json]\ncounterfoil failover --report [--json]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "old", Usage: "the URL of the old database, which must take no more writes"},
			&cli.BoolFlag{Name: "old-is-gone", Usage: "the old server is gone for good and has no address"},
			&cli.DurationFlag{Name: "lost", Usage: "the DURATION that may be lost, such as 30s: how far the promoted server was behind at most"},
			&cli.BoolFlag{Name: "report", Usage: "only show the report of the last failover"},
			jsonOption("print one line of JSON"),
		},
		Description: "DATABASE_URL is the promoted server. Nothing can use the database meanwhile; if it is cut off, run it again.\n" +
			"docs/operations.md says what to do before and after.",
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Bool("report") {
				return lastFailover(ctx, env, c.Bool("json"))
			}
			o, err := failoverOptions(env, c)
			if err != nil {
				return err
			}
			return failOver(ctx, env, o, c.Bool("json"))
		},
	}
}

func failoverOptions(env environment, c *cli.Command) (failover.Options, error) {
	o := failover.Options{URL: env.databaseURL, Old: c.String("old"), Lost: c.Duration("lost")}
	switch {
	case (o.Old != "") == c.Bool("old-is-gone"):
		return o, usageError{"either --old with the URL of the database before or --old-is-gone is needed."}
	case o.Lost <= 0 || o.Lost > 24*time.Hour:
		return o, usageError{"--lost is needed: how much may be lost, from 1s to 24h."}
	case o.URL == "":
		return o, usageError{"DATABASE_URL is needed: the promoted server. A private database does not fail over."}
	}
	return o, nil
}

func failOver(ctx context.Context, env environment, o failover.Options, asJSON bool) error {
	d, err := env.openToLook(ctx)
	if err != nil {
		return err
	}
	d.close() // it answers, and is fit; from now on all other connections are ended
	bar := newProgress(env)
	o.Progress = bar.at
	report, err := failover.Run(ctx, o)
	bar.end()
	if err != nil {
		return err
	}
	return showFailover(env, report, asJSON)
}

func lastFailover(ctx context.Context, env environment, asJSON bool) error {
	d, err := env.openToLook(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	report, err := failover.Last(ctx, d.DB)
	if err != nil {
		return err
	}
	return showFailover(env, report, asJSON)
}

func showFailover(env environment, r failover.Report, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(env.stdout).Encode(r)
	}
	say := func(format string, args ...any) { fmt.Fprintf(env.stdout, format+"\n", args...) }
	old := "the old server, which is gone"
	if r.Old != "" {
		old = r.Old + " (" + oneLine(r.Answer) + ")"
	}
	say("Failed over from %s between %s and %s.", old, stamp(r.BeganAt), stamp(r.EndedAt))
	say("The last change that this database knows is of %s; what was done in up to %s after it may be lost.",
		stamp(r.LastChange), time.Duration(r.LostSeconds*float64(time.Second)))
	say("")
	say("Feeds      a new epoch: every reader starts again from the beginning")
	say("Codes      %s from the pool are in quarantine%s", thousands(r.CodesQuarantined), mintOf(r))
	say("Numbers    skipped on %d boards, listed below", len(r.Boards)+r.MoreBoards)
	say("Runs       paused until an operator resumes them: %s", runsOf(r))
	say("Workers    of before cannot finish tasks; they register again")
	say("Keys       an Idempotency-Key from around the failover is answered as unknown, not done again")
	say("Sessions   %s ended: users sign in again", thousands(r.SessionsEnded))
	if err := showSkipped(env, r); err != nil {
		return err
	}
	return showReview(env, r)
}

func mintOf(r failover.Report) string {
	if r.MintRun == 0 {
		return ""
	}
	return fmt.Sprintf("; run %d mints new ones", r.MintRun)
}

func runsOf(r failover.Report) string {
	if len(r.RunsPaused) == 0 {
		return "none"
	}
	names := make([]string, len(r.RunsPaused))
	for i, run := range r.RunsPaused {
		names[i] = digits(run)
	}
	return strings.Join(names, ", ")
}

func showSkipped(env environment, r failover.Report) error {
	if len(r.Boards) == 0 {
		return nil
	}
	fmt.Fprintln(env.stdout)
	rows := make([][]string, len(r.Boards))
	for i, b := range r.Boards {
		rows[i] = []string{b.Company, b.Board, digits(b.Last), digits(b.Last + b.Skipped + 1)}
	}
	if err := table(env, "COMPANY BOARD LAST NEXT", rows); err != nil {
		return err
	}
	if r.MoreBoards > 0 {
		fmt.Fprintf(env.stdout, "and %d more\n", r.MoreBoards)
	}
	return nil
}

func showReview(env environment, r failover.Report) error {
	if len(r.Review) == 0 {
		return nil
	}
	fmt.Fprintln(env.stdout, "\nTokens and roles that were changed within the hour before. Later changes may be lost: look whether each is as it should be.")
	rows := make([][]string, len(r.Review))
	for i, c := range r.Review {
		rows[i] = []string{stamp(c.At), c.Company, c.By, c.Kind,
			strings.Join(strings.Fields(strings.Join([]string{c.Detail.Name, c.Detail.Member, c.Detail.Role}, " ")), " ")}
	}
	if err := table(env, "TIME COMPANY BY CHANGE OF", rows); err != nil {
		return err
	}
	if r.MoreReview {
		fmt.Fprintln(env.stdout, "and more: see the audit lists of the companies")
	}
	return nil
}
