package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/counterfoil/counterfoil/domain/workflows"
)

// work does what serve does beside answering requests, until ctx ends: it works on migrations, and is
// there for the private database when its owner dies. Any number of them may run, on any server.
func work(ctx context.Context, env environment, args []string) (err error) {
	if err := parse(env, flag.NewFlagSet("work", flag.ContinueOnError), args); err != nil {
		return err
	}
	if env.log != "text" && env.log != "json" {
		return badSetting{"COUNTERFOIL_LOG", env.log, "text or json"}
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
	w, err := env.workflows(ctx, d, workflows.WithReplicas(replicas...))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	worked := loop(ctx, cancel, env, d, w)
	fmt.Fprintln(env.stdout, "Counterfoil works on migrations")

	<-ctx.Done()
	env.logger().Info("stopping: tasks under way are finished first")
	return errors.Join(cause(ctx), <-worked)
}

// loop starts what goes on in the background until ctx ends: it keeps the private database, forgets
// what is kept no longer, publishes changes, and works on migrations. Where one of them cannot go on it cancels ctx. The
// channel says when no work is under way any more.
func loop(ctx context.Context, cancel context.CancelCauseFunc, env environment, d *database, w *workflows.Workflows) (worked <-chan error) {
	if d.private != nil {
		go func() {
			if err := d.private.Watch(ctx); err != nil && ctx.Err() == nil {
				cancel(err)
			}
		}()
	}
	go forget(ctx, env.logger(), w.ForgetAnswers, w.ForgetLimits)
	done := make(chan error, 1)
	go w.Feeds().Work(ctx)
	go func() {
		err := w.Engine().Work(ctx)
		if err != nil {
			cancel(err)
		}
		done <- nil
	}()
	return done
}

// cause is why the program has to stop, where it was not told to.
func cause(ctx context.Context) error {
	if why := context.Cause(ctx); !errors.Is(why, context.Canceled) {
		return why
	}
	return nil
}
