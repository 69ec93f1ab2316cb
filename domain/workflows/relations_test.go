package workflows_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// graph is a model of relations: whether the first ticket has a relation of a kind to the second.
type graph map[[3]int]bool

func (g graph) has(kind tickets.RelationKind, from, to int) bool {
	return g[[3]int{int(kind), from, to}]
}

// reach returns the tickets on the way from one along a kind, each with its level from 0.
func (g graph) reach(kind tickets.RelationKind, from, n int) map[int]int {
	levels := map[int]int{from: 0}
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		for to := range n {
			if _, met := levels[to]; !met && g.has(kind, queue[0], to) {
				levels[to] = levels[queue[0]] + 1
				queue = append(queue, to)
			}
		}
	}
	return levels
}

func deepest(levels map[int]int) (n int) {
	for _, level := range levels {
		n = max(n, level)
	}
	return n
}

// refuses returns the code with which a relation is refused, "" if it is taken.
func (g graph) refuses(kind tickets.RelationKind, from, to, n int) fault.Code {
	switch kind {
	case tickets.Parent, tickets.Blocks:
		return g.refuses(kind.Mirror(), to, from, n)
	case tickets.Child: // from is the parent
		if _, met := g.reach(tickets.Parent, from, n)[to]; met {
			return tickets.CodeRelationCycle
		}
		if deepest(g.reach(tickets.Parent, from, n))+deepest(g.reach(tickets.Child, to, n))+2 > tickets.MaxLevels {
			return tickets.CodeTooManyLevels
		}
		for other := range n {
			if g.has(tickets.Parent, to, other) {
				return tickets.CodeHasParent
			}
		}
	case tickets.BlockedBy: // to blocks from
		if _, met := g.reach(tickets.Blocks, from, n)[to]; met {
			return tickets.CodeRelationCycle
		}
	}
	return ""
}

func (g graph) set(kind tickets.RelationKind, from, to int, is bool) {
	g[[3]int{int(kind), from, to}], g[[3]int{int(kind.Mirror()), to, from}] = is, is
}

func TestRelationsAgainstAModel(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	const n = 8
	keys := e.Open(t, "NINJA", e.Board(t, "NINJA").Columns[0].ID, n)
	rapid.Check(t, func(r *rapid.T) {
		domaintest.Exec(t, e.DB, "DELETE FROM ticket_relation")
		model := graph{}
		for range rapid.IntRange(1, 25).Draw(r, "changes") {
			kind := rapid.SampledFrom(tickets.RelationKinds).Draw(r, "kind")
			from, to := rapid.IntRange(0, n-1).Draw(r, "from"), rapid.IntRange(0, n-1).Draw(r, "to")
			if from == to {
				continue
			}
			if rapid.IntRange(0, 4).Draw(r, "remove") == 0 {
				_, entry, err := e.Workflows.Unrelate(e.Ctx, keys[from], kind, keys[to])
				if err != nil || (entry.ID != 0) != model.has(kind, from, to) {
					r.Fatalf("%s is no longer %s %s: %v, %v", keys[from], kind, keys[to], entry.ID, err)
				}
				model.set(kind, from, to, false)
				continue
			}
			want := fault.Code("")
			had := model.has(kind, from, to)
			if !had {
				want = model.refuses(kind, from, to, n)
			}
			_, entry, err := e.Workflows.Relate(e.Ctx, keys[from], kind, keys[to])
			if fault.CodeOf(err) != want || err == nil && (entry.ID == 0) != had {
				r.Fatalf("%s %s %s: %v, not %q", keys[from], kind, keys[to], err, want)
			}
			if err == nil {
				model.set(kind, from, to, true)
			}
		}
		for i, key := range keys {
			ticket := domaintest.OK(e.Workflows.Ticket(e.Ctx, key))(t)
			var got, want []string
			for _, one := range ticket.Relations {
				got = append(got, fmt.Sprint(one.Kind, one.Key))
			}
			for _, kind := range tickets.RelationKinds {
				for to := range n {
					if model.has(kind, i, to) {
						want = append(want, fmt.Sprint(kind, keys[to]))
					}
				}
			}
			if !slices.Equal(got, want) {
				r.Fatalf("%s has %v, not %v", key, got, want)
			}
		}
	})
}

// Of relations that close a cycle only together, one at least is refused: A is above B and C above D, and two make B the
// parent of C and D the parent of A at once, so that none of their tickets is the same.
func TestCyclesAtOnce(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	column := e.Board(t, "NINJA").Columns[0].ID
	for _, kind := range []tickets.RelationKind{tickets.Child, tickets.Blocks} {
		for round := range 20 {
			keys := e.Open(t, "NINJA", column, 4)
			relate := func(from, to int) error {
				_, _, err := e.Workflows.Relate(e.Ctx, keys[from], kind, keys[to])
				return err
			}
			domaintest.Must(t, relate(0, 1))
			domaintest.Must(t, relate(2, 3))
			var both sync.WaitGroup
			var first, second error
			both.Go(func() { first = relate(1, 2) })
			both.Go(func() { second = relate(3, 0) })
			both.Wait()
			refused := 0
			for _, err := range []error{first, second} {
				if errors.Is(err, tickets.CodeRelationCycle) {
					refused++
				} else {
					domaintest.Must(t, err)
				}
			}
			if refused != 1 {
				t.Fatalf("round %d of %s: %d are refused: %v, %v", round, kind, refused, first, second)
			}
		}
	}
}

func TestRelationLimits(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	column := e.Board(t, "NINJA").Columns[0].ID
	keys, more := e.Open(t, "NINJA", column, 2), e.Open(t, "NINJA", column, tickets.MaxRelations)
	for _, key := range more {
		_, _, err := e.Workflows.Relate(e.Ctx, keys[0], tickets.RelatesTo, key)
		domaintest.Must(t, err)
	}
	for _, pair := range [][2]tickets.Key{{keys[0], keys[1]}, {keys[1], keys[0]}} {
		_, _, err := e.Workflows.Relate(e.Ctx, pair[0], tickets.RelatesTo, pair[1])
		domaintest.Is(t, err, tickets.CodeTooManyRelations)
	}
}
