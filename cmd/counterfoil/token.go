package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
)

func tokenCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "token", Usage: "Create an API token with every scope; the last line is as that of setup",
		UsageText: "counterfoil token --company SLUG --email ADDRESS",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "company", Usage: "the company's short name, a SLUG as in URLs: acme"},
			&cli.StringFlag{Name: "email", Usage: "the email ADDRESS of a member"},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.String("company") == "" || c.String("email") == "" {
				return usageError{"--company and --email are needed."}
			}
			return token(ctx, env, c.String("company"), c.String("email"))
		},
	}
}

// token creates another API token with every scope, for an account that was set up in the browser.
func token(ctx context.Context, env environment, company, email string) error {
	d, err := env.openExisting(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	w := app.New(d.DB)
	defer w.Close(ctx)
	made, err := w.Workflows.OpenToken(ctx, company, email)
	if err != nil {
		return err
	}
	return printToken(env, company, made)
}
