package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

func setupCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "setup", Usage: "Set up the first company and its operator; the last line is JSON with an API token",
		UsageText: "counterfoil setup --company SLUG --name NAME --email ADDRESS --password-file FILE [--person NAME]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "company", Usage: "the company's short name, a SLUG as in URLs: acme"},
			&cli.StringFlag{Name: "name", Usage: "the company's name"},
			&cli.StringFlag{Name: "person", Usage: "the operator's NAME (what comes before the @ of the address)"},
			&cli.StringFlag{Name: "email", Usage: "the operator's email ADDRESS"},
			&cli.StringFlag{Name: "password-file", Usage: "a FILE with the operator's password; - is standard input"},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			s := workflows.Setup{Company: c.String("name"), Slug: c.String("company"), Name: c.String("person"),
				Email: c.String("email"), Token: true}
			if s.Slug == "" || s.Company == "" || s.Email == "" || c.String("password-file") == "" {
				return usageError{"--company, --name, --email and --password-file are needed."}
			}
			return setup(ctx, env, s, c.String("password-file"))
		},
	}
}

// setup creates the first company and its operator, as the page /setup does. Its last line is JSON.
func setup(ctx context.Context, env environment, s workflows.Setup, passwordFile string) (err error) {
	if s.Password, err = readPassword(env.stdin, passwordFile); err != nil {
		return usageError{fmt.Sprintf("the password file cannot be read: %v.", err)}
	}
	if s.Name == "" {
		s.Name, _, _ = strings.Cut(s.Email, "@")
	}
	d, err := env.openCurrent(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	w := app.New(d.DB)
	defer w.Close(ctx)
	actor, _, token, err := w.Workflows.SetUp(ctx, s)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.stdout, "%s is set up. The token below has every scope, ends after %d days and is shown only once.\n",
		actor.Company.Name, accounts.DefaultTokenDays)
	return printToken(env, actor.Company.Slug, token)
}

func printToken(env environment, company, token string) error {
	return json.NewEncoder(env.stdout).Encode(struct {
		Company string `json:"company"`
		Token   string `json:"token"`
	}{company, token})
}

// readPassword reads the file's first line.
func readPassword(stdin io.Reader, file string) (string, error) {
	var content []byte
	var err error
	if file == "-" {
		content, err = io.ReadAll(io.LimitReader(stdin, 1<<16))
	} else {
		content, err = os.ReadFile(file)
	}
	line, _, _ := strings.Cut(string(content), "\n")
	return strings.TrimSuffix(line, "\r"), err
}
