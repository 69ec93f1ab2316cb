package verify_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/images"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/ops/opstest"
	"github.com/counterfoil/counterfoil/ops/verify"
)

// env is a database with some of everything: open, edited, moved and deleted tickets, a second board, an empty one, and
// a stored answer of the API.
type env struct {
	*app.App
	db    *db.DB
	url   string
	ctx   context.Context
	files string
}

func newEnv(t testing.TB) *env {
	t.Helper()
	url := dbtest.URL(t)
	d, err := db.Open(url)
	domaintest.Must(t, err)
	t.Cleanup(func() { d.Close() })
	files := t.TempDir()
	store := domaintest.OK(blobs.Open(context.Background(), files))(t)
	w := app.New(d, apptest.CheapPasswords, apptest.WithKeys, app.WithFiles(store))
	t.Cleanup(func() { w.Close(context.Background()) })
	actor, practice, _, err := w.Workflows.SetUp(context.Background(), workflows.Setup{
		Token:   true,
		Company: "Acme", Name: "Ana", Email: "ana@example.com", Password: "correct horse battery",
	})
	domaintest.Must(t, err)
	env := &env{w, d, url, accounts.WithActor(context.Background(), actor), files}
	env.store(t, "image") // the one of opstest
	env.attach(t)
	for _, slug := range []string{"NINJA", "EMPTY"} {
		domaintest.OK(w.Workflows.OpenBoard(env.ctx, boards.Draft{Slug: slug, Title: "The “" + slug + "” board"}, nil))(t)
	}
	opstest.Populate(t, env.ctx, w, d)
	for n := range 5 {
		domaintest.OK(w.Workflows.OpenTicket(env.ctx, "NINJA", tickets.Draft{Title: fmt.Sprint("Sharpen blade ", n),
			Description: "two\nlines, größer 🥷"}, nil))(t)
	}
	title := "Sharpen the long blade"
	_, err = w.Workflows.EditTicket(env.ctx, tickets.Key{Board: "NINJA", Number: 2},
		tickets.Edit{Title: &title, Version: 1})
	domaintest.Must(t, err)
	_, _, err = w.Workflows.MoveTicket(env.ctx, tickets.Key{Board: "DEMO", Number: 2},
		tickets.Intent{Column: practice.Columns[1].ID})
	domaintest.Must(t, err)
	domaintest.Must(t, w.Workflows.DeleteTicket(env.ctx, tickets.Key{Board: "NINJA", Number: 3}))
	once := &workflows.Once[tickets.Ticket]{Token: 1, Key: "k", Request: []byte("r"), Status: 201,
		Response: func(t tickets.Ticket) any { return t.Key.String() }}
	_, err = w.Workflows.OpenTicket(env.ctx, "NINJA", tickets.Draft{Title: "Once"}, once)
	domaintest.Must(t, err)
	env.showFile(t)
	form := &workflows.Once[tickets.KeyedComment]{Key: "nonce", Request: []byte("r"), Status: 201, Secret: []byte("nonce"),
		Response: func(said tickets.KeyedComment) any { return said }}
	_, err = w.Workflows.Comment(env.ctx, tickets.Key{Board: "DEMO", Number: 1}, "By a form", form)
	domaintest.Must(t, err)
	return env
}

// copied is the environment with a database of its own and the same files, for what needs no workflows.
func (env *env) copied(t testing.TB) *env {
	t.Helper()
	own := *env
	own.App, own.db = nil, dbtest.Copy(t, env.db)
	return &own
}

// attach attaches a file to DEMO-1.
func (env *env) attach(t testing.TB) {
	t.Helper()
	domaintest.OK(env.Workflows.Attach(env.ctx, tickets.Key{Board: "DEMO", Number: 1}, file("first"), nil))(t)
}

// showFile adds a comment with a file to DEMO-1.
func (env *env) showFile(t testing.TB) {
	t.Helper()
	a := domaintest.OK(env.Workflows.Upload(env.ctx, file("again")))(t)
	domaintest.OK(env.Workflows.Comment(env.ctx, tickets.Key{Board: "DEMO", Number: 1}, "Look: "+a.Markdown(), nil))(t)
}

func file(content string) workflows.NewFile {
	return workflows.NewFile{Name: content + ".txt", Content: strings.NewReader(content), Size: -1}
}

// store stores an image's file.
func (env *env) store(t testing.TB, content string) {
	t.Helper()
	files := domaintest.OK(blobs.Open(env.ctx, env.files))(t)
	defer files.Close()
	domaintest.Must(t, files.Put(env.ctx, images.Hash(sha256.Sum256([]byte(content))).Blob(), strings.NewReader(content)))
}

func (env *env) verify(t testing.TB) verify.Report {
	t.Helper()
	return domaintest.OK(verify.Run(context.Background(), env.db, apptest.Keys, env.files, nil))(t)
}

