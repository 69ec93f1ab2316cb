// Command errordocs writes docs/errors.md: every code of an error with its status, meaning and remedy, as the
// source declares them. Run it at the root of the repository: go run ./scripts/errordocs
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const target = "docs/errors.md"

func main() {
	text, err := generate(os.DirFS("."))
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.FromSlash(target), text, 0o644); err != nil {
		log.Fatal(err)
	}
}

// code is a constant of the type fault.Code.
type code struct {
	constant, dir   string
	value           string
	meaning, remedy string
	kind            string // of fault, such as NotFound
	made            bool   // a fault.Error has it
	maker           string // the function or type that makes the error
	makerIsUsed     bool
	commandLine     bool // only commands return it
}

type source struct {
	dir  string
	file *ast.File
}

var form = regexp.MustCompile(`^[A-Z][A-Za-z]+\.[A-Z][A-Za-z]+$`)

// generate returns the text of docs/errors.md, or the faults of the codes.
func generate(root fs.FS) ([]byte, error) {
	sources, err := parse(root)
	if err != nil {
		return nil, err
	}
	codes, wrong := declared(sources)
	statuses := map[string]int{}
	for _, s := range sources {
		readStatuses(s.file, statuses)
		readMakers(s, codes)
	}
	for _, s := range sources {
		readUses(s, codes)
	}
	list := make([]*code, 0, len(codes))
	for _, c := range codes {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b *code) int { return strings.Compare(a.value, b.value) })
	for i, c := range list {
		switch {
		case !form.MatchString(c.value):
			wrong = append(wrong, fmt.Errorf("%s: the code %q is not of the form Noun.Reason", c.constant, c.value))
		case i > 0 && list[i-1].value == c.value:
			wrong = append(wrong, fmt.Errorf("%s: the code %q is declared twice", c.constant, c.value))
		case c.meaning == "" || c.remedy == "":
			wrong = append(wrong, fmt.Errorf("%s: its comment must be a sentence with the meaning, then the remedy", c.constant))
		case !c.made || !c.makerIsUsed:
			wrong = append(wrong, fmt.Errorf("%s: no error is made with the code %q", c.constant, c.value))
		case !c.commandLine && statuses[c.kind] == 0:
			wrong = append(wrong, fmt.Errorf("%s: the kind %q has no status", c.constant, c.kind))
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return render(list, statuses), nil
}

// parse reads all sources but tests and generated code.
func parse(root fs.FS) (sources []source, err error) {
	files := token.NewFileSet()
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && strings.HasPrefix(entry.Name(), ".") || name == "scripts" || name == "tools" || name == "data" {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		sources = append(sources, source{path.Dir(name), file})
		return nil
	})
	return sources, err
}

// declared returns the codes by directory and constant.
func declared(sources []source) (codes map[string]*code, wrong []error) {
	codes = map[string]*code{}
	for _, s := range sources {
		for _, d := range s.file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.CONST {
				continue
			}
			for _, spec := range decl.Specs {
				value := spec.(*ast.ValueSpec)
				if !isSelector(value.Type, "fault", "Code") || len(value.Names) != 1 || len(value.Values) != 1 {
					continue
				}
				name := value.Names[0].Name
				literal, ok := value.Values[0].(*ast.BasicLit)
				if !ok {
					wrong = append(wrong, fmt.Errorf("%s: its value is not a literal", name))
					continue
				}
				text, _ := strconv.Unquote(literal.Value)
				c := &code{constant: s.dir + "." + name, dir: s.dir, value: text, commandLine: ofCommands(s.dir)}
				comment := strings.Join(strings.Fields(decl.Doc.Text()), " ")
				if said, ok := strings.CutPrefix(comment, name+": "); ok {
					c.meaning, c.remedy = split(said)
				}
				codes[s.dir+"."+name] = c
			}
		}
	}
	return codes, wrong
}

// ofCommands reports a package whose errors only commands return.
func ofCommands(dir string) bool {
	return dir == "db/private" || strings.HasPrefix(dir, "ops/") || strings.HasPrefix(dir, "cmd/")
}

// split returns the first sentence and the rest.
func split(comment string) (meaning, remedy string) {
	first, size := utf8.DecodeRuneInString(comment)
	meaning, remedy, _ = strings.Cut(string(unicode.ToUpper(first))+comment[size:], ". ")
	return meaning + ".", remedy
}

func isSelector(e ast.Expr, pkg, name string) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == pkg && (name == "" || sel.Sel.Name == name)
}

// readStatuses reads the map from kinds to statuses.
func readStatuses(file *ast.File, statuses map[string]int) {
	ast.Inspect(file, func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		if ok && isSelector(pair.Key, "fault", "") && isSelector(pair.Value, "http", "") {
			statuses[pair.Key.(*ast.SelectorExpr).Sel.Name] = byName[pair.Value.(*ast.SelectorExpr).Sel.Name]
		}
		return true
	})
}

