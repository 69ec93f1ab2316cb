package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
)

func tokenCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "token", Usage: "Create an API token; the last line is as that of setup",
		UsageText: "counterfoil token --company SLUG --email ADDRESS [--scopes SCOPES] [--days NUMBER]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "company", Usage: "the company's short name, a SLUG as in URLs: acme"},
			&cli.StringFlag{Name: "email", Usage: "the email ADDRESS of a member"},
			&cli.StringFlag{Name: "scopes", Usage: "SCOPES separated by commas, such as boards:read,tickets:read " +
				"(all that the member holds)"},
			&cli.IntFlag{Name: "days", Value: accounts.DefaultTokenDays, Usage: "the NUMBER of days until it ends; " +
				"0 for no end"},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.String("company") == "" || c.String("email") == "" {
				return usageError{"--company and --email are needed."}
			}
			if days := c.Int("days"); days < 0 || days > accounts.MaxTokenDays {
				return usageError{fmt.Sprintf("--days is 1 to %d, or 0 for no end.", accounts.MaxTokenDays)}
			}
			scopes := strings.FieldsFunc(c.String("scopes"), func(r rune) bool { return r == ',' || r == ' ' })
			if c.IsSet("scopes") && len(scopes) == 0 {
				return usageError{"--scopes is empty; leave it out for all that the member holds."}
			}
			return token(ctx, env, c.String("company"), c.String("email"), scopes, c.Int("days"))
		},
	}
}

// token creates another API token, for an account that was set up in the browser.
func token(ctx context.Context, env environment, company, email string, scopes []string, days int) error {
	d, err := env.openExisting(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	w := app.New(d.DB)
	defer w.Close(ctx)
	made, err := w.Workflows.OpenToken(ctx, company, email, scopes, days)
	if err != nil {
		return err
	}
	return printToken(env, company, made)
}