// corrupt runs statements on one connection that checks no foreign keys.
func (env *env) corrupt(t testing.TB, statements ...string) {
	t.Helper()
	conn := domaintest.OK(env.db.SQL.Conn(context.Background()))(t)
	defer conn.Close()
	for _, statement := range append([]string{"SET SESSION foreign_key_checks = 0"}, statements...) {
		if _, err := conn.ExecContext(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	domaintest.OK(conn.ExecContext(context.Background(), "SET SESSION foreign_key_checks = 1"))(t)
}

const (
	ninja     = "(SELECT id FROM board WHERE slug = 'NINJA')"
	away      = "(SELECT id FROM board WHERE slug = 'AWAY')"
	uncounted = "UPDATE ticket SET comments = NULL"
	opened    = "INSERT INTO activity (ticket_id, account_id, kind, detail, created_at) SELECT id, 1, 'opened', '{}', created_at FROM ticket WHERE id = 9000"
	newThing  = "INSERT INTO ticket (id, board_id, local_id, title, description, created_by, created_at, updated_at, moved_at, deleted_at) VALUES (9000, %s, %s, 'x', '', %s, '2026-01-01', '2026-01-01', '2026-01-01', '2026-01-01')"
)

// neighbour is a second company.
var neighbour = []string{
	"INSERT INTO company (id, slug, name, created_at) VALUES (2, 'other', 'Other', '2026-01-01')",
	"INSERT INTO membership (company_id, account_id, role, handle, created_at) VALUES (2, 1, 'owner', 'ana', '2026-01-01')",
}

// corruptions has for each check ways to break its invariant and what its finding must say.
var corruptions = []struct {
	check, how string
	statements []string
	finding    string
}{
	{"schema", "an older version", []string{"UPDATE schema_migrations SET version = 0"}, "schema up"},
	{"schema", "a newer version", []string{"UPDATE schema_migrations SET version = 999999"}, "newer program"},
	{"schema", "a change that broke off", []string{"UPDATE schema_migrations SET dirty = 1"}, "halfway"},
	{"schema", "no schema", []string{"DROP TABLE schema_migrations"}, "no schema yet"},
	{"setup", "an open setup", []string{"DELETE FROM installation"}, "a stranger may set up"},
	{"companies", "a slug of the wrong form", []string{"UPDATE company SET slug = 'A_me'"}, "company 1"},
	{"companies", "a reserved slug", []string{"UPDATE company SET slug = 'admin'"}, "is reserved"},
	{"companies", "an empty name", []string{"UPDATE company SET name = ''"}, "bad name"},
	{"accounts", "an address in upper case", []string{"UPDATE account SET email = 'Ana@example.com' WHERE id = 1"},
		"Ana@example.com"},
	{"accounts", "a name with a control character",
		[]string{"UPDATE account SET name = CONCAT('A', CHAR(7)) WHERE id = 1"}, "bad name"},
	{"memberships", "an unknown role", []string{"UPDATE membership SET role = 'king' WHERE account_id = 2"}, `"king"`},
	{"operators", "none", []string{"UPDATE account SET operator = FALSE"}, "is an operator"},
	{"handles", "upper case", []string{"UPDATE membership SET handle = 'Ana' WHERE account_id = 1"}, `"Ana"`},
	{"handles", "none", []string{"UPDATE membership SET handle = '' WHERE account_id = 1"}, `""`},
	{"handles", "a hyphen at the end", []string{"UPDATE membership SET handle = 'ana-' WHERE account_id = 1"}, `"ana-"`},
	{"handles", "the same twice", []string{
		"ALTER TABLE membership DROP INDEX uq_membership_handle, ADD INDEX uq_membership_handle (company_id, handle)",
		"UPDATE membership SET handle = 'ana' WHERE account_id = 2",
	}, "which is another's"},
	{"owners", "none", []string{"UPDATE membership SET role = 'admin'"}, "company 1 (acme) has no owner"},
	{"tokens", "an end before the beginning", []string{"UPDATE api_token SET expires_at = '2020-01-01' WHERE id = 1"},
		"API token 1"},
	{"invitations", "an unknown role", []string{"UPDATE invitation SET role = 'king' LIMIT 1"}, `"king"`},
	{"invitations", "too many uses",
		[]string{"UPDATE invitation SET uses = max_uses + 1 WHERE max_uses IS NOT NULL LIMIT 1"}, "but may be"},
	{"invitations", "an end before the beginning", []string{"UPDATE invitation SET expires_at = '2020-01-01' LIMIT 1"},
		"ends 2020"},
	{"password resets", "an end before the beginning",
		[]string{"UPDATE password_reset SET expires_at = '2020-01-01' LIMIT 1"}, "ends 2020"},
	{"password resets", "a use before the beginning", []string{"UPDATE password_reset SET used_at = '2020-01-01' LIMIT 1"},
		"used 2020"},
	{"second factors", "a recovery code used before it was made", []string{"UPDATE recovery_code SET used_at = '2020-01-01' LIMIT 1"},
		"recovery code of account 1 was made"},
	{"second factors", "a passkey used before it was made", []string{"UPDATE passkey SET used_at = '2020-01-01'"},
		"passkey 1 was made"},
	{"audit", "no kind", []string{"UPDATE audit SET kind = '' LIMIT 1"}, "no kind"},
	{"audit chains", "a row that was added", []string{"UPDATE audit SET seq = 1, mac = 'x' ORDER BY id LIMIT 1"},
		"which its chain does not have"},
	{"secrets", "a changed secret", []string{"UPDATE sealed_secret SET sealed = REVERSE(sealed) WHERE kind = 'webhook'"},
		"the secret of webhook 1 does not open with its key"},
	{"secrets", "a secret in another row", []string{"UPDATE sealed_secret SET owner_id = 7 WHERE kind = 'webhook'",
		"UPDATE webhook SET state = 'off'"}, "the secret of webhook 7 does not open with its key"},
	{"secrets", "a key that is not there", []string{"UPDATE sealed_secret SET key_id = REPEAT('0', 16)"},
		"the key file does not have the key 0000000000000000; secrets that are encrypted with it: 1"},
	{"secrets", "another key of the database", []string{"UPDATE secret_key SET key_id = REPEAT('0', 16)"},
		"the key file does not have the key 0000000000000000"},
	{"secrets", "a webhook without its secret", []string{"DELETE FROM sealed_secret WHERE kind = 'webhook'"},
		"webhook 1 is on and has no secret"},
	{"audit", "no JSON", []string{"UPDATE audit SET detail = '{' LIMIT 1"}, "cannot be read"},
	{"tokens", "an unknown scope", []string{"UPDATE api_token SET scopes = CONCAT(scopes, ' rule') WHERE id = 1"},
		`"rule"`},
	{"boards", "a slug in lower case", []string{"UPDATE board_slug SET slug = 'empty' WHERE slug = 'EMPTY'",
		"UPDATE board SET slug = 'empty' WHERE slug = 'EMPTY'"}, `"empty"`},
	{"boards", "a title with spaces around", []string{"UPDATE board SET title = ' x ' WHERE slug = 'EMPTY'"}, "bad title"},
	{"board slugs", "one that nobody keeps", []string{"DELETE FROM board_slug WHERE slug = 'NINJA'"},
		"(acme/NINJA) has a slug that is kept for none"},
	{"board slugs", "one that is another's", []string{"UPDATE board_slug SET board_id = 1 WHERE slug = 'NINJA'"},
		"kept for board 1"},
	{"board slugs", "a kept one in lower case",
		[]string{"INSERT INTO board_slug VALUES (1, 'old', 1, '2026-01-01', FALSE)"}, `"old"`},
	{"board slugs", "a kept one of another company",
		append([]string{"INSERT INTO board_slug VALUES (2, 'OLD', 1, '2026-01-01', FALSE)"}, neighbour...),
		"which is of company 1"},
	{"archives", "before the beginning", []string{"UPDATE board SET archived_at = '2020-01-01' WHERE slug = 'EMPTY'"},
		"(acme/EMPTY) was opened"},
	{"column names", "an empty one", []string{"UPDATE board_column SET name = '' WHERE position = 1 AND board_id = " +
		ninja}, `has the name ""`},
	{"column names", "two lines", []string{"UPDATE board_column SET name = 'a\nb' WHERE position = 1 AND board_id = " +
		ninja}, "has the name"},
	{"column limits", "zero", []string{"UPDATE board_column SET wip_limit = 0 WHERE position = 1 AND board_id = " + ninja},
		"has the limit 0"},
	{"column limits", "a hard none",
		[]string{"UPDATE board_column SET wip_hard = TRUE WHERE position = 1 AND board_id = " + ninja},
		"has the limit none, which is hard"},
	{"incrementers", "none", []string{"DELETE FROM board_ticket_incrementer WHERE board_id = " + ninja},
		"(acme/NINJA) has no incrementer"},
	{"columns", "none", []string{"DELETE FROM board_column WHERE board_id = (SELECT id FROM board WHERE slug = 'EMPTY')"},
		"(acme/EMPTY) has no column"},
	{"column positions", "the same twice", []string{
		"ALTER TABLE board_column ADD INDEX ix_board (board_id)",
		"ALTER TABLE board_column DROP INDEX uq_board_column_position",
		"UPDATE board_column SET position = 1 WHERE position = 2 AND board_id = " + ninja,
	}, "2 columns at position 1"},
	{"column positions", "below one", []string{"UPDATE board_column SET position = 0 WHERE position = 1 AND board_id = " +
		ninja}, "position 0"},
	{"ticket numbers unique", "the same twice", []string{
		"ALTER TABLE ticket DROP INDEX uq_ticket_number, ADD INDEX uq_ticket_number (board_id, local_id)",
		"UPDATE ticket SET local_id = 4 WHERE local_id = 5 AND board_id = " + ninja,
	}, "2 tickets with the number 4"},
	{"ticket numbers handed out", "above the last",
		[]string{"UPDATE ticket SET local_id = 77 WHERE local_id = 5 AND board_id = " + ninja},
		"(acme/NINJA-77) has a number outside 1 to 6"},
	{"ticket numbers handed out", "zero", []string{"UPDATE ticket SET local_id = 0 WHERE local_id = 5 AND board_id = " +
		ninja}, "NINJA-0"},
	{"ticket numbers handed out", "an incrementer that was lowered",
		[]string{"UPDATE board_ticket_incrementer SET max_ticket_id = 5 WHERE board_id = " + ninja}, "NINJA-6"},
	{"no ticket row is missing", "a row removed", []string{
		"DELETE a FROM activity a JOIN ticket t ON t.id = a.ticket_id WHERE t.deleted_at IS NOT NULL",
		"DELETE s FROM ticket_stay s JOIN ticket t ON t.id = s.ticket_id WHERE t.deleted_at IS NOT NULL",
		"DELETE FROM ticket WHERE deleted_at IS NOT NULL",
	}, "(acme/NINJA) handed out 6 numbers but has 5 tickets and 0 old keys"},
	{"no ticket row is missing", "an old key removed", []string{"DELETE FROM ticket_alias WHERE board_id = " + away},
		"(acme/AWAY) handed out 5 numbers but has 4 tickets and 0 old keys"},
	{"old keys handed out", "above the last", []string{"UPDATE ticket_alias SET local_id = 77 WHERE board_id = " + away},
		"acme/AWAY-77 has a number outside 1 to 5"},
	{"old keys handed out", "zero", []string{"UPDATE ticket_alias SET local_id = 0 WHERE board_id = " + away}, "AWAY-0"},
	{"old keys lead on", "the key of another ticket",
		[]string{"INSERT INTO ticket_alias SELECT board_id, 1, id, created_at FROM ticket WHERE local_id = 2 AND board_id = " + ninja}, "acme/NINJA-1 leads to ticket "},
	{"old keys lead on", "the ticket's own key",
		[]string{"INSERT INTO ticket_alias SELECT board_id, local_id, id, created_at FROM ticket WHERE local_id = 2 AND board_id = " + ninja}, "acme/NINJA-2 leads to ticket "},
	{"old keys in their company", "another company", append([]string{
		"UPDATE ticket_alias SET ticket_id = (SELECT id FROM ticket WHERE local_id = 2 AND board_id = " + ninja +
			") WHERE board_id = " + away,
		"UPDATE board SET company_id = 2 WHERE slug = 'NINJA'", "UPDATE board_slug SET company_id = 2 WHERE slug = 'NINJA'",
	}, neighbour...), "acme/AWAY-1 leads to ticket "},
	{"tickets on their board", "a column of another", []string{
		"DELETE FROM ticket_stay WHERE ticket_id = (SELECT id FROM ticket WHERE local_id = 5 AND board_id = " + ninja + ")",
		"UPDATE ticket SET column_id = (SELECT MIN(id) FROM board_column WHERE board_id = (SELECT id FROM board WHERE slug = 'EMPTY')), rank_in_column = 1 WHERE local_id = 5 AND board_id = " + ninja,
		"UPDATE board_column SET last_rank = 1, ticket_count = 1 WHERE position = 1 AND board_id = (SELECT id FROM board WHERE slug = 'EMPTY')",
		"UPDATE board_column SET ticket_count = ticket_count - 1 WHERE position = 1 AND board_id = " + ninja,
	}, "NINJA-5"},
	{"places", "a live ticket without a rank",
		[]string{"UPDATE ticket SET rank_in_column = NULL WHERE local_id = 5 AND board_id = " + ninja}, "NINJA-5) is live"},
	{"places", "a live ticket without a column", []string{
		"UPDATE ticket SET column_id = NULL, rank_in_column = NULL WHERE local_id = 5 AND board_id = " + ninja,
		"UPDATE board_column SET ticket_count = ticket_count - 1 WHERE position = 1 AND board_id = " + ninja,
	}, "its column is none"},
	{"places", "a deleted ticket with a rank",
		[]string{"UPDATE ticket SET rank_in_column = 5 WHERE deleted_at IS NOT NULL"}, "is deleted"},
	{"places", "a deleted ticket with a column", []string{
		"UPDATE ticket SET column_id = (SELECT MIN(id) FROM board_column WHERE board_id = " + ninja +
			"), rank_in_column = 5 WHERE deleted_at IS NOT NULL",
		"UPDATE board_column SET ticket_count = ticket_count + 1 WHERE position = 1 AND board_id = " + ninja,
	}, "NINJA-3) is deleted"},
	{"done is closed", "an open one", []string{"UPDATE board_column SET done = TRUE WHERE position = 1 AND board_id = " +
		ninja, "UPDATE ticket SET closed_at = moved_at WHERE local_id NOT IN (3, 5) AND board_id = " + ninja,
		"DELETE FROM assignee"}, "(acme/NINJA-5) is in the done column"},
	{"changes of columns", "a run that closes tickets of a column that is not done", []string{
		"UPDATE board_column SET change_kind = 'close', change_run = 1, change_at = NOW(6), change_total = 5, change_left = 5 WHERE position = 1 AND board_id = " + ninja,
	}, "is changed as “close” by run 1 with 0 of 5 tickets done"},
	{"changes of columns", "a run that empties a column into one of another board", []string{
		"UPDATE board_column SET change_kind = 'empty', change_run = 1, change_at = NOW(6), change_total = 5, change_to = (SELECT * FROM (SELECT MIN(id) FROM board_column) x) WHERE position = 1 AND board_id = " + ninja,
		"UPDATE board_column SET incoming = 5 ORDER BY id LIMIT 1",
	}, "is changed as “empty” by run 1"},
	{"room kept", "for tickets that none brings",
		[]string{"UPDATE board_column SET incoming = 3 WHERE position = 1 AND board_id = " + ninja},
		"keeps room for 3 tickets, but runs may bring 0"},
	{"ranks strict", "the same twice", []string{
		"ALTER TABLE ticket DROP INDEX uq_ticket_rank, ADD INDEX uq_ticket_rank (column_id, rank_in_column)",
		"UPDATE ticket SET rank_in_column = 65536 WHERE local_id IN (1, 2) AND board_id = " + ninja,
	}, "2 tickets with the rank 65536"},
	{"last ranks", "a last rank that was lowered",
		[]string{"UPDATE board_column SET last_rank = 65536 WHERE position = 1 AND board_id = " + ninja},
		"“To do” of board 2 (acme/NINJA) has the last rank 65536"},
	{"ticket counts", "one too many",
		[]string{"UPDATE board_column SET ticket_count = ticket_count + 1 WHERE position = 1 AND board_id = " + ninja},
		"counts 6 tickets but has 5"},
	{"ticket counts", "in an empty column",
		[]string{"UPDATE board_column SET ticket_count = -1 WHERE position = 3 AND board_id = " + ninja},
		"counts -1 tickets but has 0"},
	{"ticket texts", "an empty title", []string{"UPDATE ticket SET title = '' WHERE local_id = 5 AND board_id = " + ninja},
		"bad title"},
	{"ticket texts", "a title of two lines",
		[]string{"UPDATE ticket SET title = 'a\nb' WHERE local_id = 5 AND board_id = " + ninja}, "bad title"},
	{"ticket texts", "a description with other line ends",
		[]string{"UPDATE ticket SET description = 'a\r\nb' WHERE local_id = 5 AND board_id = " + ninja}, "bad description"},
	{"ticket texts", "a checklist that is counted wrong",
		[]string{"UPDATE ticket SET items = 3, items_checked = 1 WHERE local_id = 5 AND board_id = " + ninja},
		"counts 1 of 3 items of its checklists as checked, but 0 of 0 are"},
	{"ticket texts", "a description that is too long", []string{
		"ALTER TABLE ticket MODIFY description MEDIUMTEXT NOT NULL",
		"UPDATE ticket SET description = REPEAT('x', 65536) WHERE local_id = 5 AND board_id = " + ninja,
	}, "65536 bytes"},
	{"opened once", "never",
		[]string{"UPDATE activity SET kind = 'edited' WHERE kind = 'opened' ORDER BY id DESC LIMIT 1"},
		"NINJA-6) was opened 0 times"},
	{"opened once", "twice", []string{"UPDATE activity SET kind = 'opened' WHERE kind = 'edited'"},
		"NINJA-2) was opened 2 times"},
	{"history details", "no JSON", []string{"UPDATE activity SET detail = '{' WHERE kind = 'edited'"}, "cannot be read"},
	{"history details", "the wrong shape", []string{`UPDATE activity SET detail = '{"title":[]}' WHERE kind = 'edited'`},
		"cannot be read"},
	{"history details", "no JSON but for MySQL the same as {}",
		[]string{`UPDATE activity SET detail = CONCAT(CHAR(1), '{}') WHERE kind = 'edited'`}, "cannot be read"},
	{"properties", "an unknown priority", []string{"UPDATE ticket SET priority = 5 WHERE id = 1"}, "has the priority 5"},
	{"properties", "a day that is not midnight", []string{"UPDATE ticket SET due_at = '2026-12-04 10:00' WHERE id = 1"},
		"is due 2026-12-04 10:00:00.000000 without a time"},
	{"properties", "a time of no date", []string{"UPDATE ticket SET start_timed = TRUE WHERE id = 1"},
		"starts never with a time"},
	{"assignees", "of a closed ticket", []string{"UPDATE assignee SET current = TRUE"},
		"(acme/AWAY-4) is the present work of account 2 but is closed"},
	{"assignees", "of an open ticket", []string{"UPDATE assignee SET current = FALSE WHERE account_id = 1"},
		"(acme/AWAY-3) is not the present work of account 1 but is open"},
	{"assignees", "of a deleted ticket",
		[]string{"INSERT INTO assignee SELECT id, 1, TRUE, '2026-01-01' FROM ticket WHERE deleted_at IS NOT NULL"},
		"is deleted"},
	{"labels", "an unknown colour", []string{"UPDATE label SET color = 12 WHERE name = 'bug'"}, "has colour 12"},
	{"labels", "of no board", []string{"UPDATE label SET board_id = 99 WHERE name = 'bug'"}, "(bug) has colour"},
	{"labels", "a live one that leads elsewhere", []string{"UPDATE label SET leads_to = id, shown_as = id WHERE name = 'bug'"}, "(bug) has colour"},
	{"labels", "a merged one that is shown as a third", []string{"UPDATE label SET shown_as = id WHERE name = 'defect'"}, "(defect) has colour"},
	{"labels of tickets", "an old name", []string{
		"INSERT INTO ticket_label SELECT MAX(x.ticket_id), MAX(l.id) FROM ticket_label x, label l WHERE l.renamed = TRUE"}, "an old name"},
	{"templates", "an unknown priority", []string{"UPDATE ticket_template SET priority = 5"}, "has priority 5"},
	{"templates", "an old name", []string{"UPDATE template_label SET label_id = (SELECT MAX(id) FROM label WHERE renamed = TRUE)"}, "with label"},
	{"views", "an unknown layout", []string{"UPDATE saved_view SET layout = 'map' WHERE board_id IS NOT NULL"}, "has layout map"},
	{"views", "an unknown layout of all boards", []string{"UPDATE saved_view SET layout = 'map' WHERE board_id IS NULL"}, "on board NULL"},
	{"bulk edits", "one ticket too many", []string{"UPDATE bulk_edit SET changed = changed + 1 WHERE id = 1"}, "bulk edit 1 is of company"},
	{"bulk edits", "one ticket too many on all boards", []string{"UPDATE bulk_edit SET changed = changed + 1 WHERE id = 2"}, "on a board of company NULL"},
	{"bulk edits", "an unknown outcome", []string{"UPDATE bulk_edit_item SET outcome = 'lost' WHERE bulk_edit_id = 1 AND outcome = 'changed'"}, "bulk edit 1 is of company"},
	{"relations", "of one ticket alone", []string{"DELETE FROM ticket_relation WHERE kind = 4"}, "which does not have it"},
	{"relations", "of an unknown kind", []string{"INSERT INTO ticket_relation (ticket_id, kind, other_id) VALUES (1, 8, 1)"}, "has relation 8"},
	{"relations", "a parent that is not the only one", []string{"UPDATE ticket_relation SET sole = NULL"}, "not the only one"},
	{"relation cycles", "of two that block each other", []string{
		"INSERT INTO ticket_relation (ticket_id, kind, other_id) SELECT other_id, kind, ticket_id FROM (SELECT * FROM ticket_relation WHERE kind IN (3, 4)) r"}, "blocks itself"},
	{"attachments", "one of another company", append([]string{"UPDATE attachment SET company_id = 2 WHERE id = 1", "UPDATE company_storage SET used = used - 5",
		"INSERT INTO company_storage (company_id, used) VALUES (2, 5)"}, neighbour...), "of company 2 is on ticket"},
	{"attachments", "one of a comment that is deleted", []string{uncounted,
		"UPDATE comment SET deleted_at = NOW(6), body = '' WHERE id = (SELECT comment_id FROM attachment WHERE id = 3)"}, "which is deleted"},
	{"attachment counts", "one too many", []string{"UPDATE ticket SET attachments = 3 WHERE attachments = 2"}, "counts 3 attachments but has 2"},
	{"storage", "a byte too many", []string{"UPDATE company_storage SET used = used + 1"}, "bytes of attachments but has"},
	{"attached files", "one that is gone", []string{"UPDATE stored_file SET hash = UNHEX(SHA2('other', 256)) WHERE hash = UNHEX(SHA2('first', 256))",
		"UPDATE attachment SET hash = UNHEX(SHA2('other', 256)) WHERE id = 1"}, "is not in"},
	{"attached files", "one that is cut off", []string{"UPDATE stored_file SET bytes = 6 WHERE hash = UNHEX(SHA2('first', 256))",
		"UPDATE company_storage SET used = used + 1"}, "should have 6 bytes, but has 5"},
	{"references", "storage of no company", []string{"INSERT INTO company_storage (company_id) VALUES (99)"}, "company_storage names company 99 in company_id"},
	{"references", "an attachment of no company", []string{
		"INSERT INTO attachment (company_id, account_id, hash, name, created_at) VALUES (99, 1, UNHEX(SHA2('first', 256)), 'x', NOW(6))"}, "attachment names company 99 in company_id"},
	{"references", "an attachment of no ticket", []string{"UPDATE company_storage SET used = used + 5",
		"INSERT INTO attachment (company_id, ticket_id, account_id, hash, name, created_at) VALUES (1, 99, 1, UNHEX(SHA2('first', 256)), 'x', NOW(6))"}, "attachment names ticket 99 in ticket_id"},
	{"references", "an attachment of no comment", []string{"UPDATE attachment SET comment_id = 99 WHERE id = 3"}, "attachment names comment 99 in comment_id"},
	{"references", "an attachment of no account", []string{"UPDATE attachment SET account_id = 99 WHERE id = 3"}, "attachment names account 99 in account_id"},
	{"references", "an attachment of no file", []string{"UPDATE attachment SET hash = REPEAT('n', 32) WHERE id = 2", "UPDATE company_storage SET used = used - 4"}, "attachment names stored_file 6e6e"},
	{"references", "a template of no board", []string{"DELETE FROM template_label", "UPDATE ticket_template SET board_id = 99"}, "ticket_template names board 99 in board_id"},
	{"references", "a label of no template", []string{"UPDATE template_label SET template_id = 99"}, "template_label names ticket_template 99 in template_id"},
	{"references", "no label on a template", []string{"UPDATE template_label SET label_id = 99"}, "template_label names label 99 in label_id"},
	{"references", "a view of no board", []string{"UPDATE saved_view SET board_id = 99 WHERE board_id IS NOT NULL"}, "saved_view names board 99 in board_id"},
	{"references", "a view of nobody", []string{"UPDATE saved_view SET account_id = 99 WHERE board_id IS NOT NULL"}, "saved_view names account 99 in account_id"},
	{"references", "a view of no company", []string{"UPDATE saved_view SET company_id = 99 WHERE board_id IS NOT NULL"}, "saved_view names company 99 in company_id"},
	{"references", "a bulk edit of no board", []string{"UPDATE bulk_edit SET board_id = 99 WHERE id = 1"}, "bulk_edit names board 99 in board_id"},
	{"references", "a bulk edit of nobody", []string{"UPDATE bulk_edit SET account_id = 99 WHERE id = 1"}, "bulk_edit names account 99 in account_id"},
	{"references", "a bulk edit of no company", []string{"UPDATE bulk_edit SET company_id = 99 WHERE id = 1"}, "bulk_edit names company 99 in company_id"},
	{"references", "an item of no bulk edit", []string{
		"INSERT INTO bulk_edit_item (bulk_edit_id, ticket_id, activity_id, outcome, reason, kind, detail) VALUES (99, 1, 0, 'changed', '', '', '{}')"}, "bulk_edit_item names bulk_edit 99 in bulk_edit_id"},
	{"references", "a notice of no bulk edit", []string{"UPDATE bulk_edit_notice SET bulk_edit_id = 99"}, "bulk_edit_notice names bulk_edit 99 in bulk_edit_id"},
	{"references", "a notice of nobody", []string{"UPDATE bulk_edit_notice SET account_id = 99"}, "bulk_edit_notice names account 99 in account_id"},
	{"references", "a pin of nobody", []string{"UPDATE pinned_view SET account_id = 99"}, "pinned_view names account 99 in account_id"},
	{"references", "a pin of no board", []string{"UPDATE pinned_board SET board_id = 99"}, "pinned_board names board 99 in board_id"},
	{"references", "a pinned board of nobody", []string{"UPDATE pinned_board SET account_id = 99"}, "pinned_board names account 99 in account_id"},
	{"references", "a visit of nobody", []string{"UPDATE home_visit SET account_id = 99"}, "home_visit names account 99 in account_id"},
	{"references", "a visit of no company", []string{"UPDATE home_visit SET company_id = 99"}, "home_visit names company 99 in company_id"},
	{"references", "a calendar of nobody", []string{"UPDATE calendar_address SET account_id = 99"}, "calendar_address names account 99 in account_id"},
	{"references", "a calendar of no company", []string{"UPDATE calendar_address SET company_id = 99"}, "calendar_address names company 99 in company_id"},
	{"references", "an assignee of no template", []string{"UPDATE template_assignee SET template_id = 99"}, "template_assignee names ticket_template 99 in template_id"},
	{"references", "no assignee of a template", []string{"UPDATE template_assignee SET account_id = 99"}, "template_assignee names account 99 in account_id"},
	{"references", "a relation of no ticket", []string{"INSERT INTO ticket_relation (ticket_id, kind, other_id) VALUES (99, 7, 1)"},
		"ticket_relation names ticket 99 in ticket_id"},
	{"references", "a relation to no ticket", []string{"INSERT INTO ticket_relation (ticket_id, kind, other_id) VALUES (1, 7, 99)"},
		"ticket_relation names ticket 99 in other_id"},
	{"references", "a label without its company", []string{"DELETE FROM ticket_label",
		"UPDATE label SET company_id = 99, leads_to = 0, shown_as = 0 WHERE name = 'defect'"}, "label names company 99 in company_id"},
	{"references", "a label of no ticket", []string{"UPDATE ticket_label SET ticket_id = 99 LIMIT 1"}, "ticket_label names ticket 99 in ticket_id"},
	{"references", "no label on a ticket", []string{"UPDATE ticket_label SET label_id = 99 LIMIT 1"}, "ticket_label names label 99 in label_id"},
	{"comments", "a deleted one with a text",
		[]string{uncounted, "UPDATE comment SET deleted_at = '2026-01-02' WHERE deleted_at IS NULL LIMIT 1"},
		"is deleted but has a text"},
	{"backlinks", "of a comment that is gone", []string{"UPDATE backlink SET comment_id = 99 WHERE comment_id > 0 LIMIT 1"}, "but is deleted"},
	{"backlinks", "to itself", []string{"INSERT INTO backlink (ticket_id, from_id, comment_id) VALUES (1, 1, 0)"}, "itself"},
	{"comment counts", "another number", []string{"UPDATE ticket SET comments = comments + 1 WHERE comments > 0 LIMIT 1"}, "comments but has"},
	{"references", "a backlink of no ticket", []string{"INSERT INTO backlink (ticket_id, from_id, comment_id) VALUES (1, 99, 0)"}, "backlink names ticket 99 in from_id"},
	{"references", "a backlink to no ticket", []string{"INSERT INTO backlink (ticket_id, from_id, comment_id) VALUES (99, 1, 0)"}, "backlink names ticket 99 in ticket_id"},
	{"recurrences", "a rule that cannot be read", []string{"UPDATE recurrence SET rule = 'FREQ=OFTEN'"}, "has the rule FREQ=OFTEN"},
	{"recurrences", "an unknown state", []string{"UPDATE recurrence SET state = 'asleep'"}, "is asleep"},
	{"recurrences", "a last date before the first", []string{"UPDATE recurrence SET first_at = last_at + INTERVAL 1 DAY"}, "not in order"},
	{"recurrences", "another ticket", []string{"UPDATE occurrence SET ticket_id = 1"}, "not on the ticket of its last date"},
	{"recurrences", "one that is paused and waits", []string{"UPDATE recurrence SET state = 'rights'"}, "is rights but waits for a time"},
	{"recurrences", "an active one that never comes", []string{"UPDATE recurrence SET due_at = NULL"}, "waits for no time"},
	{"references", "a recurrence of no ticket", []string{"INSERT INTO recurrence (id, ticket_id, account_id, rule, opens, time_zone, timed, first_at, last_at, due_at, created_at) VALUES (9, 99, 1, 'FREQ=DAILY', 'due', 'UTC', FALSE, '2026-01-01', '2026-01-01', '2026-01-01', '2026-01-01')"}, "recurrence names ticket 99 in ticket_id"},
	{"references", "a recurrence of nobody", []string{"UPDATE recurrence SET account_id = 99"}, "recurrence names account 99 in account_id"},
	{"references", "an occurrence of no recurrence", []string{"INSERT INTO occurrence (recurrence_id, occurs_at, ticket_id) VALUES (99, '2026-01-01', 1)"}, "occurrence names recurrence 99 in recurrence_id"},
	{"references", "an occurrence of no ticket", []string{"INSERT INTO occurrence (recurrence_id, occurs_at, ticket_id) SELECT recurrence_id, '2020-01-01', 99 FROM occurrence LIMIT 1"}, "occurrence names ticket 99 in ticket_id"},
	{"stays", "another column", []string{"UPDATE ticket_stay SET column_id = 99 WHERE until_at IS NULL AND ticket_id = 1"}, "in column 99"},
	{"stays", "none that lasts", []string{"UPDATE ticket_stay SET until_at = since_at + INTERVAL 1 MINUTE WHERE until_at IS NULL AND ticket_id = 1"}, "its present stays are 0"},
	{"stay order", "an overlap", []string{"INSERT INTO ticket_stay (ticket_id, since_at, until_at, board_id, column_id, account_id) SELECT ticket_id, since_at - INTERVAL 1 HOUR, since_at + INTERVAL 1 SECOND, board_id, column_id, account_id FROM ticket_stay WHERE ticket_id = 1 ORDER BY since_at LIMIT 1"}, "and the next from"},
	{"stay order", "one that ends before it begins", []string{"INSERT INTO ticket_stay (ticket_id, since_at, until_at, board_id, column_id, account_id) SELECT ticket_id, '2020-01-02', '2020-01-01', board_id, column_id, account_id FROM ticket_stay WHERE ticket_id = 1 LIMIT 1"}, "2020-01-01"},
	{"references", "a column folded by nobody", []string{"INSERT INTO folded_column (account_id, column_id) VALUES (99, 1)"}, "folded_column names account 99 in account_id"},
	{"references", "no column folded", []string{"INSERT INTO folded_column (account_id, column_id) VALUES (1, 99)"}, "folded_column names board_column 99 in column_id"},
	{"references", "a stay of no ticket", []string{"INSERT INTO ticket_stay (ticket_id, since_at, until_at, board_id, column_id, account_id) VALUES (99, '2026-01-01', '2026-01-02', 1, 1, 1)"}, "ticket_stay names ticket 99 in ticket_id"},
	{"references", "a stay on no board", []string{"UPDATE ticket_stay SET board_id = 99 WHERE until_at IS NOT NULL LIMIT 1"}, "ticket_stay names board 99 in board_id"},
	{"references", "a stay by nobody", []string{"UPDATE ticket_stay SET account_id = 99 LIMIT 1"}, "ticket_stay names account 99 in account_id"},
	{"column limits", "an unknown colour", []string{"UPDATE board_column SET color = 12 LIMIT 1"}, "the colour 12"},
	{"column limits", "stale after two years", []string{"UPDATE board_column SET stale_days = 700 LIMIT 1"}, "stale cards after 700 days"},
	{"reactions", "one that is not counted", []string{"UPDATE comment SET reactions = '' WHERE reactions <> ''"}, "but has 0,0,0,0,0,1"},
	{"reactions", "one of no kind", []string{"INSERT INTO comment_reaction (comment_id, kind, account_id, created_at) SELECT comment_id, 7, account_id, created_at FROM comment_reaction"},
		"counts reactions 0,0,0,0,0,1"},
	{"references", "a reaction to no comment", []string{"UPDATE comment SET reactions = ''", "UPDATE comment_reaction SET comment_id = 99"}, "comment_reaction names comment 99 in comment_id"},
	{"references", "a reaction of nobody", []string{"UPDATE comment_reaction SET account_id = 99"}, "comment_reaction names account 99 in account_id"},
	{"comments", "an empty one", []string{"UPDATE comment SET body = ' ' WHERE deleted_at IS NULL LIMIT 1"},
		"Enter a comment"},
	{"comments", "one that is too long",
		[]string{"UPDATE comment SET body = REPEAT('x', 65536) WHERE deleted_at IS NULL LIMIT 1"}, "65536 bytes"},
	{"comments", "other line ends", []string{"UPDATE comment SET body = 'a\r\nb' WHERE deleted_at IS NULL LIMIT 1"},
		"bad text"},
	{"notification kinds", "an unknown one", []string{"UPDATE notification SET kind = 'rumour' WHERE ticket_id IS NOT NULL LIMIT 1"}, `"rumour"`},
	{"deleted texts", "one of a comment that is not deleted",
		[]string{uncounted, "UPDATE comment SET deleted_at = NULL, body = 'x' WHERE deleted_at IS NOT NULL"}, "which is not deleted"},
	{"deleted texts", "one of another ticket",
		[]string{"UPDATE deleted_comment SET ticket_id = 1"}, ", as of ticket 1"},
	{"board notifications", "about nothing", []string{"UPDATE notification SET ticket_id = NULL, comment_id = NULL WHERE ticket_id IS NOT NULL LIMIT 1"},
		"is about nothing"},
	{"board notifications", "about a board of another company",
		[]string{"UPDATE notification SET ticket_id = NULL, comment_id = NULL, board_id = 99 WHERE ticket_id IS NOT NULL LIMIT 1"}, "is about board 99"},
	{"board notifications", "about both", []string{"UPDATE notification SET board_id = 1 WHERE ticket_id IS NOT NULL LIMIT 1"}, "is about a ticket, and board 1"},
	{"board notifications", "a notice about a board", []string{"UPDATE notification SET kind = 'token', board_id = 1, ticket_id = NULL, comment_id = NULL LIMIT 1"},
		"is about board 1"},
	{"notifications", "a comment of another ticket",
		[]string{uncounted, "UPDATE comment SET ticket_id = (SELECT id FROM ticket WHERE local_id = 5 AND board_id = " + ninja +
			") WHERE id = 1"}, "of ticket"},
	{"notifications", "a ticket of another company", append([]string{"UPDATE notification SET company_id = 2 WHERE ticket_id IS NOT NULL LIMIT 1"},
		neighbour...), "of company 2 is about ticket"},
	{"answers", "no JSON", []string{"UPDATE idempotency SET answer = '{' WHERE token_id > 0"}, "API token 1"},
	{"answers", "a failure", []string{"UPDATE idempotency SET status = 500 WHERE token_id > 0"}, "status 500"},
	{"answers", "a failure of a form", []string{"UPDATE idempotency SET status = 500 WHERE token_id = 0"}, "API token 0"},
	{"requester", "a password", []string{"UPDATE account SET password_hash = 'x' WHERE email = 'requester'"},
		"has a password"},
	{"requester", "an operator", []string{"UPDATE account SET operator = TRUE WHERE email = 'requester'"},
		"is an operator"},
	{"requester", "a member",
		[]string{"INSERT INTO membership SELECT 1, id, 'member', '2026-01-01', 'requester', FALSE FROM account WHERE email = 'requester'"}, "belongs to a company"},
	{"request forms", "a text with a control character", []string{"UPDATE request_form SET intro = CONCAT('a', CHAR(7))"},
		"bad text"},
	{"requests", "a code of the wrong form", []string{"UPDATE ticket_request SET code = 'ukr-P'"}, `"ukr-P"`},
	{"requests", "an address with a line end", []string{"UPDATE ticket_request SET email = 'a@b.example\nx'"},
		"has the address"},
	{"codes of requests", "one of another ticket",
		[]string{"UPDATE ref_issue SET ticket_id = 1 WHERE code = (SELECT code FROM ticket_request)"},
		"was given out for ticket 1"},
	{"request links", "none, and not revoked", []string{"UPDATE ticket_request SET token_hash = NULL"}, "was not revoked"},
	{"request links", "one that was revoked", []string{"UPDATE ticket_request SET revoked_at = '2026-01-02'"},
		"was revoked and has a link"},
	{"tickets of requesters", "one by a member", []string{"UPDATE ticket SET created_by = 1 WHERE from_requester"},
		"came by a form, opened by account 1"},
	{"tickets of requesters", "one that lost its request",
		[]string{uncounted, "DELETE FROM comment WHERE public", "DELETE FROM ticket_request"}, "AWAY-4) has no request"},
	{"public comments", "one that nobody outside can read",
		[]string{"UPDATE comment SET public = TRUE WHERE body = 'It is done.'"}, "and there is no requester"},
	{"public comments", "a requester's that is internal",
		[]string{"UPDATE comment SET public = FALSE WHERE from_requester"}, "is internal and a requester’s"},
	{"public comments", "a requester's by a member", []string{"UPDATE comment SET account_id = 1 WHERE from_requester"},
		"by account 1"},
	{"references", "a form without its board", []string{"UPDATE request_form SET board_id = 99"},
		"request_form names board 99 in board_id"},
	{"references", "a watch of requests without a board", []string{"UPDATE request_watcher SET board_id = 99"},
		"request_watcher names board 99 in board_id"},
	{"references", "a watch of requests without an account", []string{"UPDATE request_watcher SET account_id = 99"},
		"request_watcher names account 99 in account_id"},
	{"groups", "a member of another company",
		append([]string{"UPDATE people_group SET company_id = 2", "DELETE FROM board_member", "DELETE FROM board_access",
			"UPDATE people_group_member SET account_id = 2"}, neighbour...), "account 2 is in the group"},
	{"board members", "a level that is none", []string{"UPDATE board_member SET level = 4",
		"UPDATE board_access SET level = 4"}, "names group 1 with level 4"},
	{"board members", "a kind that is none", []string{"UPDATE board_member SET kind = 'role'",
		"DELETE FROM board_access"}, "names role 1"},
	{"board members", "a group that is not there", []string{"UPDATE board_member SET member_id = 99",
		"DELETE FROM board_access"}, "names group 99"},
	{"board access", "a level that nobody gave", []string{"UPDATE board_access SET level = 3"},
		"has level 3 on board"},
	{"board access", "an account that is not named", []string{"DELETE FROM board_member"}, "its members come to 0"},
	{"board access", "a named account without it", []string{"DELETE FROM board_access"}, "has level 0 on board"},
	{"references", "a group without its company", []string{"UPDATE people_group SET company_id = 99",
		"DELETE FROM board_member", "DELETE FROM board_access"}, "people_group names company 99 in company_id"},
	{"references", "a member of no group", []string{"UPDATE people_group_member SET group_id = 99",
		"DELETE FROM board_access"}, "people_group_member names people_group 99 in group_id"},
	{"references", "a group with no account", []string{"UPDATE people_group_member SET account_id = 99",
		"DELETE FROM board_member", "DELETE FROM board_access"}, "people_group_member names account 99 in account_id"},
	{"references", "a member of no board", []string{"UPDATE board_member SET board_id = 99",
		"DELETE FROM board_access"}, "board_member names board 99 in board_id"},
	{"references", "access to no board", []string{"UPDATE board_access SET board_id = 99", "DELETE FROM board_member"},
		"board_access names board 99 in board_id"},
	{"references", "access of no account", []string{"UPDATE board_access SET account_id = 99",
		"DELETE FROM board_member"}, "board_access names account 99 in account_id"},
	{"references", "a public link of no board", []string{"UPDATE board_link SET board_id = 99"},
		"board_link names board 99 in board_id"},
	{"references", "a public link by no account", []string{"UPDATE board_link SET created_by = 99"},
		"board_link names account 99 in created_by"},
	{"references", "a request without its ticket",
		[]string{uncounted, "DELETE FROM comment WHERE public",
			"UPDATE ticket SET from_requester = FALSE, created_by = 1 WHERE from_requester",
			"UPDATE ticket_request SET ticket_id = 99"}, "ticket_request names ticket 99 in ticket_id"},
	{"references", "an installation without its company", []string{"UPDATE installation SET company_id = 99"},
		"installation names company 99 in company_id"},
	{"references", "a membership without its company",
		[]string{"INSERT INTO membership VALUES (99, 1, 'owner', '2026-01-01', 'x', FALSE)"},
		"membership names company 99 in company_id"},
	{"references", "a membership without its account",
		[]string{"INSERT INTO membership VALUES (1, 99, 'owner', '2026-01-01', 'x', FALSE)"},
		"membership names account 99 in account_id"},
	{"references", "a token without its company", []string{"UPDATE api_token SET company_id = 99 WHERE id = 1"},
		"api_token names company 99 in company_id"},
	{"references", "a token without its account", []string{"UPDATE api_token SET account_id = 99 WHERE id = 1"},
		"api_token names account 99 in account_id"},
	{"references", "a board without its company", []string{"UPDATE board SET company_id = 99 WHERE slug = 'EMPTY'",
		"DELETE FROM board_slug WHERE slug = 'EMPTY'"}, "board names company 99 in company_id"},
	{"references", "an incrementer without its board", []string{"INSERT INTO board_ticket_incrementer VALUES (99, 0, 0)"},
		"board_ticket_incrementer names board 99 in board_id"},
	{"references", "a column without its board",
		[]string{"INSERT INTO board_column (board_id, name, position) VALUES (99, 'x', 1)"},
		"board_column names board 99 in board_id"},
	{"references", "a ticket without its board", []string{fmt.Sprintf(newThing, "99", "1", "1"), opened},
		"ticket names board 99 in board_id"},
	{"references", "a ticket without its column", []string{
		"DELETE FROM ticket_stay WHERE ticket_id = (SELECT id FROM ticket WHERE local_id = 5 AND board_id = " + ninja + ")",
		"UPDATE ticket SET column_id = 99, rank_in_column = 1 WHERE local_id = 5 AND board_id = " + ninja,
		"UPDATE board_column SET ticket_count = ticket_count - 1 WHERE position = 1 AND board_id = " + ninja,
	}, "ticket names board_column 99 in column_id"},
	{"references", "a ticket without its author",
		[]string{"UPDATE ticket SET created_by = 99 WHERE local_id = 5 AND board_id = " + ninja},
		"ticket names account 99 in created_by"},
	{"references", "an entry without its ticket",
		[]string{"UPDATE activity SET ticket_id = 99 WHERE kind = 'moved' LIMIT 1"}, "activity names ticket 99 in ticket_id"},
	{"references", "an entry without its author",
		[]string{"UPDATE activity SET account_id = 99 WHERE kind = 'moved' LIMIT 1"},
		"activity names account 99 in account_id"},
	{"references", "an answer without its token", []string{"UPDATE idempotency SET token_id = 99 WHERE token_id > 0"},
		"idempotency names api_token 99 in token_id"},
	{"references", "an invitation without its company", []string{"UPDATE invitation SET company_id = 99 LIMIT 1"},
		"invitation names company 99 in company_id"},
	{"references", "an invitation without its author", []string{"UPDATE invitation SET created_by = 99 LIMIT 1"},
		"invitation names account 99 in created_by"},
	{"references", "a reset without its company", []string{"UPDATE password_reset SET company_id = 99 LIMIT 1"},
		"password_reset names company 99 in company_id"},
	{"references", "a reset without its person", []string{"UPDATE password_reset SET account_id = 99 LIMIT 1"},
		"password_reset names account 99 in account_id"},
	{"references", "a reset without its author", []string{"UPDATE password_reset SET created_by = 99 LIMIT 1"},
		"password_reset names account 99 in created_by"},
	{"references", "an audited action without its company", []string{"UPDATE audit SET company_id = 99 LIMIT 1"},
		"audit names company 99 in company_id"},
	{"references", "an action to be copied without its entry", []string{"UPDATE audit_spread SET audit_id = 99"},
		"audit_spread names audit 99 in audit_id"},
	{"references", "an audited action without its person", []string{"UPDATE audit SET account_id = 99 LIMIT 1"},
		"audit names account 99 in account_id"},
	{"references", "an alias without its board", []string{"INSERT INTO ticket_alias VALUES (99, 1, 1, '2026-01-01')"},
		"ticket_alias names board 99 in board_id"},
	{"references", "an alias without its ticket", []string{"UPDATE ticket_alias SET ticket_id = 99 LIMIT 1"},
		"ticket_alias names ticket 99 in ticket_id"},
	{"references", "an assignee without the ticket", []string{"UPDATE assignee SET ticket_id = 99 LIMIT 1"},
		"assignee names ticket 99 in ticket_id"},
	{"references", "an assignee without the person", []string{"UPDATE assignee SET account_id = 99 LIMIT 1"},
		"assignee names account 99 in account_id"},
	{"references", "a comment without its ticket",
		[]string{uncounted, "DELETE FROM notification", "UPDATE comment SET ticket_id = 99 LIMIT 1"},
		"comment names ticket 99 in ticket_id"},
	{"references", "a deleted text without its comment", []string{"UPDATE deleted_comment SET comment_id = 99"},
		"deleted_comment names comment 99 in comment_id"},
	{"references", "a deleted text without its ticket", []string{"UPDATE deleted_comment SET ticket_id = 99"},
		"deleted_comment names ticket 99 in ticket_id"},
	{"references", "a deleted text without its deleter", []string{"UPDATE deleted_comment SET account_id = 99"},
		"deleted_comment names account 99 in account_id"},
	{"references", "a comment without its author", []string{"UPDATE comment SET account_id = 99 LIMIT 1"},
		"comment names account 99 in account_id"},
	{"references", "a watcher without the ticket", []string{"UPDATE watcher SET ticket_id = 99 LIMIT 1"},
		"watcher names ticket 99 in ticket_id"},
	{"references", "a watcher without the person", []string{"UPDATE watcher SET account_id = 99 LIMIT 1"},
		"watcher names account 99 in account_id"},
	{"references", "a notification without its company", []string{"UPDATE notification SET company_id = 99 LIMIT 1"},
		"notification names company 99 in company_id"},
	{"references", "a notification without its reader", []string{"UPDATE notification SET account_id = 99 LIMIT 1"},
		"notification names account 99 in account_id"},
	{"references", "a notification without its ticket", []string{"UPDATE notification SET ticket_id = 99 WHERE ticket_id IS NOT NULL LIMIT 1"},
		"notification names ticket 99 in ticket_id"},
	{"references", "a notification without its comment", []string{"UPDATE notification SET comment_id = 99 LIMIT 1"},
		"notification names comment 99 in comment_id"},
	{"references", "a notification without its actor", []string{"UPDATE notification SET actor_id = 99 LIMIT 1"},
		"notification names account 99 in actor_id"},
	{"runs", "an unknown state", []string{"UPDATE migration_run SET state = 'asleep' WHERE id = 2"}, `"asleep"`},
	{"runs", "an end of one that goes on", []string{"UPDATE migration_run SET finished_at = '2026-01-01' WHERE id = 2"},
		"run 2 (download-images) is paused"},
	{"runs", "none of one that is over", []string{"UPDATE migration_run SET finished_at = NULL WHERE id = 1"},
		"run 1 (import-tickets) is complete"},
	{"runs", "parameters that are no JSON", []string{"UPDATE migration_run SET params = '{' WHERE id = 1"}, "parameters"},
	{"runs", "settings that are no JSON", []string{"UPDATE migration_run SET knobs = '[' WHERE id = 1"}, "settings"},
	{"runs", "one that is active and purged", []string{"UPDATE migration_run SET purged_at = '2026-02-01' WHERE id = 2"}, "run 2 (download-images) is paused, but purged"},
	{"runs", "secrets of one that is purged", []string{`UPDATE migration_run SET purged_at = '2026-02-01', params = '{"plain":{},"secret":{"token":"x"}}' WHERE id = 1`},
		"run 1 (import-tickets) is purged, but has secrets"},
	{"active runs", "one that is over", []string{"UPDATE migration_run SET active_key = REPEAT('x', 32) WHERE id = 1"},
		"run 1"},
	{"active runs", "one that another may run beside", []string{"UPDATE migration_run SET active_key = NULL WHERE id = 2"},
		"run 2 (download-images, paused) is active"},
	{"run boards", "a company that does not exist", []string{"UPDATE migration_run SET company_id = 99 WHERE id = 1"},
		"names company 99, which does not exist"},
	{"run boards", "a board of another company", []string{"UPDATE migration_run SET company_id = 1, board_id = 99 WHERE id = 1"},
		"names board 99, which company 1 does not have"},
	{"run totals", "too many", []string{"UPDATE migration_run SET total = 5 WHERE id = 1"}, "has the total 5 but 4 tasks"},
	{"run totals", "a task that was removed", []string{"DELETE FROM migration_task WHERE id = 5"},
		"has the total 3 but 2 tasks"},
	{"task counters", "a completion that was not counted",
		[]string{"UPDATE migration_counter SET complete = complete - 1 WHERE run_id = 1 AND worker_id = 1"},
		"2 complete, 1 failed, 1 skipped, but counts 0, 0, 1, 1, 1"},
	{"task counters", "a claim that was not counted", []string{"UPDATE migration_run SET state = 'running' WHERE id = 2",
		"UPDATE migration_task SET state = 'processing', attempt = 1, worker_id = 1, fence = 1 << 32 WHERE id = 5"},
		"has 1 tasks processing"},
	{"task counters", "no counters", []string{"DELETE FROM migration_counter WHERE run_id = 2",
		"UPDATE migration_failure SET errors = 0 WHERE run_id = 2"}, "but counts 0, 0, 0, 0, 0"},
	{"tasks under way", "one in a run that is paused",
		[]string{"UPDATE migration_task SET state = 'processing', attempt = 1, worker_id = 1, fence = 1 << 32 WHERE id = 5",
			"UPDATE migration_counter SET processing = 1 WHERE run_id = 2"}, "1 tasks that are processing"},
	{"tasks under way", "one in a run that is complete", []string{"UPDATE migration_task SET state = 'open' WHERE id = 2",
		"UPDATE migration_counter SET complete = 1 WHERE run_id = 1 AND worker_id = 1"}, "1 tasks that are open"},
	{"tasks", "one that waits for ever", []string{"UPDATE migration_task SET due_at = NULL WHERE id = 6"},
		"no time to wait for"},
	{"tasks", "one that is to wait and does not", []string{"UPDATE migration_task SET due_at = '2026-01-01' WHERE id = 5"},
		"task 5 of run 2 (open)"},
	{"tasks", "one that did not fail but says why",
		[]string{"UPDATE migration_task SET fingerprint = UNHEX('FFFFFFFFFFFFFFFF') WHERE id = 7",
			"UPDATE migration_failure SET failed = 1 WHERE run_id = 2"}, "task 7 of run 2 (complete)"},
	{"tasks", "the token of another worker", []string{"UPDATE migration_task SET worker_id = 2 WHERE id = 1"},
		"worker 2, and a token of worker 1"},
	{"failures", "one too many", []string{"UPDATE migration_failure SET failed = 2 WHERE run_id = 1"},
		"run 1 counts 2 tasks failed as 00000000000000FF but has 1"},
	{"failures", "a failed task of no group", []string{"UPDATE migration_failure SET errors = errors + 2 WHERE run_id = 2",
		"DELETE FROM migration_failure WHERE run_id = 1", "UPDATE migration_counter SET errors = 0 WHERE run_id = 1",
		"UPDATE migration_counter SET errors = 3 WHERE run_id = 2"},
		"run 1 counts 0 tasks failed as 00000000000000FF but has 1"},
	{"errors", "one that was not counted",
		[]string{"UPDATE migration_counter SET errors = 1 WHERE run_id = 1 AND worker_id = 1"},
		"run 1 counts 1 errors, its groups 2"},
	{"attempts", "one more than the task had", []string{"UPDATE migration_attempt SET attempt = 2 WHERE task_id = 6"},
		"task 6 of run 2 (waiting) has had 1"},
	{"attempts", "one of an iteration that is to come",
		[]string{"UPDATE migration_attempt SET iteration = 2 WHERE task_id = 6"}, "of iteration 2"},
	{"attempts", "one of another run's task", []string{"UPDATE migration_attempt SET run_id = 1 WHERE task_id = 6"},
		"of run 1"},
	{"rejections", "more than were counted", []string{"UPDATE migration_run SET rejected = 0 WHERE id = 1"},
		"counts 0 rejections but has 1"},
	{"image files", "one that is gone", []string{"DELETE FROM picture", "DELETE FROM run_image", "UPDATE image SET hash = UNHEX(SHA2('other', 256))",
		"UPDATE image_source SET hash = UNHEX(SHA2('other', 256))"},
		"has no file: images/d9/d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa"},
	{"image files", "one that is cut off", []string{"UPDATE image SET bytes = 6"}, "has 6 bytes, but its file has 5"},
	{"image files", "a small copy that is gone", []string{"UPDATE image SET width = 641"}, ".640 is not in"},
	{"image addresses", "an image that is gone", []string{"DELETE FROM picture", "DELETE FROM run_image", "DELETE FROM image"}, "leads to the image"},
	{"images of runs", "an image that is gone", []string{"DELETE FROM picture", "DELETE FROM image_source", "DELETE FROM image"}, "run 1 stored the image"},
	{"origins", "another company's", append([]string{"UPDATE ticket_origin SET company_id = 2, external_id = 'x'"},
		neighbour...), "“x” of company 2"},
	{"imported slugs", "a board's", []string{"UPDATE board_slug SET imported = TRUE WHERE slug = 'NINJA'"},
		"is that of board"},
	{"imported keys", "a slug that a board could get", []string{"DELETE FROM board_slug WHERE slug = 'OLD'"},
		"“OLD-123” of company 1 has a slug that is not kept"},
	{"no ticket row is missing", "one purged too many",
		[]string{"UPDATE board_ticket_incrementer SET purged = 1 WHERE board_id = " + ninja}, "and 1 were purged"},
	{"no ticket row is missing", "one skipped too many",
		[]string{"UPDATE failover_board SET skipped = 101"}, "101 skipped"},
	{"failovers", "no end", []string{"UPDATE failover SET ended_at = NULL"}, "failover 1 of 2026-01-01"},
	{"failovers", "no report", []string{"UPDATE failover SET report = '{'"}, "has no report"},
	{"references", "skipped numbers without their failover",
		[]string{"UPDATE failover_board SET failover_id = 99 LIMIT 1"}, "failover_board names failover 99 in failover_id"},
	{"references", "skipped numbers without their board",
		[]string{"INSERT INTO failover_board (failover_id, board_id, last_number, skipped) VALUES (1, 99, 0, 0)"}, "failover_board names board 99 in board_id"},
	{"references", "an origin without its company", []string{"UPDATE ticket_origin SET company_id = 99 LIMIT 1"},
		"ticket_origin names company 99 in company_id"},
	{"references", "an origin without its ticket", []string{"UPDATE ticket_origin SET ticket_id = 99 LIMIT 1"},
		"ticket_origin names ticket 99 in ticket_id"},
	{"references", "an image without its company",
		[]string{"INSERT INTO image SELECT 99, hash, content_type, bytes, width, height, created_at, everyone FROM image LIMIT 1"},
		"image names company 99 in company_id"},
	{"references", "an address of an image without its company",
		[]string{"UPDATE image_source SET company_id = 99 LIMIT 1"}, "image_source names company 99 in company_id"},
	{"references", "a reservation without its invitation",
		[]string{"UPDATE invitation_reservation SET invitation_id = 99"}, "invitation_reservation names invitation 99 in invitation_id"},
	{"references", "a reservation without its account",
		[]string{"UPDATE invitation_reservation SET account_id = 99"}, "invitation_reservation names account 99 in account_id"},
	{"references", "an authenticator app without its account",
		[]string{"UPDATE account_totp SET account_id = 99"}, "account_totp names account 99 in account_id"},
	{"references", "a picture without its account", []string{"UPDATE account_avatar SET account_id = 99", "UPDATE account SET avatar = ''"}, "account_avatar names account 99 in account_id"},
	{"pictures of accounts", "another one", []string{"UPDATE account_avatar SET content = 'other'"}, "account 1 has the picture"},
	{"pictures of accounts", "one that is gone", []string{"DELETE FROM account_avatar"}, "account 1 has the picture"},
	{"pictures of accounts", "one that nobody shows", []string{"UPDATE account SET avatar = ''"}, "account 1 shows no picture"},
	{"references", "a recovery code without its account",
		[]string{"UPDATE recovery_code SET account_id = 99 LIMIT 1"}, "recovery_code names account 99 in account_id"},
	{"references", "a passkey without its account",
		[]string{"UPDATE passkey SET account_id = 99"}, "passkey names account 99 in account_id"},
	{"references", "an issuer without its company",
		[]string{"UPDATE issuer SET company_id = 99"}, "issuer names company 99 in company_id"},
	{"references", "an issuer that counts for no company",
		[]string{"UPDATE issuer_company SET company_id = 99"}, "issuer_company names company 99 in company_id"},
	{"references", "a company's issuer that is gone",
		[]string{"UPDATE issuer_company SET issuer_id = 99"}, "issuer_company names issuer 99 in issuer_id"},
	{"references", "a rule without its company",
		[]string{"UPDATE issuer_rule SET company_id = 99"}, "issuer_rule names company 99 in company_id"},
	{"references", "a rule without its issuer",
		[]string{"UPDATE issuer_rule SET issuer_id = 99"}, "issuer_rule names issuer 99 in issuer_id"},
	{"references", "a rule without its group",
		[]string{"UPDATE issuer_rule SET group_id = 99"}, "issuer_rule names people_group 99 in group_id"},
	{"references", "an identity without its issuer",
		[]string{"UPDATE account_identity SET issuer_id = 99"}, "account_identity names issuer 99 in issuer_id"},
	{"references", "an identity without its account",
		[]string{"UPDATE account_identity SET account_id = 99"}, "account_identity names account 99 in account_id"},
	{"references", "a domain without its company",
		[]string{"UPDATE company_domain SET company_id = 99"}, "company_domain names company 99 in company_id"},
	{"references", "an image of a run without its company",
		[]string{"UPDATE run_image SET company_id = 99"}, "run_image names company 99 in company_id"},
	{"references", "a service account without its account",
		[]string{"UPDATE service_account SET account_id = 99",
			"UPDATE account SET email = 'robot@example.com', name = 'Robot' WHERE email = 'service-ABC'"},
		"service_account names account 99 in account_id"},
	{"references", "a service account without its company",
		[]string{"UPDATE service_account SET company_id = 99"}, "service_account names company 99 in company_id"},
	{"service accounts", "one with a password",
		[]string{"UPDATE account SET password_hash = 'x' WHERE email = 'service-ABC'"}, "has a password"},
	{"service accounts", "one that is named like a user",
		[]string{"UPDATE account SET name = 'Robot' WHERE email = 'service-ABC'"}, "is named like a user"},
	{"service accounts", "one that is a member",
		[]string{"INSERT INTO membership (company_id, account_id, role, handle, created_at) SELECT 1, id, 'member', 'robot', '2026-01-01' FROM account WHERE email = 'service-ABC'"},
		"is a member of a company"},
	{"references", "a picture without its ticket", []string{"UPDATE picture SET ticket_id = 99 LIMIT 1"},
		"picture names ticket 99 in ticket_id"},
	{"references", "a picture without its company", []string{"UPDATE picture SET company_id = 99 LIMIT 1"},
		"picture names company 99 in company_id"},
	{"references", "a picture without its member", []string{"UPDATE picture SET account_id = 99 LIMIT 1"},
		"picture names account 99 in account_id"},
	{"pictures of texts", "an image that is gone", []string{"UPDATE picture SET hash = UNHEX(SHA2('other', 256)) LIMIT 1"},
		"the picture https://images.example/a of company 1 is on "},
	{"references", "a run without the person", []string{"UPDATE migration_run SET account_id = 99 LIMIT 1"},
		"migration_run names account 99 in account_id"},
	{"references", "a task without its run", []string{"UPDATE migration_task SET run_id = 99 WHERE id = 5",
		"UPDATE migration_run SET total = 2 WHERE id = 2"}, "migration_task names migration_run 99 in run_id"},
	{"references", "a counter without its run",
		[]string{"INSERT INTO migration_counter (run_id, worker_id) VALUES (99, 0)"},
		"migration_counter names migration_run 99 in run_id"},
	{"references", "an attempt without its run", []string{"UPDATE migration_attempt SET run_id = 99 LIMIT 1"},
		"migration_attempt names migration_run 99 in run_id"},
	{"references", "an attempt without its task", []string{"UPDATE migration_attempt SET task_id = 99 LIMIT 1"},
		"migration_attempt names migration_task 99 in task_id"},
	{"references", "a failure without its run",
		[]string{"INSERT INTO migration_failure SELECT 99, fingerprint, message, task_id, 0, 0, first_at, last_at FROM migration_failure LIMIT 1"}, "migration_failure names migration_run 99 in run_id"},
	{"references", "a failure without its task", []string{"UPDATE migration_failure SET task_id = 99 LIMIT 1"},
		"migration_failure names migration_task 99 in task_id"},
	{"references", "a rejection without its run", []string{"UPDATE migration_rejection SET run_id = 99 LIMIT 1"},
		"migration_rejection names migration_run 99 in run_id"},
	{"references", "a request without its run", []string{"UPDATE migration_request SET run_id = 99 LIMIT 1"},
		"migration_request names migration_run 99 in run_id"},
	{"references", "a request without the person", []string{"UPDATE migration_request SET account_id = 99 LIMIT 1"},
		"migration_request names account 99 in account_id"},
	{"references", "a stop without the operator", []string{"UPDATE migration_stop SET account_id = 99"},
		"migration_stop names account 99 in account_id"},
	{"references", "an event without its run", []string{"UPDATE migration_event SET run_id = 99 LIMIT 1"},
		"migration_event names migration_run 99 in run_id"},
	{"references", "an event without the person", []string{"UPDATE migration_event SET account_id = 99 LIMIT 1"},
		"migration_event names account 99 in account_id"},
	{"references", "a change of sight in tickets without its board", []string{"UPDATE ticket_sight SET board_id = 99"},
		"ticket_sight names board 99 in board_id"},
	{"references", "a change of sight in comments without its board", []string{"UPDATE comment_sight SET board_id = 99"},
		"comment_sight names board 99 in board_id"},
	{"references", "a change of sight in boards without its board", []string{"UPDATE board_sight SET board_id = 99"},
		"board_sight names board 99 in board_id"},
	{"references", "a sample without its run", []string{"UPDATE migration_sample SET run_id = 99 LIMIT 1"},
		"migration_sample names migration_run 99 in run_id"},
	{"feeds", "a sequence that is gone", []string{"DELETE FROM feed_batch WHERE feed = 'boards'",
		"DELETE FROM sequences WHERE name = 'boards'"}, "the feed boards has no sequence"},
	{"durable feeds", "a note beyond the last position",
		[]string{"UPDATE feed_durable SET head = head + 1 WHERE feed = 'tickets'"}, "is noted as durable up to"},
	{"feeds", "tombstones forgotten that are to come",
		[]string{"UPDATE sequences SET horizon = value + 1 WHERE name = 'tickets'"}, "but has forgotten tombstones up to"},
	{"feed positions", "a ticket that is ahead", []string{"UPDATE ticket SET feed_sync_id = 1000 WHERE title = 'Talk'"},
		"is at 1000 of tickets"},
	{"feed positions", "a comment that is ahead", []string{"UPDATE comment SET feed_sync_id = 1000 LIMIT 1"},
		"is at 1000 of comments"},
	{"feed positions", "a change of sight that is ahead", []string{"UPDATE comment_sight SET feed_sync_id = 1000"},
		"is at 1000 of comments"},
	{"feed positions", "a board at nothing", []string{"UPDATE board SET feed_sync_id = 0 WHERE slug = 'NINJA'"},
		"is at 0 of boards"},
	{"feed batches", "a batch that is gone", []string{"DELETE FROM feed_batch WHERE feed = 'boards'"},
		"the feed boards has come to"},
	{"feed batches", "positions given out twice", []string{"UPDATE feed_batch SET k = 3 WHERE feed = 'tickets' AND k = 2"},
		"gave out 3 positions"},
	{"feed cursors", "a consumer that is ahead", []string{"UPDATE feed_consumer SET position = 1000"},
		"(warehouse) is at 1000 of tickets"},
	{"feed cursors", "a webhook that is ahead",
		[]string{"UPDATE webhook_cursor SET position = 1000 WHERE feed = 'comments'"}, "webhook 1 is at 1000 of comments"},
	{"webhooks", "one about a board of others", append([]string{"DELETE FROM webhook_board",
		"UPDATE webhook SET company_id = 2"}, neighbour...),
		"of company 2 is about board"},
	{"webhook boards", "one of others",
		append([]string{"UPDATE webhook SET company_id = 2, board_id = NULL"}, neighbour...), "webhook 1 of company 2 has board"},
	{"webhook boards", "one that is ahead", []string{"UPDATE webhook_board SET comments_after = 1000"},
		"from 1000 of comments"},
	{"references", "a consumer without its company", []string{"UPDATE feed_consumer SET company_id = 99"},
		"feed_consumer names company 99 in company_id"},
	{"references", "a consumer without its author", []string{"UPDATE feed_consumer SET created_by = 99"},
		"feed_consumer names account 99 in created_by"},
	{"reference codes", "one in the pool that was never minted", []string{"INSERT INTO ref_pool VALUES ('zzzzz')"},
		"a code in ref_pool that begins with zz is not in ref_ledger"},
	{"reference codes", "one given out that was never minted",
		[]string{"INSERT INTO ref_issue VALUES ('zzzzz', '2026-01-01', 1, 0, 0, '')",
			"UPDATE ref_counter SET issued = issued + 1 WHERE length = 5 AND slot = 15"},
		"a code in ref_issue that begins with zz is not in ref_ledger"},
	{"reference codes", "one in quarantine that was never minted", []string{"INSERT INTO ref_quarantine VALUES ('zzzzz')",
		"UPDATE ref_counter SET quarantined = quarantined + 1 WHERE length = 5 AND slot = 15"},
		"a code in ref_quarantine that begins with zz is not in ref_ledger"},
	{"reference codes", "one given out that is in the pool",
		[]string{"INSERT INTO ref_pool SELECT code FROM ref_issue LIMIT 1"}, "is in ref_pool and in ref_issue"},
	{"reference codes", "one in quarantine that is in the pool", []string{"INSERT INTO ref_pool VALUES ('ukrEP')"},
		"a code that begins with uk is in ref_pool and in ref_quarantine"},
	{"reference codes", "one in quarantine that was given out",
		[]string{"INSERT INTO ref_issue VALUES ('UkrEP', '2026-01-01', 1, 0, 0, '')",
			"UPDATE ref_counter SET issued = issued + 1 WHERE length = 5 AND slot = 15"},
		"a code that begins with Uk is in ref_issue and in ref_quarantine"},
	{"lost codes", "one that is nowhere", []string{"DELETE FROM ref_quarantine WHERE code = '0OlI1'",
		"UPDATE ref_counter SET quarantined = quarantined - 1 WHERE length = 5 AND slot = 15"},
		"that begins with 0O is nowhere"},
	{"code counters", "too many given out",
		[]string{"UPDATE ref_counter SET issued = issued + 1 WHERE length = 5 AND slot = 3"},
		"the counters say that 9 codes of 5 characters are in ref_issue, and there are 8"},
	{"lots of codes", "a lot that counts too few", []string{"UPDATE ref_lot SET codes = 59 WHERE id = 1"},
		"lot 1 counts 59 codes, and the ledger has 60"},
	{"lots of codes", "a batch of no lot", []string{"INSERT INTO ref_ledger VALUES ('zzzzz', 99)",
		"INSERT INTO ref_pool VALUES ('zzzzz')", "UPDATE ref_counter SET minted = minted + 1 WHERE length = 5 AND slot = 15"},
		"batch 99 of the ledger is of no lot"},
	{"codes for tickets", "a ticket of another company",
		append([]string{"UPDATE ref_issue SET company_id = 2 WHERE ticket_id = 1"}, neighbour...),
		"a code for company 2 is of ticket 1 of company 1"},
	{"references", "a webhook without its company", []string{"UPDATE webhook SET company_id = 99"},
		"webhook names company 99 in company_id"},
	{"references", "a webhook without its board", []string{"UPDATE webhook SET board_id = 99"},
		"webhook names board 99 in board_id"},
	{"references", "a webhook without its author", []string{"UPDATE webhook SET created_by = 99"},
		"webhook names account 99 in created_by"},
	{"references", "a board of no webhook", []string{"UPDATE webhook_board SET webhook_id = 99"},
		"webhook_board names webhook 99 in webhook_id"},
	{"references", "a webhook with no board", []string{"UPDATE webhook_board SET board_id = 99"},
		"webhook_board names board 99 in board_id"},
	{"references", "a board of a webhook without who added it", []string{"UPDATE webhook_board SET added_by = 99"},
		"webhook_board names account 99 in added_by"},
	{"references", "a ticket of no webhook", []string{"UPDATE webhook_ticket SET webhook_id = 99"},
		"webhook_ticket names webhook 99 in webhook_id"},
	{"references", "a webhook with no ticket", []string{"UPDATE webhook_ticket SET ticket_id = 99"},
		"webhook_ticket names ticket 99 in ticket_id"},
	{"references", "a cursor without its webhook",
		[]string{"INSERT INTO webhook_cursor SELECT 99, name, epoch, value, 0 FROM sequences WHERE name = 'boards'"},
		"webhook_cursor names webhook 99 in webhook_id"},
	{"references", "an attempt without its webhook", []string{"UPDATE webhook_attempt SET webhook_id = 99 LIMIT 1"},
		"webhook_attempt names webhook 99 in webhook_id"},
	{"references", "a slug without its company",
		[]string{"INSERT INTO board_slug VALUES (99, 'OLD', 1, '2026-01-01', FALSE)"},
		"board_slug names company 99 in company_id"},
	{"references", "a slug without its board",
		[]string{"INSERT INTO board_slug VALUES (1, 'GONE', 99, '2026-01-01', FALSE)"},
		"board_slug names board 99 in board_id"},
}

func TestRun(t *testing.T) {
	t.Parallel()
	original := newEnv(t)
	t.Run("data of the workflows is clean", func(t *testing.T) {
		t.Parallel()
		report := original.verify(t)
		if !report.OK() {
			report.Text(t.Output())
			t.Fatal("findings in clean data")
		}
		for _, c := range report.Checks {
			if c.Rows == 0 {
				t.Errorf("%s looked at no row", c.Name)
			}
		}
	})
	t.Run("an empty database is clean", func(t *testing.T) {
		t.Parallel()
		report := domaintest.OK(verify.Run(context.Background(), dbtest.Open(t), apptest.Keys, t.TempDir(), nil))(t)
		if !report.OK() {
			t.Fatal("findings in an empty database")
		}
	})
	t.Run("files that cannot be reached are a finding, and all else is looked at", func(t *testing.T) {
		t.Parallel()
		env := *original
		env.files = filepath.Join(t.TempDir(), "file")
		domaintest.Must(t, os.WriteFile(env.files, nil, 0o600))
		wantFiles(t, env.verify(t), map[string]string{"image files": "cannot be read", "attached files": "cannot be read"})
	})
	t.Run("a folder that is gone is not made", func(t *testing.T) {
		t.Parallel()
		env := *original
		env.files = filepath.Join(t.TempDir(), "none")
		wantFiles(t, env.verify(t), map[string]string{"image files": "has no file", "attached files": "is not in"})
		if _, err := os.Stat(env.files); !os.IsNotExist(err) {
			t.Error(err)
		}
	})
	for _, c := range corruptions {
		t.Run(c.check+" finds "+c.how, func(t *testing.T) {
			t.Parallel()
			env := original.copied(t)
			env.corrupt(t, c.statements...)
			wantOnly(t, env.verify(t), c.check, c.finding)
		})
	}
}

// wantOnly fails unless the one finding is that check's.
func wantOnly(t *testing.T, report verify.Report, check, finding string) {
	t.Helper()
	if report.OK() {
		t.Fatal("nothing was found")
	}
	for _, c := range report.Checks {
		if c.Name != check && c.Total != 0 {
			t.Errorf("%s found too: %v", c.Name, c.Findings)
		}
		if c.Name == check && (c.Total != 1 || len(c.Findings) != 1 || !strings.Contains(c.Findings[0], finding)) {
			t.Errorf("found %d: %v; want one that says %q", c.Total, c.Findings, finding)
		}
	}
}

// wantFiles fails unless the checks of files have such findings, and no other check has any.
func wantFiles(t *testing.T, report verify.Report, want map[string]string) {
	t.Helper()
	for _, c := range report.Checks {
		part, is := want[c.Name]
		if is == (c.Total == 0) {
			t.Errorf("%s has %d findings", c.Name, c.Total)
		}
		for _, finding := range c.Findings {
			if !strings.Contains(finding, part) {
				t.Errorf("%s found %q; want one that says %q", c.Name, finding, part)
			}
		}
	}
}

func TestCorruptions(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	t.Run("every check is broken by one", func(t *testing.T) {
		tried := map[string]bool{}
		for _, c := range corruptions {
			tried[c.check] = true
		}
		for _, c := range env.verify(t).Checks {
			if !tried[c.Name] {
				t.Errorf("no corruption is tried for %q", c.Name)
			}
		}
	})
	t.Run("every foreign key is broken by one", func(t *testing.T) {
		rows := domaintest.OK(env.db.SQL.Query(`SELECT table_name, referenced_table_name, column_name FROM information_schema.key_column_usage
			WHERE table_schema = DATABASE() AND referenced_table_name IS NOT NULL`))(t)
		defer rows.Close()
		for rows.Next() {
			var table, parent, column string
			domaintest.Must(t, rows.Scan(&table, &parent, &column))
			finding := table + " names " + parent + " 99 in " + column
			if column == "hash" {
				finding = table + " names " + parent + " 6e6e"
			}
			if !triedReference(finding) {
				t.Errorf("no orphan is tried for %s.%s", table, column)
			}
		}
	})
}

func triedReference(finding string) bool {
	for _, c := range corruptions {
		if c.check == "references" && c.finding == finding {
			return true
		}
	}
	return false
}

func TestFindings(t *testing.T) {
	t.Parallel()
	env := newEnv(t)
	for range 130 {
		domaintest.OK(env.Workflows.OpenTicket(env.ctx, "NINJA", tickets.Draft{Title: "x"}, nil))(t)
	}
	env.corrupt(t, "UPDATE ticket SET title = ' x' WHERE title = 'x'")
	report := env.verify(t)
	t.Run("are told up to a hundred and counted to the last", func(t *testing.T) {
		for _, c := range report.Checks {
			if c.Name == "ticket texts" && (len(c.Findings) != verify.MaxFindings || c.Total != 130) {
				t.Errorf("%d told, %d counted", len(c.Findings), c.Total)
			}
		}
	})
	t.Run("are in the text", func(t *testing.T) {
		var text bytes.Buffer
		domaintest.Must(t, report.Text(&text))
		for _, want := range []string{"BROKEN  ticket texts", "ticket texts: 130 found", "… and 30 more",
			"not as it should be"} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("no %q in:\n%s", want, &text)
			}
		}
	})
	t.Run("are in one line of JSON", func(t *testing.T) {
		var text bytes.Buffer
		domaintest.Must(t, report.JSON(&text))
		var got struct {
			OK     *bool
			Engine string
			Checks []struct {
				Name, Description string
				Rows, Total       *int64
				Findings          []string
			}
		}
		domaintest.Must(t, json.Unmarshal(text.Bytes(), &got))
		if bytes.Count(text.Bytes(), []byte("\n")) != 1 || got.OK == nil || *got.OK || got.Engine == "" ||
			len(got.Checks) != len(report.Checks) {
			t.Errorf("JSON is %s", &text)
		}
		for _, c := range got.Checks {
			if c.Name == "" || c.Description == "" || c.Rows == nil || c.Total == nil || c.Findings == nil {
				t.Errorf("a check lacks something: %+v", c)
			}
		}
	})
}

