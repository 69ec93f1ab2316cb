package db_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// unfed are the statements that change a table with a feed and need not publish the row again, by their location, with
// the reason.
var unfed = map[string]string{
	"db/dbtest/copy.go: Copy":              "it fills the new database of a test",
	"queries: SetRank":                     "the order of the tickets stays",
	"queries: UnmarkStays":                 "as MarkStaysKnown",
	"queries: MarkStaysKnown":              "readers see no stays",
	"queries: CountComment":                "the comment is published, and readers see no count",
	"queries: UncountComments":             "as CountComment",
	"queries: CountComments":               "as CountComment",
	"queries: CountNoItems":                "readers see no items either way",
	"db/multirow_ranks.go: SetRanks":       "the order of the tickets stays",
	"queries: PurgeComments":               "their tickets' deletion was published, and is remembered by the horizon",
	"queries: PurgeTickets":                "its deletion was published, and is remembered by the horizon",
	"db/multirow_feeds.go: Publish":        "it is what publishes",
	"db/multirow_feeds.go: publishInParts": "it is what publishes",
}

// A change of a row of a table with a feed clears its position in the same statement, and only the publisher sets one.
// Otherwise readers that have read the row would miss the change.
func TestEveryChangeOfAFedRowIsPublished(t *testing.T) {
	t.Parallel()
	checked, met := 0, map[string]bool{}
	for name, text := range allQueries(t) {
		if text != "" {
			checked += lintFeed(t, met, "queries: "+name, text)
		}
	}
	for _, s := range literals(t, "..") {
		checked += lintFeed(t, met, s.where, s.text)
	}
	for where := range unfed {
		if !met[where] {
			t.Errorf("%s is excused and need not be", where)
		}
	}
	if checked < 14 {
		t.Errorf("only %d statements change a table with a feed", checked)
	}

	t.Run("the rule knows a wrong statement when it sees one", func(t *testing.T) {
		for _, wrong := range []string{
			"UPDATE ticket SET title = ? WHERE id = ?",
			"update `comment` set body = 'x'",
			"UPDATE board SET slug = ?, title = ?, updated_at = ?",
			"UPDATE ticket SET title = ?, feed_sync_id = ? WHERE id = ?",
			"UPDATE ticket SET title = ?, feed_sync_id = feed_sync_id WHERE id = ?",
			"UPDATE ticket SET title = (SELECT 1), closed_at = NULL WHERE feed_sync_id IS NULL",
			"UPDATE assignee a JOIN ticket t ON t.id = a.ticket_id SET t.closed_at = ?, a.current = ?",
			"UPDATE ticket t, board b SET t.title = b.title, b.feed_sync_id = NULL",
			"UPDATE ticket t JOIN board b ON b.id = t.board_id SET title = 'x'",
			"UPDATE {table} SET title = ?",
			"UPDATE %s SET title = ? WHERE id = ?",
			"UPDATE board_column c JOIN %[2]s t ON t.column_id = c.id SET t.title = ?",
			"UPDATE %s SET feed_sync_id = ?",
			"UPDATE ticket SET %s = ? WHERE id = ?",
			"UPDATE ticket SET {columns} WHERE id = ?",
			"DELETE FROM %s WHERE id = ?",
			"INSERT INTO %s (id) VALUES (?) ON DUPLICATE KEY UPDATE title = VALUES(title)",
			"REPLACE INTO {table} (id) VALUES (1)",
			"INSERT INTO ticket (id, feed_sync_id) VALUES (?, ?)",
			"INSERT INTO comment (id, body) VALUES (?, ?) ON DUPLICATE KEY UPDATE body = VALUES(body)",
			"REPLACE INTO board (id) VALUES (1)",
			"DELETE FROM ticket WHERE id = ?",
			"DELETE t FROM assignee a JOIN ticket t ON t.id = a.ticket_id",
		} {
			if _, problem := feedProblem(wrong); problem == "" {
				t.Errorf("nothing is wrong with %s", wrong)
			}
		}
	})
	t.Run("and lets right ones pass", func(t *testing.T) {
		for _, right := range []string{
			"UPDATE ticket SET title = ?, feed_sync_id = NULL WHERE id = ?",
			"UPDATE assignee a JOIN ticket t ON t.id = a.ticket_id SET a.current = ? WHERE t.column_id = ?",
			"UPDATE board_column SET name = ?",
			"UPDATE %s SET title = ?, feed_sync_id = NULL WHERE id = ?",
			"INSERT INTO %s (id, title) VALUES (?, ?)",
			"INSERT INTO comment (id, body) VALUES (?, ?)",
			"DELETE FROM ticket_alias WHERE ticket_id = ?",
			"SELECT id FROM ticket WHERE feed_sync_id IS NULL FOR UPDATE",
		} {
			if _, problem := feedProblem(right); problem != "" {
				t.Errorf("%s: %s", problem, right)
			}
		}
	})
}

// lintFeed reports what is wrong with a statement unless it is excused, which it records, and returns 1 if it changes
// a table with a feed.
func lintFeed(t *testing.T, met map[string]bool, where, text string) int {
	t.Helper()
	changes, problem := feedProblem(text)
	if _, ok := unfed[where]; problem != "" && !ok {
		t.Errorf("%s: %s (or name it in unfed, with the reason)\n%s", where, problem, text)
	}
	met[where] = met[where] || problem != ""
	if changes {
		return 1
	}
	return 0
}

// fedNames are the tables with a feed, and what may become one of them.
const (
	unknown  = `\{\w*\}|%(?:\[\d+\])?[sv]`
	fedNames = `ticket\b|comment\b|board\b|` + unknown
)

