package labels_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

type env struct{ *apptest.Env }

func (e env) make(t *testing.T, name string) labels.Label {
	t.Helper()
	return domaintest.OK(e.Workflows.OpenLabel(e.Ctx, workflows.LabelDraft{Name: name}, nil))(t)
}

// label gives tickets a label.
func (e env) label(t *testing.T, label labels.Label, keys ...tickets.Key) {
	t.Helper()
	for _, key := range keys {
		_, _, err := e.Workflows.LabelTicket(e.Ctx, key, workflows.Labelling{Add: []id.Label{label.ID}})
		domaintest.Must(t, err)
	}
}

func (e env) names(t *testing.T, key tickets.Key) string {
	t.Helper()
	return labels.Names(domaintest.OK(e.Workflows.Ticket(e.Ctx, key))(t).Labels)
}

func TestPublishLabel(t *testing.T) {
	t.Parallel()
	t.Run("a run publishes each ticket of a merged label, and writes nothing else", func(t *testing.T) {
		t.Parallel()
		e := env{apptest.New(t)}
		ops := e.Board(t, "OPS")
		keys := e.Open(t, "OPS", ops.Columns[0].ID, 130)
		bug, fault := e.make(t, "bug"), e.make(t, "fault")
		e.label(t, bug, keys[0])
		e.Exec(t, "INSERT IGNORE INTO ticket_label SELECT id, ? FROM ticket WHERE board_id = ? AND local_id <= 120", uint64(bug.ID), uint64(ops.ID))
		e.label(t, fault, keys[119], keys[121])
		e.Publish(t)
		_, cursor := e.FeedItems(t, "tickets", "")
		history := e.Count(t, "SELECT COUNT(*) FROM activity")
		domaintest.OK(e.Workflows.MergeLabel(e.Ctx, bug.ID, fault.ID))(t)
		e.Counts(t, 0, "SELECT COUNT(*) FROM ticket WHERE feed_sync_id IS NULL")
		if runs := e.WorkAll(t, workflows.PublishLabelName); len(runs) != 1 || runs[0].State != migrations.Complete {
			t.Fatalf("%+v", runs)
		}
		e.Publish(t)
		items, _ := e.FeedItems(t, "tickets", cursor)
		if len(items) != 120 {
			t.Errorf("%d tickets were published", len(items))
		}
		e.Counts(t, history, "SELECT COUNT(*) FROM activity")
		if got := e.names(t, keys[0]) + e.names(t, keys[119]) + e.names(t, keys[121]); got != "faultfaultfault" {
			t.Errorf("they show %s", got)
		}
		e.Sound(t)
	})
	t.Run("filling goes on where it was stopped, also between two labels, and a task is done twice as once", func(t *testing.T) {
		t.Parallel()
		e := env{apptest.New(t)}
		ops := e.Board(t, "OPS")
		e.Open(t, "OPS", ops.Columns[0].ID, 210)
		bug, fault := e.make(t, "bug"), e.make(t, "fault")
		for label, to := range map[labels.Label]int{bug: 150, fault: 210} {
			e.Exec(t, "INSERT INTO ticket_label SELECT id, ? FROM ticket WHERE board_id = ? AND local_id <= ?", uint64(label.ID), uint64(ops.ID), to)
		}
		domaintest.OK(e.Workflows.MergeLabel(e.Ctx, bug.ID, fault.ID))(t)
		values := migrations.Values{"company": "acme", "label": strconv.Itoa(int(fault.ID))}
		whole := e.BareRun(t, workflows.PublishLabelName, 1, values)
		if len(whole.Tasks) != 5 { // 150 and 210
			t.Fatalf("%d tasks", len(whole.Tasks))
		}
		for stop := range 5 {
			part := whole.Again(stop)
			part.Tasks = slices.Clone(whole.Tasks[:stop])
			part.Until = 0
			domaintest.Must(t, part.Migration.Fill(e.Ctx, part))
			if fmt.Sprint(part.Tasks) != fmt.Sprint(whole.Tasks) {
				t.Errorf("stopped after %d it adds %v", stop, part.Tasks)
			}
		}
		e.Publish(t)
		whole.Do(t, whole.Tasks...)
		whole.Do(t, whole.Tasks...)
		e.Counts(t, 210, "SELECT COUNT(*) FROM ticket WHERE feed_sync_id IS NULL")
	})
	t.Run("there is no run for a label that is not the company's", func(t *testing.T) {
		t.Parallel()
		e := env{apptest.New(t)}
		for _, values := range []migrations.Values{{"company": "acme", "label": "99"}, {"company": "acme"}, {"label": "1"},
			{"company": "acme", "label": "x"}, {"company": "nobody", "label": "1"}} {
			domaintest.Fails(e.Console.OpenRun(e.Ctx, workflows.PublishLabelName, values, migrations.Draft{}, nil))(t,
				migrations.CodeBadParam)
		}
	})
}