var byName = map[string]int{
	"StatusUnprocessableEntity": http.StatusUnprocessableEntity, "StatusUnauthorized": http.StatusUnauthorized,
	"StatusForbidden": http.StatusForbidden, "StatusNotFound": http.StatusNotFound, "StatusGone": http.StatusGone,
	"StatusConflict": http.StatusConflict, "StatusRequestEntityTooLarge": http.StatusRequestEntityTooLarge,
	"StatusUnsupportedMediaType": http.StatusUnsupportedMediaType, "StatusTooManyRequests": http.StatusTooManyRequests,
	"StatusServiceUnavailable": http.StatusServiceUnavailable, "StatusInsufficientStorage": http.StatusInsufficientStorage,
}

// readMakers finds the functions and types that make a fault.Error with a code.
func readMakers(s source, codes map[string]*code) {
	for _, d := range s.file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		maker := fn.Name.Name
		if fn.Recv != nil {
			if of, ok := fn.Recv.List[0].Type.(*ast.Ident); ok {
				maker = of.Name
			}
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			var kind string
			var c *code
			of := func(e ast.Expr) *code {
				name, _ := e.(*ast.Ident)
				if name == nil {
					return nil
				}
				return codes[s.dir+"."+name.Name]
			}
			switch n := n.(type) {
			case *ast.CallExpr: // fault.NotFound.New(CodeNotFound, …)
				made, ok := n.Fun.(*ast.SelectorExpr)
				if !ok || made.Sel.Name != "New" || !isSelector(made.X, "fault", "") || len(n.Args) == 0 {
					return true
				}
				kind, c = made.X.(*ast.SelectorExpr).Sel.Name, of(n.Args[0])
			case *ast.CompositeLit: // fault.Error{Kind: fault.NotFound, Code: CodeNotFound, …}
				if !isSelector(n.Type, "fault", "Error") {
					return true
				}
				for _, element := range n.Elts {
					pair, ok := element.(*ast.KeyValueExpr)
					if !ok {
						continue
					}
					switch key := pair.Key.(*ast.Ident); {
					case key.Name == "Code":
						c = of(pair.Value)
					case key.Name == "Kind" && isSelector(pair.Value, "fault", ""):
						kind = pair.Value.(*ast.SelectorExpr).Sel.Name
					}
				}
			}
			if c != nil {
				c.made, c.kind, c.maker = true, kind, maker
			}
			return true
		})
	}
}

// readUses finds which of the makers are used: by their name in their own package, by package and name in another.
func readUses(s source, codes map[string]*code) {
	own, others := map[string][]*code{}, map[string][]*code{} // by maker: it may make errors of several codes
	for _, c := range codes {
		if c.dir == s.dir {
			own[c.maker] = append(own[c.maker], c)
		}
		name := path.Base(c.dir) + "." + c.maker
		others[name] = append(others[name], c)
	}
	declaring := map[*ast.Ident]bool{}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			declaring[n.Name] = true
			if n.Recv != nil {
				if of, ok := n.Recv.List[0].Type.(*ast.Ident); ok {
					declaring[of] = true
				}
			}
		case *ast.TypeSpec:
			declaring[n.Name] = true
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				for _, c := range others[x.Name+"."+n.Sel.Name] {
					c.makerIsUsed = true
				}
			}
			declaring[n.Sel] = true // it is another package's, or a field
		case *ast.Ident:
			for _, c := range own[n.Name] {
				c.makerIsUsed = c.makerIsUsed || !declaring[n]
			}
		}
		return true
	})
}

func render(list []*code, statuses map[string]int) []byte {
	var b strings.Builder
	b.WriteString(`# Errors

<!-- Written by scripts/errordocs from the source: make generate. -->

Every error has a code that stays. In the API it is the end of a problem's type, such as ` + "`urn:counterfoil:problem:Board.SlugConflict`" + `;
match it and not the sentences in ` + "`detail`" + `. [api.md](api.md#errors) says what else a problem has.

`)
	table := func(title string, commandLine bool) {
		b.WriteString(title)
		for _, c := range list {
			if c.commandLine != commandLine {
				continue
			}
			status := ""
			if !commandLine {
				status = fmt.Sprintf(" %d |", statuses[c.kind])
			}
			fmt.Fprintf(&b, "| `%s` |%s %s | %s |\n", c.value, status, c.meaning, c.remedy)
		}
	}
	table("## Of requests\n\n| code | status | meaning | remedy |\n|---|---|---|---|\n", false)
	table("\n## Of commands\n\n| code | meaning | remedy |\n|---|---|---|\n", true)
	return []byte(b.String())
}
