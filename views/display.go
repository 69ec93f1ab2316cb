package views

import (
	"context"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

type displayKey struct{}

// WithDisplay returns a context in which pages look as a user wants.
func WithDisplay(ctx context.Context, d accounts.Display) context.Context {
	return context.WithValue(ctx, displayKey{}, d)
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
	if d.Dates == "" || strings.HasPrefix(d.Dates, "en") {
		return t.In(location).Format("2 Jan 2006, 15:04")
	}
	return t.In(location).Format("2006-01-02 15:04")
}