// A ticket gets a label between the moment in which the label's tickets are published and that in which its row is locked.
func TestTicketLabelledDuringAChange(t *testing.T) {
	t.Parallel()
	d, watch := dbtest.NewWatched(t)
	e := env{apptest.On(t, d)}
	ops := e.Board(t, "OPS")
	keys := e.Open(t, "OPS", ops.Columns[0].ID, 3)
	bug := e.make(t, "bug")
	e.label(t, bug, keys[0])
	late := uint64(e.Ticket(t, keys[1].String()).ID)
	e.Publish(t)
	var once sync.Once
	watch.Rewrite(func(statement string) string {
		if strings.Contains(statement, "-- name: LockLabels ") {
			once.Do(func() {
				e.Exec(t, "INSERT INTO ticket_label (ticket_id, label_id) VALUES (?, ?)", late, uint64(bug.ID))
			})
		}
		return statement
	})
	name := "fault"
	domaintest.OK(e.Workflows.EditLabel(e.Ctx, bug.ID, workflows.LabelEdit{Name: &name}))(t)
	watch.Rewrite(nil)
	e.Counts(t, 2, "SELECT COUNT(*) FROM ticket WHERE feed_sync_id IS NULL")
	e.Counts(t, 1, "SELECT COUNT(*) FROM ticket WHERE feed_sync_id IS NULL AND id = ?", late)
}

// Tickets get and lose labels while these are renamed, merged and restored. In the end each label leads where its row
// says, and what the feed tells of each ticket is what the ticket shows.
func TestLabelsUnderContention(t *testing.T) {
	t.Parallel()
	e := env{apptest.New(t)}
	ops := e.Board(t, "OPS")
	keys := e.Open(t, "OPS", ops.Columns[0].ID, 12)
	all := []labels.Label{e.make(t, "a"), e.make(t, "b"), e.make(t, "c"), e.make(t, "d")}
	var work sync.WaitGroup
	expected := func(err error) {
		if err != nil && !errors.Is(err, fault.Conflict) && !errors.Is(err, fault.Invalid) && !errors.Is(err, fault.Unavailable) {
			t.Error(err)
		}
	}
	for writer := range 6 {
		work.Go(func() {
			for i := range 20 {
				one, other := all[(writer+i)%4], all[(writer*3+i*7)%4]
				switch {
				case writer >= 2:
					_, _, err := e.Workflows.LabelTicket(e.Ctx, keys[(writer*5+i)%12], workflows.Labelling{
						Add: []id.Label{one.ID}, Remove: []id.Label{other.ID}, Named: []string{fmt.Sprint("new ", i%3)}})
					expected(err)
				case i%4 == 0:
					_, err := e.Workflows.MergeLabel(e.Ctx, one.ID, other.ID)
					expected(err)
				case i%4 == 1:
					name := fmt.Sprint(one.Name, i)
					_, err := e.Workflows.EditLabel(e.Ctx, other.ID, workflows.LabelEdit{Name: &name})
					expected(err)
				default:
					_, err := e.Workflows.RestoreLabel(e.Ctx, all[i%4].ID)
					expected(err)
				}
			}
		})
	}
	work.Wait()
	e.Counts(t, 0, `SELECT COUNT(*) FROM label l WHERE l.live = TRUE AND (l.leads_to <> 0 OR l.shown_as <> 0)
		OR l.leads_to <> 0 AND NOT EXISTS (SELECT 1 FROM label t WHERE t.id = l.leads_to AND NOT t.renamed
		  AND l.shown_as = IF(t.shown_as = 0, t.id, t.shown_as))`)
	e.Counts(t, 3, "SELECT COUNT(*) FROM label WHERE name LIKE 'new %'")
	e.Publish(t)
	items, _ := e.FeedItems(t, "tickets", "")
	last := map[string]string{}
	for _, item := range items {
		resource := item.Data.(workflows.TicketResource)
		var names []string
		for _, label := range resource.Labels {
			names = append(names, label.Name)
		}
		last[resource.Key] = strings.Join(names, ", ")
	}
	for _, key := range keys {
		if got := e.names(t, key); got != last[key.String()] {
			t.Errorf("%s shows %q, the feed says %q", key, got, last[key.String()])
		}
	}
	e.Sound(t)
}
