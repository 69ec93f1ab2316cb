package main

import (
	"os"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/migrations"
)

// A setting of runs has one label, in the help of the command line and in the documents as on pages.
func TestKnobsHaveOneLabel(t *testing.T) {
	t.Parallel()
	env := newEnv(t, "")
	env.command(t, 0, "Settings:", "migrations", "knob", "--help")
	help := strings.Fields(env.out.String())
	for _, file := range []string{"operations.md", "api.md"} {
		text, err := os.ReadFile("../../docs/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, knob := range migrations.KnobTable {
			line := "| " + knob.Label + " | `" + knob.Name + "` |"
			if file == "api.md" {
				line = knob.Label + " (`" + knob.Name + "`)"
			}
			if !strings.Contains(string(text), line) {
				t.Errorf("docs/%s has no %q", file, line)
			}
		}
	}
	for _, knob := range migrations.KnobTable {
		if !strings.Contains(strings.Join(help, " ")+",", knob.Name+" "+knob.Label) {
			t.Errorf("the help has no %s %s", knob.Name, knob.Label)
		}
	}
}
