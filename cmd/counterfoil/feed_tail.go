package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/feedclient"
)

func tailCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "tail", ArgsUsage: "FEED", Usage: "Print changes as they come, until interrupted",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "board", Usage: "only the board of this SLUG"},
			&cli.StringFlag{Name: "from", Value: "end", Usage: "start, end, a cursor, or a time such as 2026-01-31T12:00:00Z"},
			jsonOption("a line of JSON for each change, with the cursor after it"),
			&cli.StringFlag{Name: "url", Value: env.base(), Usage: "the server's URL"},
			// It has no default, which help would show.
			&cli.StringFlag{Name: "token",
				Usage: "a TOKEN for the API; better in COUNTERFOIL_TOKEN, where others do not see it"},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			token := cmp.Or(c.String("token"), env.token)
			if token == "" {
				return usageError{"an API token is needed: set COUNTERFOIL_TOKEN."}
			}
			query := feedclient.Query{Feed: c.Args().First(), Cursor: c.String("from"), Board: c.String("board")}
			return tailFeed(ctx, env, c.String("url"), token, query, c.Bool("json"))
		},
	}
}

// tailFeed prints the changes of a feed until it is interrupted.
func tailFeed(ctx context.Context, env environment, url, token string, query feedclient.Query, asJSON bool) error {
	client := &feedclient.Client{URL: url, Token: token, Retrying: func(err error, after time.Duration) {
		fmt.Fprintf(env.stderr, "%v; retrying in %s.\n", err, after.Round(100*time.Millisecond))
	}}
	cursor := ""
	err := client.Stream(ctx, query, func(event feedclient.Event) error {
		cursor = event.Cursor
		if event.Item == nil {
			return nil
		}
		return printItem(env, *event.Item, cursor, asJSON)
	})
	if cursor != "" {
		fmt.Fprintf(env.stderr, "Continue with --from %s\n", cursor)
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

// itemLine is a row of any feed in one line.
func itemLine(item feedclient.Item) string {
	switch item.Reason {
	case feedclient.LeftFilter:
		return "left the board"
	case feedclient.Left:
		return fmt.Sprintf("board %d is not seen any more", item.Board)
	case feedclient.Joined:
		return fmt.Sprintf("board %d is seen now: its rows are in /feeds/…/snapshot", item.Board)
	}
	if item.Deleted {
		return "deleted"
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
