// Command textdocs writes docs/texts.md: what the app says to its users, by file, so that the texts can be read side
// by side. Run it at the root of the repository: go run ./scripts/textdocs
package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const target = "docs/texts.md"

func main() {
	text, err := generate(os.DirFS("."))
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.FromSlash(target), text, 0o644); err != nil {
		log.Fatal(err)
	}
}

const head = `# Texts

<!-- Written by scripts/textdocs from the source: make generate. -->

What the app says to its users, by file, in the order of the source and each text once in a file. ` + "`…`" + ` is a value.
[STYLE.md](../STYLE.md) says how they are written.

- Of templates: texts, and the attributes that are shown or read aloud.
- Of Go: messages, labels, usage and output. Elsewhere than in views and commands only what begins as a sentence, or is
  a part of an error or a field.
- Of scripts: strings that begin with a capital letter or a value and have several words, and labels.
`

// hole stands for a value within a text.
const hole = "…"

// generate returns the text of docs/texts.md.
func generate(root fs.FS) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(head)
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if skipped(name) {
				return fs.SkipDir
			}
			return nil
		}
		read := reader(name)
		if read == nil {
			return nil
		}
		source, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		texts, err := read(name, string(source))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		write(&b, name, texts)
		return nil
	})
	return b.Bytes(), err
}

func skipped(dir string) bool {
	return dir != "." && strings.HasPrefix(path.Base(dir), ".") || strings.HasSuffix(dir, "test") ||
		slices.Contains([]string{"data", "e2e", "ops/bench", "ops/seed", "scripts", "static/vendor", "tools"}, dir)
}

// reader returns what reads the texts of a file, nil for a file without any.
func reader(name string) func(name, source string) ([]string, error) {
	switch {
	case strings.HasSuffix(name, ".templ"):
		return ofTemplate
	case strings.HasSuffix(name, "_test.go"), strings.HasSuffix(name, "_templ.go"), strings.HasSuffix(name, ".sql.go"):
		return nil
	case strings.HasSuffix(name, ".go"):
		return ofGo
	case strings.HasPrefix(name, "static/js/") && strings.HasSuffix(name, ".js"):
		return ofScript
	}
	return nil
}

func write(b *bytes.Buffer, name string, texts []string) {
	known := map[string]bool{"": true}
	for _, text := range texts {
		text = clean(text)
		if known[text] {
			continue
		}
		if len(known) == 1 {
			fmt.Fprintf(b, "\n## %s\n\n", name)
		}
		known[text] = true
		fmt.Fprintf(b, "- %s\n", text)
	}
}

var (
	spaces  = regexp.MustCompile(`\s+`)
	letters = regexp.MustCompile(`\pL{2}`)
	machine = regexp.MustCompile(`^<|\b(ORDER BY|UNION ALL)\b|\b2006\b`) // icons, SQL, forms of dates
	holes   = regexp.MustCompile(`…( ?…)+`)
	escapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`, "|", `\|`)
)

// clean returns a text as one line of Markdown, "" if it says nothing.
func clean(text string) string {
	text = strings.TrimSpace(holes.ReplaceAllString(spaces.ReplaceAllString(text, " "), hole))
	if !letters.MatchString(text) || machine.MatchString(text) {
		return ""
	}
	return escapes.Replace(text)
}

var words = regexp.MustCompile(`[\pL\pN…,:;”’)] [“‘(]?[\pL\pN…]`)

// isPhrase reports a text of several words.
func isPhrase(text string) bool {
	return words.MatchString(text) && strings.ContainsFunc(text, unicode.IsLetter)
}

// isSentence reports a phrase that begins as a sentence does, and not as SQL.
func isSentence(text string) bool {
	text = strings.TrimLeft(text, "“‘ ")
	first, size := utf8.DecodeRuneInString(text)
	second, _ := utf8.DecodeRuneInString(text[size:])
	return isPhrase(text) && (unicode.IsUpper(first) && !unicode.IsUpper(second) || strings.HasPrefix(text, hole))
}
