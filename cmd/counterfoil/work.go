package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/wait"
)

func workCommand(env environment) *cli.Command {
	return &cli.Command{
		Name: "work", Usage: "Only do the background work: any number of processes, on any servers",
		Action: func(ctx context.Context, _ *cli.Command) error { return work(ctx, env) },
	}
}

// work does the background work of serve until ctx ends: it runs migrations, publishes changes, sends them to webhooks,
// and takes over the private database if its owner dies. Any number may run, on any server.
func work(ctx context.Context, env environment) (err error) {
	if env.log != "text" && env.log != "json" {
		return badSetting("COUNTERFOIL_LOG", env.log, "text or json")
	}
	replicas, err := env.openReplicas()
	if err != nil {
		return err
	}
	defer closeReplicas(replicas)
	d, err := env.openCurrent(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	if err := env.keys().Bind(ctx, d.DB); err != nil {
		return err
	}
	w, err := env.workflows(ctx, d, app.WithReplicas(replicas...))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	loops := loop(ctx, cancel, env, d, w)
	fmt.Fprintln(env.stdout, "Counterfoil works on migrations")

	<-ctx.Done()
	env.logger().Info("stopping: tasks under way are finished first")
	loops.Wait()
	return cause(ctx)
}

// loop starts the background work until ctx ends: the private database, expired rows, stored files, feeds, webhooks,
// reference codes and migrations. If one of them fails for good it cancels ctx. Once ctx has ended, wait for the
// result: then nothing is published or sent, and no task runs any more.
func loop(
	ctx context.Context, cancel context.CancelCauseFunc, env environment, d *database, w *app.App,
) *sync.WaitGroup {
	if why := d.server.LosesCommits(); why != "" {
		env.logger().Warn("a crash of the database's machine may take back what readers of feeds, and users, have seen; "+
			"counterfoil doctor says how to change it", "setting", why)
	}
	env.warnOfOldAllow()
	if d.private != nil {
		go func() {
			if err := d.private.Watch(ctx); err != nil && ctx.Err() == nil {
				cancel(err)
			}
		}()
	}
	go forget(ctx, env.logger(), d.ForgetSessions, w.Workflows.DeleteResponses, w.Workflows.ForgetLimits,
		w.Workflows.ForgetWays, w.Workflows.ForgetChallenges, w.Workflows.ForgetLookups, w.Workflows.ForgetDeletedTexts,
		w.Workflows.ForgetBulkEdits, w.Workflows.RecheckDomains,
		w.Workflows.ForgetDeliveries, w.Feeds.ForgetBatches)
	go sweepDaily(ctx, env.logger(), d, w)
	var loops sync.WaitGroup
	loops.Go(func() { w.Feeds.Run(ctx) })
	loops.Go(func() { w.Delivery.WorkWebhooks(ctx) })
	loops.Go(func() { w.Delivery.WorkPictures(ctx) })
	loops.Go(func() { w.Delivery.WorkRefs(ctx) })
	loops.Go(func() { w.Delivery.WorkRecounts(ctx) })
	loops.Go(func() { w.Workflows.WorkRecurrences(ctx) })
	loops.Go(func() { w.Delivery.WorkAudit(ctx) })
	loops.Go(func() { w.Delivery.WorkSecrets(ctx) })
	loops.Go(func() {
		if err := w.Worker.Work(ctx); err != nil {
			cancel(err)
		}
	})
	return &loops
}

// leftAlone is how long a file must not have been written to before it may be swept.
const leftAlone = 24 * time.Hour

// sweepDaily removes unfinished files of dead writers, and uploads without a run, at once and then daily until ctx
// ends.
func sweepDaily(ctx context.Context, log *slog.Logger, d *database, w *app.App) {
	wait.Every(ctx, 24*time.Hour, func(ctx context.Context) {
		before := time.Now().Add(-leftAlone)
		halves, err := d.files.Sweep(ctx, before)
		uploads, err2 := w.Engine.SweepUploads(ctx, d.files, before)
		if err = errors.Join(err, err2); err != nil && ctx.Err() == nil {
			log.Warn("sweep stored files", "error", err)
		}
		if halves+uploads > 0 {
			log.Info("removed files that are no longer used", "unfinished", halves, "uploads", uploads)
		}
	})
}

// cause is the reason for which the program has to stop, nil if it was asked to.
func cause(ctx context.Context) error {
	if why := context.Cause(ctx); !errors.Is(why, context.Canceled) {
		return why
	}
	return nil
}
