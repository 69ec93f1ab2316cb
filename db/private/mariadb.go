package private

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
)

var mariadb = kind{
	name:   "mariadb",
	title:  "MariaDB",
	oldest: version{10, 6, 0},
	flags:  func(engine) []string { return nil },
	initialise: func(ctx context.Context, e engine, dir string) (*exec.Cmd, error) {
		script, err := installScript(e.server)
		if err != nil {
			return nil, err
		}
		// --force: no look-up of the host's name. The server must run as we do, but the script's own
		// --user would change owners below /usr, so the option passes through it in disguise.
		cmd := exec.CommandContext(ctx, script, append([]string{"--no-defaults", "--datadir=" + dir,
			"--auth-root-authentication-method=normal", "--skip-test-db", "--force"}, loose(asUser())...)...)
		cmd.Env = append(environment(), "MYSQLD_BOOTSTRAP="+e.server)
		return cmd, nil
	},
}

func installScript(server string) (string, error) {
	if real, err := filepath.EvalSymlinks(server); err == nil {
		server = real
	}
	prefix := filepath.Dir(filepath.Dir(server))
	for _, name := range []string{"mariadb-install-db", "mysql_install_db"} {
		for _, dir := range []string{"bin", "scripts"} {
			path := filepath.Join(prefix, dir, name)
			if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 {
				return path, nil
			}
		}
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("mariadb-install-db, which comes with the server, is not there")
}

func loose(flags []string) []string {
	out := make([]string, len(flags))
	for i, flag := range flags {
		out[i] = "--loose-" + flag[len("--"):]
	}
	return out
}
