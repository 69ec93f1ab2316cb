package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"time"

	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/feedclient"
	"github.com/counterfoil/counterfoil/views"
)

// feed is what the command feed does: tail asks a server as any client does, the others work on the database.
func feed(ctx context.Context, env environment, args []string) error {
	return runVerb(ctx, env, "feed", feedCommands, args)
}

var feedCommands = []command{
	{"tail", "tail FEED [--board SLUG] [--from start|end|CURSOR|TIME] [--json] [--url URL] [--token TOKEN]", tailFeed},
	{"republish", "republish FEED|all --all | --company SLUG --board SLUG | --company SLUG --ids 17,NINJA-42 [--rate 1000]", republishFeed},
	{"new-epoch", "new-epoch", newEpoch},
	{"consumers", "consumers [--json]", listConsumers},
}

// tailFeed prints the changes of a feed as they come, until it is interrupted.
func tailFeed(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("feed tail", flag.ContinueOnError)
	board := flags.String("board", "", "the slug of the only board")
	from := flags.String("from", "end", "start, end, a cursor, or a time such as 2026-01-31T12:00:00Z")
	asJSON := flags.Bool("json", false, "a line of JSON for each change, with the cursor behind it")
	url := flags.String("url", env.base(), "the server")
	token := flags.String("token", "", "an API token; better in COUNTERFOIL_TOKEN, where others do not see it") // its default would be shown as help
	found, err := words(env, flags, args)
	if err != nil {
		return err
	}
	if len(found) != 1 {
		return usageError{fmt.Sprintf("%d words are given, but it takes the name of a feed.", len(found))}
	}
	if *token = cmp.Or(*token, env.token); *token == "" {
		return usageError{"an API token is needed: set COUNTERFOIL_TOKEN."}
	}
	client := &feedclient.Client{URL: *url, Token: *token, Retrying: func(err error, after time.Duration) {
		fmt.Fprintf(env.stderr, "%v; it is tried again in %s.\n", err, after.Round(100*time.Millisecond))
	}}
	cursor := ""
	err = client.Stream(ctx, feedclient.Query{Feed: found[0], Cursor: *from, Board: *board}, func(event feedclient.Event) error {
		cursor = event.Cursor
		if event.Item == nil {
			return nil
		}
		return printItem(env, *event.Item, cursor, *asJSON)
	})
	if cursor != "" {
		fmt.Fprintf(env.stderr, "Go on with --from %s\n", cursor)
	}
	var refused *feedclient.Error
	switch {
	case errors.Is(err, context.Canceled): // interrupted
		return nil
	case errors.As(err, &refused) && refused.Detail != "":
		return errors.New(refused.Detail)
	}
	return err
}

func printItem(env environment, item feedclient.Item, cursor string, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(env.stdout).Encode(struct {
			feedclient.Item
			Cursor string `json:"cursor"`
		}{item, cursor})
	}
	_, err := fmt.Fprintf(env.stdout, "%d\t%d\t%s\n", item.Position, item.ID, oneLine(itemLine(item)))
	return err
}

// itemLine is a row of whatever feed in a few words.
func itemLine(item feedclient.Item) string {
	if item.Deleted {
		return cmp.Or(map[string]string{feedclient.LeftFilter: "left the board"}[item.Reason], "deleted")
	}
	var row struct{ Key, Ticket, Slug, Title, Body string }
	if err := json.Unmarshal(item.Data, &row); err != nil {
		return string(item.Data)
	}
	text := []rune(cmp.Or(row.Title, row.Body))
	if len(text) > 100 {
		text = append(text[:99], '…')
	}
	return cmp.Or(row.Key, row.Ticket, row.Slug) + " " + string(text)
}

