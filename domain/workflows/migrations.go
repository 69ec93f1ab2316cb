package workflows

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/outbound"
)

// Option is something that the use cases are told from outside.
type Option func(w *settings)

// settings are what options set.
type settings struct {
	files    migrations.Files
	outbound *outbound.Client
	engine   migrations.Options
	base     string
	more     []*migrations.Migration
}

// WithFiles stores uploads and images there. Without it they are Unavailable.
func WithFiles(files migrations.Files) Option { return func(s *settings) { s.files = files } }

// WithOutbound asks other hosts with that client. Without it one is used that reaches public ones alone.
func WithOutbound(client *outbound.Client) Option { return func(s *settings) { s.outbound = client } }

// WithURL says where people find this program: addresses in what is sent to webhooks begin with it.
func WithURL(base string) Option { return func(s *settings) { s.base = strings.TrimSuffix(base, "/") } }

// WithVersion says which version of the program this is.
func WithVersion(version string) Option { return func(s *settings) { s.engine.Version = version } }

// WithReplicas has runs wait while one of them is too far behind.
func WithReplicas(replicas ...migrations.Replica) Option {
	return func(s *settings) { s.engine.Replicas = replicas }
}

// WithLog has what no request waits for write its log there.
func WithLog(log *slog.Logger) Option { return func(s *settings) { s.engine.Log = log } }

// WithMigrations registers more migrations than those that come with the program.
func WithMigrations(list ...*migrations.Migration) Option {
	return func(s *settings) { s.more = append(s.more, list...) }
}

// registered are the migrations that come with the program.
func (w *Workflows) registered() []*migrations.Migration {
	return append(w.upkeep(), w.importTickets(), w.downloadImages(), w.republish(), w.mintRefs(), w.loadRefs(), w.quarantineRefs())
}

// Engine is what works on migrations.
func (w *Workflows) Engine() *migrations.Engine { return w.engine }

// AsCommandLine returns a context in which whoever runs the program asks, as an operator.
func AsCommandLine(ctx context.Context) context.Context {
	return accounts.WithActor(ctx, accounts.Actor{Account: accounts.Account{Name: "command line", Operator: true}})
}

// operating returns who asks where they may run the instance: an operator, whose token has the scope.
func operating(ctx context.Context) (migrations.Actor, error) {
	actor := accounts.ActorFrom(ctx)
	if !actor.May(accounts.Operate) {
		return migrations.Actor{}, accounts.MissingScope(accounts.Operate)
	}
	if !actor.Account.Operator {
		return migrations.Actor{}, accounts.NotOperator()
	}
	who := migrations.Actor{Name: actor.Account.Name}
	if actor.Account.ID != 0 {
		who.Account = &actor.Account.ID
	}
	return who, nil
}

// operatingStill returns an error where whoever asks is no operator any more: a file may take an hour to
// come, and what is opened then works for days.
func operatingStill(ctx context.Context, tx *db.Tx, actor accounts.Actor) error {
	if actor.Account.ID == 0 { // whoever runs the program
		return nil
	}
	account, err := accounts.ByID(ctx, tx.Queries, actor.Account.ID)
	if err != nil {
		return err
	}
	switch {
	case !account.Operator:
		return accounts.NotOperator()
	case actor.Token != 0:
		if _, err := tx.LiveToken(ctx, actor.Token, actor.Company.ID); db.IsNotFound(err) {
			return accounts.BadToken()
		} else if err != nil {
			return fmt.Errorf("look for the token: %w", err)
		}
	case account.Epoch != actor.Account.Epoch:
		return accounts.SignedOut()
	}
	return nil
}

// Migrations returns all migrations. Like everything here it returns NotOperator or MissingScope to
// those who may not.
func (w *Workflows) Migrations(ctx context.Context) ([]migrations.Info, error) {
	if _, err := operating(ctx); err != nil {
		return nil, err
	}
	return w.engine.Infos(ctx)
}

// Migration returns a migration, or migrations.UnknownMigration.
func (w *Workflows) Migration(ctx context.Context, name string) (migrations.Info, error) {
	if _, err := operating(ctx); err != nil {
		return migrations.Info{}, err
	}
	return w.engine.Info(ctx, name)
}

// CheckRun returns the parameters of a run as they would be stored; see migrations.Engine.Check.
func (w *Workflows) CheckRun(ctx context.Context, name string, values migrations.Values) (migrations.Values, error) {
	if _, err := operating(ctx); err != nil {
		return nil, err
	}
	return w.engine.Check(ctx, name, values)
}

