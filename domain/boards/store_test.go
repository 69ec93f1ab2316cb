package boards_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
)

var ctx = context.Background()

// company adds a company.
func company(t *testing.T, d *db.DB, slug string) id.Company {
	t.Helper()
	var n int64
	domaintest.Must(t, d.InTx(ctx, func(tx *db.Tx) (err error) {
		n, err = tx.CreateCompany(ctx, db.CreateCompanyParams{Slug: slug, Name: slug, CreatedAt: tx.Now})
		return err
	}))
	return id.Company(n)
}

func open(d *db.DB, company id.Company, draft boards.Draft) (board boards.Board, err error) {
	err = d.InTx(ctx, func(tx *db.Tx) error {
		board, err = boards.Open(ctx, tx, company, draft)
		return err
	})
	return board, err
}

func mustOpen(t *testing.T, d *db.DB, company id.Company, slug string) boards.Board {
	t.Helper()
	return domaintest.OK(open(d, company, boards.Draft{Slug: slug, Title: slug}))(t)
}

func count(t *testing.T, d *db.DB, query string) (n int) {
	t.Helper()
	return domaintest.Number(t, d, query)
}

func TestOpen(t *testing.T) {
	t.Parallel()

	t.Run("a board comes with its incrementer and columns and reads as it was made", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		acme := company(t, d, "acme")
		made, err := open(d, acme, boards.Draft{Slug: " ninja", Title: " Night  launches"})
		domaintest.Must(t, err)
		if made.Slug != "NINJA" || made.Title != "Night launches" || made.Version != 1 || len(made.Columns) != 3 ||
			!made.Columns[2].Done || made.Columns[0].Done {
			t.Errorf("%+v", made)
		}
		read, err := boards.BySlug(ctx, d.Queries, db.SightOfAll(acme), "ninja")
		if err != nil || fmt.Sprint(read) != fmt.Sprint(made) {
			t.Errorf("%+v was read as %+v, %v", made, read, err)
		}
		if n := count(t, d, "SELECT COUNT(*) FROM board_ticket_incrementer WHERE max_ticket_id = 0"); n != 1 {
			t.Errorf("%d incrementers", n)
		}
	})

	t.Run("a wrong draft leaves nothing behind", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		acme := company(t, d, "acme")
		for draft, want := range map[boards.Draft]error{
			{}:                             boards.EmptySlug(),
			{Slug: "1A", Title: "x"}:       boards.BadSlug(),
			{Slug: "NINJA"}:                boards.EmptyTitle(),
			{Slug: "NINJA", Title: "\xff"}: boards.BadTitle(),
		} {
			if _, err := open(d, acme, draft); !errors.Is(err, want) {
				t.Errorf("%+v: %v", draft, err)
			}
		}
		if n := count(t, d, "SELECT COUNT(*) FROM board") + count(t, d, "SELECT COUNT(*) FROM board_column"); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})

	t.Run("a slug is one board's in a company, in any case, and free in another", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		acme, rivals := company(t, d, "acme"), company(t, d, "rivals")
		mustOpen(t, d, acme, "NINJA")
		for _, slug := range []string{"NINJA", "ninja", " Ninja "} {
			if _, err := open(d, acme, boards.Draft{Slug: slug, Title: "x"}); !errors.Is(err,
				boards.SlugConflict("NINJA", boards.Board{Slug: "NINJA", Title: "NINJA"})) {
				t.Errorf("%q: %v", slug, err)
			}
		}
		mustOpen(t, d, rivals, "NINJA")
	})

	t.Run("of twenty at once with one slug one wins and nineteen get SlugConflict", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		acme := company(t, d, "acme")
		errs := make([]error, 20)
		var group sync.WaitGroup
		for i := range errs {
			group.Go(func() { _, errs[i] = open(d, acme, boards.Draft{Slug: "NINJA", Title: fmt.Sprint("by ", i)}) })
		}
		group.Wait()
		won, lost := 0, 0
		for _, err := range errs {
			switch {
			case err == nil:
				won++
			case errors.Is(err, boards.CodeSlugConflict):
				lost++
			default:
				t.Error(err)
			}
		}
		if won != 1 || lost != 19 {
			t.Errorf("%d won, %d lost", won, lost)
		}
		if b, i, c := count(t, d, "SELECT COUNT(*) FROM board"), count(t, d,
			"SELECT COUNT(*) FROM board_ticket_incrementer"), count(t, d, "SELECT COUNT(*) FROM board_column"); b != 1 ||
			i != 1 || c != 3 {
			t.Errorf("%d boards, %d incrementers, %d columns", b, i, c)
		}
	})
}

