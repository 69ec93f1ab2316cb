package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/views"
)

// issuersCommand configures issuers that count for several companies, and is the way in when one is lost.
func issuersCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "issuers", Action: group,
		Usage: "Issuers that sign users in (OpenID Connect) to several companies: list, add, remove; or stop requiring one",
		Commands: []*cli.Command{
			{
				Name: "list", Usage: "List the issuers that count for several companies",
				Action: func(ctx context.Context, _ *cli.Command) error { return listIssuers(ctx, env) },
			},
			addIssuerCommand(env),
			{
				Name: "remove", ArgsUsage: "ISSUER",
				Usage: "Remove an issuer with all links to it; sessions that it opened end",
				Action: func(ctx context.Context, c *cli.Command) error {
					n, err := strconv.ParseUint(c.Args().First(), 10, 63)
					if err != nil {
						return usageError{"ISSUER is a number, as “issuers list” shows it."}
					}
					return removeIssuer(ctx, env, id.Issuer(n))
				},
			},
			{
				Name: "optional", ArgsUsage: "COMPANY",
				Usage:  "Have a company open to all ways of signing in again, when its issuer is lost",
				Action: func(ctx context.Context, c *cli.Command) error { return openToAllWays(ctx, env, c.Args().First()) },
			},
		},
	}
}

func addIssuerCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "add", Usage: "Add an issuer that counts for companies; owners say in their settings what it may do there",
		UsageText: "counterfoil issuers add --name NAME --url ADDRESS --client ID [--secret-file FILE] " +
			"--company SLUG [--company SLUG]…",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "name", Usage: "the NAME on the sign-in page"},
			&cli.StringFlag{Name: "url", Usage: "the issuer's ADDRESS, as it shows it"},
			&cli.StringFlag{Name: "client", Usage: "the client ID there"},
			&cli.StringFlag{Name: "secret-file", Usage: "a FILE with the client secret; - is standard input"},
			&cli.StringFlag{Name: "groups", Usage: "the CLAIM of the ID token that has a user's groups", Value: "groups"},
			&cli.StringSliceFlag{Name: "company", Usage: "the short name of a company that it counts for, a SLUG as in URLs"},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			draft := accounts.IssuerDraft{Name: c.String("name"), URL: c.String("url"), ClientID: c.String("client"),
				GroupsClaim: c.String("groups")}
			if draft.Name == "" || draft.URL == "" || draft.ClientID == "" || len(c.StringSlice("company")) == 0 {
				return usageError{"--name, --url, --client and --company are needed."}
			}
			if file := c.String("secret-file"); file != "" {
				var err error
				if draft.Secret, err = readPassword(env.stdin, file); err != nil {
					return usageError{fmt.Sprintf("the file of the secret cannot be read: %v.", err)}
				}
			}
			return addIssuer(ctx, env, draft, c.StringSlice("company"))
		},
	}
}

func listIssuers(ctx context.Context, env environment) error {
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
		list, err := w.Workflows.ListIssuers(ctx)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			fmt.Fprintln(env.stdout, "There are no issuers for several companies.")
		}
		for _, issuer := range list {
			companies, err := w.Workflows.CompaniesOfIssuer(ctx, issuer.ID)
			if err != nil {
				return err
			}
			var slugs []string
			for _, c := range companies {
				slugs = append(slugs, c.Company.Slug)
			}
			fmt.Fprintf(env.stdout, "%d  %s  %s  for %s\n", issuer.ID, issuer.Name, issuer.URL, strings.Join(slugs, ", "))
		}
		return nil
	})
}

func addIssuer(ctx context.Context, env environment, draft accounts.IssuerDraft, companies []string) error {
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
		issuer, err := w.Workflows.AddIssuerOfOperator(ctx, draft, companies)
		if err != nil {
			return err
		}
		fmt.Fprintf(env.stdout, "Issuer %d is added. Register this redirect address there, below the address of this "+
			"server: %s\n", issuer.ID, views.IssuerCallbackPath(issuer.ID))
		return nil
	})
}

func removeIssuer(ctx context.Context, env environment, issuer id.Issuer) error {
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
		if err := w.Workflows.RemoveIssuerOfOperator(ctx, issuer); err != nil {
			return err
		}
		fmt.Fprintln(env.stdout, "The issuer is removed, and the sessions that it opened have ended.")
		return nil
	})
}

func openToAllWays(ctx context.Context, env environment, company string) error {
	return withWorkflows(ctx, env, func(ctx context.Context, w *app.App) error {
		required, err := w.Workflows.OpenToAllWays(ctx, company)
		if err != nil {
			return err
		}
		if !required {
			fmt.Fprintln(env.stdout, "The company does not require an issuer.")
			return nil
		}
		fmt.Fprintln(env.stdout, "The company opens to all ways of signing in again.")
		return nil
	})
}
