package verify

import "github.com/counterfoil/counterfoil/db"

// schema is checked first: the other checks need the newest.
var schema = check{name: "schema", says: "The schema is complete and at the version of this program.",
	run: schemaIsNewest}

func schemaIsNewest(l *checkRun) error {
	mark, err := db.FindMark(l.ctx, l.conn)
	if err != nil {
		return err
	}
	if mark != "" {
		l.find("%s", mark.Refusal())
		return nil
	}
	there, err := hasSchema(l)
	if err != nil {
		return err
	}
	if !there {
		l.find("there is no schema yet: run “counterfoil schema up”, or start “counterfoil serve”")
		return nil
	}
	status, err := schemaStatus(l)
	if err != nil {
		return err
	}
	switch l.Rows++; {
	case status.Dirty:
		l.find("a change to version %d stopped halfway: restore a backup into an empty database", status.Version)
	case status.Version < status.Latest:
		l.find("it is at version %d, this program's is %d: run “counterfoil schema up”", status.Version, status.Latest)
	case status.Version > status.Latest:
		l.find("it is at version %d, this program knows %d: use the newer program that changed it", status.Version,
			status.Latest)
	}
	return nil
}

func hasSchema(l *checkRun) (there bool, err error) {
	return there, l.conn.QueryRowContext(l.ctx, `SELECT COUNT(*) FROM information_schema.tables
		WHERE table_schema = DATABASE() AND table_name = 'schema_migrations'`).Scan(&there)
}

func schemaStatus(l *checkRun) (db.SchemaStatus, error) {
	status := db.SchemaStatus{Latest: db.LatestSchema()}
	err := l.conn.QueryRowContext(l.ctx, "SELECT version, dirty FROM schema_migrations").Scan(&status.Version,
		&status.Dirty)
	if db.IsNotFound(err) {
		return status, nil
	}
	return status, err
}
