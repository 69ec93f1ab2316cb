package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/db"
)

// version is set by the Makefile.
var version = "development"

func versionCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "version", Usage: "Print the version of the program, and the schema that it brings",
		Flags: []cli.Flag{jsonOption("print one line of JSON")},
		Action: func(_ context.Context, c *cli.Command) (err error) {
			about := struct {
				Version  string `json:"version"`
				Schema   uint   `json:"schema"`
				Go       string `json:"go"`
				Platform string `json:"platform"`
			}{version, db.LatestSchema(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			if c.Bool("json") {
				return json.NewEncoder(env.stdout).Encode(about)
			}
			_, err = fmt.Fprintf(env.stdout, "counterfoil %s (schema %d, %s, %s)\n", about.Version, about.Schema, about.Go,
				about.Platform)
			return err
		},
	}
}

// programVersion is the module's version, or the commit it was built from.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return info.Main.Version
}
