package backup

import (
	"context"
	"os"
)

var (
	BackedUp = backedUp
	LeftOut  = leftOut
	ParseRow = parseRow
)

// MakeOn writes a backup to a device.
func MakeOn(ctx context.Context, from Installation, device string) (Summary, error) {
	f, err := os.OpenFile(device, os.O_WRONLY, 0)
	if err != nil {
		return Summary{}, err
	}
	defer f.Close()
	s, err := write(ctx, from, "test", &part{File: f, path: device})
	return s, readable(err)
}

// View is a view as a backup reads it.
var View = view
