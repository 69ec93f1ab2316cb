package db

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// Server describes the database server.
type Server struct {
	MariaDB      bool
	Version      string            // as reported, up to the first hyphen
	Major, Minor int               // of Version
	Durability   map[string]string // the settings that decide whether a commit survives
	BinlogFormat string            // "" if there is no binary log
}

func (s Server) String() string {
	if s.MariaDB {
		return "MariaDB " + s.Version
	}
	return "MySQL " + s.Version
}

// LosesCommits returns the setting because of which a crash may take back commits that were answered, "" if none does.
func (s Server) LosesCommits() string {
	if v := s.Durability["innodb_flush_log_at_trx_commit"]; v != "1" {
		return "innodb_flush_log_at_trx_commit = " + v
	}
	if v := s.Durability["sync_binlog"]; s.BinlogFormat != "" && v != "1" {
		return "sync_binlog = " + v
	}
	return ""
}

// CodeUnfit: the database server is too old, or set up in a way that would lose data. Upgrade it or change the
// setting.
const CodeUnfit fault.Code = "Database.Unsupported"

func Unfit(why string) error {
	return fault.Invalid.New(CodeUnfit, "", why)
}

// Server reads the description.
func (d *DB) Server(ctx context.Context) (Server, error) {
	values, err := d.variables(ctx, "version", "innodb_flush_log_at_trx_commit", "sync_binlog", "log_bin", "binlog_format",
		"innodb_doublewrite")
	if err != nil {
		return Server{}, err
	}
	full := values["version"]
	version, _, _ := strings.Cut(full, "-")
	s := Server{MariaDB: strings.Contains(full, "MariaDB"), Version: version}
	parts := strings.SplitN(version, ".", 3)
	if len(parts) >= 2 {
		s.Major, _ = strconv.Atoi(parts[0])
		s.Minor, _ = strconv.Atoi(parts[1])
	}
	if values["log_bin"] == "ON" || values["log_bin"] == "1" {
		s.BinlogFormat = values["binlog_format"]
	}
	delete(values, "version")
	delete(values, "binlog_format")
	s.Durability = values
	return s, nil
}

// variables reads global settings; one that the server does not know is left out.
func (d *DB) variables(ctx context.Context, names ...string) (map[string]string, error) {
	args := make([]any, len(names))
	for i, name := range names {
		args[i] = name
	}
	marks := strings.TrimSuffix(strings.Repeat("?,", len(names)), ",")
	rows, err := d.SQL.QueryContext(ctx, "SHOW GLOBAL VARIABLES WHERE Variable_name IN ("+marks+")", args...)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", classify(err))
	}
	defer rows.Close()
	values := make(map[string]string, len(names))
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return nil, fmt.Errorf("read settings: %w", err)
		}
		values[name] = value
	}
	return values, classify(rows.Err())
}

// Check connects and returns Unavailable if the server does not answer, or Unfit if it is too old, has no InnoDB, or
// writes a binary log of statements, which replay in another order than they ran.
func (d *DB) Check(ctx context.Context) (Server, error) {
	s, err := d.Server(ctx)
	if err != nil {
		return s, err
	}
	switch {
	case s.MariaDB && (s.Major < 10 || s.Major == 10 && s.Minor < 6):
		return s, Unfit(s.String() + " is too old. Counterfoil needs MariaDB 10.6 or later, or MySQL 8.0 or later.")
	case !s.MariaDB && s.Major < 8:
		return s, Unfit(s.String() + " is too old. Counterfoil needs MySQL 8.0 or later, or MariaDB 10.6 or later.")
	case s.BinlogFormat == "STATEMENT":
		return s, Unfit("The server's binary log is in STATEMENT format, which READ COMMITTED does not allow. Set binlog_format=ROW (or MIXED) and start it again.")
	}
	var support string
	err = d.SQL.QueryRowContext(ctx,
		"SELECT support FROM information_schema.engines WHERE engine = 'InnoDB'").Scan(&support)
	if err != nil && !IsNotFound(err) {
		return s, fmt.Errorf("look for InnoDB: %w", classify(err))
	}
	if support != "YES" && support != "DEFAULT" {
		return s, Unfit("The server has no InnoDB, where Counterfoil keeps its tables. Enable it in the server's settings.")
	}
	return s, nil
}
