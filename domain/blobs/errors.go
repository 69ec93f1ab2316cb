package blobs

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/counterfoil/counterfoil/domain/fault"
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

// CodeUnavailable: the folder or bucket of files fails. Try again; if that does not help, look at COUNTERFOIL_BLOBS.
const CodeUnavailable fault.Code = "Files.Unavailable"

// CodeFull: the disk of the files is full. Free some space on it, then try again.
const CodeFull fault.Code = "Files.Full"

// Unavailable reports a folder or bucket that fails: CodeFull if its disk is full, else CodeUnavailable.
type Unavailable struct {
	Action, Name, Location string
	Err                    error
}

func (e Unavailable) full() bool {
	return errors.Is(e.Err, syscall.ENOSPC) || errors.Is(e.Err, syscall.EDQUOT)
}

func (e Unavailable) Error() string {
	if e.full() {
		return fmt.Sprintf("There is no room left in %s, where files are kept. Free some space, then try again.", e.Location)
	}
	return fmt.Sprintf("Cannot %s %q in %s, where files are kept: %v. Try again; if that does not help, look at COUNTERFOIL_BLOBS.", e.Action, e.Name, e.Location, e.Err)
}

// Unwrap returns what users are told, and the folder's or bucket's error, which is for the log.
func (e Unavailable) Unwrap() []error {
	if e.full() {
		return []error{full(), e.Err}
	}
	return []error{unavailable(), e.Err}
}

func full() error {
	return fault.StorageFull.New(CodeFull, "", "There is no room left where files are kept. Ask the operator of this "+
		"server to free some space, then try again.")
}

func unavailable() error {
	return fault.Unavailable.New(CodeUnavailable, "", "The place where files are kept does not work right now. Try "+
		"again; if that does not help, tell the operator of this server.")
}
