package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/views"
)

func resetPasswordCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "reset-password", Usage: "Print a link to choose a new password",
		UsageText: "counterfoil reset-password --email ADDRESS",
		Flags:     []cli.Flag{&cli.StringFlag{Name: "email", Usage: "the email ADDRESS of the user"}},
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.String("email") == "" {
				return usageError{"--email is needed."}
			}
			return resetPassword(ctx, env, c.String("email"))
		},
	}
}

// resetPassword creates a link that sets a new password: an only owner can ask no other.
func resetPassword(ctx context.Context, env environment, email string) error {
	d, err := env.openExisting(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	w := app.New(d.DB)
	defer w.Close(ctx)
	secret, err := w.Workflows.MakeResetFor(ctx, email)
	if err != nil {
		return err
	}
	fmt.Fprintln(env.stdout, "With this link, the user chooses a new password, once, within a day, which ends their "+
		"sessions and API tokens:")
	fmt.Fprintln(env.stdout, env.base()+views.ResetPath(secret))
	return nil
}
