package main

import "github.com/urfave/cli/v3"

// feedCommand is about the change feeds: tail is a client of a server, the others work on the database.
func feedCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "feed", Usage: "The change feeds: print changes, republish rows, list consumers", Action: group,
		Commands: []*cli.Command{tailCommand(env), republishCommand(env), newEpochCommand(env), consumersCommand(env)},
	}
}
