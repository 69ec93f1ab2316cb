package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/views"
)

func consumersCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "consumers", Usage: "List the registered consumers, and how far behind each is",
		Flags:  []cli.Flag{jsonOption("print a line of JSON for each")},
		Action: func(ctx context.Context, c *cli.Command) error { return listConsumers(ctx, env, c.Bool("json")) },
	}
}

func listConsumers(ctx context.Context, env environment, asJSON bool) error {
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
		list, err := everyConsumer(ctx, w)
		if err != nil {
			return err
		}
		if asJSON {
			return printConsumers(env, list)
		}
		if len(list) == 0 {
			_, err := fmt.Fprintln(env.stdout, "No consumer is registered.")
			return err
		}
		rows := make([][]string, len(list))
		for i, c := range list {
			rows[i] = []string{
				c.CompanySlug, c.Feed, c.Name, c.State, views.Thousands(int64(c.LagRows)),
				strconv.FormatFloat(c.LagSeconds, 'f', 1, 64),
				c.SeenAt.UTC().Format(time.RFC3339), c.Cursor.String(),
			}
		}
		return table(env, "COMPANY FEED NAME STATE ROWS SECONDS SEEN CURSOR", rows)
	})
}

func everyConsumer(ctx context.Context, w *app.App) (all []feeds.Consumer, err error) {
	var after id.Consumer
	for more := true; more; {
		var page []feeds.Consumer
		if page, more, err = w.Console.Consumers(ctx, after); err != nil {
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
