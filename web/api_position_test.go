package web_test

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"
)

// columnsOf returns the tickets of a board by column.
func (e *env) columnsOf(b board) (all [][]string) {
	e.t.Helper()
	for _, c := range b.Columns {
		all = append(all, e.keys(b.Slug, c.ID))
	}
	return all
}

// newPositionEnv has the board NINJA with four tickets in its first column and two in the second, and moves them.
func newPositionEnv(t *testing.T) (*env, board, func(key string, where object) *answer) {
	t.Parallel()
	e := newEnv(t)
	b := e.newBoard("NINJA")
	e.newTickets("NINJA", b.Columns[0].ID, "a", "b", "c", "d")
	e.newTickets("NINJA", b.Columns[1].ID, "e", "f")
	return e, b, func(key string, where object) *answer { return e.program().post("/tickets/"+key+"/position", where) }
}

// holds fails unless the columns of a board have these tickets.
func (e *env) holds(t *testing.T, b board, want ...[]string) {
	t.Helper()
	for i, got := range e.columnsOf(b) {
		if !slices.Equal(got, want[i]) {
			t.Errorf("column %d is %v, not %v", i, got, want[i])
		}
		e.counts(t, len(want[i]), "SELECT ticket_count FROM board_column WHERE id = ?", b.Columns[i].ID)
	}
}

