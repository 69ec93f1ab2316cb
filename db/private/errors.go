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

// CodeNotInstalled: there is no database server on this machine, or the one named does not run. Install MariaDB
// or set DATABASE_URL.
const CodeNotInstalled fault.Code = "PrivateDatabase.NotInstalled"

func NotInstalled(server, engine string, cause error) error {
	return fault.Unavailable.New(CodeNotInstalled, "", notInstalledMessage(server, engine, cause))
}

func notInstalledMessage(server string, engine string, cause error) string {
	if server != "" {
		return fmt.Sprintf("The database server %s cannot be used: %v. Name another one in COUNTERFOIL_MYSQLD, or install MariaDB: %s.", server, cause, installCommand()) + orYours
	}
	if engine == mysql.name {
		return "There is no MySQL server on this machine. Install MySQL 8.0 or later, or name its mysqld in COUNTERFOIL_MYSQLD." + orYours
	}
	return "There is no MariaDB or MySQL server on this machine. Install one, which starts no service: " +
		installCommand() + "." + orYours
}

// CodeTooOld: the installed database server is too old. Upgrade it, or name another in COUNTERFOIL_MYSQLD.
const CodeTooOld fault.Code = "PrivateDatabase.TooOld"

func TooOld(server, is, oldest string) error {
	return fault.Unavailable.New(CodeTooOld, "",
		fmt.Sprintf("%s is %s; counterfoil needs %s or later. Upgrade it, or name a newer server in COUNTERFOIL_MYSQLD.",
			server, is, oldest)+orYours)
}

// CodeOtherEngine: the data directory was made by another database server. Install that one, or restore a
// backup elsewhere.
const CodeOtherEngine fault.Code = "PrivateDatabase.OtherEngine"

func OtherEngine(dir, made, server, is string) error {
	return fault.Unavailable.New(CodeOtherEngine, "",
		fmt.Sprintf("The data in %s was made by %s, but the server found, %s, is %s, which cannot read it. Install %s or name its server in COUNTERFOIL_MYSQLD; or set COUNTERFOIL_DATA to another folder and restore a backup there.", dir, made, server, is, made))
}

// CodeNewerData: the data directory was used by a later version of the database server. Install that version.
const CodeNewerData fault.Code = "PrivateDatabase.TooNew"

func NewerData(dir, data, server, is string) error {
	return fault.Unavailable.New(CodeNewerData, "",
		fmt.Sprintf("The data in %s was last used by %s, but the server found, %s, is %s, and servers cannot go back. Install that version again, or name its server in COUNTERFOIL_MYSQLD.", dir, data, server, is))
}

// CodeOtherUser: the data directory belongs to another user. Run the program as that user, or give the
// directory to this one.
const CodeOtherUser fault.Code = "PrivateDatabase.OtherUser"

func OtherUser(dir string, uid int) error {
	return fault.Unavailable.New(CodeOtherUser, "", otherUserMessage(dir, uid))
}

func otherUserMessage(dir string, uid int) string {
	name := strconv.Itoa(uid)
	if u, err := user.LookupId(name); err == nil {
		name = u.Username
	}
	return fmt.Sprintf("The data in %s belongs to the user %s. Run counterfoil as %s, or give it to yours: chown -R %d %s.", dir, name, name, os.Geteuid(), dir)
}

// CodeNotWritable: the data directory cannot be written. Change its owner or rights, or set COUNTERFOIL_DATA.
const CodeNotWritable fault.Code = "PrivateDatabase.NotWritable"

func NotWritable(dir string, cause error) error {
	return fault.Unavailable.New(CodeNotWritable, "",
		fmt.Sprintf("The data folder %s is not writable for user %d: %v. Change its owner or its rights, or set COUNTERFOIL_DATA to a folder of yours.", dir, os.Geteuid(), cause))
}

// CodePathTooLong: the path of the data directory is longer than database servers allow. Set COUNTERFOIL_DATA
// to a shorter one.
const CodePathTooLong fault.Code = "PrivateDatabase.PathTooLong"

func PathTooLong(dir string) error {
	return fault.Unavailable.New(CodePathTooLong, "",
		fmt.Sprintf("The path of the data folder has %d bytes, more than the 300 that a database server can work with. Set COUNTERFOIL_DATA to a shorter one. It is %s", len(dir), dir))
}

// CodeNoRuntimeDir: there is no private folder for the database's socket. Set XDG_RUNTIME_DIR to a folder that
// only this user can enter.
const CodeNoRuntimeDir fault.Code = "PrivateDatabase.NoRuntimeDir"

func NoRuntimeDir(dir string, cause error) error {
	return fault.Unavailable.New(CodeNoRuntimeDir, "",
		fmt.Sprintf("The folder %s for the database's socket cannot be used: %v. Remove it, or set XDG_RUNTIME_DIR to a folder that only you can enter.", dir, cause))
}

// CodeDiskFull: the disk of the data directory is full. Free space on it; the server goes on by itself.
const CodeDiskFull fault.Code = "Disk.Full"

func DiskFull(dir string, free, need uint64) error {
	return fault.Unavailable.New(CodeDiskFull, "",
		fmt.Sprintf("The disk of %s is full: %d MB are free. Free at least %d MB there, or move the folder to a larger disk; what was stored is safe, and counterfoil goes on by itself.", dir, free/mib, max(need, needMore)/mib))
}

// CodeStartFailed: the database server ended instead of starting. See the end of its log in the message.
const CodeStartFailed fault.Code = "PrivateDatabase.StartFailed"

func StartFailed(dir, log, tail, exit string) error {
	return fault.Unavailable.New(CodeStartFailed, "", startFailedMessage(dir, log, tail, exit))
}

func startFailedMessage(dir string, log string, tail string, exit string) string {
	var hint string
	if strings.Contains(tail, "ermission denied") {
		hint = " If the rights of the folder are in order, a profile of AppArmor or SELinux keeps the server out of it."
	}
	return fmt.Sprintf("The database in %s did not start (%s).%s The end of its log, %s, says:\n%s", dir, exit, hint, log,
		tail)
}

// CodeUnreachable: another program runs the database of this data directory, and it does not answer. See that
// program's log.
const CodeUnreachable fault.Code = "PrivateDatabase.Unreachable"

func Unreachable(dir string, cause error) error {
	return fault.Unavailable.New(CodeUnreachable, "",
		fmt.Sprintf("Another counterfoil runs on %s, but its database does not answer here: %v. Look at that program's log; if it runs in a container or as a service with its own /tmp, run this command there too.", dir, cause))
}

// explain turns a failed file operation in the data directory into an error that says what to do.
func explain(dir string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return DiskFull(dir, free(dir), 0)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR):
		return NotWritable(dir, err)
	}
	return fmt.Errorf("private database in %s: %w", dir, err)
}
