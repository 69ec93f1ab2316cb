package failover

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/counterfoil/counterfoil/db"
)

// askTimeout is how long a server may take for each answer.
const askTimeout = 10 * time.Second

// openRaw returns connections that look for no mark. Their statements may take as long as they need if wait is 0.
func openRaw(url string, wait time.Duration) (*sql.DB, error) {
	cfg, err := db.Config(url)
	if err != nil {
		return nil, err
	}
	cfg.ReadTimeout, cfg.WriteTimeout = wait, wait
	cfg.Params = map[string]string{"time_zone": "'+00:00'", "wait_timeout": "28800"}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

// promoted returns why the server of the database is not one to fail over to.
func promoted(ctx context.Context, conn *sql.Conn) error {
	var off bool
	err := conn.QueryRowContext(ctx, "SELECT @@global.read_only").Scan(&off)
	if err == nil && off {
		return readOnly(errors.New("read_only is on"))
	}
	if err == nil {
		err = db.TryWrite(ctx, conn)
	}
	if db.RefusesWrites(err) {
		return readOnly(err)
	}
	if err != nil {
		return err
	}
	sources, _, err := db.Sources(ctx, conn)
	if err == nil && slices.ContainsFunc(sources, func(s db.Source) bool { return s.Applies }) {
		err = replicating()
	}
	return err
}

// current returns why the program cannot work on the schema of the database.
func current(ctx context.Context, conn *sql.Conn) error {
	var version uint
	var halfway bool
	err := conn.QueryRowContext(ctx, "SELECT version, dirty FROM schema_migrations").Scan(&version, &halfway)
	switch {
	case err != nil:
		return err
	case version > db.LatestSchema():
		return db.NewerSchema(version)
	case halfway:
		return db.BrokenSchema(version)
	}
	return nil
}

// fenced asks the old server whether it takes writes, and returns its address, without a password, and its answer. It
// returns CodeOldWritable, CodeOldUnclear or CodeSameServer. No answer is taken for one that is stopped: nobody can tell
// a stopped server from one that cannot be reached.
func fenced(ctx context.Context, url string, here *sql.Conn) (old, answer string, err error) {
	if url == "" {
		return "", "It is gone.", nil
	}
	d, err := db.Open(url)
	if err != nil {
		return "", "", err
	}
	host, name := d.Location()
	d.Close()
	old = host + "/" + name
	pool, err := openRaw(url, askTimeout)
	if err != nil {
		return old, "", err
	}
	defer pool.Close()
	ctx, cancel := context.WithTimeout(ctx, 3*askTimeout)
	defer cancel()
	conn, err := pool.Conn(ctx)
	if db.IsNoAnswer(err) {
		return old, "It does not answer.", nil
	}
	if err != nil {
		return old, "", oldUnclear(old, err)
	}
	defer conn.Close()
	if err := distinct(ctx, conn, here, old); err != nil {
		return old, "", err
	}
	switch err := db.TryWrite(ctx, conn); {
	case err == nil:
		return old, "", oldWritable(old)
	case db.RefusesWrites(err):
		return old, "It takes no writes: " + err.Error(), nil
	default:
		return old, "", oldUnclear(old, err)
	}
}

func distinct(ctx context.Context, there, here *sql.Conn, old string) error {
	theirs, err := db.Identity(ctx, there)
	if err != nil {
		return oldUnclear(old, err)
	}
	ours, err := db.Identity(ctx, here)
	if err == nil && ours == theirs {
		err = sameServer(old)
	}
	return err
}
