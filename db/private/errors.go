package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"strings"
	"syscall"

	"github.com/counterfoil/counterfoil/domain/fault"
)

const orYours = " Or use a database of yours: set DATABASE_URL=mysql://user:password@host:3306/name."

// NotInstalled: there is no database server to start, or the one named does not run.
type NotInstalled struct {
	Server string // the one named, or ""
	Engine string // the make asked for, or ""
	Cause  error
}

func (e NotInstalled) Error() string {
	if e.Server != "" {
		return fmt.Sprintf("The database server %s cannot be used: %v. Name another one in COUNTERFOIL_MYSQLD, or install MariaDB: %s.", e.Server, e.Cause, installCommand()) + orYours
	}
	if e.Engine == mysql.name {
		return "There is no MySQL server on this machine. Install MySQL 8.0 or later, or name its mysqld in COUNTERFOIL_MYSQLD." + orYours
	}
	return "There is no MariaDB or MySQL server on this machine. Install one, which starts no service: " + installCommand() + "." + orYours
}
func (e NotInstalled) Unwrap() error { return fault.Unavailable }

// TooOld: the installed server is older than what we run on.
type TooOld struct{ Server, Is, Oldest string }

func (e TooOld) Error() string {
	return fmt.Sprintf("%s is %s; counterfoil needs %s or later. Upgrade it, or name a newer server in COUNTERFOIL_MYSQLD.", e.Server, e.Is, e.Oldest) + orYours
}
func (e TooOld) Unwrap() error { return fault.Unavailable }

// OtherEngine: the files are of one make of server and only the other is there.
type OtherEngine struct{ Dir, Made, Server, Is string }

func (e OtherEngine) Error() string {
	return fmt.Sprintf("The data in %s was made by %s, but the server found, %s, is %s, which cannot read it. Install %s or name its server in COUNTERFOIL_MYSQLD; or set COUNTERFOIL_DATA to another folder and restore a backup there.", e.Dir, e.Made, e.Server, e.Is, e.Made)
}
func (e OtherEngine) Unwrap() error { return fault.Unavailable }

// NewerData: a later version of the server has changed the files.
type NewerData struct{ Dir, Data, Server, Is string }

func (e NewerData) Error() string {
	return fmt.Sprintf("The data in %s was last used by %s, but the server found, %s, is %s, and servers cannot go back. Install that version again, or name its server in COUNTERFOIL_MYSQLD.", e.Dir, e.Data, e.Server, e.Is)
}
func (e NewerData) Unwrap() error { return fault.Unavailable }

// OtherUser: the files belong to a user who could not use them any more if we ran on them.
type OtherUser struct {
	Dir string
	UID int
}

func (e OtherUser) Error() string {
	name := strconv.Itoa(e.UID)
	if u, err := user.LookupId(name); err == nil {
		name = u.Username
	}
	return fmt.Sprintf("The data in %s belongs to the user %s. Run counterfoil as %s, or give it to yours: chown -R %d %s.", e.Dir, name, name, os.Geteuid(), e.Dir)
}
func (e OtherUser) Unwrap() error { return fault.Unavailable }

// NotWritable: we may not write the data directory.
type NotWritable struct {
	Dir   string
	Cause error
}

func (e NotWritable) Error() string {
	return fmt.Sprintf("The data folder %s is not writable for user %d: %v. Change its owner or its rights, or set COUNTERFOIL_DATA to a folder of yours.", e.Dir, os.Geteuid(), e.Cause)
}
func (e NotWritable) Unwrap() error { return fault.Unavailable }

// PathTooLong: the data directory's path is longer than the servers allow.
type PathTooLong struct{ Dir string }

func (e PathTooLong) Error() string {
	return fmt.Sprintf("The path of the data folder has %d bytes, more than the 300 that a database server can work with. Set COUNTERFOIL_DATA to a shorter one. It is %s", len(e.Dir), e.Dir)
}
func (e PathTooLong) Unwrap() error { return fault.Unavailable }

// NoRuntimeDir: there is no private place for the socket.
type NoRuntimeDir struct {
	Dir   string
	Cause error
}

func (e NoRuntimeDir) Error() string {
	return fmt.Sprintf("The folder %s for the database's socket cannot be used: %v. Remove it, or set XDG_RUNTIME_DIR to a folder that only you can enter.", e.Dir, e.Cause)
}
func (e NoRuntimeDir) Unwrap() error { return fault.Unavailable }

// DiskFull: the data directory's disk has too little space. Free and Need are bytes.
type DiskFull struct {
	Dir        string
	Free, Need uint64
}

func (e DiskFull) Error() string {
	return fmt.Sprintf("The disk of %s is full: %d MB are free. Free at least %d MB there, or move the folder to a larger disk; what was stored is safe, and counterfoil goes on by itself.", e.Dir, e.Free/mib, max(e.Need, needMore)/mib)
}
func (e DiskFull) Unwrap() error { return fault.Unavailable }

// StartFailed: the server ended instead of starting.
type StartFailed struct{ Dir, Log, Tail, Exit string }

func (e StartFailed) Error() string {
	var hint string
	if strings.Contains(e.Tail, "ermission denied") {
		hint = " If the rights of the folder are in order, a profile of AppArmor or SELinux keeps the server out of it."
	}
	return fmt.Sprintf("The database in %s did not start (%s).%s The end of its log, %s, says:\n%s", e.Dir, e.Exit, hint, e.Log, e.Tail)
}
func (e StartFailed) Unwrap() error { return fault.Unavailable }

// Unreachable: another program owns the database, but we cannot reach it.
type Unreachable struct {
	Dir   string
	Cause error
}

func (e Unreachable) Error() string {
	return fmt.Sprintf("Another counterfoil runs on %s, but its database does not answer here: %v. Look at that program's log; if it runs in a container or as a service with its own /tmp, run this command there too.", e.Dir, e.Cause)
}
func (e Unreachable) Unwrap() error { return fault.Unavailable }

// explain turns a failed file operation in the data directory into what to do about it.
func explain(dir string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return DiskFull{Dir: dir, Free: free(dir)}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR):
		return NotWritable{Dir: dir, Cause: err}
	}
	return fmt.Errorf("private database in %s: %w", dir, err)
}
