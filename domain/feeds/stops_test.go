package feeds

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// stop is a schedule in which one actor stops once: it takes some steps, the others go to their ends one after
// another, and it continues.
type stop struct {
	steps  int
	orders []string // the one that stops first
	fate   fate     // of its last step before
	whole  bool     // whether it had as many steps
}

func (p *stop) chooser() func(able []*actor) choice {
	taken := 0
	return func(able []*actor) choice {
		at := func(name string) int {
			for n, a := range able {
				if a.name == name {
					return n
				}
			}
			return -1
		}
		if first := at(p.orders[0]); first >= 0 && taken < p.steps {
			taken++
			p.whole = taken == p.steps
			if p.whole {
				return choice{first, p.fate}
			}
			return choice{first, survives}
		}
		taken = p.steps
		for _, name := range p.orders[1:] {
			if n := at(name); n >= 0 {
				return choice{n, survives}
			}
		}
		return choice{}
	}
}

// scene is a plan with few actors.
type scene plan

var scenes = map[string]scene{
	"two publishers": {
		Writers: [2][]writerTx{{{Action: "edit", Paper: 1}}}, Passes: [2]int{1, 1}, Polls: [2]int{2, 0}, Limits: [2]int{4, 4},
	},
	"two writers of a row": {
		Writers: [2][]writerTx{{{Action: "edit", Paper: 1}}, {{Action: "edit", Paper: 1}}}, Passes: [2]int{2, 0},
		Polls: [2]int{1, 0}, Limits: [2]int{1, 1},
	},
	"two readers": {
		Writers: [2][]writerTx{{{Action: "edit", Paper: 1}}}, Passes: [2]int{1, 0}, Polls: [2]int{1, 2}, Limits: [2]int{4, 4},
	},
	"a reader of a board": {
		Writers: [2][]writerTx{{{Action: "move", Paper: 1, Board: 2}, {Action: "move", Paper: 2, Board: 1}}},
		Passes:  [2]int{2, 0}, Polls: [2]int{0, 3}, Limits: [2]int{1, 2}, Board: 1,
	},
	"a registered reader": {
		Writers: [2][]writerTx{{{Action: "edit", Paper: 1}}}, Passes: [2]int{1, 0}, Polls: [2]int{2, 0}, Limits: [2]int{2, 1},
		Kept: true,
	},
	"a publisher who waits for a row": {
		Writers: [2][]writerTx{{{Action: "edit", Paper: 3}}}, Passes: [2]int{1, 0}, Polls: [2]int{1, 0}, Limits: [2]int{4, 4},
		Insist: 3,
	},
	"a purge": {
		Writers: [2][]writerTx{{{Action: "remove", Paper: 1}}}, Passes: [2]int{1, 0}, Polls: [2]int{2, 0},
		Limits: [2]int{4, 4}, Operator: []string{"purge"},
	},
	"a purge of what a reader waits for": {
		Writers: [2][]writerTx{{{Action: "remove", Paper: 1}}}, Passes: [2]int{1, 0}, Polls: [2]int{2, 0},
		Limits: [2]int{4, 4}, Operator: []string{"purge"},
		Before: []string{"consumer 1", "writer 1", "publisher 1"},
	},
	"a crash beside a publisher": {
		Passes: [2]int{1, 0}, Polls: [2]int{1, 0}, Limits: [2]int{4, 4}, Operator: []string{"crash"},
	},
	"a crash after another's batch": {
		Passes: [2]int{1, 0}, Polls: [2]int{1, 0}, Limits: [2]int{4, 4}, Operator: []string{"crash"}, Unanswered: true,
	},
	"a crash beside a writer": {
		Writers: [2][]writerTx{{{Action: "edit", Paper: 1}}}, Polls: [2]int{1, 0}, Limits: [2]int{4, 4},
		Operator: []string{"crash"},
	},
	"a restore": {
		Writers: [2][]writerTx{{{Action: "edit", Paper: 2}}}, Passes: [2]int{1, 0}, Polls: [2]int{2, 0}, Limits: [2]int{2, 2},
		Operator: []string{"restore"},
	},
}

