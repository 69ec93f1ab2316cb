package web_test

import (
	"context"
	"database/sql/driver"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
)

// rowName is a board, a column, a ticket or a comment.
type rowName struct {
	table string
	id    uint64
}

// seen are the rows that a request read in sight.
type seen struct {
	mu    sync.Mutex
	rows  map[rowName]bool
	opens bool // a ticket, on a board that was read for it: then its column is looked at
}

type seenKey struct{}

var (
	statementName = regexp.MustCompile(`^-- name: (\w+)`)
	// takesSight matches a statement that shows rows in the sight of a member, or by the secret of a link that was given
	// away: of a board, of a request.
	takesSight = regexp.MustCompile(`\.privacy <= (?:\?|IF\()|l\.hash = \?|_hash = \?`)
	sightAll   = regexp.MustCompile(`\.privacy <= \?`)
	// asksFor matches the arguments, and the columns that they name.
	asksFor = regexp.MustCompile(`(?:\b(?:(board|column|ticket|comment)_)?(id) (?:=|>=|<=|IN \() ?)?\?((?:,\?)*)`)

	tablesOf = regexp.MustCompile(`(?:FROM|JOIN) (\w+)(?: (\w+))?`)
	selectID = regexp.MustCompile(`(?:\b(\w+)\.)?\bid(?:,| AS (\w+)|\s)`)
	nested   = regexp.MustCompile(`\([^()]*\)`)
	kinds    = map[string]string{"board_column": "column", "board": "board", "ticket": "ticket", "comment": "comment"}
)

// shape is what a statement shows and asks for. It is found once for each text: a statement may return 1,000 rows.
type shape struct {
	below   bool     // it may only be sent for what was read in sight: one of dbtest.Below, of columns, or by hand without sight
	inSight bool     // its rows are read in sight, or below what was
	reaches []int    // its arguments that say how far the sight reaches
	ids     []string // the kinds of its columns called id, from the left
	asks    []string // the kind of row that each argument names by its id, "own" of its first table; "" if none
	main    string   // the kind of its first table
}

var shapes sync.Map // of *shape, by statement

func shapeOf(statement string) *shape {
	if known, ok := shapes.Load(statement); ok {
		return known.(*shape)
	}
	name := nameOf(statement)
	s := &shape{ids: idKinds(statement), main: kindsOf(statement)[""]}
	s.below = dbtest.Below[name] || name == "ColumnsOfBoards" || name == "" && strings.Contains(statement, " FROM ticket ") && !takesSight.MatchString(statement)
	s.inSight = s.below || name == "OpenForm" || takesSight.MatchString(statement) // the form is on, for whoever knows its board
	if !s.below && name != "OpenForm" {
		for _, at := range sightAll.FindAllStringIndex(statement, -1) {
			s.reaches = append(s.reaches, strings.Count(statement[:at[1]-1], "?"))
		}
	}
	for _, found := range asksFor.FindAllStringSubmatch(statement, -1) {
		kind := found[1]
		if found[2] != "" && kind == "" {
			kind = "own"
		}
		for range 1 + strings.Count(found[3], "?") {
			s.asks = append(s.asks, kind)
		}
	}
	shapes.Store(statement, s)
	return s
}

// keepsSight has the test fail if a request sends a statement for a board, a column or a ticket that it must read in sight
// before, and did not.
func keepsSight(t testing.TB, watch *dbtest.Watch, next http.Handler) http.Handler {
	watch.Follow(func(ctx context.Context, statement string, args []driver.NamedValue) {
		s, ok := ctx.Value(seenKey{}).(*seen)
		if !ok || !shapeOf(statement).below {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, row := range shapeOf(statement).rowsAsked(args) {
			if !s.rows[row] && (!s.opens || row.table != "column") {
				t.Errorf("a request did not read %v in sight before it sent %s", row, statement)
			}
		}
	}, func(ctx context.Context, row dbtest.Row) {
		if s, ok := ctx.Value(seenKey{}).(*seen); ok && shows(row) {
			s.add(row)
		}
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		opens := r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/tickets")
		s := &seen{rows: map[rowName]bool{}, opens: opens}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), seenKey{}, s)))
	})
}

func nameOf(statement string) string {
	if found := statementName.FindStringSubmatch(statement); found != nil {
		return found[1]
	}
	return ""
}

// rowsAsked are the rows for which a statement asks: boards, columns and tickets, else what is below these.
func (s *shape) rowsAsked(args []driver.NamedValue) (rows []rowName) {
	var own []rowName
	for i, kind := range s.asks {
		n, ok := integer(args[i].Value)
		switch {
		case !ok || n == 0 || kind == "" || kind == "own" && s.main == "":
		case kind == "own":
			own = append(own, rowName{s.main, n})
		default:
			rows = append(rows, rowName{kind, n})
		}
	}
	if rows == nil {
		return own
	}
	return rows
}

// kindsOf are the kinds of rows of a statement's tables, by their aliases; "" is that of the first.
func kindsOf(statement string) map[string]string {
	of := map[string]string{}
	for _, found := range tablesOf.FindAllStringSubmatch(statement, -1) {
		kind := kinds[found[1]]
		for _, name := range []string{"", found[1], found[2]} {
			if _, ok := of[name]; !ok {
				of[name] = kind
			}
		}
	}
	return of
}

// idKinds are the kinds of a statement's columns that are called id, from the left.
func idKinds(statement string) (list []string) {
	flat := statement[max(0, strings.Index(statement, "SELECT")):] // the first of a UNION
	for next := ""; next != flat; {
		next, flat = flat, nested.ReplaceAllString(flat, "")
	}
	of := kindsOf(flat)
	columns, _, _ := strings.Cut(flat, "FROM")
	for _, found := range selectID.FindAllStringSubmatch(columns, -1) {
		if found[2] == "" || found[2] == "id" {
			list = append(list, of[found[1]])
		}
	}
	return list
}

// shows reports whether a row was read in the sight of a reader, or below what was.
func shows(row dbtest.Row) bool {
	for i, column := range row.Columns {
		if n, _ := integer(row.Values[i]); (column == "visible" || column == "seen") && n == 0 {
			return false
		}
	}
	of := shapeOf(row.Statement)
	for _, at := range of.reaches {
		if reach, _ := integer(row.Args[at].Value); reach == 1 {
			return false // all boards, for no reader
		}
	}
	return of.inSight
}

func (s *seen) add(row dbtest.Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := shapeOf(row.Statement).ids
	for i, column := range row.Columns {
		kind, ok := strings.CutSuffix(column, "_id")
		if column == "id" && len(own) > 0 {
			kind, own, ok = own[0], own[1:], true
		}
		id, known := integer(row.Values[i])
		switch {
		case !ok || !known || kind == "":
		case kind == "row": // of a webhook's attempt: of any table
			for _, table := range kinds {
				s.rows[rowName{table, id}] = true
			}
		default:
			s.rows[rowName{kind, id}] = true
		}
	}
}

func integer(value driver.Value) (uint64, bool) {
	switch v := value.(type) {
	case int64:
		return uint64(v), true
	case uint64:
		return v, true
	case []byte:
		n, err := strconv.ParseUint(string(v), 10, 64)
		return n, err == nil
	}
	n, err := strconv.ParseUint(fmt.Sprint(value), 10, 64)
	return n, err == nil
}
