package upkeep_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/kinds/upkeep"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

func ofBoard(slug string) migrations.Values {
	return migrations.Values{"company": "acme", "board": slug}
}

func TestRebalanceRanks(t *testing.T) {
	t.Parallel()
	t.Run("users may do anything meanwhile: the order is that of the model without the run", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		var nth int
		rapid.Check(t, func(rt *rapid.T) {
			nth++
			slug := fmt.Sprintf("R%d", nth)
			board := e.Board(t, slug)
			column := board.Columns[0].ID
			m := apptest.Model{Columns: map[id.Column][]uint64{}}
			run := id.Run(1)
			open := func(n int) {
				for _, key := range e.Open(t, slug, column, n) {
					m.Columns[column] = append(slices.Clone(m.Columns[column]), key.Number)
				}
			}
			open(6)
			rt.Repeat(map[string]func(*rapid.T){
				"open": func(*rapid.T) { open(1) },
				"move": func(rt *rapid.T) {
					number := rapid.SampledFrom(m.Columns[column]).Draw(rt, "number")
					after := rapid.SampledFrom(append([]uint64{0}, m.Columns[column]...)).Draw(rt, "after")
					if after == number {
						rt.Skip()
					}
					if _, _, err := e.Workflows.MoveTicket(e.Ctx, *apptest.KeyOf(slug, number),
						tickets.Intent{Column: column, After: apptest.KeyOf(slug, after)}); err != nil {
						rt.Fatal(err)
					}
					m.Put(number, column, after)
				},
				"crowd": func(rt *rapid.T) { // until gaps are used up
					e.Exec(t, `UPDATE ticket t JOIN (SELECT id, ROW_NUMBER() OVER (ORDER BY rank_in_column) AS n FROM ticket WHERE column_id = ?) x ON x.id = t.id SET t.rank_in_column = CAST(x.n AS SIGNED) - 1000000 WHERE t.column_id = ?`, uint64(column), uint64(column))
					e.Exec(t, `UPDATE ticket SET rank_in_column = rank_in_column + 1000000 WHERE column_id = ? ORDER BY rank_in_column DESC`, uint64(column))
					e.Exec(t, `UPDATE board_column SET last_rank = ticket_count, spread_from = 0, spread_run = 0 WHERE id = ?`,
						uint64(column))
				},
				"spread": func(rt *rapid.T) {
					n := rapid.IntRange(1, 4).Draw(rt, "n")
					domaintest.Must(rt, e.DB.InTx(context.Background(), func(tx *db.Tx) error {
						_, err := upkeep.SpreadNext(context.Background(), tx, column, run, n)
						return err
					}))
				},
				"another run": func(*rapid.T) { run++ },
				"": func(rt *rapid.T) {
					if got := e.Stored(t, board).Columns[column]; !slices.Equal(got, m.Columns[column]) {
						rt.Fatalf("the column is %v, the model %v", got, m.Columns[column])
					}
				},
			})
			e.Sound(rt)
		})
	})

	t.Run("a crowded board gets full gaps, and nothing else changes", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "FULL")
		column := board.Columns[0].ID
		keys := e.Open(t, "FULL", column, 450)
		for _, key := range keys[300:320] { // into one gap
			if _, _, err := e.Workflows.MoveTicket(e.Ctx, key, tickets.Intent{Column: column, After: &keys[4]}); err != nil {
				t.Fatal(err)
			}
		}
		others := func() string {
			var all string
			domaintest.Must(t, e.DB.SQL.QueryRow(
				"SELECT CONCAT(COUNT(*), ' ', SUM(CRC32(CONCAT_WS('|', id, version, updated_at, moved_at, title, column_id))), ' ', (SELECT COUNT(*) FROM activity)) FROM ticket").Scan(&all))
			return all
		}
		before, order := others(), e.Stored(t, board)
		b := e.BareRun(t, "rebalance-ranks", 7, ofBoard("FULL"))
		if len(b.Tasks) != 3 {
			t.Errorf("450 tickets are %d tasks", len(b.Tasks))
		}
		for _, task := range b.Tasks {
			b.Do(t, task)
		}
		e.Counts(t, 0, `SELECT COUNT(*) FROM (SELECT rank_in_column - LAG(rank_in_column) OVER (ORDER BY rank_in_column) AS gap FROM ticket WHERE column_id = ?) x WHERE gap <> ?`, uint64(column), tickets.Gap)
		if after := e.Stored(t, board); !slices.Equal(after.Columns[column], order.Columns[column]) || others() != before {
			t.Error("something else changed")
		}
		e.Sound(t)
		preview, err := b.Preview(context.Background(), b.Works(b.Tasks)[0])
		if err != nil || preview != "Would spread up to 200 tickets of “To do” (part 1 of 3)." {
			t.Errorf("%q, %v", preview, err)
		}
	})

	t.Run("unknown ids are reported", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		for _, values := range []migrations.Values{{"company": "nobody", "board": "DEMO"},
			{"company": "acme", "board": "NOWHERE"}} {
			if err := e.Migration(t, "rebalance-ranks").Check(context.Background(), values); !errors.Is(err, fault.Invalid) ||
				fault.Field(err) == "" {
				t.Errorf("%v: %v", values, err)
			}
		}
	})

}