func republishFeed(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("feed republish", flag.ContinueOnError)
	all := flags.Bool("all", false, "everything")
	company := flags.String("company", "", "the short name of the company")
	board := flags.String("board", "", "the slug of a board of it")
	list := flags.String("ids", "", "rows of it, by their ids, or tickets by their keys, with commas between: at most 1,000")
	rate := flags.String("rate", "", "rows per second")
	found, err := words(env, flags, args)
	if err != nil {
		return err
	}
	which := feeds.Which{Board: *board, All: *all}
	if err = which.Name(feeds.SplitIDs(*list)...); err == nil {
		err = which.Check()
	}
	switch {
	case err != nil:
		return usageError{err.Error()}
	case len(found) != 1:
		return usageError{fmt.Sprintf("%d words are given, but it takes the name of a feed, or all.", len(found))}
	case *all == (*company != ""):
		return usageError{"say --all, or which company."}
	}
	name := found[0]
	if name == "all" && !which.Named() {
		name = ""
	}
	return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error {
		n, run, err := w.RepublishFor(ctx, name, *company, which, *rate)
		switch {
		case err != nil:
			return err
		case run == nil:
			_, err = fmt.Fprintf(env.stdout, "%d rows are published again.\n", n)
		default:
			was := "was opened"
			if run.Already {
				was = "does the same and has not begun, so none was opened"
			}
			_, err = fmt.Fprintf(env.stdout, "Run %d %s; it starts by itself where “serve” or “work” runs. “migrations status %d” shows how far it is.\n", run.ID, was, run.ID)
		}
		return err
	})
}

func newEpoch(ctx context.Context, env environment, args []string) error {
	if err := parse(env, flag.NewFlagSet("feed new-epoch", flag.ContinueOnError), args); err != nil {
		return err
	}
	return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error {
		if err := w.NewEpoch(ctx); err != nil {
			return err
		}
		_, err := fmt.Fprintln(env.stdout, "All cursors of before are refused; whoever follows a feed reads it from its start.")
		return err
	})
}

func listConsumers(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("feed consumers", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "a line of JSON for each")
	if err := parse(env, flags, args); err != nil {
		return err
	}
	return withWorkflows(ctx, env, func(ctx context.Context, w *workflows.Workflows) error {
		list, err := everyConsumer(ctx, w)
		if err != nil {
			return err
		}
		if *asJSON {
			return printConsumers(env, list)
		}
		if len(list) == 0 {
			_, err := fmt.Fprintln(env.stdout, "No consumer is registered.")
			return err
		}
		rows := make([][]string, len(list))
		for i, c := range list {
			rows[i] = []string{
				c.CompanySlug, c.Feed, c.Name, c.State, views.Thousands(int64(c.LagRows)), strconv.FormatFloat(c.LagSeconds, 'f', 1, 64),
				c.SeenAt.UTC().Format(time.RFC3339), c.Cursor.String(),
			}
		}
		return table(env, "COMPANY FEED NAME STATE ROWS SECONDS SEEN CURSOR", rows)
	})
}

func everyConsumer(ctx context.Context, w *workflows.Workflows) (all []feeds.Consumer, err error) {
	var after id.Consumer
	for more := true; more; {
		var page []feeds.Consumer
		if page, more, err = w.AllConsumers(ctx, after); err != nil {
			return nil, err
		}
		if all = append(all, page...); len(page) > 0 {
			after = page[len(page)-1].ID
		}
	}
	return all, nil
}

func printConsumers(env environment, list []feeds.Consumer) error {
	lines := json.NewEncoder(env.stdout)
	for _, c := range list {
		err := lines.Encode(struct {
			Company    string    `json:"company"`
			Feed       string    `json:"feed"`
			Name       string    `json:"name"`
			State      string    `json:"state"`
			LagRows    uint64    `json:"lag_rows"`
			LagSeconds float64   `json:"lag_seconds"`
			SeenAt     time.Time `json:"seen_at"`
			Cursor     string    `json:"cursor"`
		}{c.CompanySlug, c.Feed, c.Name, c.State, c.LagRows, c.LagSeconds, c.SeenAt, c.Cursor.String()})
		if err != nil {
			return err
		}
	}
	return nil
}
