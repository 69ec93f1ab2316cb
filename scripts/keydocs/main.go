// Command keydocs writes docs/keys.md and static/js/bindings.js: the keys of the app, as views declares them. Run it at
// the root of the repository: go run ./scripts/keydocs
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/counterfoil/counterfoil/views"
)

func main() {
	for name, text := range generate() {
		if err := os.WriteFile(filepath.FromSlash(name), []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// generate returns the texts of the files.
func generate() map[string]string {
	return map[string]string{"docs/keys.md": document(), "static/js/bindings.js": script()}
}

func script() string {
	var b strings.Builder
	b.WriteString("// The keys of the app, from views/keys.go by make generate: scope, command, keys.\nexport const bindings = {\n")
	for _, scope := range views.KeyScopes() {
		fmt.Fprintf(&b, "\t%s: {\n", scope.Name)
		for _, one := range scope.Bindings {
			fmt.Fprintf(&b, "\t\t'%s': ['%s'],\n", one.Command, strings.Join(one.Keys, "', '"))
		}
		b.WriteString("\t},\n")
	}
	b.WriteString("}\n")
	return b.String()
}

func document() string {
	var b strings.Builder
	b.WriteString("# Keyboard shortcuts\n\nFrom `views/keys.go` by `make generate`; the app shows them by `?`. Letters are keys unless you type, and can be turned off there.\n")
	for _, scope := range views.KeyScopes() {
		fmt.Fprintf(&b, "\n## %s\n\n| Key | What it does |\n|---|---|\n", scope.Title)
		for _, one := range scope.Bindings {
			names := make([]string, len(one.Keys))
			for i, key := range one.Keys {
				names[i] = "`" + views.KeyName(key) + "`"
			}
			fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(names, ", "), one.Does)
		}
	}
	return b.String()
}