func TestRebalanceRanksResumes(t *testing.T) {
	t.Parallel()
	t.Run("the fill resumes at its cursor", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "STOP")
		e.Open(t, "STOP", board.Columns[0].ID, 401)
		e.Open(t, "STOP", board.Columns[1].ID, 2)
		whole := e.BareRun(t, "rebalance-ranks", 1, ofBoard("STOP"))
		part := whole.Again(2)
		if err := part.Fill(context.Background(), part); !errors.As(err, new(apptest.Stopped)) {
			t.Fatal(err)
		}
		part.Until = 0
		if err := part.Fill(context.Background(), part); err != nil || !slices.Equal(part.Tasks, whole.Tasks) ||
			len(whole.Tasks) != 4 {
			t.Errorf("%v: %v, want %v", err, part.Tasks, whole.Tasks)
		}
	})
	t.Run("no move of many concurrent users is lost", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		board := e.Board(t, "BUSY")
		column, beside := board.Columns[0].ID, board.Columns[1].ID
		keys := e.Open(t, "BUSY", column, 700)
		var group sync.WaitGroup
		var mu sync.Mutex
		type last struct {
			column id.Column
			below  bool // of its partner
		}
		acknowledged := map[int]last{}
		for user := range 6 {
			group.Go(func() {
				own, partner := keys[100*user], keys[100*user+50]
				random := rand.New(rand.NewPCG(1, uint64(user)))
				for range 25 {
					to := last{column, true}
					intent := tickets.Intent{Column: column, After: &partner}
					switch random.IntN(3) {
					case 0:
						to, intent = last{column, false}, tickets.Intent{Column: column}
					case 1:
						to, intent = last{beside, false}, tickets.Intent{Column: beside, AtEnd: true}
					}
					if _, _, err := e.Workflows.MoveTicket(e.Ctx, own, intent); err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					acknowledged[user] = to
					mu.Unlock()
				}
			})
		}
		for run := range 3 {
			b := e.BareRun(t, "rebalance-ranks", id.Run(run+1), ofBoard("BUSY"))
			var workers sync.WaitGroup
			for _, task := range b.Tasks {
				workers.Go(func() { b.Do(t, task) })
			}
			workers.Wait()
		}
		group.Wait()
		stored := e.Stored(t, board) // with strict ranks
		for user, want := range acknowledged {
			own, partner := keys[100*user].Number, keys[100*user+50].Number
			at, i := stored.Find(own)
			_, j := stored.Find(partner)
			if at != want.column || at == column && (i > j) != want.below {
				t.Errorf("%d's ticket is in column %d at %d, its partner at %d; acknowledged was %+v", user, at, i, j, want)
			}
		}
		e.Sound(t)
	})
}
