package secrets

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// CodeUnreadable: the server cannot encrypt or decrypt secrets now. Its log says why.
const CodeUnreadable fault.Code = "Key.Unreadable"

// forUsers hides from users what is about files of the machine: that is for the log.
func forUsers(err error) error {
	if fault.CodeOf(err) == "" {
		return err
	}
	return fault.Error{Kind: fault.Unavailable, Code: CodeUnreadable, Cause: err,
		Message: "The server cannot use its secrets now, and its log says why. Tell whoever runs it, then try again."}
}

// CodeOtherKey: the secrets in the database are encrypted with a key that this server's key file does not have. Copy the
// key file of the server that made it; if it is lost for good, use “counterfoil key reset --lost”.
const CodeOtherKey fault.Code = "Key.Other"

func otherKey(path string, have []key, want string) error {
	has := "it has " + strings.Join(ids(have), " and ")
	if len(have) == 0 {
		has = "there is no such file"
	}
	return fault.Unavailable.New(CodeOtherKey, "", fmt.Sprintf(
		"The secrets in the database are encrypted with the key %s, which the key file %s does not have: %s. "+
			"Copy the key file of a server that runs on this database to %s (mode 0600), or name it in COUNTERFOIL_KEY_FILE. "+
			"If that key is lost for good, “counterfoil key reset --lost” gives up what was encrypted with it.",
		want, path, has, path))
}

// CodeBadKeyFile: the key file cannot be used. Do what the message says.
const CodeBadKeyFile fault.Code = "Key.BadFile"

func badKeyFile(path, why string) error {
	return fault.Unavailable.New(CodeBadKeyFile, "", "The key file "+path+" "+why)
}

// cannotUse is BadKeyFile of a system's error.
func cannotUse(path, what string, err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		err = of.Err
	}
	return badKeyFile(path, fmt.Sprintf("cannot be %s: %v. Correct that, or name another place in COUNTERFOIL_KEY_FILE.",
		what, err))
}

// CodeNoKey: this command works without keys, or the server has none. Report it.
const CodeNoKey fault.Code = "Key.None"

func noKey() error {
	return fault.Unavailable.New(CodeNoKey, "", "This needs the key file, but was started without one.")
}

// CodeDamaged: an encrypted secret was changed, or stands in another row than it was written for. Restore a backup, or
// make a new secret.
const CodeDamaged fault.Code = "Key.DamagedSecret"

func damaged(name Name) error {
	return fault.Unavailable.New(CodeDamaged, "", fmt.Sprintf(
		"The %s cannot be decrypted, though its key is there: its row was changed. Make a new one, or restore a backup.",
		name))
}

// CodeRotatedElsewhere: another server rotated the key at the same time. Copy its key file.
const CodeRotatedElsewhere fault.Code = "Key.RotatedElsewhere"

func rotatedElsewhere(path, current string) error {
	return fault.Conflict.New(CodeRotatedElsewhere, "", fmt.Sprintf(
		"The key was rotated on another server meanwhile: the database now has the key %s. Copy that server's key file to %s.",
		current, path))
}

// CodeNotEverywhere: other servers run on the database and do not have the new key yet. Prepare it, copy the key file to
// them, then rotate.
const CodeNotEverywhere fault.Code = "Key.NotEverywhere"

// NotEverywhere is returned for a rotation whose key other servers cannot have.
func NotEverywhere(path, hosts string) error {
	return fault.Conflict.New(CodeNotEverywhere, "", fmt.Sprintf(
		"Servers on %s run on this database, too. Use “counterfoil key rotate --prepare”, copy %s to them, then “counterfoil key rotate” again.",
		hosts, path))
}
