package db_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
)

const (
	atMost = 2000 // rows that a statement may read
	onPage = 250  // rows that it may sort, or put aside
)

// TestFilledTables runs all queries on one filled database: to fill it takes longer than they do.
func TestFilledTables(t *testing.T) {
	t.Parallel()
	d := filled(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, *db.DB)
	}{
		{"no query grows with a table", noQueryGrowsWithATable},
		{"no list grows for guests", noListGrowsForGuests},
		{"pages begin where they are", pagesBeginWhereTheyAre},
		{"orders read their index", ordersReadTheirIndex},
		{"no statement shows a hidden board", noStatementShowsAHiddenBoard}, // last: it writes, and statistics follow
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, d) })
	}
}

// No request may cost more because a table grew. So every query is explained and run on a filled
// database: it scans no table or index from end to end, sorts no more than a page, and reads no more
// than a few pages.
//
// A new query needs a line in samples (db/plan_samples_test.go).
func noQueryGrowsWithATable(t *testing.T, d *db.DB) {
	queries := allQueries(t)
	for name := range samples {
		if _, ok := queries[name]; !ok {
			t.Errorf("samples has arguments for %s, which is no query any more", name)
		}
	}
	for name, text := range queries {
		t.Run(name, func(t *testing.T) {
			sample, ok := samples[name]
			if !ok {
				if !addsValues(text) {
					t.Fatalf("no sample: add a line for %[1]s to samples in db/plan_samples_test.go, such as\n\t%[1]q: {args: with(...)},\nwith arguments that find something in the filled database (db/filled_test.go)", name)
				}
				return
			}
			query, args := recorded(t, name, sample.args)
			problems := append(explained(t, d, query, args), ran(t, d, sample, query, args)...)
			for _, problem := range problems {
				t.Errorf("%s\nin %s\nwith %.500s", problem, query, fmt.Sprint(args))
			}
		})
	}
}

// A guest's lists of members are other statements, bounded as those of samples.
func noListGrowsForGuests(t *testing.T, d *db.DB) {
	for name, list := range toGuests {
		for _, sample := range list {
			query, args := recorded(t, name, sample.args)
			for _, problem := range ran(t, d, sample, query, args) {
				t.Errorf("%s %+v: %s\nin %s", name, sample.args, problem, query)
			}
		}
	}
}

// A page in the middle of a long column must begin there: MariaDB likes to read the column from its
// top instead, and then a page costs as much as the column is long.
func pagesBeginWhereTheyAre(t *testing.T, d *db.DB) {
	for name, want := range map[string]string{"CommentsBefore": "ix_comment_ticket 16",
		"CommentsAfter": "ix_comment_ticket 16", "PublicCommentsBefore": "ix_comment_public 17",
		"InboxWindow": "ix_notification_inbox 24", "AssignedTickets": "ix_assignee_work 17"} {
		query, args := recorded(t, name, samples[name].args)
		plan := plansOf(t, d, query, args)[0]
		if plan["key"]+" "+plan["key_len"] != want || strings.Contains(plan["extra"], "filesort") {
			t.Errorf("%s: %v; want the range of %s bytes and no filesort", name, plan, want)
		}
	}
	cards := with(db.Sight{}, db.CardFilter{}, []db.CardRange{{ColumnID: 1, After: 15000 * gap, To: math.MaxInt64}}, 51)
	pages := map[string][]any{"MatchingCards": cards}
	for _, name := range []string{"TicketsAfter", "CardAbove", "CardBelow", "RanksBelow", "RanksAbove"} {
		pages[name] = samples[name].args
	}
	for name, page := range pages {
		query, args := recorded(t, name, page)
		plans := plansOf(t, d, query, args)
		ranges := func(plan map[string]string) bool {
			return plan["key"] == "uq_ticket_rank" && plan["key_len"] == "18" && !strings.Contains(plan["extra"], "filesort")
		}
		if !slices.ContainsFunc(plans, ranges) {
			t.Errorf("%s: %v; want a range of uq_ticket_rank with both its columns (18 bytes) and no filesort", name, plans)
		}
	}
	query, args := recorded(t, "MatchingCards", cards)
	for _, problem := range ran(t, d, sample{}, query, args) {
		t.Errorf("a page of a board without a filter: %s\nin %s", problem, query)
	}
}

