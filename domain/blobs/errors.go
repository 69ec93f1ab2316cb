package blobs

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// BadLocation reports a setting that no files can be kept in.
type BadLocation struct {
	Location string
	Err      error
}

func (e BadLocation) Error() string {
	return fmt.Sprintf("Files cannot be kept in %q: %v. Set COUNTERFOIL_BLOBS to a folder, or to a bucket such as s3://name?region=eu-central-1.", e.Location, e.Err)
}

// Unwrap returns the system's error.
func (e BadLocation) Unwrap() error { return e.Err }

// BadName reports an invalid name.
type BadName struct{ Name string }

func (e BadName) Error() string {
	return fmt.Sprintf("%.100q cannot be the name of a stored file.", e.Name)
}

// NotFound reports a name without a file. It is fs.ErrNotExist, too.
type NotFound struct{ Name string }

func (e NotFound) Error() string { return fmt.Sprintf("There is no stored file %q.", e.Name) }

// Unwrap returns fs.ErrNotExist.
func (NotFound) Unwrap() error { return fs.ErrNotExist }

// Unavailable reports a folder or bucket that fails.
type Unavailable struct {
	Action, Name, Location string
	Err                    error
}

func (e Unavailable) Error() string {
	if errors.Is(e.Err, syscall.ENOSPC) || errors.Is(e.Err, syscall.EDQUOT) {
		return fmt.Sprintf("There is no room left in %s, where files are kept. Free some space, then try again.", e.Location)
	}
	return fmt.Sprintf("Cannot %s %q in %s, where files are kept: %v. Try again; if that does not help, look at COUNTERFOIL_BLOBS.", e.Action, e.Name, e.Location, e.Err)
}

// Unwrap returns the folder's or bucket's error.
func (e Unavailable) Unwrap() error { return e.Err }
