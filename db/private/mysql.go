package private

import (
	"context"
	"os/exec"
	"path/filepath"
)

var mysql = kind{
	name:   "mysql",
	title:  "MySQL",
	oldest: version{8, 0, 0},
	flags: func(e engine) []string {
		return append(messageDir(e.server),
			"--mysqlx=OFF",
			"--secure-file-priv=NULL",
			"--performance-schema=OFF", // saves memory and start time
			"--event-scheduler=OFF",
			"--skip-log-bin", // there are no replicas
			"--tls-version=", // a socket needs none
			"--auto-generate-certs=OFF",
			"--caching-sha2-password-auto-generate-rsa-keys=OFF",
		)
	},
	initialise: func(ctx context.Context, e engine, dir string) (*exec.Cmd, error) {
		cmd := exec.CommandContext(ctx, e.server, append([]string{"--no-defaults", "--initialize-insecure",
			"--datadir=" + dir}, append(asUser(), e.flags(e)...)...)...)
		cmd.Env = environment()
		return cmd, nil
	},
}

// messageDir returns where a server unpacked by scripts/get-mysql has its messages, character sets
// and plugins: below root, beside the script that starts it.
func messageDir(server string) []string {
	base := filepath.Join(filepath.Dir(server), "root", "usr")
	if !exists(filepath.Join(base, "share", "mysql")) {
		return nil
	}
	return []string{"--basedir=" + base}
}
