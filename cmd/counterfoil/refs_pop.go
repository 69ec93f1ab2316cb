package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
)

func popCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "pop", ArgsUsage: "[N]", Usage: "Pop one code, or N, a line each",
		Flags: []cli.Flag{jsonOption("print JSON, as the API gives it")},
		Action: func(ctx context.Context, c *cli.Command) error {
			n, err := 1, error(nil)
			if c.NArg() == 1 {
				n, err = strconv.Atoi(c.Args().First())
			}
			if err != nil || n < 0 {
				return usageError{"it takes the number of codes to pop, or nothing for one."}
			}
			return popRefs(ctx, env, n, c.Bool("json"))
		},
	}
}

func popRefs(ctx context.Context, env environment, n int, asJSON bool) error {
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
		codes, err := w.Console.PopRefs(ctx, n, "", nil)
		if err != nil {
			return err
		}
		if asJSON {
			if err := json.NewEncoder(env.stdout).Encode(map[string]any{"refs": codes}); err != nil {
				return err
			}
			codes = nil
		}
		for _, code := range codes {
			if _, err := fmt.Fprintln(env.stdout, code); err != nil {
				return err
			}
		}
		return w.Delivery.TendRefs(ctx) // so that they count in the rate, and the pool is refilled
	})
}