func TestRename(t *testing.T) {
	t.Parallel()
	rename := func(d *db.DB, board boards.Board, title string) (renamed boards.Board, err error) {
		err = d.InTx(ctx, func(tx *db.Tx) error {
			renamed, err = boards.Rename(ctx, tx, board, boards.Names{Title: &title})
			return err
		})
		return renamed, err
	}

	t.Run("it counts the version, and an old one is Stale with the board as it is", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		seen := mustOpen(t, d, company(t, d, "acme"), "NINJA")
		renamed, err := rename(d, seen, " Night  launches ")
		if err != nil || renamed.Title != "Night launches" || renamed.Version != 2 || renamed.Slug != "NINJA" ||
			len(renamed.Columns) != 3 {
			t.Errorf("%+v, %v", renamed, err)
		}
		_, err = rename(d, seen, "Mine")
		var stale boards.Stale
		if !errors.As(err, &stale) || stale.Current.Title != "Night launches" || stale.Current.Version != 2 {
			t.Errorf("%v", err)
		}
		domaintest.Fails(rename(d, renamed, ""))(t, boards.EmptyTitle())
	})

	t.Run("of twenty at once on one version exactly one is taken", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t)
		seen := mustOpen(t, d, company(t, d, "acme"), "NINJA")
		errs := make([]error, 20)
		titles := make([]string, 20)
		var group sync.WaitGroup
		for i := range errs {
			group.Go(func() {
				var renamed boards.Board
				renamed, errs[i] = rename(d, seen, fmt.Sprint("by ", i))
				titles[i] = renamed.Title
			})
		}
		group.Wait()
		won := -1
		for i, err := range errs {
			if err == nil && won >= 0 {
				t.Errorf("%d won, and so did %d", i, won)
			} else if err == nil {
				won = i
			} else if !errors.Is(err, boards.CodeStale) {
				t.Error(err)
			}
		}
		now, err := boards.BySlug(ctx, d.Queries, db.SightOfAll(seen.Company), "NINJA")
		if err != nil || won < 0 || now.Title != fmt.Sprint("by ", won) || titles[won] != now.Title || now.Version != 2 {
			t.Errorf("%d won, it is %+v, %v", won, now, err)
		}
	})
}

func TestBySlug(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t)
	acme, rivals := company(t, d, "acme"), company(t, d, "rivals")
	mustOpen(t, d, acme, "NINJA")
	for _, slug := range []string{"", "NINJ", "NINJA1", "NINJA%", "NINJ_", "' OR 1=1 --", "\xff", "NINJÄ", "NINJA\x00"} {
		if _, err := boards.BySlug(ctx, d.Queries, db.SightOfAll(acme), slug); !errors.Is(err, boards.NotFound()) {
			t.Errorf("%q: %v", slug, err)
		}
	}
	domaintest.Fails(boards.BySlug(ctx, d.Queries, db.SightOfAll(rivals), "NINJA"))(t, boards.NotFound())
}

func TestOf(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t)
	acme, rivals := company(t, d, "acme"), company(t, d, "rivals")
	for _, slug := range []string{"PIRATE", "NINJA", "A1"} {
		mustOpen(t, d, acme, slug)
	}
	mustOpen(t, d, rivals, "OTHER")
	list, err := boards.Of(ctx, d.Queries, db.SightOfAll(acme))
	if err != nil || len(list) != 3 || list[0].Slug != "A1" || list[1].Slug != "NINJA" || list[2].Slug != "PIRATE" {
		t.Errorf("%+v, %v", list, err)
	}
	for _, board := range list {
		one, err := boards.BySlug(ctx, d.Queries, db.SightOfAll(acme), board.Slug)
		if err != nil || fmt.Sprint(one) != fmt.Sprint(board) {
			t.Errorf("in the list %+v, alone %+v, %v", board, one, err)
		}
	}
	known, err := boards.Slugs(ctx, d.Queries, db.SightOfAll(acme), []string{"A1", "PIRATE", "UTF"})
	var slugs []string
	for _, k := range known {
		slugs = append(slugs, k.Slug)
	}
	slices.Sort(slugs)
	if err != nil || fmt.Sprint(slugs) != "[A1 PIRATE]" {
		t.Errorf("%v, %v", slugs, err)
	}
}

