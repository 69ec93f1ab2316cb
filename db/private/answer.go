package private

import (
	"context"
	"database/sql"
	"errors"
	"time"

	driver "github.com/go-sql-driver/mysql"
)

// awaitAnswer waits until the database answers: as long as its process lives and ctx allows,
// because a server that recovers after a crash is not helped by another start.
func (s *Server) awaitAnswer(ctx context.Context, p *process, st state) error {
	progress := s.progress("the database is starting")
	log := s.logOf(st.Engine)
	for {
		err := probe(ctx, st.Socket)
		if err == nil {
			return nil
		}
		progress(log.last())
		select {
		case <-p.done:
			return s.startError(log, p.exit)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollEvery):
		}
	}
}

// probe returns nil if the server at socket answers and has our schema, which it creates if needed. A server with no
// connection left answers too.
func probe(ctx context.Context, socket string) error {
	const tooManyConnections, unknownDatabase = 1040, 1049
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	err := query(ctx, socket, database, "DO 0")
	var refused *driver.MySQLError
	switch {
	case !errors.As(err, &refused):
		return err
	case refused.Number == tooManyConnections:
		return nil
	case refused.Number == unknownDatabase:
		return query(ctx, socket, "", "CREATE DATABASE IF NOT EXISTS "+database+" CHARACTER SET utf8mb4 COLLATE "+collation)
	}
	return err
}

func query(ctx context.Context, socket, schema, statement string) error {
	_, err := affected(ctx, socket, schema, statement)
	return err
}

// affected runs a statement and returns how many rows it changed.
func affected(ctx context.Context, socket, schema, statement string) (int64, error) {
	cfg := driver.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName = "root", "unix", socket, schema
	cfg.Logger = &driver.NopLogger{}
	connector, err := driver.NewConnector(cfg)
	if err != nil {
		return 0, err
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	result, err := db.ExecContext(ctx, statement)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