func (s scene) actors() (names []string) {
	for n, parts := range []int{len(s.Writers[0]), len(s.Writers[1]), s.Passes[0], s.Passes[1] + int(min(s.Insist, 1)),
		s.Polls[0], s.Polls[1], len(s.Operator)} {
		if parts > 0 && (parts > 1 || !slices.Contains(s.Before, cast[n])) {
			names = append(names, cast[n])
		}
	}
	return names
}

// stops are all schedules of the scene in which one actor stops once, anywhere, while the others continue in any
// order.
func (s scene) stops() iter.Seq[plan] { return s.ends(survives) }

// deaths are those in which it dies there, and begins its next part.
func (s scene) deaths(yield func(plan) bool) {
	for _, f := range []fate{diesBefore, diesAfter} {
		for plan := range s.ends(f) {
			if !yield(plan) {
				return
			}
		}
	}
}

func (s scene) ends(f fate) iter.Seq[plan] {
	return func(yield func(plan) bool) {
		for orders := range permutations(s.actors()) {
			for steps := 0; ; steps++ {
				at := &stop{steps: steps, orders: orders, fate: f}
				p := plan(s)
				p.Stop = at
				if !yield(p) {
					return
				}
				if steps > 0 && !at.whole {
					break
				}
			}
		}
	}
}

func permutations(names []string) iter.Seq[[]string] {
	return func(yield func([]string) bool) { permute(nil, names, yield) }
}

func permute(chosen, left []string, yield func([]string) bool) bool {
	if len(left) == 0 {
		return yield(chosen)
	}
	for n, name := range left {
		rest := append(append([]string{}, left[:n]...), left[n+1:]...)
		if !permute(append(append([]string{}, chosen...), name), rest, yield) {
			return false
		}
	}
	return true
}

func TestOneStopsAnywhere(t *testing.T) {
	t.Parallel()
	for name, scene := range scenes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newPaperEnv(t, cast...)
			schedules := scene.stops()
			if soak {
				schedules = both(schedules, scene.deaths)
			}
			n := rand.N(4) // one in four, others in the next run
			for plan := range schedules {
				if n++; n%4 > 0 && !soak {
					plan.Stop.whole = true // not tried, so the number of steps is unknown
					continue
				}
				wrong, err := perform(s, right(), plan)
				if err != nil || len(wrong) > 0 {
					t.Fatalf("%s\n%v %v\n%s", fmt.Sprint(*plan.Stop), err, wrong, strings.Join(s.log, "\n"))
				}
			}
			t.Logf("%d schedules", n)
		})
	}
}

func both[T any](first, second iter.Seq[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, seq := range []iter.Seq[T]{first, second} {
			for v := range seq {
				if !yield(v) {
					return
				}
			}
		}
	}
}

func TestParseLockWaiters(t *testing.T) {
	got := parseLockWaiters(`
---TRANSACTION 700, ACTIVE 1 sec
LOCK WAIT 2 lock struct(s), heap size 1128, 1 row lock(s)
MariaDB thread id 9, OS thread handle 1, query id 2 localhost root Updating
LIST OF TRANSACTIONS FOR EACH SESSION:
---TRANSACTION 736, ACTIVE 3 sec
LOCK WAIT 1 lock struct(s), heap size 1128, 0 row lock(s)
MariaDB thread id 0, OS thread handle 0, query id 0 InnoDB statistics
---TRANSACTION 737, ACTIVE 3 sec
LOCK WAIT 2 lock struct(s), heap size 1128, 1 row lock(s)
MySQL thread id 42, OS thread handle 3, query id 4 localhost root Updating
---TRANSACTION 738, ACTIVE 3 sec
2 lock struct(s), heap size 1128, 1 row lock(s)
MySQL thread id 43, OS thread handle 3, query id 5 localhost root
`)
	for connection, waits := range map[uint64]bool{0: false, 9: false, 42: true, 43: false} {
		if got[connection] != waits {
			t.Errorf("thread %d waits: %t", connection, got[connection])
		}
	}
}
