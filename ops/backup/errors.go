package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// CodeExists: a backup never overwrites a file. Choose another name.
const CodeExists fault.Code = "Backup.FileExists"

func Exists(path string) error {
	return fault.Conflict.New(CodeExists, "",
		path+" already exists, and a backup never overwrites a file. Choose another name.")
}

// CodeInUse: another backup is writing this file. Wait for it, or choose another name.
const CodeInUse fault.Code = "Backup.InUse"

func InUse(path string) error {
	return fault.Conflict.New(CodeInUse, "",
		"Another backup is writing "+path+" right now. Wait for it, or choose another name.")
}

// CodeBadFile: a file or folder cannot be read or written. Correct what the message names, or choose another
// place.
const CodeBadFile fault.Code = "Backup.FileNotUsable"

func BadFile(path string, err error) error {
	kind := fault.Invalid
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		kind = fault.StorageFull
	}
	return fault.Error{Kind: kind, Code: CodeBadFile, Message: badFileMessage(path, err), Cause: err}
}

func badFileMessage(path string, err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "No space is left for " + path +
			". Free some space or choose another place; what was written of it is removed."
	case errors.Is(err, fs.ErrNotExist):
		return path + " does not exist. Check the name, and make its folder if that is missing."
	case errors.Is(err, fs.ErrPermission):
		return path + " may not be used by this user. Choose another place, or change its permissions."
	}
	var of *fs.PathError
	if errors.As(err, &of) {
		err = of.Err
	}
	return path + " cannot be used: " + err.Error() + ". Choose another place."
}

// CodeTorn: no view of the data was of one moment, because commits could not be held back. Let the account do that, or
// back up while less is written.
const CodeTorn fault.Code = "Backup.Torn"

func Torn(finding, account string) error {
	return fault.Unavailable.New(CodeTorn, "",
		"The server showed the data as of no one moment ("+finding+"), five times. Let this account hold back commits for a moment (GRANT RELOAD ON *.* TO "+account+"), end what holds that up, or make the backup while less is written. Nothing was kept.")
}

// CodeNotABackup: the file is not a backup. Name one that “counterfoil backup” wrote.
const CodeNotABackup fault.Code = "Backup.NotABackup"

func NotABackup(path string) error {
	return fault.Invalid.New(CodeNotABackup, "",
		path+"is not a backup of Counterfoil. Name a file that “counterfoil backup” wrote.")
}

// CodeDamaged: the backup is not as it was written, and nothing of it was restored. Use another copy, or an
// older one.
const CodeDamaged fault.Code = "Backup.Damaged"

func Damaged(path, why string) error {
	return fault.Invalid.New(CodeDamaged, "",
		path+" is damaged: "+why+". Use another copy of it, or an older backup. Nothing of it was restored.")
}

// CodeTooNew: the backup was written by a newer version. Restore it with that version.
const CodeTooNew fault.Code = "Backup.TooNew"

func TooNew(path, what string, version, known uint) error {
	return fault.Invalid.New(CodeTooNew, "",
		fmt.Sprintf("%s was written by a newer Counterfoil: its %s has version %d, this program knows %d. Restore it with the newer program.", path, what, version, known))
}

// CodeBadSchema: the schema of the database is not fit for a backup. Correct what the message names.
const CodeBadSchema fault.Code = "Backup.BadSchema"

func BadSchema(why string) error {
	return fault.Invalid.New(CodeBadSchema, "", why)
}

// CodeNotEmpty: a backup is restored into an empty database and folder only. Name new ones.
const CodeNotEmpty fault.Code = "Backup.NotEmpty"

func NotEmpty(what string) error {
	return fault.Conflict.New(CodeNotEmpty, "",
		"A backup is restored into an empty database only, and "+what+". Give DATABASE_URL a new database, or COUNTERFOIL_DATA a new folder.")
}

// CodeAtWork: another restore is loading into the database. Wait for it.
const CodeAtWork fault.Code = "Backup.RestoreRunning"

func AtWork() error {
	return fault.Conflict.New(CodeAtWork, "",
		"Another restore into this database is running right now. Wait for it, or give DATABASE_URL another database.")
}

// CodeNoRoom: the disk is too small for the stored files of the backup. Free space, or set COUNTERFOIL_BLOBS.
const CodeNoRoom fault.Code = "Backup.NoRoom"

func NoRoom(path string, need, free uint64) error {
	return fault.StorageFull.New(CodeNoRoom, "",
		fmt.Sprintf("The stored files of this backup need at least %d MiB in %s, where %d MiB are free. Free some space, or set COUNTERFOIL_BLOBS to another place.", need>>20, path, free>>20))
}
