// Package failover makes a database fit for use whose server was promoted although it may lack the last changes of the
// one before it: numbers, codes, positions and leases that were handed out there are not handed out again. Its
// invariant: nothing uses the database until all of that stands (package hold); killed in between, it goes on when it
// is run again. Start at Run.
package failover

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/workflows"
	"github.com/counterfoil/counterfoil/ops/hold"
)

// Options say from where to where.
type Options struct {
	URL      string                             // of the promoted database
	Old      string                             // URL of the database before it; "" if that is gone
	Lost     time.Duration                      // how much may be lost
	Progress func(step string, done, all int64) // may be nil
}

// Reason is why runs are paused.
const Reason = "The database failed over, and what was done last may be lost."

// Run fails over, and returns its report. It returns CodeOldWritable, CodeOldUnclear, CodeSameServer, CodeReadOnly,
// CodeReplicating, CodeRunning, or why the schema cannot be used, before anything is changed. After any other error the
// database stays closed until Run is done again, which goes on with the options of before.
func Run(ctx context.Context, o Options) (Report, error) {
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	pool, err := openRaw(o.URL, 0)
	if err != nil {
		return Report{}, err
	}
	defer pool.Close()
	h, err := hold.Take(ctx, pool, db.FailoverMark)
	if errors.Is(err, hold.ErrTaken) {
		err = running()
	}
	if err != nil {
		return Report{}, fmt.Errorf("fail over: %w", err)
	}
	defer h.Conn.Close()
	report, err := held(ctx, h, o)
	if err != nil {
		return Report{}, fmt.Errorf("fail over: %w", err)
	}
	return report, nil
}

// held is Run for whoever holds the database.
func held(ctx context.Context, h hold.Hold, o Options) (Report, error) {
	cut, err := h.Found(ctx)
	if err == nil && cut {
		if report, done, err := ended(ctx, h, o.URL); done || err != nil {
			return report, err
		}
	}
	if err == nil {
		err = promoted(ctx, h.Conn)
	}
	if err == nil {
		err = current(ctx, h.Conn)
	}
	if err != nil {
		return Report{}, err
	}
	old, answer, err := fenced(ctx, o.Old, h.Conn)
	if err != nil {
		return Report{}, err
	}
	if err := h.Close(ctx); err != nil {
		if !cut { // nothing was done yet
			_ = h.Open(context.WithoutCancel(ctx))
		}
		return Report{}, err
	}
	if err := db.SchemaTo(o.URL, db.LatestSchema()); err != nil {
		return Report{}, err
	}
	d, err := db.OpenMarked(o.URL)
	if err != nil {
		return Report{}, err
	}
	defer d.Close()
	report, err := protect(ctx, h, d, o, old, answer)
	if err != nil {
		return Report{}, err
	}
	return report, h.Open(ctx)
}

// ended opens a database whose failover was cut off after its end: its mark has a row then.
func ended(ctx context.Context, h hold.Hold, url string) (report Report, done bool, err error) {
	n, err := h.Rows(ctx)
	if err != nil || n == 0 {
		return Report{}, false, err
	}
	d, err := db.OpenMarked(url)
	if err != nil {
		return Report{}, false, err
	}
	defer d.Close()
	if report, err = Last(ctx, d); err != nil {
		return Report{}, false, err
	}
	return report, true, h.Open(ctx)
}

// step is a part of a failover. It may be repeated: what it did counts once.
type step struct {
	name string
	do   func(f *failover, ctx context.Context) error
}

var steps = []step{
	{"skip ticket numbers", (*failover).skipNumbers},
	{"begin new epochs, put codes into quarantine, pause runs", (*failover).protect},
	{"fence workers and webhooks", (*failover).fence},
	{"mint codes", (*failover).mint},
	{"end browser sessions", (*failover).endSessions},
	{"write the audit list", (*failover).audit},
}

// failover is one, under way.
type failover struct {
	db *db.DB
	db.Failover
}

// Lost is how much may be lost.
func (f *failover) Lost() time.Duration { return time.Duration(f.LostUs) * time.Microsecond }

