package db_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

var (
	sqlcPlaceholder = regexp.MustCompile(`sqlc\.(?:n?arg|slice)\([^)]*\)`)
	sqlcEmbed       = regexp.MustCompile(`sqlc\.embed\((\w+)\)`)
	insertsInto     = regexp.MustCompile(`(?s)^INSERT INTO (\w+) \(([^)]*)\)`)
)

// TestReleaseBefore runs the statements of the release before on the present schema: its servers go on beside the first
// new one. The server resolves each table and column of a statement that it prepares; that an INSERT names each column
// without a default is asked of the catalogue. At a release, its queries take the place of those in testdata:
//
//	cat queries/*.sql > db/testdata/queries-VERSION.sql
func TestReleaseBefore(t *testing.T) {
	t.Parallel()
	files := domaintest.OK(filepath.Glob("testdata/queries-*.sql"))(t)
	if len(files) != 1 {
		t.Fatalf("testdata has the queries of %v; want one release", files)
	}
	d := dbtest.Open(t)
	conn := domaintest.OK(d.SQL.Conn(t.Context()))(t)
	defer conn.Close()
	required := requiredColumns(t, d.SQL)
	text := string(domaintest.OK(os.ReadFile(files[0]))(t))
	prepared := 0
	for _, query := range named.Split(text, -1)[1:] {
		for _, problem := range broken(t.Context(), conn, required, query) {
			t.Errorf("%s\n%s", problem, query)
		}
		prepared++
	}
	if prepared < 300 {
		t.Errorf("%d statements were tried", prepared)
	}
	for wrong, what := range map[string]string{
		"SELECT nowhere FROM board":                        "nowhere",
		"UPDATE board SET label = sqlc.arg(label)":         "label",
		"INSERT INTO board (slug) VALUES (sqlc.arg(slug))": "company_id",
	} {
		if problems := broken(t.Context(), conn, required, wrong); !strings.Contains(strings.Join(problems, " "), what) {
			t.Errorf("of %s it says %q", wrong, problems)
		}
	}
}

// broken says why a statement fails on the schema.
func broken(ctx context.Context, conn *sql.Conn, required map[string][]string, query string) (problems []string) {
	query = strings.TrimSuffix(strings.TrimSpace(sqlComment.ReplaceAllString(query, "")), ";")
	query = sqlcEmbed.ReplaceAllString(sqlcPlaceholder.ReplaceAllString(query, "?"), "$1.*")
	prepared, err := conn.PrepareContext(ctx, query)
	if err != nil {
		return []string{err.Error()}
	}
	defer prepared.Close()
	into := insertsInto.FindStringSubmatch(query)
	if into == nil {
		return nil
	}
	given := strings.FieldsFunc(into[2], func(r rune) bool { return strings.ContainsRune(", \n`", r) })
	for _, column := range required[into[1]] {
		if !slices.Contains(given, column) {
			problems = append(problems, into[1]+"."+column+" gets no value and has no default")
		}
	}
	return problems
}

// requiredColumns are the columns that an INSERT must name, by table.
func requiredColumns(t *testing.T, d *sql.DB) map[string][]string {
	t.Helper()
	rows := domaintest.OK(d.QueryContext(t.Context(), `SELECT table_name, column_name FROM information_schema.columns
		WHERE table_schema = DATABASE() AND is_nullable = 'NO' AND column_default IS NULL AND extra NOT LIKE '%auto_increment%'
			AND extra NOT LIKE '%GENERATED%'`))(t)
	defer rows.Close()
	required := map[string][]string{}
	for rows.Next() {
		var table, column string
		domaintest.Must(t, rows.Scan(&table, &column))
		required[table] = append(required[table], column)
	}
	domaintest.Must(t, rows.Err())
	return required
}
