package workflows_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// town is a company's boards with every key that was ever given, and its ticket.
type town struct {
	h      *env
	rt     *rapid.T
	boards []id.Board
	owner  map[tickets.Key]int // by the slug of the time
	ids    map[int]tickets.ID
	now    []tickets.Key   // of each ticket, in the order in which they were opened
	gone   map[int]bool    // those that are deleted
	given  map[string]bool // every board id and number ever given
}

// may fails if the rules do not allow an error.
func (w *town) may(err error, allowed ...fault.Code) bool {
	for _, code := range allowed {
		if err != nil && errors.Is(err, code) {
			return false
		}
	}
	domaintest.Must(w.rt, err)
	return true
}

func (w *town) board(label string) boards.Board {
	n := rapid.SampledFrom(w.boards).Draw(w.rt, label)
	board, err := boards.ByID(w.h.Ctx, w.h.DB.Queries, w.h.Actor.Sight(), n)
	w.may(err)
	return board
}

func column(rt *rapid.T, board boards.Board) boards.Column {
	return rapid.SampledFrom(board.Columns).Draw(rt, "column")
}

// ticket is one of all that were ever opened.
func (w *town) ticket() int {
	if len(w.now) == 0 {
		w.rt.Skip()
	}
	return rapid.IntRange(0, len(w.now)-1).Draw(w.rt, "ticket")
}

// oldKey is any key that the ticket ever had.
func (w *town) oldKey(n int) tickets.Key {
	var keys []tickets.Key
	for key, owner := range w.owner {
		if owner == n {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b tickets.Key) int { return strings.Compare(a.String(), b.String()) })
	return rapid.SampledFrom(keys).Draw(w.rt, "key")
}

// handOut records that a ticket has a key; numbers are a board's, whatever its slug.
func (w *town) handOut(n int, key tickets.Key, board id.Board, fresh bool) {
	if owner, known := w.owner[key]; known && owner != n {
		w.rt.Fatalf("%s was ticket %d and is %d now", key, owner, n)
	}
	number := fmt.Sprint(board, "-", key.Number)
	if fresh && w.given[number] {
		w.rt.Fatalf("%s was handed out before", key)
	}
	w.given[number] = true
	w.owner[key] = n
	w.now[n] = key
}

func (w *town) check(*rapid.T) {
	for key, n := range w.owner {
		ticket, err := w.h.Workflows.Ticket(w.h.Ctx, key)
		if w.gone[n] {
			if !errors.Is(err, tickets.CodeNotFound) {
				w.rt.Fatalf("%s is deleted: %+v, %v", key, ticket, err)
			}
			continue
		}
		if known, ok := w.ids[n]; err != nil || ok && known != ticket.ID {
			w.rt.Fatalf("%s was ticket %d, which is %s; it leads to %s, %v", key, n, w.now[n], ticket.Key, err)
		}
		w.ids[n], w.now[n] = ticket.ID, ticket.Key
		w.owner[ticket.Key] = n // a board's slug may be another by now
	}
	w.h.Sound(w.rt)
}

