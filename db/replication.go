package db

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// Source is a server whose changes this one applies.
type Source struct {
	Host           string        // with its port
	Reads, Applies bool          // its threads run
	Behind         sql.NullInt64 // seconds
	Error          string
}

// CodeReplica: the database server is a replica. Point DATABASE_URL at the server that is written to.
const CodeReplica fault.Code = "Database.Replica"

func replicaOf(source string) error {
	return fault.Unavailable.New(CodeReplica, "",
		fmt.Sprintf("The database server is a replica of %s: what is written here is not there, and collides with what comes from there. Point DATABASE_URL at the server that is written to. If this is to be that server, stop its replication and remove it, as docs/scaling.md says.", source))
}

// CheckPrimary returns the error of CodeReplica if the server applies the changes of another, as far as the account may
// see that.
func (d *DB) CheckPrimary(ctx context.Context) error {
	conn, err := d.SQL.Conn(ctx)
	if err != nil {
		return fmt.Errorf("look for replication: %w", classify(err))
	}
	defer conn.Close()
	sources, _, err := Sources(ctx, conn)
	if err != nil {
		return fmt.Errorf("look for replication: %w", classify(err))
	}
	for _, s := range sources {
		if s.Applies {
			return replicaOf(s.Host)
		}
	}
	return nil
}

// Sources returns the servers that this one replicates from, running or not. known is false if the account may not see
// them; of MariaDB it sees even then that there is one that runs.
func Sources(ctx context.Context, on *sql.Conn) (sources []Source, known bool, err error) {
	var full string
	if err := on.QueryRowContext(ctx, "SELECT VERSION()").Scan(&full); err != nil {
		return nil, false, err
	}
	statement := "SHOW REPLICA STATUS"
	if strings.Contains(full, "MariaDB") {
		statement = "SHOW ALL SLAVES STATUS"
	}
	rows, err := records(ctx, on, statement)
	if number(err) == syntaxError { // MySQL before 8.0.22
		rows, err = records(ctx, on, "SHOW SLAVE STATUS")
	}
	if IsForbidden(err) {
		sources, err := unnamedSources(ctx, on)
		return sources, false, err
	}
	if err != nil {
		return nil, false, err
	}
	for _, row := range rows {
		if strings.HasPrefix(row["channel_name"], "group_replication_") {
			continue
		}
		sources = append(sources, sourceOf(row))
	}
	return sources, true, nil
}

const syntaxError = 1064

func sourceOf(row map[string]string) Source {
	s := Source{
		Host:  row["source_host"] + ":" + row["source_port"],
		Reads: row["replica_io_running"] != "No", Applies: row["replica_sql_running"] == "Yes",
		Error: strings.TrimSpace(row["last_io_error"] + " " + row["last_sql_error"]),
	}
	if n, err := fmt.Sscan(row["seconds_behind_source"], &s.Behind.Int64); n == 1 && err == nil {
		s.Behind.Valid = true
	}
	return s
}

// unnamedSources reads a status of MariaDB that any account may see.
func unnamedSources(ctx context.Context, on *sql.Conn) ([]Source, error) {
	rows, err := records(ctx, on, "SHOW GLOBAL STATUS LIKE 'Slaves_running'")
	if err != nil || len(rows) == 0 || rows[0]["value"] == "0" {
		return nil, err
	}
	return []Source{{Host: "another server", Reads: true, Applies: true}}, nil
}

// records reads rows by the names of their columns, in small letters and MySQL's newer words; NULL is "".
func records(ctx context.Context, on *sql.Conn, query string) (list []map[string]string, err error) {
	rows, err := on.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	values := make([]sql.NullString, len(columns))
	into := make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	newer := strings.NewReplacer("master", "source", "slave", "replica")
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		record := make(map[string]string, len(columns))
		for i, column := range columns {
			record[newer.Replace(strings.ToLower(column))] = values[i].String
		}
		list = append(list, record)
	}
	return list, rows.Err()
}
