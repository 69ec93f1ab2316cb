package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
)

func resetSecondFactorCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "reset-second-factor", Usage: "Remove the second factors of a user who lost them, and end their sessions",
		UsageText: "counterfoil reset-second-factor --email ADDRESS",
		Flags:     []cli.Flag{&cli.StringFlag{Name: "email", Usage: "the email ADDRESS of the user"}},
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.String("email") == "" {
				return usageError{"--email is needed."}
			}
			return resetSecondFactor(ctx, env, c.String("email"))
		},
	}
}

func resetSecondFactor(ctx context.Context, env environment, email string) error {
	d, err := env.openExisting(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	w := app.New(d.DB)
	defer w.Close(ctx)
	had, err := w.Workflows.RemoveFactorsOf(ctx, email)
	if err != nil {
		return err
	}
	if !had {
		fmt.Fprintln(env.stdout, "The user had no second factor. Their sessions have ended.")
		return nil
	}
	fmt.Fprintln(env.stdout, "The second factors are removed, and the user's sessions have ended. They sign in with their "+
		"password, and set up new ones on their account page.")
	return nil
}
