package private

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

var mariadb = kind{
	name:   "mariadb",
	title:  "MariaDB",
	oldest: version{10, 6, 0},
	flags:  func(engine) []string { return nil },
	// The work of mariadb-install-db. The script itself needs programs of other packages, and run by root it changes
	// owners outside of the data directory.
	initialise: func(ctx context.Context, e engine, dir string) (*exec.Cmd, error) {
		tables, err := systemTables(e.server)
		if err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, e.server, append([]string{"--no-defaults", "--bootstrap", "--datadir=" + dir,
			"--log-warnings=0", "--max-allowed-packet=8M", "--net-buffer-length=16K"}, asUser()...)...)
		cmd.Env = environment()
		cmd.Stdin = strings.NewReader(tables)
		return cmd, nil
	},
}

// systemTables returns the server's own statements that make the schema mysql, with a root without a password: the
// socket's permissions are the access control.
func systemTables(server string) (string, error) {
	sql := new(strings.Builder)
	sql.WriteString("CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket = NULL;\n")
	for _, name := range []string{"system_tables", "performance_tables", "system_tables_data"} {
		text, err := script(server, name)
		if err != nil {
			return "", err
		}
		for line := range bytes.Lines(text) {
			// The server's own convention: without these lines nothing depends on the host's name.
			if !bytes.Contains(line, []byte("@current_hostname")) {
				sql.Write(line)
			}
		}
	}
	return sql.String(), nil
}

// script reads one of the server's files, whose names begin with mysql up to MariaDB 10 and with
// mariadb since.
func script(server, name string) ([]byte, error) {
	if real, err := filepath.EvalSymlinks(server); err == nil {
		server = real
	}
	prefix := filepath.Dir(filepath.Dir(server))
	for _, share := range []string{"share/mysql", "share/mariadb", "share"} {
		for _, maker := range []string{"mariadb_", "mysql_"} {
			text, err := os.ReadFile(filepath.Join(prefix, share, maker+name+".sql"))
			if err == nil {
				return text, nil
			}
		}
	}
	return nil, fmt.Errorf("the file mariadb_%s.sql, which comes with the server, is not below %s/share", name, prefix)
}
