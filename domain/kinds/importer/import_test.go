package importer_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// jiraExport is a file as Jira makes it: columns that repeat, line breaks in quotes, and users' markup.
const jiraExport = `Summary,Issue key,Issue id,Issue Type,Status,Assignee,Reporter,Priority,Labels,Labels,Created,Updated,Resolved,Description,Comment,Comment
"Login fails, sometimes",OLD-123,10001,Bug,In Progress,ben@example.com,Ana,High,web,login,12/Mar/24 9:41 AM,13/Mar/24 10:00 AM,,"h2. Steps
# open {{/login}}
# see *500*

{code:go}
if x < 1 { *y* }
{code}","12/Mar/24 10:05 AM;carla;I see it, too: [log|https://example.com/log]","13/Mar/24 8:00 AM;ben@example.com;Fixed; deployed"
<script>alert('x')</script> '; DROP TABLE ticket; -- 👩‍🚀,OLD-7,10002,Task,Done,Nobody Known,,,,,1/Jan/23 8:00 AM,2/Jan/23 8:00 AM,3/Jan/23 8:00 AM,"<img src=x onerror=alert(1)>
@ana ""quoted""",,
=1+1,OLD-8,10003,Task,To do,,,,,,,,,,,
`

// bareImport is an import without an engine: its filler and its tasks.
type bareImport struct {
	t        testing.TB
	h        *env
	values   migrations.Values
	file     string
	cursor   string
	tasks    []migrations.NewTask
	rejected []migrations.Rejection
}

// oneRun is held while a run is opened: another that does the same is refused.
var oneRun sync.Mutex

// importRun returns a run for tasks without an engine: the histories of the tickets name it.
func (e *env) importRun(t testing.TB) id.Run {
	t.Helper()
	oneRun.Lock()
	defer oneRun.Unlock()
	if e.Count(t, "SELECT COUNT(*) FROM migration_run") == 0 {
		actor := migrations.Actor{Account: &e.Actor.Account.ID, Name: e.Actor.Account.Name}
		domaintest.OK(e.Engine.OpenRun(e.Ctx, actor, workflows.RepublishName, migrations.Values{"feed": "tickets"},
			migrations.Draft{}))(t)
	}
	return id.Run(e.Count(t, "SELECT MIN(id) FROM migration_run"))
}

func (e *env) newImport(t testing.TB, file string, values ...string) *bareImport {
	i := &bareImport{t: t, h: e, file: file, values: migrations.Values{"company": "acme", "board": "DEMO",
		"author": "ana@example.com"}}
	for n := 0; n < len(values); n += 2 {
		i.values[values[n]] = values[n+1]
	}
	return i
}

func (i *bareImport) Run() id.Run               { return 0 }
func (i *bareImport) Values() migrations.Values { return i.values }
func (i *bareImport) Cursor() string            { return i.cursor }
func (i *bareImport) Upload(context.Context) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(i.file)), nil
}

func (i *bareImport) Add(_ context.Context, task migrations.NewTask) error {
	i.tasks = append(i.tasks, task)
	return nil
}

func (i *bareImport) Reject(_ context.Context, r migrations.Rejection) error {
	i.rejected = append(i.rejected, r)
	return nil
}

func (i *bareImport) fill() *bareImport {
	i.t.Helper()
	m := i.h.Migration(i.t, "import-tickets")
	domaintest.Must(i.t, m.Check(i.h.Ctx, i.values))
	domaintest.Must(i.t, m.Fill(i.h.Ctx, i))
	return i
}

func (i *bareImport) works() (works []*migrations.Work) {
	for n, task := range i.tasks {
		works = append(works, &migrations.Work{Task: migrations.Task{Run: i.h.importRun(i.t), Line: task.Line, Payload: task.Payload, Attempt: n},
			Values: i.values})
	}
	return works
}

// run does all tasks in blocks and returns what was said of each: its note, or its error with a ! before it.
func (i *bareImport) run() (notes []string) {
	i.t.Helper()
	i.fill()
	works := i.works()
	for block := range slices.Chunk(works, 2) {
		domaintest.Must(i.t, i.h.DB.InTx(i.h.Ctx,
			func(tx *db.Tx) error { return i.h.Migration(i.t, "import-tickets").Write(i.h.Ctx, tx, block) }))
	}
	for _, work := range works {
		outcome := work.Outcome()
		if outcome.Err != nil {
			outcome.Note = "!" + outcome.Err.Error()
		}
		notes = append(notes, outcome.Note)
	}
	return notes
}

func (i *bareImport) preview() (notes []string) {
	i.t.Helper()
	i.fill()
	for _, work := range i.works() {
		note, err := i.h.Migration(i.t, "import-tickets").Preview(i.h.Ctx, work)
		if err != nil {
			note = "!" + err.Error()
		}
		notes = append(notes, note)
	}
	return notes
}