func TestAPIPosition(t *testing.T) {
	t.Parallel()
	for rule, c := range map[string]struct {
		key      string
		column   int
		after    any
		want     [][]string
		above    string
		appended bool
	}{
		"null is the top": {"NINJA-3", 0, nil,
			[][]string{{"NINJA-3", "NINJA-1", "NINJA-2", "NINJA-4"}, {"NINJA-5", "NINJA-6"}, nil}, "", false},
		"the top of another column": {"NINJA-3", 1, nil,
			[][]string{{"NINJA-1", "NINJA-2", "NINJA-4"}, {"NINJA-3", "NINJA-5", "NINJA-6"}, nil}, "", false},
		"an empty column": {"NINJA-3", 2, nil,
			[][]string{{"NINJA-1", "NINJA-2", "NINJA-4"}, {"NINJA-5", "NINJA-6"}, {"NINJA-3"}}, "", false},
		"below another": {"NINJA-1", 0, "NINJA-3",
			[][]string{{"NINJA-2", "NINJA-3", "NINJA-1", "NINJA-4"}, {"NINJA-5", "NINJA-6"}, nil}, "NINJA-3", false},
		"above its neighbour": {"NINJA-3", 0, "NINJA-1",
			[][]string{{"NINJA-1", "NINJA-3", "NINJA-2", "NINJA-4"}, {"NINJA-5", "NINJA-6"}, nil}, "NINJA-1", false},
		"below the last": {"NINJA-1", 1, "NINJA-6",
			[][]string{{"NINJA-2", "NINJA-3", "NINJA-4"}, {"NINJA-5", "NINJA-6", "NINJA-1"}, nil}, "NINJA-6", false},
		"below another in lower case": {"ninja-1", 1, "ninja-5",
			[][]string{{"NINJA-2", "NINJA-3", "NINJA-4"}, {"NINJA-5", "NINJA-1", "NINJA-6"}, nil}, "NINJA-5", false},
		"below one that is in another column": {"NINJA-1", 1, "NINJA-3",
			[][]string{{"NINJA-2", "NINJA-3", "NINJA-4"}, {"NINJA-5", "NINJA-6", "NINJA-1"}, nil}, "NINJA-6", true},
		"below one that never was": {"NINJA-1", 0, "NINJA-99",
			[][]string{{"NINJA-2", "NINJA-3", "NINJA-4", "NINJA-1"}, {"NINJA-5", "NINJA-6"}, nil}, "NINJA-4", true},
		"below one of another board": {"NINJA-1", 0, "DEMO-2",
			[][]string{{"NINJA-2", "NINJA-3", "NINJA-4", "NINJA-1"}, {"NINJA-5", "NINJA-6"}, nil}, "NINJA-4", true},
		"below one that has gone, in its own rest": {"NINJA-4", 0, "NINJA-99",
			[][]string{{"NINJA-1", "NINJA-2", "NINJA-3", "NINJA-4"}, {"NINJA-5", "NINJA-6"}, nil}, "NINJA-3", true},
		"the end of an empty column": {"NINJA-1", 2, "NINJA-99",
			[][]string{{"NINJA-2", "NINJA-3", "NINJA-4"}, {"NINJA-5", "NINJA-6"}, {"NINJA-1"}}, "", true},
		"where it is": {"NINJA-2", 0, "NINJA-1",
			[][]string{{"NINJA-1", "NINJA-2", "NINJA-3", "NINJA-4"}, {"NINJA-5", "NINJA-6"}, nil}, "NINJA-1", false},
		"the top where it is": {"NINJA-1", 0, nil,
			[][]string{{"NINJA-1", "NINJA-2", "NINJA-3", "NINJA-4"}, {"NINJA-5", "NINJA-6"}, nil}, "", false},
	} {
		t.Run(rule, func(t *testing.T) {
			e, b, move := newPositionEnv(t)
			var moved ticket
			move(c.key, object{"column": b.Columns[c.column].ID, "after": c.after}).is(t, 200).read(t, &moved)
			e.holds(t, b, c.want...)
			above := ""
			if moved.After != nil {
				above = *moved.After
			}
			if above != c.above || moved.Appended != c.appended || moved.Column != b.Columns[c.column].ID || moved.Version != 1 {
				t.Errorf("it says below %q, appended %v: %+v", above, moved.Appended, moved)
			}
		})
	}

	t.Run("below one that was deleted is the end", func(t *testing.T) {
		e, b, move := newPositionEnv(t)
		e.program().delete("/tickets/NINJA-2").is(t, 204)
		var moved ticket
		move("NINJA-1", object{"column": b.Columns[0].ID, "after": "NINJA-2"}).is(t, 200).read(t, &moved)
		if !moved.Appended {
			t.Error("it does not say so")
		}
		e.holds(t, b, []string{"NINJA-3", "NINJA-4", "NINJA-1"}, []string{"NINJA-5", "NINJA-6"}, nil)
	})

	t.Run("a meaningless intent is refused", func(t *testing.T) {
		e, b, move := newPositionEnv(t)
		demo := e.count("SELECT MIN(id) FROM board_column")
		first := b.Columns[0].ID
		e.unchanged(t, func() {
			move("NINJA-1", object{"column": first, "after": "NINJA-1"}).problem(t, 422, "after")
			move("NINJA-1", object{"column": first, "after": "ninja-1"}).problem(t, 422, "after")
			move("NINJA-1", object{"after": nil}).problem(t, 422, "column")
			move("NINJA-1", object{"column": nil, "after": nil}).problem(t, 422, "column")
			move("NINJA-1", object{"column": 4711, "after": nil}).problem(t, 422, "column")
			move("NINJA-1", object{"column": demo, "after": nil}).problem(t, 422, "column")
			move("NINJA-1", object{"column": -1, "after": nil}).problem(t, 422, "column")
			move("NINJA-1", object{"column": "1", "after": nil}).problem(t, 422, "column")
			for _, after := range []any{"", "x", "NINJA", "NINJA-0", hostile, 1, "NINJA-1\x00"} {
				move("NINJA-1", object{"column": first, "after": after}).problem(t, 422, "after")
			}
			move("NINJA-1", object{"column": first, "after": nil, "seen": object{"after": nil}}).is(t, 422)
			move("NINJA-1", object{"column": first, "after": nil, "seen": object{"column": first, "after": "x"}}).is(t, 422)
			move("NINJA-1", object{"column": first, "after": nil, "seen": object{"column": "x"}}).problem(t, 422, "seen.column")
			move("NINJA-1", object{"column": first, "after": nil, "position": 3}).problem(t, 422, "position")
			move("NINJA-9", object{"column": first, "after": nil}).problem(t, 404, "")
			move("NOPE-1", object{"column": first, "after": nil}).problem(t, 404, "")
			move("NINJA", object{"column": first, "after": nil}).problem(t, 404, "")
		})
	})

}

