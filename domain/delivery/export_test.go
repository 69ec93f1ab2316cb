package delivery

import (
	"context"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/outbound"
)

// RunSession is a turn of a webhook.
func (d *Delivery) RunSession(ctx context.Context, webhook id.Webhook) error {
	return d.runSession(ctx, webhook)
}

// Dispatch dispatches once, and has turn send.
func (d *Delivery) Dispatch(
	send func(context.Context, id.Webhook) error,
) (check func(context.Context) error, wait func()) {
	dispatcher := newDispatcher(d, send)
	return dispatcher.dispatch, dispatcher.sessions.Wait
}

// SendFor has a message to a webhook take no longer than that. Nothing must be sent meanwhile.
func (d *Delivery) SendFor(most time.Duration) { d.sendFor = most }

// FreshFor has webhooks sent no row that was read longer ago.
func (d *Delivery) FreshFor(most time.Duration) { d.freshFor = most }

// LimitPictures sets the limits of fetching a picture.
func (d *Delivery) LimitPictures(limits outbound.Limits) { d.pictures = limits }
