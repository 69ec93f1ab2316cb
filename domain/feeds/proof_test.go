package feeds

// The proof of the feeds. Publishers, readers, writers, a purge and a restore run as they are, each with a
// connection of its own, one statement at a time in an order that is drawn at random (and shrunk when it
// fails), and die between statements. These must hold:
//
//	I1  no two rows have one position
//	I2  the sequence never falls within an epoch, and its version counts the batches
//	I3  once a reader could know that the feed has come to H, nothing comes to a position up to H any more
//	I4  a row whose content changed has no position, or a larger one
//	I5  when the writers rest, every consumer's copy comes to equal the table, by its filter
//	I6  what a consumer applied to a row is never replaced by an older version of it
//	I7  a cursor that a consumer saves lies behind nothing that it has not done: after a death it sees things
//	    again, and misses none
//	I8  a cursor from behind the horizon is refused, and no other is; one at or before it knows of no row that is
//	    gone
//	I9  batches are whole, and no row stays unpublished for a publisher that died
//	I10 a page ascends, lies behind the cursor, ends at its cursor and not behind the allocated positions; without
//	    more it reaches the head
//	I11 there are no deadlocks
//	I12 an unlocked row is published by the next pass
//	I13 a crash of the server takes back nothing that a consumer was given: it loses the commits whose answers, and
//	    those of all later ones, were not sent yet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/coalesce"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// plan is who does what, and in which order.
type plan struct {
	Writers  [2][]writerTx
	Passes   [2]int // of the publishers
	Polls    [2]int // of the consumers
	Limits   [2]int
	Board    uint32 // that the second consumer sees alone, 0: all
	Operator []string
	Slices   []slice
	Stop     *stop    // in place of turns
	Before   []string // whose first parts are over when it begins
	Kept     bool     // the first consumer is registered
	Insist   uint64   // the row that the second publisher waits for, 0: none
	// A publisher that died has published the third row, and its COMMIT was not answered.
	Unanswered bool
}

// writerTx is one transaction of a writer.
type writerTx struct {
	Action string
	Paper  uint64
	Board  uint32
}

// slice is the next actor, counted from the last one, for how many steps at most, and its fate at the first.
type slice struct {
	Actor, Steps int
	Fate         fate
}

var cast = []string{"writer 1", "writer 2", "publisher 1", "publisher 2", "consumer 1", "consumer 2", "operator"}

func drawWriterTx(t *rapid.T) writerTx {
	return writerTx{
		Action: rapid.SampledFrom([]string{"edit", "edit", "edit", "remove", "move"}).Draw(t, "what"),
		Paper:  rapid.Uint64Range(1, papers).Draw(t, "paper"),
		Board:  rapid.Uint32Range(1, 2).Draw(t, "board"),
	}
}

func drawSlice(t *rapid.T) slice {
	f := survives
	if n := rapid.IntRange(0, 49).Draw(t, "fate"); n >= 48 {
		f = fate(n - 47)
	}
	return slice{rapid.IntRange(0, len(cast)-1).Draw(t, "who"), rapid.SampledFrom([]int{1, 1, 1, 2, 3, 6, 12, 25}).Draw(t,
		"steps"), f}
}

func drawPlan(t *rapid.T) plan {
	deeds := rapid.SliceOfN(rapid.Custom(drawWriterTx), 1, 3)
	return plan{
		Writers:  [2][]writerTx{deeds.Draw(t, "writer 1"), deeds.Draw(t, "writer 2")},
		Passes:   [2]int{rapid.IntRange(1, 3).Draw(t, "passes 1"), rapid.IntRange(0, 2).Draw(t, "passes 2")},
		Polls:    [2]int{rapid.IntRange(1, 4).Draw(t, "polls 1"), rapid.IntRange(0, 3).Draw(t, "polls 2")},
		Limits:   [2]int{rapid.IntRange(1, 4).Draw(t, "limit 1"), rapid.IntRange(1, 4).Draw(t, "limit 2")},
		Board:    rapid.Uint32Range(0, 2).Draw(t, "board"),
		Operator: rapid.SampledFrom([][]string{nil, {"purge"}, {"crash"}, {"restore"}}).Draw(t, "operator"),
		Slices:   rapid.SliceOfN(rapid.Custom(drawSlice), 80, 80).Draw(t, "turns"),
		Kept:     rapid.Bool().Draw(t, "kept"),
		Insist:   rapid.Uint64Range(0, papers).Draw(t, "insist"),
	}
}

// perform runs a plan with parts and returns what was wrong.
func perform(s *env, p parts, plan plan) ([]violation, error) {
	r, err := newRun(s, p, plan)
	if err != nil {
		return nil, err
	}
	scripts := r.scripts()
	for _, name := range plan.Before {
		err = errors.Join(err, scripts[name][0](), r.observe())
		scripts[name] = scripts[name][1:]
	}
	if err != nil {
		return nil, err
	}
	err = s.play(scripts, plan.chooser(), r.observe)
	r.wrong = append(r.wrong, failures(err)...)
	if n := s.victims.Swap(0); n > 0 {
		r.wrong = append(r.wrong, violation{"I11", fmt.Sprintf("%d deadlocks", n)})
	}
	return r.wrong, r.finish()
}