// OpenRun opens a run of a migration; see migrations.Engine.OpenRun.
func (w *Workflows) OpenRun(ctx context.Context, name string, values migrations.Values, draft migrations.Draft) (migrations.Run, error) {
	return w.OpenRunOnce(ctx, name, values, draft, nil)
}

// OpenRunOnce is OpenRun, once for a token's idempotency key where that is not nil.
func (w *Workflows) OpenRunOnce(ctx context.Context, name string, values migrations.Values, draft migrations.Draft, once *Once[migrations.Run]) (migrations.Run, error) {
	actor, err := operating(ctx)
	if err != nil {
		return migrations.Run{}, err
	}
	draft.Also = func(ctx context.Context, tx *db.Tx, run migrations.Run) error {
		if err := operatingStill(ctx, tx, accounts.ActorFrom(ctx)); err != nil || once == nil {
			return err
		}
		return remember(ctx, tx, once.row(tx, run))
	}
	return doOnce(ctx, w, once, func() (migrations.Run, error) { return w.engine.OpenRun(ctx, actor, name, values, draft) })
}

// Runs returns a page of one of the lists of runs: migrations.ListAttention, ListActive or ListFinished.
func (w *Workflows) Runs(ctx context.Context, list string, before id.Run) (runs []migrations.Run, more bool, err error) {
	if _, err := operating(ctx); err != nil {
		return nil, false, err
	}
	return w.engine.Runs(ctx, list, before)
}

// Run returns a run, or migrations.RunNotFound.
func (w *Workflows) Run(ctx context.Context, run id.Run) (migrations.Run, error) {
	if _, err := operating(ctx); err != nil {
		return migrations.Run{}, err
	}
	return w.engine.Run(ctx, run)
}

// StartRun starts a run that is ready, with a canary above 0 for so many tasks.
func (w *Workflows) StartRun(ctx context.Context, run id.Run, canary int) (migrations.Run, error) {
	return w.StartRunWith(ctx, run, canary, migrations.KnobChange{})
}

// StartRunWith is StartRun with settings that are changed at once with it, or not at all.
func (w *Workflows) StartRunWith(ctx context.Context, run id.Run, canary int, change migrations.KnobChange) (migrations.Run, error) {
	actor, err := operating(ctx)
	if err != nil {
		return migrations.Run{}, err
	}
	return w.engine.StartRunWith(ctx, actor, run, canary, change)
}

// PauseRun stops a run, for a while.
func (w *Workflows) PauseRun(ctx context.Context, run id.Run) (migrations.Run, error) {
	return w.control(ctx, run, w.engine.PauseRun)
}

// ResumeRun goes on with a run.
func (w *Workflows) ResumeRun(ctx context.Context, run id.Run) (migrations.Run, error) {
	return w.control(ctx, run, w.engine.ResumeRun)
}

// CancelRun ends a run for good.
func (w *Workflows) CancelRun(ctx context.Context, run id.Run) (migrations.Run, error) {
	return w.control(ctx, run, w.engine.CancelRun)
}

// DismissRun takes a run that is over from the list of those that need attention.
func (w *Workflows) DismissRun(ctx context.Context, run id.Run) (migrations.Run, error) {
	return w.control(ctx, run, w.engine.DismissRun)
}

func (w *Workflows) control(ctx context.Context, run id.Run, act func(context.Context, migrations.Actor, id.Run) (migrations.Run, error)) (migrations.Run, error) {
	actor, err := operating(ctx)
	if err != nil {
		return migrations.Run{}, err
	}
	return act(ctx, actor, run)
}

// TurnKnobs changes settings of a run that is not over.
func (w *Workflows) TurnKnobs(ctx context.Context, run id.Run, change migrations.KnobChange) (migrations.Run, error) {
	actor, err := operating(ctx)
	if err != nil {
		return migrations.Run{}, err
	}
	return w.engine.TurnKnobs(ctx, actor, run, change)
}

// RunTasks returns a page of a run's tasks.
func (w *Workflows) RunTasks(ctx context.Context, run id.Run, filter migrations.TaskFilter) (migrations.TaskPage, error) {
	if _, err := operating(ctx); err != nil {
		return migrations.TaskPage{}, err
	}
	return w.engine.Tasks(ctx, run, filter)
}

