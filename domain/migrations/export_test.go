package migrations

import (
	"context"

	"github.com/counterfoil/counterfoil/domain/id"
)

const SettleChunk = settleChunk

var Span = span

// Request asks that all failed tasks of a run are retried or skipped, and does the first chunk of them.
func (e *Engine) Request(ctx context.Context, actor Actor, run id.Run, kind string) error {
	_, _, err := e.request(ctx, actor, run, taskSet{state: TaskFailed}, taskActions[kind])
	return err
}
