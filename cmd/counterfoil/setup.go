package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/views"
)

// setup makes the first company and its operator, as the page /setup does. Its last line is JSON.
func setup(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("setup", flag.ContinueOnError)
	company := flags.String("company", "", "the company's short name, as in URLs: acme")
	name := flags.String("name", "", "the company's name")
	person := flags.String("person", "", "the operator's name (what comes before the @ of the address)")
	email := flags.String("email", "", "the operator's email address")
	passwordFile := flags.String("password-file", "", "a file with the operator's password; - is standard input")
	if err := parse(env, flags, args); err != nil {
		return err
	}
	if *company == "" || *name == "" || *email == "" || *passwordFile == "" {
		return usageError{"--company, --name, --email and --password-file are needed."}
	}
	password, err := readPassword(env.stdin, *passwordFile)
	if err != nil {
		return usageError{fmt.Sprintf("the password file cannot be read: %v.", err)}
	}
	if *person == "" {
		*person, _, _ = strings.Cut(*email, "@")
	}
	d, err := env.openCurrent(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	w := workflows.New(d.DB)
	defer w.Close(ctx)
	actor, _, token, err := w.SetUp(ctx, workflows.Setup{Company: *name, Slug: *company, Name: *person, Email: *email, Password: password, Token: true})
	if err != nil {
		return err
	}
	fmt.Fprintf(env.stdout, "%s is set up. The token below has every scope and is shown only now.\n", actor.Company.Name)
	return printToken(env, actor.Company.Slug, token)
}

func printToken(env environment, company, token string) error {
	return json.NewEncoder(env.stdout).Encode(struct {
		Company string `json:"company"`
		Token   string `json:"token"`
	}{company, token})
}

// token makes another API token with every scope, for someone who was set up in the browser.
func token(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("token", flag.ContinueOnError)
	company := flags.String("company", "", "the company's short name: acme")
	email := flags.String("email", "", "the email address of a member")
	if err := parse(env, flags, args); err != nil {
		return err
	}
	if *company == "" || *email == "" {
		return usageError{"--company and --email are needed."}
	}
	d, err := env.openExisting(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	w := workflows.New(d.DB)
	defer w.Close(ctx)
	made, err := w.OpenToken(ctx, *company, *email)
	if err != nil {
		return err
	}
	return printToken(env, *company, made)
}

// resetPassword makes a link by which someone chooses a new password: for an only owner who has lost theirs.
func resetPassword(ctx context.Context, env environment, args []string) error {
	flags := flag.NewFlagSet("reset-password", flag.ContinueOnError)
	email := flags.String("email", "", "the email address of whoever lost their password")
	if err := parse(env, flags, args); err != nil {
		return err
	}
	if *email == "" {
		return usageError{"--email is needed."}
	}
	d, err := env.openExisting(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	w := workflows.New(d.DB)
	defer w.Close(ctx)
	secret, err := w.MakeResetFor(ctx, *email)
	if err != nil {
		return err
	}
	fmt.Fprintln(env.stdout, "Whoever opens this link within a day chooses the new password, once:")
	fmt.Fprintln(env.stdout, env.base()+views.ResetPath(secret))
	return nil
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