func TestKeysAreForEver(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	servers := []*env{e, e.another(t)}
	slugs := 0
	rapid.Check(t, func(rt *rapid.T) {
		w := &town{h: e, rt: rt, owner: map[tickets.Key]int{}, ids: map[int]tickets.ID{}, gone: map[int]bool{},
			given: map[string]bool{}}
		for range 3 {
			slugs++
			w.boards = append(w.boards, e.Board(t, fmt.Sprintf("B%d", slugs)).ID)
		}
		server := func() *env { return servers[rapid.IntRange(0, 1).Draw(w.rt, "server")] }
		act := func(do func()) func(*rapid.T) {
			return func(again *rapid.T) { w.rt = again; do() }
		}
		rt.Repeat(map[string]func(*rapid.T){
			"": w.checkNow,
			"open": act(func() {
				board := w.board("board")
				slug := board.Slug
				ticket, err := server().Workflows.OpenTicket(e.Ctx, slug, tickets.Draft{Title: "x", Column: column(w.rt, board).ID},
					nil)
				if w.may(err, boards.CodeArchived, boards.CodeColumnFull) {
					w.now = append(w.now, ticket.Key)
					w.handOut(len(w.now)-1, ticket.Key, board.ID, true)
				}
			}),
			"move": act(func() {
				n, board := w.ticket(), w.board("board")
				moved, _, err := server().Workflows.MoveTicket(e.Ctx, w.oldKey(n),
					tickets.Intent{Board: board.Slug, Column: column(w.rt, board).ID})
				if !w.may(err, tickets.CodeNotFound, boards.CodeArchived, boards.CodeColumnFull) {
					return
				}
				w.handOut(n, moved.Ticket.Key, board.ID, false)
			}),
			"delete": act(func() {
				n := w.ticket()
				if w.may(e.Workflows.DeleteTicket(e.Ctx, w.oldKey(n)), tickets.CodeNotFound, boards.CodeArchived) {
					w.gone[n] = true
				}
			}),
			"restore": act(func() {
				n := w.ticket()
				_, _, err := e.Workflows.RestoreTicket(e.Ctx, w.oldKey(n))
				if w.may(err, boards.CodeArchived, boards.CodeColumnFull) {
					delete(w.gone, n)
				}
			}),
			"close": act(func() {
				_, _, err := e.Workflows.CloseTicket(e.Ctx, w.oldKey(w.ticket()))
				w.may(err, tickets.CodeNotFound, boards.CodeArchived, boards.CodeColumnFull)
			}),
			"reopen": act(func() {
				_, _, err := e.Workflows.ReopenTicket(e.Ctx, w.oldKey(w.ticket()))
				w.may(err, tickets.CodeNotFound, boards.CodeArchived, boards.CodeColumnFull, boards.CodeAllDone)
			}),
			"rename": act(func() {
				board := w.board("board")
				slugs++
				to := fmt.Sprintf("B%d", slugs)
				if rapid.Bool().Draw(w.rt, "to one of old") {
					to = fmt.Sprintf("B%d", rapid.IntRange(max(1, slugs-6), slugs).Draw(w.rt, "slug"))
				}
				_, err := server().Workflows.RenameBoard(e.Ctx, board.Slug, boards.Names{Slug: &to}, board.Version)
				w.may(err, boards.CodeArchived, boards.CodeSlugConflict)
			}),
			"archive or restore": act(func() {
				board := w.board("board")
				_, err := server().Workflows.ArchiveBoard(e.Ctx, board.Slug, !board.Archived(), nil)
				w.may(err)
			}),
			"add a column": act(func() {
				_, _, err := server().Workflows.OpenColumn(e.Ctx, w.board("board").Slug,
					boards.ColumnEdit{Name: new("More"), Position: new(rapid.IntRange(1, 4).Draw(w.rt, "position"))}, nil, nil)
				w.may(err, boards.CodeArchived)
			}),
			"edit a column": act(func() {
				board := w.board("board")
				edit := boards.ColumnEdit{Done: new(rapid.Bool().Draw(w.rt, "done")),
					WIP: new(rapid.SampledFrom([]string{"none", "soft", "hard"}).Draw(w.rt, "wip")), Limit: new(3)}
				_, err := server().Workflows.EditColumn(e.Ctx, board.Slug, column(w.rt, board).ID, edit, nil)
				w.may(err, boards.CodeArchived)
			}),
			"remove a column": act(func() {
				board := w.board("board")
				_, err := server().Workflows.RemoveColumn(e.Ctx, board.Slug, column(w.rt, board).ID, column(w.rt, board).ID, nil)
				w.may(err, boards.CodeArchived, boards.CodeLastColumn, boards.CodeNoHeir, boards.CodeColumnFull)
			}),
		})
	})
}

func (w *town) checkNow(rt *rapid.T) { w.rt = rt; w.check(rt) }