func TestAllocateNumbers(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t)
	acme := company(t, d, "acme")
	one, two := mustOpen(t, d, acme, "NINJA"), mustOpen(t, d, acme, "PIRATE")
	take := func(board boards.ID, k int) (last uint64, err error) {
		err = d.InTx(ctx, func(tx *db.Tx) error {
			last, err = boards.AllocateNumbers(ctx, tx, board, k)
			return err
		})
		return last, err
	}

	t.Run("each board counts for itself, and a rollback uses up no number", func(t *testing.T) {
		for i, c := range []struct {
			board boards.ID
			k     int
			last  uint64
		}{{one.ID, 1, 1}, {one.ID, 5, 6}, {two.ID, 2, 2}, {one.ID, 1, 7}} {
			if last, err := take(c.board, c.k); err != nil || last != c.last {
				t.Errorf("step %d: %d, %v", i, last, err)
			}
		}
		refused := errors.New("refused")
		err := d.InTx(ctx, func(tx *db.Tx) error {
			if _, err := boards.AllocateNumbers(ctx, tx, one.ID, 100); err != nil {
				return err
			}
			return refused
		})
		if !errors.Is(err, refused) {
			t.Fatal(err)
		}
		if last, err := take(one.ID, 1); err != nil || last != 8 {
			t.Errorf("%d, %v", last, err)
		}
	})

	t.Run("a board without an incrementer has no numbers", func(t *testing.T) {
		if last, err := take(4711, 1); err == nil {
			t.Errorf("it gave %d", last)
		}
	})

	t.Run("many at once get every number once", func(t *testing.T) {
		var mu sync.Mutex
		seen := map[uint64]bool{}
		var group sync.WaitGroup
		for i := range 20 {
			group.Go(func() {
				k := i%3 + 1
				last, err := take(two.ID, k)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				for n := last - uint64(k) + 1; n <= last; n++ {
					if seen[n] {
						t.Errorf("%d was handed out twice", n)
					}
					seen[n] = true
				}
			})
		}
		group.Wait()
		for n := uint64(3); n < 3+uint64(len(seen)); n++ {
			if !seen[n] {
				t.Errorf("%d was never handed out", n)
			}
		}
	})
}

func TestTakeRanks(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t)
	acme := company(t, d, "acme")
	one, two := mustOpen(t, d, acme, "NINJA"), mustOpen(t, d, acme, "PIRATE")
	take := func(board boards.ID, column id.Column, k int) (last int64, err error) {
		err = d.InTx(ctx, func(tx *db.Tx) error {
			last, err = boards.TakeRanks(ctx, tx, board, boards.Column{ID: column}, k, 1000)
			return err
		})
		return last, err
	}
	column := one.Columns[0].ID
	for i, want := range []int64{3000, 6000} {
		if last, err := take(one.ID, column, 3); err != nil || last != want {
			t.Errorf("step %d: %d, %v", i, last, err)
		}
	}
	if now, err := boards.BySlug(ctx, d.Queries, db.SightOfAll(acme), "NINJA"); err != nil || now.Columns[0].Count != 6 ||
		now.Tickets() != 6 {
		t.Errorf("%+v, %v", now, err)
	}
	for _, bad := range []id.Column{0, 4711, two.Columns[0].ID, 1<<64 - 1} {
		if last, err := take(one.ID, bad, 1); !errors.Is(err, boards.ColumnNotFound{Column: uint64(bad)}) {
			t.Errorf("column %d: %d, %v", bad, last, err)
		}
	}
}

func TestLive(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t)
	board := mustOpen(t, d, company(t, d, "acme"), "NINJA")
	lock := func() error {
		_, err := d.SQL.Exec("SELECT id FROM board WHERE id = ? FOR UPDATE NOWAIT", uint64(board.ID))
		return err
	}
	domaintest.Must(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		if err := boards.Live(t.Context(), tx, board.ID); err != nil {
			return err
		}
		if lock() == nil {
			t.Error("a board that is written to can be archived meanwhile")
		}
		return nil
	}))
	if err := lock(); err != nil {
		t.Errorf("nobody writes to the board any more: %v", err)
	}
}
