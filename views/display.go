package views

import (
	"context"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

type displayKey struct{}
type nowKey struct{}

// WithDisplay returns a context in which pages look as a user wants, and are read at a time.
func WithDisplay(ctx context.Context, d accounts.Display, now time.Time) context.Context {
	return context.WithValue(context.WithValue(ctx, displayKey{}, d), nowKey{}, LocalTime(now, d))
}

// nowFrom is when a page is read, in the zone of its reader.
func nowFrom(ctx context.Context) time.Time {
	now, _ := ctx.Value(nowKey{}).(time.Time)
	return now
}

func displayFrom(ctx context.Context) accounts.Display {
	d, _ := ctx.Value(displayKey{}).(accounts.Display)
	return d
}

// timeText is a time as browsers without JavaScript show it: in the user's time zone, or UTC.
func timeText(t time.Time, d accounts.Display) string {
	location, ok := accounts.Location(d.TimeZone)
	if !ok || d.TimeZone == "" {
		return t.UTC().Format("2 Jan 2006, 15:04 UTC")
	}
	if english(d) {
		return t.In(location).Format("2 Jan 2006, 15:04")
	}
	return t.In(location).Format("2006-01-02 15:04")
}