// RunTask returns a task with its whole payload and the last of its failed attempts.
func (w *Workflows) RunTask(ctx context.Context, run id.Run, task id.Task) (migrations.Task, []migrations.Attempt, error) {
	if _, err := operating(ctx); err != nil {
		return migrations.Task{}, nil, err
	}
	return w.engine.Task(ctx, run, task)
}

// RunFailures returns the groups of a run's errors.
func (w *Workflows) RunFailures(ctx context.Context, run id.Run) ([]migrations.Failure, error) {
	if _, err := operating(ctx); err != nil {
		return nil, err
	}
	return w.engine.Failures(ctx, run)
}

// FailureSheet has a run's failed tasks with their errors: of a group, or all where the fingerprint is "".
func (w *Workflows) FailureSheet(ctx context.Context, run id.Run, fingerprint string) (*migrations.Sheet, error) {
	if _, err := operating(ctx); err != nil {
		return nil, err
	}
	return w.engine.FailureSheet(ctx, run, fingerprint)
}

// RejectionSheet has what no task was made of.
func (w *Workflows) RejectionSheet(ctx context.Context, run id.Run) (*migrations.Sheet, error) {
	if _, err := operating(ctx); err != nil {
		return nil, err
	}
	return w.engine.RejectionSheet(ctx, run)
}

// ReportSheet has what came, or of a dry run would come, of each row of a run's file.
func (w *Workflows) ReportSheet(ctx context.Context, run id.Run) (*migrations.Sheet, error) {
	if _, err := operating(ctx); err != nil {
		return nil, err
	}
	return w.engine.ReportSheet(ctx, run)
}

// RetryTasks opens tasks again and returns how many.
func (w *Workflows) RetryTasks(ctx context.Context, run id.Run, which migrations.Which) (int64, error) {
	actor, err := operating(ctx)
	if err != nil {
		return 0, err
	}
	return w.engine.RetryTasks(ctx, actor, run, which)
}

// SkipTasks gives tasks up and returns how many.
func (w *Workflows) SkipTasks(ctx context.Context, run id.Run, which migrations.Which) (int64, error) {
	actor, err := operating(ctx)
	if err != nil {
		return 0, err
	}
	return w.engine.SkipTasks(ctx, actor, run, which)
}

// RunRejections returns a page of what no task was made of: those numbered above after.
func (w *Workflows) RunRejections(ctx context.Context, run id.Run, after uint64) (list []migrations.Rejection, more bool, err error) {
	if _, err := operating(ctx); err != nil {
		return nil, false, err
	}
	return w.engine.Rejections(ctx, run, after)
}

// RunEvents returns a page of a run's log, the newest first.
func (w *Workflows) RunEvents(ctx context.Context, run id.Run, before id.Event) (list []migrations.Event, more bool, err error) {
	if _, err := operating(ctx); err != nil {
		return nil, false, err
	}
	return w.engine.Events(ctx, run, before)
}

// Workers returns who works.
func (w *Workflows) Workers(ctx context.Context) ([]migrations.Worker, error) {
	if _, err := operating(ctx); err != nil {
		return nil, err
	}
	return w.engine.Workers(ctx)
}

// DrainWorker has a worker finish what it holds and claim nothing more, or claim again.
func (w *Workflows) DrainWorker(ctx context.Context, worker id.Worker, drain bool) error {
	actor, err := operating(ctx)
	if err != nil {
		return err
	}
	return w.engine.DrainWorker(ctx, actor, worker, drain)
}

// RunPulse returns how fast a run goes, when it may be done, and who works on it.
func (w *Workflows) RunPulse(ctx context.Context, run id.Run) (migrations.Pulse, error) {
	if _, err := operating(ctx); err != nil {
		return migrations.Pulse{}, err
	}
	return w.engine.Pulse(ctx, run)
}

// MigrationGauges returns how migrations stand, for a monitoring system: it asks for no operator.
func (w *Workflows) MigrationGauges(ctx context.Context) (migrations.Gauges, error) {
	return w.engine.Gauges(ctx)
}

// DatabaseHealth returns how the database is.
func (w *Workflows) DatabaseHealth(ctx context.Context) (migrations.Health, error) {
	if _, err := operating(ctx); err != nil {
		return migrations.Health{}, err
	}
	return w.engine.Health(ctx)
}
