package backup_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/ops/backup"
)

var keep = flag.Bool("keep", false, "write a backup of this engine and the newest schema to testdata")

// Every backup can be restored for ever, on either engine: testdata has a file of each engine and schema version that
// -keep was used for.
func TestOldBackups(t *testing.T) {
	t.Parallel()
	if *keep {
		keepBackup(t)
	}
	files := domaintest.OK(filepath.Glob("testdata/*.backup"))(t)
	if len(files) < 2 {
		t.Fatalf("testdata has %v; want one of each engine", files)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			env := empty(t)
			env.restore(t, file)
			env.ctx = accounts.WithActor(context.Background(), accounts.Actor{
				Account: accounts.Account{ID: 1, Name: "Ana"}, Company: accounts.Company{ID: id.Company(1), Slug: "acme"},
				Role: accounts.Owner,
			})
			if n := env.rows(t, "membership WHERE handle = 'ana'"); n != 1 {
				t.Errorf("%d members are @ana", n)
			}
			if n := env.rows(t, "board b JOIN board_slug s ON s.board_id = b.id AND s.slug = b.slug"); n < 2 ||
				n != env.rows(t, "board") {
				t.Errorf("%d boards keep their slugs", n)
			}
			if n := env.rows(t, "ticket t JOIN board_column c ON c.id = t.column_id AND c.done WHERE t.closed_at = t.moved_at"); n == 0 {
				t.Error("nothing in a done column was closed when it came there")
			}
			ticket, err := env.Workflows.Ticket(env.ctx, key(1))
			if err != nil || ticket.Title != "Plain" || ticket.Description != awkward {
				t.Errorf("NINJA-1 is %+v, %v", ticket, err)
			}
			if _, err := env.Workflows.Ticket(env.ctx, key(5)); err == nil {
				t.Error("NINJA-5, which was deleted, is there")
			}
			if last := env.open(t, 1); last.Key != key(6) {
				t.Errorf("the next is %s", last.Key)
			}
		})
	}
}

func keepBackup(t *testing.T) {
	env := newEnv(t)
	status := domaintest.OK(db.Schema(env.URL))(t)
	domaintest.Must(t, os.MkdirAll("testdata", 0o755))
	file := fmt.Sprintf("testdata/%s-%d.backup", os.Getenv("COUNTERFOIL_TEST_ENGINE"), status.Latest)
	domaintest.OK(backup.Make(context.Background(), env.Installation, "test", file))(t)
}
