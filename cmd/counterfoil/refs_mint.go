package main

import (
	"context"
	"path/filepath"
	"strconv"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

func mintCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "mint", ArgsUsage: "N", Usage: "Mint N codes, as a run",
		Flags: runOptions(&cli.IntFlag{Name: "length", Value: refs.Short,
			Usage: "how many characters a code has: 5, or 6 once those run out"}),
		Action: func(ctx context.Context, c *cli.Command) error {
			values := migrations.Values{"codes": c.Args().First(), "length": strconv.Itoa(c.Int("length"))}
			return openRefRun(ctx, env, c, workflows.MintName, values, migrations.Draft{})
		},
	}
}

func loadCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "load", ArgsUsage: "FILE", Usage: "Load codes from a file, one in each line or in the column code, as a run",
		Flags: runOptions(&cli.IntFlag{Name: "length", Value: refs.Short,
			Usage: "how many characters each code has: 5 or 6"}),
		Action: func(ctx context.Context, c *cli.Command) error {
			file, err := openFile(c.Args().First())
			if err != nil {
				return err
			}
			defer file.Close()
			values := migrations.Values{"length": strconv.Itoa(c.Int("length")), "encoding": "detect"}
			return openRefRun(ctx, env, c, workflows.LoadName, values,
				migrations.Draft{Upload: file, UploadName: filepath.Base(file.Name())})
		},
	}
}