func (e *env) same(t testing.TB, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// member adds a member of the company.
func (e *env) member(t testing.TB, name, email, role string) {
	t.Helper()
	domaintest.Member(t, e.DB, e.Actor.Company.ID, name, email, role, "")
}

func TestImport_of_a_Jira_export(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.member(t, "Ben", "ben@example.com", accounts.Member)
	first := e.Count(t, "SELECT max_ticket_id FROM board_ticket_incrementer") + 1
	notified := e.Count(t, "SELECT COUNT(*) FROM notification")
	key := func(n int) string { return fmt.Sprintf("DEMO-%d", first+n) }
	statuses := []string{"statuses", "In Progress = Doing"}

	t.Run("a dry run has the expected result of each row", func(t *testing.T) {
		e.same(t, e.newImport(t, jiraExport, statuses...).preview(), []string{
			"would open as DEMO-… in “Doing”, assigned to Ben",
			"would open as DEMO-… in “Done”; no member is named “Nobody Known”",
			"would open as DEMO-… in “To do”",
		})
		e.Counts(t, 0, "SELECT COUNT(*) FROM ticket_origin")
	})
	t.Run("each row is a ticket", func(t *testing.T) {
		e.same(t, e.newImport(t, jiraExport, statuses...).run(), []string{
			"opened as " + key(0) + " in “Doing”, assigned to Ben",
			"opened as " + key(1) + " in “Done”; no member is named “Nobody Known”",
			"opened as " + key(2) + " in “To do”",
		})
	})
	t.Run("with its texts, its members and its times", func(t *testing.T) {
		one := e.Ticket(t, "OLD-123")
		if one.Key.String() != key(0) || one.Title != "Login fails, sometimes" {
			t.Errorf("OLD-123 is %v %q", one.Key, one.Title)
		}
		want := "## Steps\n\n1. open `/login`\n1. see **500**\n\n````go\nif x < 1 { *y* }\n````\n\n---\n\n- **Issue Type:** Bug\n- **Reporter:** Ana\n- **Status:** In Progress"
		if one.Description != want {
			t.Errorf("description %q, want %q", one.Description, want)
		}
		if len(one.Assignees) != 1 || one.Assignees[0].Name != "Ben" || one.Author.Name != "Ana" || one.Closed() ||
			one.Priority != tickets.High {
			t.Errorf("got %+v", one)
		}
		if at := time.Date(2024, 3, 12, 9, 41, 0, 0, time.UTC); !one.CreatedAt.Equal(at) {
			t.Errorf("created at %v", one.CreatedAt)
		}
		done := e.Ticket(t, "old-7")
		if at := time.Date(2023, 1, 3, 8, 0, 0, 0, time.UTC); done.ClosedAt == nil || !done.ClosedAt.Equal(at) {
			t.Errorf("closed at %v", done.ClosedAt)
		}
		if done.Title != "<script>alert('x')</script> '; DROP TABLE ticket; -- 👩‍🚀" {
			t.Errorf("title %q", done.Title)
		}
	})
	t.Run("with its comments of any author", func(t *testing.T) {
		rows := domaintest.OK(
			e.DB.SQL.Query("SELECT a.name, c.body FROM comment c JOIN account a ON a.id = c.account_id ORDER BY c.id"))(t)
		defer rows.Close()
		var got []string
		for rows.Next() {
			var name, body string
			domaintest.Must(t, rows.Scan(&name, &body))
			got = append(got, name+": "+body)
		}
		e.same(t, got, []string{"Ana: *carla:*\n\nI see it, too: [log](https://example.com/log)", "Ben: Fixed; deployed"})
	})
	t.Run("a history that names its origin, without notifications", func(t *testing.T) {
		history, _, err := e.Workflows.History(e.Ctx, e.Ticket(t, "OLD-8").ID, 0)
		if err != nil || len(history) != 1 || history[0].Detail.Origin != "OLD-8" {
			t.Errorf("got %+v, %v", history, err)
		}
		e.Counts(t, notified, "SELECT COUNT(*) FROM notification")
	})
	t.Run("again changes nothing, and says so", func(t *testing.T) {
		before := e.Count(t, "SELECT max_ticket_id FROM board_ticket_incrementer WHERE board_id = ?", uint64(e.Practice.ID))
		e.same(t, e.newImport(t, jiraExport, statuses...).run(), []string{
			"OLD-123 is there already as " + key(0), "OLD-7 is there already as " + key(1), "OLD-8 is there already as " +
				key(2),
		})
		e.Counts(t, before, "SELECT max_ticket_id FROM board_ticket_incrementer WHERE board_id = ?", uint64(e.Practice.ID))
	})
	t.Run("no board gets the slug of its keys", func(t *testing.T) {
		domaintest.Fails(e.Workflows.OpenBoard(e.Ctx, boards.Draft{Slug: "OLD", Title: "Old"}, nil))(t,
			boards.CodeSlugImported)
	})
	e.importSound(t)
}

// importSound fails where what an import must keep is not so.
func (e *env) importSound(t testing.TB) {
	t.Helper()
	e.Sound(t)
	for why, query := range map[string]string{
		"a number is missing":              `SELECT COUNT(*) FROM board_ticket_incrementer i WHERE i.max_ticket_id <> (SELECT COUNT(*) FROM ticket t WHERE t.board_id = i.board_id)`,
		"a ticket was not opened once":     `SELECT COUNT(*) FROM ticket t WHERE (SELECT COUNT(*) FROM activity a WHERE a.ticket_id = t.id AND a.kind = 'opened') <> 1`,
		"a ticket is younger than itself":  `SELECT COUNT(*) FROM ticket WHERE updated_at < created_at OR closed_at < created_at`,
		"an origin's slug is not reserved": `SELECT COUNT(*) FROM ticket_origin o LEFT JOIN board_slug s ON s.company_id = o.company_id AND s.slug = SUBSTRING_INDEX(o.external_id, '-', 1) WHERE o.external_id REGEXP '^[A-Z][A-Z0-9]{1,9}-[1-9][0-9]*$' AND s.slug IS NULL`,
	} {
		if n := e.Count(t, query); n != 0 {
			t.Errorf("%s: %d", why, n)
		}
	}
}

func TestImport_properties(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	n := 0
	for name, c := range map[string]struct{ row, priority, start, due, note string }{
		"Jira's names":          {"Blocker,,12/Dec/26 12:00 AM", "urgent", "", "2026-12-12", ""},
		"our own":               {"low,2026-12-01,2026-12-04T15:00:00Z", "low", "2026-12-01", "2026-12-04T15:00:00Z", ""},
		"with a time":           {"Medium,,12/Dec/26 3:30 PM", "medium", "", "2026-12-12T15:30:00Z", ""},
		"what is none":          {",,", "none", "", "", ""},
		"what is unknown":       {"P1,soon,never", "none", "", "", "the priority “P1” is not known; “soon” is no date that can be taken for start"},
		"a start after the due": {"high,2026-12-05,2026-12-04", "high", "", "2026-12-04", "the start 2026-12-05 is after the due date, and left out"},
		"a year that is none":   {"high,,1/Jan/69 3:30 PM", "high", "", "", "is no date that can be taken for due"},
	} {
		t.Run(name, func(t *testing.T) {
			n++
			key := "PROP-" + fmt.Sprint(n)
			notes := e.newImport(t, "title,key,priority,start date,due date\nx,"+key+","+c.row+"\n").run()
			one := e.Ticket(t, key)
			if one.Priority.String() != c.priority || one.Start.String() != c.start || one.Due.String() != c.due {
				t.Errorf("%s, start %s, due %s", one.Priority, one.Start, one.Due)
			}
			if !strings.Contains(notes[0], c.note) {
				t.Errorf("the note is %q", notes[0])
			}
			if kept := strings.Contains(one.Description, "P1"); kept != (c.priority == "none" && c.note != "") {
				t.Errorf("the description is %q", one.Description)
			}
		})
	}
	e.importSound(t)
}

func TestImport_attachments(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.newImport(t, "Summary,Issue key,Attachment,Attachment,Attachment,Attachment\n"+
		"x,ATT-1,12/Mar/24 9:41 AM;ana;a [b].png;https://jira.example/secure/attachment/1/a%20(b).png,"+
		"12/Mar/24 9:41 AM;ana;plan;v2.pdf;https://jira.example/secure/attachment/2/plan.pdf,plan.pdf,1;2;x;javascript:alert(1)\n").run()
	got := e.Ticket(t, "ATT-1").Description
	want := `![a \[b\].png](<https://jira.example/secure/attachment/1/a%20(b).png>), [plan;v2.pdf](<https://jira.example/secure/attachment/2/plan.pdf>), plan.pdf, 1;2;x;javascript:alert(1)`
	if !strings.Contains(got, want) {
		t.Errorf("the description is %q", got)
	}
	images := markup.Images(got)
	if len(images) != 1 || images[0].Address != "https://jira.example/secure/attachment/1/a%20(b).png" {
		t.Errorf("download-images would fetch %+v", images)
	}
	e.importSound(t)
}

// relations are what others are to a ticket, by the keys that they had: child A-1.
func (e *env) relations(t testing.TB, origin string) string {
	t.Helper()
	var list []string
	for _, r := range domaintest.OK(e.Workflows.Ticket(e.Ctx, e.Ticket(t, origin).Key))(t).Relations {
		var key string
		domaintest.Must(t, e.DB.SQL.QueryRow("SELECT external_id FROM ticket_origin WHERE ticket_id = ?", uint64(r.Ticket)).Scan(&key))
		list = append(list, r.Kind.String()+" "+key)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

func TestImport_recurrence(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.member(t, "Ben", "ben@example.com", accounts.Member)
	domaintest.Exec(t, e.DB, "UPDATE account SET time_zone = 'Asia/Tokyo' WHERE email = 'ben@example.com'")
	notes := e.newImport(t, "title,key,due date,recurrence,status\n"+
		"x,REP-1,2030-01-07,\"RRULE:FREQ=WEEKLY;BYDAY=MO\",\nx,REP-2,2030-01-07,Monthly,\nx,REP-3,,FREQ=DAILY,\n"+
		"x,REP-4,2030-01-07,now and then,\nx,REP-5,2030-01-07,FREQ=DAILY,Done\nx,REP-6,2030-01-07,FREQ=HOURLY,\nx,REP-7,2030-01-07,FREQ=DAILY;UNTIL=20300101,\n",
		"author", "ben@example.com").run()
	for i, want := range []string{"", "", "from its due date on", "no rule", "it is closed", "no rule", "it does not repeat"} {
		if !strings.Contains(notes[i], want) || want == "" && strings.Contains(notes[i], "repeat") {
			t.Errorf("row %d: %q", i+1, notes[i])
		}
	}
	for n, want := range []string{"FREQ=WEEKLY;BYDAY=MO", "FREQ=MONTHLY", "", "", "", "", ""} {
		ticket := domaintest.OK(e.Workflows.Ticket(e.Ctx, e.Ticket(t, fmt.Sprint("REP-", n+1)).Key))(t)
		got := ""
		if r := ticket.Recurrence; r != nil {
			got = r.Rule.String()
			if r.Zone != "Asia/Tokyo" || r.Owner.Name != "Ben" || r.Coming == nil {
				t.Errorf("it repeats %+v", r)
			}
		}
		if got != want {
			t.Errorf("%s repeats by %q, not %q", ticket.Key, got, want)
		}
		if kept := strings.Contains(ticket.Description, "Repeats"); kept != (n > 1) {
			t.Errorf("%s says %q", ticket.Key, ticket.Description)
		}
		if history, _, err := e.Workflows.History(e.Ctx, ticket.ID, 0); err != nil || len(history) != 1 {
			t.Errorf("%d entries, %v", len(history), err)
		}
	}
	e.importSound(t)
}

func TestImport_relations(t *testing.T) {
	t.Parallel()
	has := func(t *testing.T, e *env, want map[string]string) {
		t.Helper()
		for key, relations := range want {
			if got := e.relations(t, key); got != relations {
				t.Errorf("%s has %q, not %q", key, got, relations)
			}
		}
		e.importSound(t)
	}
	t.Run("of a Jira export, whose children come first", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.newImport(t, `Summary,Issue key,Issue id,Parent,Parent key,Parent summary,Inward issue link (Blocks),Outward issue link (Blocks),Outward issue link (Cloners),Custom field (Epic Link)
x,JIR-5,105,103,JIR-3,Three,,,JIR-1,
x,JIR-4,104,103,,Three,,jir-1,,
x,JIR-3,103,,,,,,,JIR-2
x,JIR-2,102,,,,,,,
x,JIR-1,101,,,,JIR-4,,,
`).run()
		has(t, e, map[string]string{"JIR-1": "blocked-by JIR-4, relates-to JIR-5", "JIR-2": "child JIR-3",
			"JIR-3": "child JIR-4, child JIR-5, parent JIR-2", "JIR-4": "blocks JIR-1, parent JIR-3",
			"JIR-5": "parent JIR-3, relates-to JIR-1"})
		for _, key := range []string{"JIR-3", "JIR-5"} {
			one := e.Ticket(t, key)
			if strings.Contains(one.Description, "JIR-") {
				t.Errorf("%s says %q", key, one.Description)
			}
			if history, _, err := e.Workflows.History(e.Ctx, one.ID, 0); err != nil || len(history) != 1 {
				t.Errorf("%d entries, %v", len(history), err)
			}
		}
	})
	t.Run("whatever row is written first, or in one block", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		i := e.newImport(t, "title,key,parent,blocked by\nx,ANY-1,ANY-3,\nx,ANY-2,ANY-3,ANY-1\nx,ANY-3,,ANY-4;ANY-4\nx,ANY-4,,\n").fill()
		works := i.works()
		for _, block := range [][]*migrations.Work{{works[3]}, {works[1]}, {works[0], works[2]}} {
			domaintest.Must(t, e.DB.InTx(e.Ctx,
				func(tx *db.Tx) error { return e.Migration(t, "import-tickets").Write(e.Ctx, tx, block) }))
		}
		has(t, e, map[string]string{"ANY-1": "blocks ANY-2, parent ANY-3", "ANY-2": "blocked-by ANY-1, parent ANY-3",
			"ANY-3": "blocked-by ANY-4, child ANY-1, child ANY-2", "ANY-4": "blocks ANY-3"})
	})
	t.Run("what cannot be is said, and the rest is imported", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		notes := e.newImport(t, "title,key,parent,Depends\n"+
			"x,BAD-1,BAD-2,\nx,BAD-2,BAD-1,\nx,BAD-3,\"BAD-1, BAD-2\",\nx,BAD-4,BAD-4,\nx,BAD-5,NONE-1,BAD-1\n",
			"relations", "parent = parent\nDepends = Blocked-by").run()
		for i, want := range []string{"directly or through", "directly or through", "another parent", "", "NONE-1 is neither here nor in the file, and no parent"} {
			if !strings.Contains(notes[i], want) || want == "" && strings.Contains(notes[i], ";") {
				t.Errorf("%q has no %q", notes[i], want)
			}
		}
		has(t, e, map[string]string{"BAD-4": "", "BAD-5": "blocked-by BAD-1"})
		if text := e.Ticket(t, "BAD-5").Description; text != "---\n\n- **parent:** NONE-1" && text != "- **parent:** NONE-1" {
			t.Errorf("it says %q", text)
		}
	})
	t.Run("to tickets of an earlier import that its author may change", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		secret := e.Board(t, "SECRET")
		domaintest.OK(e.Workflows.SetBoardPrivacy(e.Ctx, secret.Slug, true))(t)
		e.member(t, "Ben", "ben@example.com", accounts.Member)
		e.newImport(t, "title,key\nx,OLD-1\nx,OLD-2\n").run()
		e.newImport(t, "title,key\nx,OLD-3\n", "board", secret.Slug).run()
		domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, e.Ticket(t, "OLD-2").Key))
		updated := e.Ticket(t, "OLD-1").UpdatedAt
		e.newImport(t, "title,key,parent,relates to\nx,NEW-1,OLD-1,OLD-3\nx,NEW-2,OLD-2,\n", "author", "ben@example.com").run()
		has(t, e, map[string]string{"NEW-1": "parent OLD-1", "NEW-2": "", "OLD-3": ""})
		old := e.Ticket(t, "OLD-1")
		if old.UpdatedAt != updated {
			t.Error("the date of the last change has changed")
		}
		history, _, err := e.Workflows.History(e.Ctx, old.ID, 0)
		if err != nil || len(history) != 2 || history[0].Kind != tickets.KindRelated || history[0].Detail.Relation.Kind != "child" ||
			history[0].Detail.Relation.Key != e.Ticket(t, "NEW-1").Key || history[0].Detail.Import == nil {
			t.Errorf("the history has %+v, %v", history, err)
		}
		if _, err := e.Workflows.Undo(e.Ctx, history[0].ID); err == nil {
			t.Error("the relation was undone from the ticket that got it")
		}
		e.newImport(t, "title,key,parent,relates to\nx,NEW-3,,OLD-3\n").run()
		has(t, e, map[string]string{"NEW-3": "relates-to OLD-3"})
		if e.newImport(t, "title,key,parent\nx,NEW-1,OLD-3\n").run(); e.relations(t, "NEW-1") != "parent OLD-1" {
			t.Error("a ticket that was there got another parent")
		}
	})
	t.Run("of two boards that are imported at once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		domaintest.OK(e.Workflows.OpenBoard(e.Ctx, boards.Draft{Slug: "TWO", Title: "Two"}, nil))(t)
		file := "title,key,status,parent\n"
		for i := range 10 {
			file += fmt.Sprintf("x,UP-%d,up,\nx,DOWN-%d,down,UP-%d\n", i+1, i+1, i+1)
		}
		up := e.newImport(t, file, "statuses", "up = Doing;down = -").fill()
		down := e.newImport(t, file, "statuses", "down = Doing;up = -", "board", "TWO").fill()
		var both sync.WaitGroup
		for _, works := range [][]*migrations.Work{up.works(), down.works()} {
			both.Go(func() {
				for block := range slices.Chunk(works, 3) {
					err := boards.ErrOutdated // as a worker does, which tries again
					for errors.Is(err, boards.ErrOutdated) {
						err = e.DB.InTx(e.Ctx, func(tx *db.Tx) error { return e.Migration(t, "import-tickets").Write(e.Ctx, tx, block) })
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		both.Wait()
		for i := range 10 {
			has(t, e, map[string]string{fmt.Sprint("DOWN-", i+1): fmt.Sprint("parent UP-", i+1)})
		}
	})
	t.Run("a parameter that names none is rejected", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		for _, value := range []string{"Depends", "Depends = boss", "="} {
			err := e.Migration(t, "import-tickets").Check(e.Ctx, e.newImport(t, "", "relations", value).values)
			if !errors.Is(err, migrations.CodeBadParam) || fault.Field(err) != "relations" {
				t.Errorf("%q: %v", value, err)
			}
		}
		i := e.newImport(t, "title,key,parent\nx,NO-1,NO-2\nx,NO-2,\n", "relations", "-")
		i.run()
		has(t, e, map[string]string{"NO-1": ""})
		err := e.Migration(t, "import-tickets").Fill(e.Ctx, e.newImport(t, "title,key\nx,NO-3\n", "relations", "Boss = parent"))
		if err == nil || !strings.Contains(err.Error(), "no column “Boss”") {
			t.Error(err)
		}
	})
}

func TestImport_labels(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	long := strings.Repeat("x", 41)
	notes := e.newImport(t, "title,key,labels,tags\n"+
		"x,LAB-1,\"bug, Big idea\",unused\n"+ // the first name that is known is taken
		"x,LAB-2,BUG;bug,\n"+
		"x,LAB-3,\""+long+",bug\",\n"+
		"x,LAB-4,,\n", "labels", "labels").run()
	for key, want := range map[string]string{"LAB-1": "Big idea, bug", "LAB-2": "bug", "LAB-3": "bug", "LAB-4": ""} {
		if got := labels.Names(domaintest.OK(e.Workflows.Ticket(e.Ctx, e.Ticket(t, key).Key))(t).Labels); got != want {
			t.Errorf("%s has %q, not %q", key, got, want)
		}
	}
	if !strings.Contains(notes[2], "is left out") || !strings.Contains(e.Ticket(t, "LAB-3").Description, long) {
		t.Errorf("a name that is too long: %q", notes[2])
	}
	e.Counts(t, 2, "SELECT COUNT(*) FROM label")
	for i := range 498 {
		e.Exec(t, "INSERT INTO label (company_id, name, color, created_at) VALUES (1, ?, 0, NOW(6))", fmt.Sprint("label ", i))
	}
	notes = e.newImport(t, "title,key,labels\nx,LAB-5,\"bug,one more\"\n").run()
	if !strings.Contains(notes[0], "“one more” is left out: the company has as many") {
		t.Errorf("of a company that has all: %q", notes[0])
	}
	e.importSound(t)
}

func TestImport_rows(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.member(t, "Ben", "ben@example.com", accounts.Member)
	e.member(t, "Zoë Twin", "zoe1@example.com", accounts.Member)
	e.member(t, "Zoë Twin", "zoe2@example.com", accounts.Member)
	e.member(t, "Vera", "vera@example.com", accounts.Viewer)
	e.member(t, "Gus", "gus@example.com", accounts.Guest)
	e.member(t, "Gil", "gil@example.com", accounts.Guest)
	one := func(t *testing.T, file string, values ...string) (note string) {
		t.Helper()
		notes := e.newImport(t, file, values...).run()
		if len(notes) != 1 {
			t.Fatalf("got %q", notes)
		}
		_, note, _ = strings.Cut(notes[0], " in ")
		return note
	}
	domaintest.OK(e.Workflows.NameOnBoard(e.Ctx, "DEMO", "@gil", "member"))(t)
	t.Run("members are matched by email, by name only if that is chosen and unambiguous", func(t *testing.T) {
		for _, c := range []struct{ who, names, note string }{
			{"BEN@Example.com", "", "“To do”, assigned to Ben"},
			{"Somebody <ben@example.com>", "", "“To do”, assigned to Ben"},
			{"Ben", "", "“To do”; no member is named “Ben”"},
			{"Ben", "true", "“To do”, assigned to Ben"},
			{"ben", "true", "“To do”; no member is named “ben”"},
			{"Ben <other@example.com>", "true", "“To do”; no member is named “Ben <other@example.com>”"},
			{"Zoë Twin", "true", "“To do”; no member is named “Zoë Twin”"},
			{"vera@example.com", "", "“To do”; Vera is a viewer, and is not assigned"},
			{"gus@example.com", "", "“To do”; Gus does not see the board, and is not assigned"},
			{"gil@example.com", "", "“To do”, assigned to Gil"},
		} {
			got := one(t, "title,key,assignee\nx,P-"+c.who+c.names+",\""+c.who+"\"\n", "names", c.names)
			if got != c.note {
				t.Errorf("%q: %q, want %q", c.who, got, c.note)
			}
		}
	})
	t.Run("a title that is too long is whole in the description", func(t *testing.T) {
		long := strings.Repeat("word ", 80) + "end"
		one(t, "title,key,description\n"+long+",LONG-1,Text\n")
		ticket := e.Ticket(t, "LONG-1")
		if len([]rune(ticket.Title)) > 255 || !strings.HasPrefix(ticket.Description, "**"+long+"**\n\nText") {
			t.Errorf("%q %q", ticket.Title, ticket.Description)
		}
	})
	t.Run("a description that is too long continues in comments, with nothing lost", func(t *testing.T) {
		long := strings.Repeat("ä line of text\n", 12_000)
		one(t, "title,key,description\nx,LONG-2,\""+long+"\"\n")
		ticket := e.Ticket(t, "LONG-2")
		whole := ticket.Description
		rows := domaintest.OK(e.DB.SQL.Query("SELECT body FROM comment WHERE ticket_id = ? ORDER BY id",
			uint64(ticket.ID)))(t)
		defer rows.Close()
		for rows.Next() {
			var body string
			domaintest.Must(t, rows.Scan(&body))
			whole += body
		}
		if whole != strings.TrimSpace(long) {
			t.Errorf("%d bytes of %d are there", len(whole), len(long))
		}
	})
	t.Run("dates out of bounds are left out", func(t *testing.T) {
		if got := one(t, "title,key,created\nx,DATE-1,31.12.9999 10:00\n"); !strings.Contains(got, "is no date") {
			t.Errorf("got %q", got)
		}
		one(t, "title,key,created,closed,status\nx,DATE-2,5/4/2024,4/4/2024,Done\n", "dates", "mdy")
		ticket := e.Ticket(t, "DATE-2")
		if at := time.Date(2024, 5, 4, 0, 0, 0, 0, time.UTC); !ticket.CreatedAt.Equal(at) || !ticket.ClosedAt.Equal(at) {
			t.Errorf("got %v %v", ticket.CreatedAt, ticket.ClosedAt)
		}
	})
	t.Run("a status that is left out opens nothing", func(t *testing.T) {
		if notes := e.newImport(t, "title,key,status\nx,LEFT-1,Won't do\n", "statuses",
			"Won't do = -").run(); notes[0] != "left out: its status is “Won't do”" {
			t.Errorf("got %q", notes)
		}
	})
	t.Run("a key whose slug is a board's here stays that board's", func(t *testing.T) {
		if got := one(t, "title,key\nx,DEMO-1\n"); got != "“To do”; DEMO is a board here, so DEMO-1 does not open it" {
			t.Errorf("got %q", got)
		}
		if e.Ticket(t, "DEMO-1").Title == "x" {
			t.Error("it opens the imported one")
		}
		if notes := e.newImport(t, "title,key\nx,DEMO-1\n").run(); !strings.HasPrefix(notes[0],
			"DEMO-1 is there already as ") {
			t.Errorf("got %q", notes)
		}
	})
	e.importSound(t)
}

func TestImport_files(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.member(t, "Vera", "vera@example.com", accounts.Viewer)
	t.Run("a repeated key is rejected with both lines, also after the fill resumes", func(t *testing.T) {
		file := "title,key\nx,TWICE-1\n,TWICE-2\ny,twice-1\nz,TWICE-2\nx,a\nx,A\nx,\nx,\nz, a\n"
		whole := e.newImport(t, file)
		preview, run := whole.preview(), e.newImport(t, file).run()
		check := func(i *bareImport, want ...string) {
			t.Helper()
			var got []string
			for _, r := range i.rejected {
				got = append(got, fmt.Sprint(r.Line, " ", r.Reason))
			}
			e.same(t, got, want)
		}
		twice, title, a := "4 TWICE-1 stands on line 2 already. Of the rows with one key, the first is taken.", "3 The row has no title.", "10 a stands on line 6 already. Of the rows with one key, the first is taken."
		check(whole, title, twice, a)
		if len(preview) != 6 || len(run) != 6 || e.Ticket(t, "TWICE-1").Title != "x" || e.Ticket(t, "TWICE-2").Title != "z" {
			t.Errorf("%q, %q", preview, run)
		}
		for n := range run {
			if !strings.HasPrefix(preview[n], "would open as DEMO-") || !strings.HasPrefix(run[n], "opened as DEMO-") {
				t.Errorf("%q became %q", preview[n], run[n])
			}
		}
		for cursor, want := range map[string][]string{whole.tasks[0].Cursor: {title, twice, a}, whole.rejected[1].Cursor: {a},
			whole.tasks[4].Cursor: {a}} {
			later := e.newImport(t, file)
			later.cursor = cursor
			check(later.fill(), want...)
		}
	})
	t.Run("a repetition beyond the remembered keys is one ticket all the same", func(t *testing.T) {
		i := e.newImport(t, "title,key\nx,THRICE-1\n").fill()
		i.tasks = append(i.tasks, i.tasks[0], i.tasks[0])
		works := i.works()
		i.blockOrEach(works)
		for n, work := range works {
			if note := work.Outcome().Note; strings.HasPrefix(note, "opened as ") != (n == 0) ||
				strings.HasPrefix(note, "THRICE-1 is there already as ") != (n > 0) {
				t.Errorf("%d: %q", n, note)
			}
		}
	})
	t.Run("a column with a hard limit takes no more than that, and the rest can be tried again", func(t *testing.T) {
		board := e.Board(t, "TIGHT")
		e.Exec(t, "UPDATE board_column SET wip_limit = 2, wip_hard = TRUE WHERE id = ?", uint64(board.Columns[1].ID))
		file := "title,key,status\na,T-1,Doing\nb,T-2,Doing\nc,T-3,Doing\nd,T-4,To do\n"
		for n, note := range e.newImport(t, file, "board", "TIGHT").preview() {
			if strings.HasSuffix(note,
				"; “Doing” has room for 2 more: which rows get it shows when they are imported") != (n < 3) ||
				!strings.HasPrefix(note, "would open as TIGHT-…") {
				t.Errorf("a dry run says %q", note)
			}
		}
		notes := e.newImport(t, file, "board", "TIGHT").run()
		if !strings.HasPrefix(notes[2], "!“Doing” is full") || notes[3] != "opened as TIGHT-3 in “To do”" {
			t.Errorf("got %q", notes)
		}
		if notes := e.newImport(t, file, "board", "TIGHT").preview(); !strings.HasPrefix(notes[2], "!“Doing” is full") {
			t.Errorf("a dry run says %q", notes)
		}
		e.Exec(t, "UPDATE board_column SET wip_limit = 3 WHERE id = ?", uint64(board.Columns[1].ID))
		if notes := e.newImport(t, file, "board", "TIGHT").run(); notes[2] != "opened as TIGHT-4 in “Doing”" {
			t.Errorf("got %q", notes)
		}
	})
	t.Run("rows without a title, and with a key without end, are rejected by line", func(t *testing.T) {
		i := e.newImport(t, "title,key\n ,A-1\n\"\u202e\",A-2\nx,"+strings.Repeat("k", 191)+"\nx,A-3\nx\n").fill()
		var got []string
		for _, r := range i.rejected {
			got = append(got, fmt.Sprint(r.Line, " ", r.Reason))
		}
		e.same(t, got, []string{"2 The row has no title.", "3 The row has no title.",
			"4 The key has 191 characters; it may have 190.", "6 The row has 1 fields, the header 2."})
		if len(i.tasks) != 1 {
			t.Errorf("%d tasks", len(i.tasks))
		}
	})
	t.Run("a file without titles, or without a column that is named, is refused", func(t *testing.T) {
		for _, c := range [][]string{{"a,b\n1,2\n"}, {"title,b\n1,2\n", "status", "Nope"}, {"title,b\n", "status", "b"}} {
			i := e.newImport(t, c[0], c[1:]...)
			if err := e.Migration(t, "import-tickets").Fill(e.Ctx, i); !errors.Is(err, fault.Invalid) {
				t.Errorf("%q: %v", c, err)
			}
		}
	})
	t.Run("parameters are checked", func(t *testing.T) {
		for param, value := range map[string]string{"company": "nope", "board": "NOPE", "author": "nobody@example.com",
			"statuses": "x = Nowhere", "other": "Nowhere"} {
			i := e.newImport(t, "", param, value)
			err := e.Migration(t, "import-tickets").Check(e.Ctx, i.values)
			if fault.Field(err) != param {
				t.Errorf("%s: %v", param, err)
			}
		}
		for _, author := range []string{"vera@example.com", "gil@example.com"} {
			values := e.newImport(t, "", "author", author).values
			if err := e.Migration(t, "import-tickets").Check(e.Ctx, values); fault.Field(err) != "author" {
				t.Errorf("%s imports: %v", author, err)
			}
		}
	})
	e.importSound(t)
}

// An import keeps the slugs of its keys for good, so it cannot keep as many as a file has.
func TestImport_of_many_projects(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	var file strings.Builder
	file.WriteString("Title,Key\n")
	const projects = 104
	for i := range 3 * projects { // each is there three times; lines 2 to 313
		fmt.Fprintf(&file, "Row,P%d-%d\n", i%projects, i+1)
	}
	file.WriteString("Row,\nRow,10001\nRow,P3-900\n")
	all := e.newImport(t, file.String()).fill()
	check := func(i *bareImport) {
		t.Helper()
		want := map[uint64]bool{}
		for line := range uint64(3 * projects) {
			want[line+2] = line%projects >= 100
		}
		for _, task := range i.tasks {
			if want[task.Line] {
				t.Errorf("line %d was taken", task.Line)
			}
			delete(want, task.Line)
		}
		for _, r := range i.rejected {
			if !want[r.Line] || !strings.Contains(r.Reason, "one project too many") {
				t.Errorf("line %d was rejected: %s", r.Line, r.Reason)
			}
			delete(want, r.Line)
		}
		if i.cursor == "" && (len(want) != 0 || len(i.tasks) != 3*100+3 || len(i.rejected) != 3*4) {
			t.Errorf("%d tasks, %d rejections; %v are missing", len(i.tasks), len(i.rejected), want)
		}
	}
	check(all)
	for _, cursor := range []string{all.tasks[0].Cursor, all.tasks[99].Cursor, all.rejected[1].Cursor,
		all.tasks[250].Cursor} {
		later := e.newImport(t, file.String())
		later.cursor = cursor
		check(later.fill())
		last := len(later.tasks) + len(later.rejected)
		if last == 0 || last >= len(all.tasks)+len(all.rejected) {
			t.Errorf("after %s come %d rows", cursor, last)
		}
		if n := len(later.rejected); cursor != all.tasks[250].Cursor && n < 8 {
			t.Errorf("after %s %d rows are rejected", cursor, n)
		}
	}
}

func TestImport_at_once(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	other := e.Board(t, "OTHER")
	var file bytes.Buffer
	out := csv.NewWriter(&file)
	out.Write([]string{"title", "key", "status"})
	for n := range 300 {
		out.Write([]string{fmt.Sprint("Ticket ", n), fmt.Sprint("BIG-", n+1), []string{"To do", "Doing", "Done"}[n%3]})
	}
	out.Flush()
	var wg sync.WaitGroup
	for n := range 4 {
		board := "DEMO"
		if n == 3 {
			board = other.Slug // another board, whose columns are others: only the unique key is in the way
		}
		wg.Go(func() {
			i := e.newImport(t, file.String(), "board", board).fill()
			for block := range slices.Chunk(i.works(), 20) {
				i.blockOrEach(block)
			}
		})
	}
	wg.Wait()
	e.Counts(t, 300, "SELECT COUNT(*) FROM ticket WHERE title LIKE 'Ticket %'")
	e.Counts(t, 300, "SELECT COUNT(DISTINCT external_id) FROM ticket_origin")
	e.importSound(t)
}

// blockOrEach does a block as the engine does: if it fails, each task alone.
func (i *bareImport) blockOrEach(block []*migrations.Work) {
	write := func(works []*migrations.Work) error {
		return i.h.DB.InTx(i.h.Ctx,
			func(tx *db.Tx) error { return i.h.Migration(i.t, "import-tickets").Write(i.h.Ctx, tx, works) })
	}
	if write(block) == nil {
		return
	}
	for _, work := range block {
		for attempt := 0; attempt < 10 && errors.Is(write([]*migrations.Work{work}), tickets.CodeOriginTaken); attempt++ {
			continue
		}
		if outcome := work.Outcome(); outcome.Err != nil || outcome.Note == "" {
			i.t.Errorf("%q, %v", outcome.Note, outcome.Err)
		}
	}
}
