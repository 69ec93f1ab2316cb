package workflows

import (
	"context"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// SpreadNext is what a task of rebalance-ranks does.
var SpreadNext = spreadNext

// Registered returns a migration by its name.
func (w *Workflows) Registered(name string) *migrations.Migration {
	list := w.registered()
	return list[slices.IndexFunc(list, func(m *migrations.Migration) bool { return m.Name == name })]
}

// Turn sends to a webhook what there is for it.
func (w *Workflows) Turn(ctx context.Context, webhook id.Webhook) error { return w.turn(ctx, webhook) }

// Dispatching looks once for webhooks to send to, and has turn send.
func (w *Workflows) Dispatching(turn func(context.Context, id.Webhook) error) (look func(context.Context) error, wait func()) {
	d := newDispatcher(w, turn)
	return d.look, d.turns.Wait
}

// SendFor has a message to a webhook take no longer than d. Nothing must be sent meanwhile.
func (w *Workflows) SendFor(d time.Duration) { w.sendFor = d }