// failures are what went wrong beside the rules. That the database has refused a position that a row or a batch
// has already is what a wrong feed may cause; nothing else is.
func failures(err error) (wrong []violation) {
	var all interface{ Unwrap() []error }
	switch {
	case err == nil:
	case errors.As(err, &all):
		for _, one := range all.Unwrap() {
			wrong = append(wrong, failures(one)...)
		}
	case db.IsDuplicate(err, "uq_paper_feed"), db.IsDuplicate(err, "PRIMARY"):
		wrong = append(wrong, violation{"duplicate", err.Error()})
	default:
		wrong = append(wrong, violation{"error", err.Error()})
	}
	return wrong
}

// chooser schedules the actors by the slices of the plan, and each to its end after these.
func (p plan) chooser() func(able []*actor) choice {
	if p.Stop != nil {
		return p.Stop.chooser()
	}
	return p.bySlices()
}

func (p plan) bySlices() func(able []*actor) choice {
	slices, left := p.Slices, 0
	var going *actor
	return func(able []*actor) choice {
		if going == able[0] && left > 0 || len(slices) == 0 {
			left--
			return choice{}
		}
		next := slices[0]
		slices, left = slices[1:], next.Steps-1
		index := next.Actor % len(able)
		going = able[index]
		return choice{index, next.Fate}
	}
}

// run is one performance.
type run struct {
	stage     *env
	parts     parts
	plan      plan
	ctx       context.Context
	engines   map[string]*Engine
	consumers [2]*consumer
	first     picture
	last      picture
	durable   picture // what a crash of the server leaves
	wrong     []violation
}

// newRun has the papers as they are at first: one is not published yet.
func newRun(s *env, p parts, plan plan) (*run, error) {
	r := &run{stage: s, parts: p, plan: plan, ctx: context.Background(), engines: map[string]*Engine{}}
	r.first = picture{value: 2, head: 2, version: 1, epoch: 1, batches: map[uint64]uint64{2: 2}, rows: map[uint64]row{
		1: {state{board: 1, seenOn: 2, content: 1}, 1}, 2: {state{board: 2, seenOn: 4, content: 1}, 2},
		3: {state: state{board: 1, seenOn: 2, content: 1}},
	}}
	r.last, r.durable, s.did = r.first, r.first, ""
	s.answered.Store(false)
	if plan.Unanswered {
		r.last = r.first.withThird()
	}
	for _, statement := range append(r.last.statements(), "DELETE FROM paper_note",
		"INSERT INTO paper_note (paper_id, content) VALUES (1, 1), (2, 1), (3, 1)") {
		if _, err := s.watch.Exec(statement); err != nil {
			return nil, err
		}
	}
	for _, a := range s.actors {
		e := New(a.db, nil, Feed{Name: theFeed, Table: "paper", Load: p.load})
		e.aheadFor = 0
		e.flushes = coalesce.New(func(ctx context.Context, feed string, calls []struct{}) ([]struct{}, error) {
			a.read = new(r.last)
			return calls, e.noteDurable(ctx, feed, 0)
		}, coalesce.Options{Timeout: time.Hour})
		r.engines[a.name] = e
	}
	now := func() picture { return r.last }
	r.consumers = [2]*consumer{newConsumer(plan.Limits[0], 0, now), newConsumer(plan.Limits[1], plan.Board, now)}
	if p.shared {
		r.consumers[1] = r.consumers[0]
		r.consumers[0].cursor = Cursor{Epoch: 1, Feed: theFeed}.String()
	}
	if r.consumers[0].registered = plan.Kept; plan.Kept {
		return r, r.register()
	}
	return r, nil
}

// register has the first consumer begin at the start of the feed.
func (r *run) register() error {
	start, err := r.engines["operator"].Start(r.ctx, theFeed)
	if err != nil {
		return err
	}
	return r.actor("operator").db.InTx(r.ctx, func(tx *db.Tx) error {
		if _, err := tx.SQL.Exec("DELETE FROM feed_consumer"); err != nil {
			return err
		}
		_, err := Register(r.ctx, tx, theCompany, theAccount, theConsumer, start)
		return err
	})
}

func (r *run) actor(name string) *actor {
	return r.stage.actors[slices.Index(cast, name)]
}

