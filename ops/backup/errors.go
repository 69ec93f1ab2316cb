package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// Exists reports a backup that would overwrite a file.
type Exists struct{ Path string }

func (e Exists) Error() string {
	return e.Path + " is there already, and a backup never overwrites a file. Choose another name."
}
func (Exists) Unwrap() error { return fault.Conflict }

// InUse reports a file that another backup is writing.
type InUse struct{ Path string }

func (e InUse) Error() string {
	return "Another backup is writing " + e.Path + " right now. Wait for it, or choose another name."
}
func (InUse) Unwrap() error { return fault.Conflict }

// BadFile reports a file or folder that cannot be read or written.
type BadFile struct {
	Path string
	Err  error
}

func (e BadFile) Error() string {
	switch {
	case errors.Is(e.Err, syscall.ENOSPC), errors.Is(e.Err, syscall.EDQUOT):
		return "There is no room left for " + e.Path + ". Free some space or choose another place; what was written of it is removed."
	case errors.Is(e.Err, fs.ErrNotExist):
		return e.Path + " does not exist. Check the name, and make its folder if that is missing."
	case errors.Is(e.Err, fs.ErrPermission):
		return e.Path + " may not be used by this user. Choose another place, or change its permissions."
	}
	var path *fs.PathError
	err := e.Err
	if errors.As(err, &path) {
		err = path.Err
	}
	return e.Path + " cannot be used: " + err.Error() + ". Choose another place."
}
func (BadFile) Unwrap() error { return fault.Invalid }

// Cause is what the system said.
func (e BadFile) Cause() error { return e.Err }

// NotABackup reports a file of another kind.
type NotABackup struct{ Path string }

func (e NotABackup) Error() string {
	return e.Path + " is no backup of Counterfoil's. Name a file that “counterfoil backup” wrote."
}
func (NotABackup) Unwrap() error { return fault.Invalid }

// Damaged reports a backup that is not as it was written.
type Damaged struct{ Path, Why string }

func (e Damaged) Error() string {
	return e.Path + " is damaged: " + e.Why + ". Use another copy of it, or an older backup. Nothing of it was restored."
}
func (Damaged) Unwrap() error { return fault.Invalid }

// TooNew reports a backup that a newer program wrote.
type TooNew struct {
	Path           string
	What           string // format or schema
	Version, Known uint
}

func (e TooNew) Error() string {
	return fmt.Sprintf("%s was written by a newer Counterfoil: its %s has version %d, this program knows %d. Restore it with the newer program.", e.Path, e.What, e.Version, e.Known)
}
func (TooNew) Unwrap() error { return fault.Invalid }

// BadSchema reports a database whose schema is not fit for a backup.
type BadSchema struct{ Why string }

func (e BadSchema) Error() string { return e.Why }
func (BadSchema) Unwrap() error   { return fault.Invalid }

// NotEmpty reports a database or folder that holds something already.
type NotEmpty struct{ What string }

func (e NotEmpty) Error() string {
	return "A backup is restored into an empty database only, and " + e.What + ". Give DATABASE_URL a new database, or COUNTERFOIL_DATA a new folder."
}
func (NotEmpty) Unwrap() error { return fault.Conflict }

// NoRoom reports a disk that is too small for the stored files of a backup.
type NoRoom struct {
	Path       string
	Need, Free uint64
}

func (e NoRoom) Error() string {
	return fmt.Sprintf("The stored files of this backup need at least %d MiB in %s, where %d MiB are free. Free some space, or set COUNTERFOIL_BLOBS to another place.", e.Need>>20, e.Path, e.Free>>20)
}
func (NoRoom) Unwrap() error { return fault.Invalid }