func protect(ctx context.Context, h hold.Hold, d *db.DB, o Options, old, answer string) (Report, error) {
	f, err := begin(ctx, d, o, old, answer)
	if err != nil {
		return Report{}, err
	}
	for i, step := range steps {
		o.Progress(step.name, int64(i), int64(len(steps)))
		if err := step.do(f, ctx); err != nil {
			return Report{}, fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return f.end(ctx, h)
}

// begin returns the failover that was cut off, or a new one.
func begin(ctx context.Context, d *db.DB, o Options, old, answer string) (*failover, error) {
	last, err := db.Read(d.LastFailover(ctx))
	if err == nil && last.EndedAt == nil {
		return &failover{d, last}, nil
	}
	if err != nil && !db.IsNotFound(err) {
		return nil, err
	}
	now := d.Now()
	lastAt, err := lastChange(ctx, d, now)
	if err != nil {
		return nil, err
	}
	audit, err := db.Read(d.LastAudit(ctx))
	if err != nil {
		return nil, err
	}
	codes, err := refs.ReadState(ctx, d.Queries, now)
	if err != nil {
		return nil, err
	}
	_, err = db.Read(d.OpenFailover(ctx, db.OpenFailoverParams{Old: cut(old), Answer: cut(answer),
		LostUs: uint64(o.Lost.Microseconds()), LastAt: lastAt, LastAudit: uint64(audit), Pool: codes.Available,
		Quarantined: codes.Quarantined, BeganAt: now}))
	if err != nil {
		return nil, err
	}
	row, err := db.Read(d.LastFailover(ctx))
	return &failover{d, row}, err
}

// cut is a text that fits its column.
func cut(text string) string { return migrations.Cut(text, 500) }

// lastChange is the newest time that the database knows, but no later than now: the old server was there until then.
func lastChange(ctx context.Context, d *db.DB, now time.Time) (time.Time, error) {
	times, err := db.Read(d.LastTimes(ctx))
	if err != nil {
		return time.Time{}, err
	}
	if len(times) == 0 {
		return now, nil
	}
	last := slices.MaxFunc(times, time.Time.Compare)
	if last.After(now) {
		return now, nil
	}
	return last, nil
}

func (f *failover) protect(ctx context.Context) error { return hold.Protect(ctx, f.db, Reason) }

const (
	// lostFences is more than the fences that can have been taken after the last change that the database knows.
	lostFences = 1_000_000
	// atOnce is how many rows a transaction changes.
	atOnce = 500
)

// fence keeps workers of before from finishing tasks and filling runs, and their senders from moving webhooks.
func (f *failover) fence(ctx context.Context) error {
	for _, state := range migrations.Active {
		if err := f.fenceRuns(ctx, state); err != nil {
			return err
		}
	}
	for after, more := id.Webhook(0), true; more; {
		ids, err := db.Read(f.db.WebhookIDs(ctx, after, atOnce))
		if err != nil || len(ids) == 0 {
			return err
		}
		if _, err := db.Read(f.db.FenceWebhooks(ctx, lostFences, ids)); err != nil {
			return err
		}
		after, more = ids[len(ids)-1], len(ids) == atOnce
	}
	return nil
}

func (f *failover) fenceRuns(ctx context.Context, state migrations.State) error {
	for before, more := id.Run(1<<63-1), true; more; {
		runs, err := db.Read(f.db.RunsIn(ctx, db.RunsInParams{State: string(state), Before: before, Limit: atOnce}))
		if err != nil {
			return err
		}
		for _, run := range runs {
			if err := f.fenceRun(ctx, run.ID); err != nil {
				return err
			}
			before = run.ID
		}
		more = len(runs) == atOnce
	}
	return nil
}

func (f *failover) fenceRun(ctx context.Context, run id.Run) error {
	if err := f.db.FenceFill(ctx, lostFences, run); err != nil {
		return err
	}
	for after, more := id.Task(0), true; more; {
		ids, err := db.Read(f.db.ProcessingTasks(ctx, db.ProcessingTasksParams{RunID: run, After: after, Limit: atOnce}))
		if err != nil || len(ids) == 0 {
			return err
		}
		if _, err := db.Read(f.db.FenceTasks(ctx, ids)); err != nil {
			return err
		}
		after, more = ids[len(ids)-1], len(ids) == atOnce
	}
	return nil
}

// mint opens a run for as many codes as the pool had, or as refills keep there.
func (f *failover) mint(ctx context.Context) error {
	if f.MintRun != 0 {
		return nil
	}
	w := app.New(f.db)
	defer w.Close(ctx)
	return f.db.InTx(ctx, func(tx *db.Tx) error {
		if _, err := refs.LockPolicy(ctx, tx); err != nil {
			return err
		}
		state, err := refs.ReadState(ctx, tx.Queries, tx.Now)
		if err != nil {
			return err
		}
		n := min(max(f.Pool, state.Refill()), refs.MaxMint)
		if n == 0 {
			return nil
		}
		run, err := w.Engine.OpenIn(ctx, tx, migrations.Actor{Name: "failover"}, workflows.MintName, migrations.Values{
			"codes": strconv.FormatUint(n, 10), "length": strconv.Itoa(state.RefillLength())})
		if err != nil {
			return err
		}
		f.MintRun = run.ID
		if err := tx.SetFailoverMint(ctx, run.ID, f.ID); err != nil {
			return err
		}
		return refs.SetRefill(ctx, tx, run.ID)
	})
}

// endSessions signs out every browser: it may be signed in by what was revoked after the last change that is known.
func (f *failover) endSessions(ctx context.Context) error {
	for n := int64(atOnce); n == atOnce; {
		err := f.db.InTx(ctx, func(tx *db.Tx) (err error) {
			if n, err = tx.EndBrowserSessions(ctx, atOnce); err != nil {
				return err
			}
			return tx.CountEndedSessions(ctx, uint64(n), f.ID)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// audit adds an entry to the list of each company, by the first operator.
func (f *failover) audit(ctx context.Context) error {
	operators, err := db.Read(f.db.FirstOperators(ctx))
	if err != nil || len(operators) == 0 {
		return err
	}
	for after, more := id.Company(0), true; more; {
		ids, err := db.Read(f.db.CompanyIDs(ctx, after, atOnce))
		if err != nil {
			return err
		}
		for _, company := range ids {
			if err := f.auditIn(ctx, company, operators[0]); err != nil {
				return err
			}
			after = company
		}
		more = len(ids) == atOnce
	}
	return nil
}

func (f *failover) auditIn(ctx context.Context, company id.Company, operator id.Account) error {
	return f.db.InTx(ctx, func(tx *db.Tx) error {
		there, err := tx.AuditedSince(ctx, db.AuditedSinceParams{CompanyID: &company, After: id.Audit(f.LastAudit),
			Kind: accounts.AuditFailedOver})
		if err != nil || there {
			return err
		}
		return accounts.Record(ctx, tx, company, operator, accounts.AuditFailedOver, accounts.AuditDetail{})
	})
}

// Last returns the report of the last failover, or CodeNone.
func Last(ctx context.Context, d *db.DB) (Report, error) {
	row, err := db.Read(d.LastFailover(ctx))
	if db.IsNotFound(err) || err == nil && row.EndedAt == nil {
		return Report{}, none()
	}
	if err != nil {
		return Report{}, fmt.Errorf("read the report: %w", err)
	}
	return parse(row)
}
