package main

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/urfave/cli/v3"
)

// helpTemplate is the help of every command.
const helpTemplate = `{{.Usage}}

Usage: {{.UsageText}}
{{if .VisibleCommands}}
Commands:
{{range .VisibleCommands}}  {{.Name}}{{"\t"}}{{.Usage}}
{{end}}{{end}}{{if .VisibleFlags}}
Options:
{{range .VisibleFlags}}  {{.}}
{{end}}{{end}}{{if .Description}}
{{.Description}}
{{end}}`

// The library keeps these in package variables.
func init() {
	cli.RootCommandHelpTemplate, cli.SubcommandHelpTemplate, cli.CommandHelpTemplate = helpTemplate, helpTemplate, helpTemplate
	cli.UsageCommandHelp, cli.ArgsUsageCommandHelp = "Show help for a command", "COMMAND"
	if help, ok := cli.HelpFlag.(*cli.BoolFlag); ok {
		help.Usage = "show this help"
	}
	if about, ok := cli.VersionFlag.(*cli.BoolFlag); ok {
		about.Usage = "print the version"
	}
	cli.FlagStringer = optionHelp
}

// valueWord is the placeholder of an option's value in its usage.
var valueWord = regexp.MustCompile(`\b[A-Z](,?[A-Z]+)*…?`)

// optionHelp is the line of help of an option. The first word in capitals in its usage is the name of its value.
func optionHelp(flag cli.Flag) string {
	var names []string
	for _, name := range flag.Names() {
		names = append(names, strings.Repeat("-", min(len(name), 2))+name)
	}
	line := strings.Join(names, ", ")
	doc, ok := flag.(cli.DocGenerationFlag)
	if !ok {
		return line
	}
	if !doc.TakesValue() {
		return line + "\t" + doc.GetUsage()
	}
	word := cmp.Or(valueWord.FindString(doc.GetUsage()), strings.ToUpper(flag.Names()[0]))
	usage := doc.GetUsage()
	if value := strings.Trim(doc.GetValue(), `"`); value != "" && value != "0" && value != "0s" {
		usage += " (default " + value + ")"
	}
	return line + " " + word + "\t" + usage
}
