package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest/golden"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/web"
)

// Contracts that no running program shows are read from the source.

// source is a file of the program itself, not of tests or tools.
type source struct {
	folder string // such as domain/boards
	*ast.File
}

func sources(t *testing.T) (list []source) {
	t.Helper()
	root := filepath.Join("..", "..")
	files := gotoken.NewFileSet()
	domaintest.Must(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		if entry.IsDir() {
			hidden := strings.HasPrefix(entry.Name(), ".") && name != "."
			if hidden || slices.Contains([]string{"scripts", "tools", "e2e", "bin", "db/dbtest", "testdata"}, name) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		list = append(list, source{filepath.Dir(name), file})
		return err
	}))
	if len(list) == 0 {
		t.Fatal("there is no source")
	}
	return list
}

// sorted are the texts in order, each once.
func sorted(list []string) string {
	slices.Sort(list)
	return strings.Join(slices.Compact(list), "\n") + "\n"
}

func TestGoldenRoutes(t *testing.T) {
	t.Parallel()
	var list []string
	for _, route := range web.Routes() {
		list = append(list, fmt.Sprintf("%-7s %s", strings.ReplaceAll(route.Method, "echo_route_not_found", "none"),
			route.Path))
	}
	slices.SortFunc(list, func(a, b string) int { return strings.Compare(a[8:]+a, b[8:]+b) })
	golden.Check(t, "routes.txt", strings.Join(slices.Compact(list), "\n")+"\n")
}

// TestGoldenEnvironment lists the variables that are read: by the program's own reader, which is asked, and elsewhere
// through os.Getenv or os.LookupEnv in the source.
func TestGoldenEnvironment(t *testing.T) {
	t.Parallel()
	var list []string
	readEnvironment(func(name string) string { list = append(list, name); return "" }, nil, nil, nil)
	for _, file := range sources(t) {
		ast.Inspect(file.File, func(node ast.Node) bool {
			if _, ok := lookup(node); ok {
				list = append(list, namesAt(file, node)...)
			}
			return true
		})
	}
	manual := domaintest.OK(os.ReadFile(filepath.Join("..", "..", "docs", "operations.md")))(t)
	for _, name := range list {
		if (strings.HasPrefix(name, "COUNTERFOIL_") || name == "DATABASE_URL") && !strings.Contains(string(manual),
			"| `"+name+"` |") {
			t.Errorf("docs/operations.md has no line for %s", name)
		}
	}
	golden.Check(t, "environment.txt", sorted(list))
}

// lookup returns the call by which node reads an environment variable.
func lookup(node ast.Node) (*ast.CallExpr, bool) {
	call, ok := node.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return nil, false
	}
	callee, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil, false
	}
	of, ok := callee.X.(*ast.Ident)
	return call, ok && of.Name == "os" && (callee.Sel.Name == "Getenv" || callee.Sel.Name == "LookupEnv")
}

// namesAt are the variables that a call reads: the literal there, or the texts of a loop's variable.
func namesAt(file source, at ast.Node) (names []string) {
	call, _ := lookup(at)
	switch arg := call.Args[0].(type) {
	case *ast.BasicLit:
		return []string{unquote(arg)}
	case *ast.Ident:
		ast.Inspect(file.File, func(node ast.Node) bool {
			loop, ok := node.(*ast.RangeStmt)
			if !ok || loop.Pos() > at.Pos() || loop.End() < at.End() {
				return true
			}
			if variable, ok := loop.Value.(*ast.Ident); ok && variable.Name == arg.Name {
				names = append(names, texts(loop.X)...)
			}
			return true
		})
	}
	if len(names) == 0 {
		return []string{fmt.Sprintf("a name that this test cannot read, in %s", file.folder)}
	}
	return names
}

// texts are the string literals in a part of the source.
func texts(in ast.Node) (list []string) {
	ast.Inspect(in, func(node ast.Node) bool {
		if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == gotoken.STRING {
			list = append(list, unquote(literal))
		}
		return true
	})
	return list
}

func unquote(literal *ast.BasicLit) string {
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		return literal.Value
	}
	return text
}

// TestGoldenProblems lists the types of problems that the API may answer with, a code each.
func TestGoldenProblems(t *testing.T) {
	t.Parallel()
	list := []string{"about:blank"}
	for _, file := range sources(t) {
		if file.Name.Name == "main" || strings.HasPrefix(file.folder, "ops/") || file.folder == "feedclient" {
			continue // these answer no request
		}
		ast.Inspect(file.File, func(node ast.Node) bool {
			spec, ok := node.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			if of, ok := spec.Type.(*ast.SelectorExpr); ok && of.Sel.Name == "Code" {
				list = append(list, "urn:counterfoil:problem:"+unquote(spec.Values[0].(*ast.BasicLit)))
			}
			return true
		})
	}
	golden.Check(t, "problems.txt", sorted(list))
}

// stored are the constants whose values are stored or sent, by package and a pattern of their names or their type.
var stored = []struct{ what, folder, constants string }{
	{"kinds of activity", "domain/tickets", `^Kind`},
	{"kinds of audit entries", "domain/accounts", `^Audit`},
	{"kinds of notifications", "domain/tickets", `^Reason`},
	{"roles", "domain/accounts", `^(Owner|Admin|Member|Viewer)$`},
	{"states of runs", "domain/migrations", `^State$`},
	{"lists of runs", "domain/migrations", `^List[A-Z]`},
	{"states of tasks", "domain/migrations", `^Task[A-Z][a-z]+$`},
	{"states of workers", "domain/migrations", `^Worker[A-Z]`},
	{"states of consumers", "domain/feeds", `^State[A-Z]`},
	{"kinds of parameters", "domain/migrations", `^Kind$`},
}

func TestGoldenStoredConstants(t *testing.T) {
	t.Parallel()
	files := sources(t)
	var b strings.Builder
	for _, s := range stored {
		var list []string
		for _, file := range files {
			if file.folder == s.folder {
				list = append(list, constants(file, regexp.MustCompile(s.constants))...)
			}
		}
		if len(list) == 0 {
			t.Errorf("%s: %s has no such constants any more; say where they went", s.what, s.folder)
		}
		fmt.Fprintf(&b, "%s:\n  %s\n", s.what, strings.ReplaceAll(strings.TrimSpace(sorted(list)), "\n", "\n  "))
	}
	golden.Check(t, "stored-constants.txt", b.String())
}

// constants are the values of a file's string constants whose name or type matches.
func constants(file source, which *regexp.Regexp) (values []string) {
	for _, declared := range file.Decls {
		group, ok := declared.(*ast.GenDecl)
		if !ok || group.Tok != gotoken.CONST {
			continue
		}
		for _, spec := range group.Specs {
			constant := spec.(*ast.ValueSpec)
			kind, _ := constant.Type.(*ast.Ident)
			for i, name := range constant.Names {
				if i < len(constant.Values) && (which.MatchString(name.Name) || kind != nil && which.MatchString(kind.Name)) {
					values = append(values, texts(constant.Values[i])...)
				}
			}
		}
	}
	return values
}