// Each part of each order of a board's tickets is read from where it begins in the order's index: the board has 20,000
// tickets with nothing in a column, and as many that were updated at once.
func ordersReadTheirIndex(t *testing.T, d *db.DB) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	for _, by := range []db.TicketColumn{db.TicketPriority, db.TicketStart, db.TicketDue, db.TicketCreated, db.TicketUpdated, db.TicketClosed} {
		index := "ix_ticket_" + strings.TrimSuffix(strings.TrimPrefix(string(by), "t."), "_at")
		for _, order := range []db.TicketOrder{{By: by}, {By: by, Descending: true}} {
			var ranges []db.OrderRange
			for _, after := range []*db.TicketPlace{nil, {ID: 15000}, {At: &at, ID: 15000}, {At: ptr(int64(2)), ID: 15000}} {
				if after != nil && !order.Has(*after) {
					continue
				}
				for _, r := range order.Ranges(after) {
					ranges = append(append(ranges, r), r.EndingAt(db.TicketPlace{At: &at, ID: 16000})...)
				}
			}
			for _, r := range ranges {
				for name, args := range map[string][]any{"EndInOrder": with(1, r, 200), "TicketsInOrder": with(1, r, db.TicketCondition{}, 51),
					"FirstInOrder":   with(r, []id.Board{1, 2, 3}),
					"EntriesInOrder": with(r, []id.Board{1, 2, 3}, 200)} {
					query, args := recorded(t, name, args)
					for _, plan := range plansOf(t, d, query, args) {
						if plan["table"] == "t" && plan["key"] != index || strings.Contains(plan["extra"], "filesort") {
							t.Errorf("%s of %+v: %v\nin %s", name, r, plan, query)
						}
					}
					if cost := costOf(t, d, query, args); cost.reads > 800 {
						t.Errorf("%s of %+v reads %d rows\nin %s", name, r, cost.reads, query)
					}
				}
			}
		}
	}
}

// sample is how a query is tried.
type sample struct {
	args    []any  // after the context; an int is any integer or id
	reads   int    // how many rows it may read if that is more than atMost
	sorts   int    // how many it may sort if that is more than onPage
	because string // why more is right
}

func with(args ...any) []any { return args }

func ptr[T any](v T) *T { return &v }

var named = regexp.MustCompile(`(?m)^-- name: (\w+) :\w+\n`)

// allQueries are the texts of all queries by name; "" is the text of what is written by hand in Go.
func allQueries(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	files, err := filepath.Glob("../queries/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no queries", err)
	}
	for _, file := range files {
		text := domaintest.OK(os.ReadFile(file))(t)
		indexes := named.FindAllSubmatchIndex(text, -1)
		for i, index := range indexes {
			end := len(text)
			if i+1 < len(indexes) {
				end = indexes[i+1][0]
			}
			found[string(text[index[2]:index[3]])] = string(text[index[1]:end])
		}
	}
	for _, name := range handWritten(t) {
		found[name] = ""
	}
	return found
}

// handWritten are the methods of Queries that sqlc did not write.
func handWritten(t *testing.T) (names []string) {
	t.Helper()
	files := domaintest.OK(filepath.Glob("*.go"))(t)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, ".gen.go") {
			continue
		}
		parsed := domaintest.OK(parser.ParseFile(token.NewFileSet(), file, nil, 0))(t)
		for _, declared := range parsed.Decls {
			method, ok := declared.(*ast.FuncDecl)
			if !ok || method.Recv == nil || !method.Name.IsExported() {
				continue
			}
			if pointer, ok := method.Recv.List[0].Type.(*ast.StarExpr); ok && pointer.X.(*ast.Ident).Name == "Queries" {
				names = append(names, method.Name.Name)
			}
		}
	}
	return names
}

var comment = regexp.MustCompile(`(?m)^--.*\n`)

// addsValues reports an insert that reads nothing.
func addsValues(text string) bool {
	text = strings.ToUpper(strings.TrimSpace(comment.ReplaceAllString(text, "")))
	return strings.HasPrefix(text, "INSERT") && !strings.Contains(text, "SELECT")
}

// recorded returns what a query of that name sends, without sending it.
func recorded(t *testing.T, name string, args []any) (string, []any) {
	t.Helper()
	spy := &recorder{}
	method := reflect.ValueOf(db.New(spy)).MethodByName(name)
	kind := method.Type()
	if kind.NumIn() != len(args)+1 {
		t.Fatalf("%s has %d arguments, its sample %d", name, kind.NumIn()-1, len(args))
	}
	values := []reflect.Value{reflect.ValueOf(context.Background())}
	for i, arg := range args {
		value, want := reflect.ValueOf(arg), kind.In(i+1)
		if value.Kind() == reflect.Int && want.Kind() != reflect.Int {
			value = value.Convert(want)
		}
		values = append(values, value)
	}
	method.Call(values)
	if spy.query == "" {
		t.Fatalf("%s sent nothing", name)
	}
	return spy.query, spy.args
}

// recorder notes the last statement and sends none.
type recorder struct {
	query string
	args  []any
}

var errNotSent = errors.New("only noted")

func (r *recorder) ExecContext(_ context.Context, query string, args ...any) (sql.Result, error) {
	r.query, r.args = query, args
	return nil, errNotSent
}

func (r *recorder) PrepareContext(context.Context, string) (*sql.Stmt, error) { return nil, errNotSent }

func (r *recorder) QueryContext(_ context.Context, query string, args ...any) (*sql.Rows, error) {
	r.query, r.args = query, args
	return nil, errNotSent
}

// QueryRowContext asks a pool that is closed, for no one else can make a sql.Row.
func (r *recorder) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	r.query, r.args = query, args
	nowhere, err := db.Open("mysql://nobody@localhost/nothing")
	if err != nil {
		panic(err)
	}
	nowhere.Close()
	return nowhere.SQL.QueryRowContext(ctx, query, args...)
}