var (
	sqlComment     = regexp.MustCompile(`(?m)--.*$`)
	spaces         = regexp.MustCompile(`\s+`)
	updates        = regexp.MustCompile(`(?i)\bUPDATE (?:IGNORE |LOW_PRIORITY )*([^;]+?) SET ([^;]+)`)
	fedTable       = regexp.MustCompile(`(?i)(?:^|[ ,(])(` + fedNames + `)(?: (?:AS )?(\w+))?`)
	ends           = regexp.MustCompile(`(?i) (WHERE|ORDER BY|LIMIT) `)
	deletes        = regexp.MustCompile(`(?i)\bDELETE ([^;]*?)FROM ([^;]+)`)
	inserts        = regexp.MustCompile(`(?i)\b(INSERT|REPLACE) (?:IGNORE )?INTO (` + fedNames + `)([^;]*)`)
	assignment     = regexp.MustCompile(`(?i)(?:^|, ?)(?:(\w+)\.)?(\w+) = ([^,]*)`)
	assignsUnknown = regexp.MustCompile(`(?:^|, ?)(?:\w+\.)?(?:` + unknown + `)`)
	parentheses    = regexp.MustCompile(`\([^()]*\)`)
)

// feedProblem says whether a statement changes a table with a feed, and what is wrong with how it does.
func feedProblem(text string) (changes bool, problem string) {
	text = strings.ReplaceAll(spaces.ReplaceAllString(sqlComment.ReplaceAllString(text, ""), " "), "`", "")
	text = strings.ReplaceAll(text, "FOR UPDATE", "")
	if found := inserts.FindStringSubmatch(text); found != nil {
		switch rest := strings.ToUpper(found[3]); {
		case strings.EqualFold(found[1], "REPLACE"):
			return true, "it replaces rows of " + found[2]
		case strings.Contains(rest, "FEED_SYNC_ID"):
			return true, "it gives a new row of " + found[2] + " a position"
		case strings.Contains(rest, "ON DUPLICATE KEY") && !strings.Contains(rest, "FEED_SYNC_ID = NULL"):
			return true, "it changes a row of " + found[2] + " and does not publish it again"
		}
		return true, ""
	}
	if found := deletes.FindStringSubmatch(text); found != nil {
		for _, fed := range fedIn(found[2]) {
			if target := strings.TrimSpace(found[1]); target == "" || target == fed.alias {
				return true, "it deletes rows of " + fed.table + ": nobody hears of that"
			}
		}
	}
	found := updates.FindStringSubmatch(text)
	if found == nil {
		return false, ""
	}
	return updateProblem(found[1], found[2])
}

type fedName struct{ table, alias string }

// fedIn returns the tables with a feed that a list of tables names.
func fedIn(tables string) (list []fedName) {
	if end := ends.FindStringIndex(tables); end != nil {
		tables = tables[:end[0]]
	}
	for _, found := range fedTable.FindAllStringSubmatch(tables, -1) {
		fed := fedName{found[1], found[2]}
		switch strings.ToUpper(fed.alias) {
		case "", "JOIN", "SET", "WHERE", "FORCE", "USE", "STRAIGHT_JOIN", "LEFT", "INNER", "ON":
			fed.alias = fed.table
		}
		list = append(list, fed)
	}
	return list
}

func updateProblem(tables, sets string) (changes bool, problem string) {
	for parentheses.MatchString(sets) {
		sets = parentheses.ReplaceAllString(sets, "") // assigns nothing itself
	}
	if end := ends.FindStringIndex(sets + " "); end != nil {
		sets = sets[:end[0]]
	}
	for _, fed := range fedIn(tables) {
		set, freed := assignsUnknown.MatchString(sets), false
		for _, one := range assignment.FindAllStringSubmatch(sets, -1) {
			if one[1] != "" && one[1] != fed.alias {
				continue
			}
			set = true
			if strings.EqualFold(one[2], "feed_sync_id") {
				if freed = strings.EqualFold(strings.TrimSpace(one[3]), "NULL"); !freed {
					return true, "it gives a row of " + fed.table + " a position"
				}
			}
		}
		changes = changes || set
		if set && !freed {
			return true, "it changes rows of " + fed.table + " and does not set feed_sync_id = NULL"
		}
	}
	return changes, ""
}

type literal struct{ where, text string }

// literals are all texts in the program's own Go code that could be statements, each with its file and its function or
// constant. A concatenation is one text, with variables as {name}.
func literals(t *testing.T, root string) (list []literal) {
	t.Helper()
	domaintest.Must(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			switch entry.Name() {
			case "e2e", "ops", "testdata", "static", ".git", "tools", "bin", ".cache", "data":
				return filepath.SkipDir // tests, rivals, and what only reads
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".gen.go") ||
			strings.HasSuffix(path, "_templ.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		where := strings.TrimPrefix(filepath.ToSlash(path), "../")
		for _, declared := range file.Decls {
			name := "a constant"
			if f, ok := declared.(*ast.FuncDecl); ok {
				name = f.Name.Name
			}
			ast.Inspect(declared, func(n ast.Node) bool {
				expr, ok := n.(ast.Expr)
				if !ok {
					return true
				}
				text, whole := written(expr)
				if whole {
					list = append(list, literal{where + ": " + name, text})
				}
				return !whole
			})
		}
		return nil
	}))
	return list
}

// written returns a text that is a literal, or put together of some.
func written(expr ast.Expr) (text string, ok bool) {
	switch e := expr.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		left, one := written(e.X)
		right, other := written(e.Y)
		if e.Op != token.ADD || !one && !other {
			return "", false
		}
		return left + right, true
	case *ast.Ident:
		return "{" + e.Name + "}", false
	}
	return "{}", false
}