func TestAPIPositionSeen(t *testing.T) {
	t.Parallel()
	t.Run("a move that saw another place gets the ticket as it is", func(t *testing.T) {
		e, b, move := newPositionEnv(t)
		first, second := b.Columns[0].ID, b.Columns[1].ID
		move("NINJA-1", object{"column": second, "after": nil, "seen": object{"column": first, "after": nil}}).is(t, 200)
		e.unchanged(t, func() {
			for _, seen := range []object{{"column": first, "after": nil}, {"column": first},
				{"column": b.Columns[2].ID, "after": "NINJA-2"}, {"column": 4711}} {
				p := move("NINJA-1", object{"column": b.Columns[2].ID, "after": nil, "seen": seen}).problem(t, 409, "seen")
				var current ticket
				if p.Current == nil {
					t.Fatal("it does not say how the ticket is")
				}
				if err := json.Unmarshal(*p.Current, &current); err != nil || current.Key != "NINJA-1" || current.Column != second {
					t.Errorf("it is said to be %s", *p.Current)
				}
			}
		})
		move("NINJA-1", object{"column": first, "after": nil, "seen": object{"column": second, "after": nil}}).is(t, 200)
	})
	t.Run("a move within its column counts as one, too", func(t *testing.T) {
		e, b, move := newPositionEnv(t)
		first := b.Columns[0].ID
		move("NINJA-1", object{"column": first, "after": "NINJA-4", "seen": object{"column": first, "after": nil}}).is(t, 200)
		e.unchanged(t, func() {
			move("NINJA-1", object{"column": first, "after": "NINJA-2", "seen": object{"column": first, "after": nil}}).
				problem(t, 409, "seen")
		})
	})
	t.Run("neither an edit nor a neighbour's move refuses it", func(t *testing.T) {
		e, b, move := newPositionEnv(t)
		first, second := b.Columns[0].ID, b.Columns[1].ID
		e.program().patch("/tickets/NINJA-3", object{"title": "edited", "version": 1}).is(t, 200)
		move("NINJA-2", object{"column": second, "after": nil}).is(t, 200) // was above it
		move("NINJA-3", object{"column": second, "after": nil, "seen": object{"column": first, "after": "NINJA-2"}}).
			is(t, 200)
		e.newTickets("NINJA", first, "g")
		move("NINJA-7", object{"column": first, "after": "NINJA-1"}).is(t, 200) // comes between
		move("NINJA-4", object{"column": second, "after": nil, "seen": object{"column": first, "after": "NINJA-1"}}).
			is(t, 200)
		e.holds(t, b, []string{"NINJA-1", "NINJA-7"}, []string{"NINJA-4", "NINJA-3", "NINJA-2", "NINJA-5", "NINJA-6"}, nil)
	})
	t.Run("of many who saw one place exactly one moves", func(t *testing.T) {
		e, b, move := newPositionEnv(t)
		answers := make([]*answer, 12)
		var group sync.WaitGroup
		for i := range answers {
			group.Go(func() {
				answers[i] = move("NINJA-1", object{"column": b.Columns[1+i%2].ID, "after": nil,
					"seen": object{"column": b.Columns[0].ID, "after": nil}})
			})
		}
		group.Wait()
		won := 0
		for _, a := range answers {
			if a.code == 200 {
				won++
				continue
			}
			a.problem(t, 409, "seen")
		}
		if won != 1 {
			t.Errorf("%d moved it", won)
		}
		if n := len(e.keys("NINJA", b.Columns[0].ID)); n != 3 {
			t.Errorf("%d are left", n)
		}
	})
}