// explained returns what the server's plan has that grows with a table.
func explained(t *testing.T, d *db.DB, query string, args []any) (problems []string) {
	t.Helper()
	for _, plan := range plansOf(t, d, query, args) {
		extra := strings.ToLower(plan["extra"])
		switch {
		case strings.HasPrefix(extra, "no matching row") || strings.HasPrefix(extra, "impossible where"):
			problems = append(problems, "the sample finds nothing, so its plan says nothing: choose other arguments")
		case plan["select_type"] == "INSERT" || plan["table"] == "" || strings.HasPrefix(plan["table"], "<") ||
			strings.HasPrefix(extra, "table function") || small[plan["table"]]:
		case strings.EqualFold(plan["type"], "ALL") || strings.EqualFold(plan["type"], "index"):
			problems = append(problems, fmt.Sprintf("it scans %s from end to end: %v", plan["table"], plan))
		}
	}
	return problems
}

// plansOf returns the lines of EXPLAIN, each by the names of its columns in lower case.
func plansOf(t *testing.T, d *db.DB, query string, args []any) (plans []map[string]string) {
	t.Helper()
	rows, err := d.SQL.Query("EXPLAIN FORMAT=TRADITIONAL "+query, args...)
	if err != nil {
		t.Fatalf("%v\nin %s\nwith %v", err, query, args)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	domaintest.Must(t, err)
	for rows.Next() {
		values, targets := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		domaintest.Must(t, rows.Scan(targets...))
		plan := map[string]string{}
		for i, name := range columns {
			if values[i].Valid {
				plan[strings.ToLower(name)] = values[i].String
			}
		}
		plans = append(plans, plan)
	}
	if err := rows.Err(); err != nil || len(plans) == 0 {
		t.Fatalf("no plan: %v", err)
	}
	return plans
}

// ran runs a statement, undoes it, and returns its excessive reads and sorts, by the server's own counters: an
// estimate in a plan ignores LIMIT.
func ran(t *testing.T, d *db.DB, s sample, query string, args []any) (problems []string) {
	t.Helper()
	cost := costOf(t, d, query, args)
	if cost.found == 0 && strings.HasPrefix(strings.ToUpper(strings.TrimSpace(comment.ReplaceAllString(query, ""))), "SELECT") {
		problems = append(problems, "the sample finds nothing: choose other arguments")
	}
	reads, sorts := max(s.reads, atMost), max(s.sorts, onPage)
	if (s.reads > 0 || s.sorts > 0) && s.because == "" {
		problems = append(problems, "a sample that may read or sort more says why (because)")
	}
	if cost.reads > reads {
		problems = append(problems, fmt.Sprintf("it reads %d rows; %d are allowed", cost.reads, reads))
	}
	if cost.sorts > 0 && cost.reads > sorts {
		problems = append(problems, fmt.Sprintf("it sorts, and reads %d rows for that; %d are allowed", cost.reads, sorts))
	}
	return problems
}

// costOf runs a statement, undoes it, and returns what it had the server do.
func costOf(t *testing.T, d *db.DB, query string, args []any) work {
	t.Helper()
	ctx := t.Context()
	conn := domaintest.OK(d.SQL.Conn(ctx))(t)
	defer conn.Close()
	tx := domaintest.OK(conn.BeginTx(ctx, nil))(t)
	defer tx.Rollback()

	noise := touched(t, tx)
	before := touched(t, tx)
	noise = before.minus(noise)
	found := drain(t, tx, query, args)
	cost := touched(t, tx).minus(before).minus(noise)
	cost.found = found
	return cost
}

// drain runs a statement, reads its result to the end, and returns how many rows it has.
func drain(t *testing.T, tx *sql.Tx, query string, args []any) (n int) {
	t.Helper()
	rows, err := tx.Query(query, args...)
	if err != nil {
		t.Fatalf("%v\nin %s\nwith %v", err, query, args)
	}
	defer rows.Close()
	for rows.Next() {
		n++
	}
	domaintest.Must(t, rows.Err())
	return n
}

// work is what a connection has had the server do: rows and index entries read, sorts, and rows found.
type work struct{ reads, sorts, found int }

func (w work) minus(v work) work { return work{reads: w.reads - v.reads, sorts: w.sorts - v.sorts} }

func touched(t *testing.T, tx *sql.Tx) (w work) {
	t.Helper()
	rows := domaintest.OK(
		tx.Query("SHOW SESSION STATUS WHERE Variable_name LIKE 'Handler_read%' OR Variable_name IN ('Sort_scan', 'Sort_range')"))(t)
	defer rows.Close()
	for rows.Next() {
		var name string
		var n int
		domaintest.Must(t, rows.Scan(&name, &n))
		switch {
		case strings.EqualFold(name, "Handler_read_rnd_deleted") || strings.EqualFold(name, "Handler_read_retry"):
		case strings.HasPrefix(name, "Handler"):
			w.reads += n
		default:
			w.sorts += n
		}
	}
	return w
}