func (r *run) scripts() map[string][]func() error {
	scripts := map[string][]func() error{}
	for n := range 2 {
		writer, publisher, consumer := cast[n], cast[2+n], cast[4+n]
		for _, d := range r.plan.Writers[n] {
			scripts[writer] = append(scripts[writer], func() error { return r.write(r.actor(writer), d) })
		}
		for range r.plan.Passes[n] {
			scripts[publisher] = append(scripts[publisher], func() error { return r.parts.publish(r.ctx, r.engines[publisher]) })
		}
		if n == 1 && r.plan.Insist != 0 {
			scripts[publisher] = append(scripts[publisher],
				func() error { return r.parts.insist(r.ctx, r.engines[publisher], r.plan.Insist) })
		}
		for range r.plan.Polls[n] {
			scripts[consumer] = append(scripts[consumer], func() error {
				_, err := r.consumers[n].poll(r.ctx, r.actor(consumer), r.engines[consumer], r.parts)
				return err
			})
		}
	}
	for _, what := range r.plan.Operator {
		scripts["operator"] = append(scripts["operator"], func() error {
			d := r.actor("operator").db
			switch what {
			case "purge":
				return r.parts.purge(r.ctx, d)
			case "crash":
				return r.crash(r.actor("operator"))
			}
			return r.parts.restore(r.ctx, d, r.first)
		})
	}
	return scripts
}

func (r *run) write(a *actor, d writerTx) error {
	switch d.Action {
	case "edit":
		return r.parts.edit(r.ctx, a.db, d.Paper)
	case "remove":
		return r.parts.remove(r.ctx, a.db, d.Paper)
	}
	return r.parts.move(r.ctx, a.db, d.Paper, d.Board)
}

// observe compares what is committed with what was.
func (r *run) observe() error {
	if strings.HasPrefix(r.stage.did, "SELECT") {
		return nil
	}
	now, err := takePicture(r.stage.watch)
	if err != nil {
		return err
	}
	if r.stage.did != crashStep {
		r.wrong = append(r.wrong, between(r.last, now)...)
	}
	r.last = now
	if r.stage.answered.Swap(false) {
		r.durable = now
	}
	return nil
}

const crashStep = "crash"

// crash takes the database back to what is durable, and all connections with it.
func (r *run) crash(a *actor) error {
	var err error
	died := a.does(crashStep, func() {
		r.stage.disconnect(a)
		for _, c := range r.consumers {
			r.wrong = append(r.wrong, takenBack(c, r.durable)...)
		}
		for _, statement := range append(r.durable.statements(),
			"UPDATE paper_note n JOIN paper p ON p.id = n.paper_id SET n.content = p.content") {
			if _, failed := r.stage.watch.Exec(statement); failed != nil {
				err = failed
			}
		}
	})
	return cmp.Or(err, died)
}

// finish has the writers rest: all is published in a few passes, and consumers come to the end.
func (r *run) finish() error {
	name := "publisher 1"
	r.stage.did = ""
	for range 3 {
		if err := r.parts.publish(r.ctx, r.engines[name]); err != nil {
			r.wrong = append(r.wrong, failures(err)...)
		}
		if err := r.observe(); err != nil {
			return err
		}
	}
	for n, state := range r.last.rows {
		if state.position == 0 {
			r.wrong = append(r.wrong, violation{"I12", fmt.Sprintf("%d is not published", n)})
		}
	}
	for n, c := range r.consumers {
		if err := r.rest(c, cast[4+n]); err != nil {
			return err
		}
		r.wrong = append(append(r.wrong, c.wrong...), misses(c, r.last)...)
	}
	return nil
}

// rest has a consumer come to the end of the feed, which is a part of I5.
func (r *run) rest(c *consumer, name string) (err error) {
	e, more := r.engines[name], true
	for left := 40; more && left > 0; left-- {
		if more, err = c.poll(r.ctx, r.actor(name), e, r.parts); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if c.registered {
		registered, err := e.Consumer(r.ctx, theCompany, theFeed, theConsumer)
		if err != nil {
			return err
		}
		c.cursor = registered.Cursor.String()
	}
	if end := (Cursor{Epoch: r.last.epoch, Feed: theFeed, Position: r.last.value}).String(); c.cursor != end {
		c.found("I5", "%s stays at %s, and the feed ends at %s", name, c.cursor, end)
	}
	return nil
}

func TestAnyOrderOfStatements(t *testing.T) {
	t.Parallel()
	checkAll(t, newPaperEnv(t, cast...), right())
}

func checkAll(t *testing.T, s *env, p parts) {
	rapid.Check(t, func(rt *rapid.T) {
		plan := rapid.Custom(drawPlan).Draw(rt, "plan")
		wrong := domaintest.OK(perform(s, p, plan))(rt)
		if len(wrong) > 0 {
			rt.Fatalf("%v\n%s", wrong, strings.Join(s.log, "\n"))
		}
	})
}

// rules returns the names of the rules that were violated.
func rules(wrong []violation) []string {
	set := map[string]bool{}
	for _, v := range wrong {
		set[v.rule] = true
	}
	return slices.Sorted(maps.Keys(set))
}