func TestWhileServing(t *testing.T) {
	t.Parallel()
	t.Run("one moment is looked at, whoever writes meanwhile", func(t *testing.T) {
		t.Parallel()
		env := newEnv(t)
		ctx, stop := context.WithCancel(env.ctx)
		var group sync.WaitGroup
		defer group.Wait()
		defer stop()
		for n := range 4 {
			group.Go(func() { env.write(t, ctx, n) })
		}
		for range 10 {
			if report := env.verify(t); !report.OK() {
				report.Text(t.Output())
				t.Fatal("findings under load")
			}
		}
	})
	t.Run("the snapshot's connection is not used again", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		d.Connections(1)
		domaintest.Must(t, verify.Snapshot(context.Background(), d.SQL, func(conn *sql.Conn) error {
			if _, err := conn.ExecContext(context.Background(), "DELETE FROM company"); err == nil {
				t.Error("a snapshot can write")
			}
			return nil
		}))
		domaintest.Must(t, d.InTx(context.Background(), func(tx *db.Tx) error {
			_, err := tx.SQL.Exec("DELETE FROM company")
			return err
		}))
	})
}

// write opens, moves and deletes tickets until ctx ends.
func (env *env) write(t *testing.T, ctx context.Context, writer int) {
	board, err := env.Workflows.Board(env.ctx, "NINJA")
	if err != nil {
		t.Error(err)
		return
	}
	for n := 0; ctx.Err() == nil; n++ {
		ticket, err := env.Workflows.OpenTicket(env.ctx, "NINJA", tickets.Draft{Title: fmt.Sprint(writer, n)}, nil)
		if err == nil {
			_, _, err = env.Workflows.MoveTicket(env.ctx, ticket.Key, tickets.Intent{Column: board.Columns[n%3].ID})
		}
		if err == nil && n%5 == 0 {
			err = env.Workflows.DeleteTicket(env.ctx, ticket.Key)
		}
		if err != nil {
			t.Error(err)
			return
		}
	}
}
