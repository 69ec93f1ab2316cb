package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/golang-migrate/migrate/v4"
	"github.com/golang-migrate/migrate/v4/database"
	target "github.com/golang-migrate/migrate/v4/database/mysql"
	"github.com/golang-migrate/migrate/v4/source/iofs"

	"github.com/counterfoil/counterfoil/domain/fault"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// SchemaStatus is the state of a database's schema. Version 0 is an empty database; Dirty means that a change broke
// off halfway.
type SchemaStatus struct {
	Version, Latest uint
	Dirty           bool
}

// SchemaWatch follows a change of the schema. Either may be nil.
type SchemaWatch struct {
	Reached func(version, latest uint) // each version
	Waits   func(why string)           // it waits, for another process or for a table
}

// SchemaUp brings the schema to the newest version, under a lock: another process that changes it is waited for. It
// returns BrokenSchema or NewerSchema if it cannot. A marked database is refused with the Refusal of its mark.
func SchemaUp(rawURL string, watch ...SchemaWatch) error {
	return withSchema(rawURL, schemaUse{onlyFree: true, changes: true, watch: watch}, func(m *migrate.Migrate) error {
		err := m.Up()
		var dirty migrate.ErrDirty
		switch {
		case errors.As(err, &dirty):
			return BrokenSchema(uint(dirty.Version))
		case errors.Is(err, fs.ErrNotExist):
			version, _, _ := m.Version()
			return NewerSchema(version)
		}
		return err
	})
}

// CodeBrokenSchema: a change of the database's schema broke off. Restore the backup from before the upgrade.
const CodeBrokenSchema fault.Code = "Schema.Incomplete"

func BrokenSchema(version uint) error {
	return fault.Invalid.New(CodeBrokenSchema, "",
		fmt.Sprintf("The change of the database to schema version %d broke off halfway. Restore the backup from before the upgrade.", version))
}

// CodeNewerSchema: the database was used by a newer version. Run that version.
const CodeNewerSchema fault.Code = "Schema.TooNew"

func NewerSchema(version uint) error {
	return fault.Invalid.New(CodeNewerSchema, "",
		fmt.Sprintf("The database has schema version %d, which this program does not know yet. Run the newer Counterfoil that made it.", version))
}

// SchemaTo brings the schema up or down to a version, also of a marked database.
func SchemaTo(rawURL string, version uint) error {
	return withSchema(rawURL, schemaUse{changes: true}, func(m *migrate.Migrate) error { return m.Migrate(version) })
}

// SchemaDown reverts the newest schema change, and loses the data that it holds.
func SchemaDown(rawURL string) error {
	return withSchema(rawURL, schemaUse{onlyFree: true, changes: true}, func(m *migrate.Migrate) error { return m.Steps(-1) })
}

// Schema returns the state of the schema.
func Schema(rawURL string) (SchemaStatus, error) {
	status := SchemaStatus{Latest: LatestSchema()}
	err := withSchema(rawURL, schemaUse{onlyFree: true}, func(m *migrate.Migrate) error {
		var err error
		status.Version, status.Dirty, err = m.Version()
		if errors.Is(err, migrate.ErrNilVersion) {
			return nil
		}
		return err
	})
	return status, err
}

// SchemaNow returns the state of the schema as the database's own table says it, without a lock.
func (d *DB) SchemaNow(ctx context.Context) (SchemaStatus, error) {
	status := SchemaStatus{Latest: LatestSchema()}
	err := d.SQL.QueryRowContext(ctx, "SELECT version, dirty FROM "+schemaTable+" LIMIT 1").
		Scan(&status.Version, &status.Dirty)
	if err != nil {
		return SchemaStatus{}, fmt.Errorf("read the version of the schema: %w", classify(err))
	}
	return status, nil
}

// LatestSchema is the newest version that this program knows.
func LatestSchema() uint {
	files, err := iofs.New(schemaFiles, "schema")
	if err != nil {
		panic(err) // embedded at build time
	}
	defer files.Close()
	version, err := files.First()
	for err == nil {
		var next uint
		if next, err = files.Next(version); err == nil {
			version = next
		}
	}
	return version
}

// watchedSchema reports the versions that a schema reaches, and runs the statements of its files one by one.
type watchedSchema struct {
	database.Driver
	conn  *sql.Conn
	watch []SchemaWatch
}

func (w watchedSchema) waits(why string) {
	for _, watch := range w.watch {
		if watch.Waits != nil {
			watch.Waits(why)
		}
	}
}

// schemaLockWait is how long, in seconds, a statement waits for its table at once. Whatever else needs the table waits
// behind it, so it steps back in between.
const schemaLockWait = 2

// lock waits until no other process changes the schema. It takes the lock that golang-migrate takes, on the connection of
// the change: if that is lost, so is the lock.
func (w watchedSchema) lock(ctx context.Context) error {
	var name string
	if err := w.conn.QueryRowContext(ctx, "SELECT DATABASE()").Scan(&name); err != nil {
		return err
	}
	key, err := database.GenerateAdvisoryLockId(name + ":" + schemaTable)
	if err != nil {
		return err
	}
	for said := ""; ; {
		var mine sql.NullBool
		if err := w.conn.QueryRowContext(ctx, "SELECT GET_LOCK(?, ?)", key, schemaLockWait).Scan(&mine); err != nil {
			return err
		}
		if mine.Bool {
			_, err := w.conn.ExecContext(ctx, fmt.Sprint("SET SESSION lock_wait_timeout = ", schemaLockWait))
			return err
		}
		if holder := w.holder(ctx, key); holder != said {
			said = holder
			w.waits("Another process is changing the schema, or looking at it: " + holder + ". Waiting until it is done.")
		}
	}
}

// holder names the connection that has the lock, as far as this account may see it.
func (w watchedSchema) holder(ctx context.Context, key string) string {
	var holder sql.NullInt64
	if err := w.conn.QueryRowContext(ctx, "SELECT IS_USED_LOCK(?)", key).Scan(&holder); err != nil || !holder.Valid {
		return "its connection is not known"
	}
	all, _ := connections(ctx, w.conn)
	for _, c := range all {
		if c.id == uint64(holder.Int64) {
			return fmt.Sprintf("connection %d of %s at %s", c.id, c.user, c.host)
		}
	}
	return fmt.Sprint("connection ", holder.Int64)
}

// Run runs the statements of a file. One that waits too long for its table, or that a node of a cluster refuses for now,
// has changed nothing, and is run again.
func (w watchedSchema) Run(file io.Reader) error {
	text, err := io.ReadAll(file)
	if err != nil {
		return err
	}
	for _, statement := range Statements(string(text)) {
		err := w.untilFree(func() error {
			_, err := w.conn.ExecContext(context.Background(), statement)
			return err
		})
		if err != nil {
			return database.Error{OrigErr: err, Err: "migration failed", Query: []byte(statement)}
		}
	}
	return nil
}

// untilFree does something again while it waits too long for a lock.
func (w watchedSchema) untilFree(do func() error) error {
	for said := false; ; {
		err := do()
		if number(err) != 1205 && number(err) != notInCluster {
			return err
		}
		if !said {
			said = true
			w.waits(whySchemaWaits(err))
		}
	}
}

func whySchemaWaits(err error) string {
	if number(err) == notInCluster {
		return "The server's cluster takes no changes of the schema now: it is not complete, or a backup holds it. Trying again until it does."
	}
	return "A transaction, or a long query, holds a table that the schema is to change. Trying again until it is over."
}

// Statements are the statements of a schema file: each ends with a semicolon at the end of a line.
func Statements(file string) (list []string) {
	var statement strings.Builder
	for line := range strings.Lines(file) {
		if strings.HasPrefix(strings.TrimSpace(line), "--") {
			continue
		}
		statement.WriteString(line)
		if strings.HasSuffix(strings.TrimSpace(line), ";") {
			list = append(list, strings.TrimSpace(statement.String()))
			statement.Reset()
		}
	}
	if rest := strings.TrimSpace(statement.String()); rest != "" {
		list = append(list, rest)
	}
	return list
}

// SetVersion is called by golang-migrate before a change, which it calls dirty, and after it. It waits as a statement
// does: a backup of another database holds up all writes on MySQL for a moment.
func (w watchedSchema) SetVersion(version int, dirty bool) error {
	err := w.untilFree(func() error {
		err := w.Driver.SetVersion(version, dirty)
		var wrapped *database.Error // which does not unwrap
		if errors.As(err, &wrapped) {
			return fmt.Errorf("note version %d of the schema: %w", version, wrapped.OrigErr)
		}
		return err
	})
	if err != nil || dirty {
		return err
	}
	for _, watch := range w.watch {
		if watch.Reached != nil {
			watch.Reached(uint(version), LatestSchema())
		}
	}
	return nil
}

// schemaTable has the version of the schema.
const schemaTable = "schema_migrations"

// schemaUse says what a use of golang-migrate is for.
type schemaUse struct {
	onlyFree bool // it is refused while a restore holds the database
	changes  bool
	watch    []SchemaWatch
}

// withSchema runs golang-migrate on a connection of its own.
func withSchema(rawURL string, use schemaUse, fn func(*migrate.Migrate) error) error {
	cfg, err := Config(rawURL)
	if err != nil {
		return err
	}
	var connector driver.Connector
	if connector, err = mysql.NewConnector(cfg); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	if use.onlyFree {
		connector = freeConnector{connector}
	}
	pool := sql.OpenDB(connector)
	defer pool.Close()
	files, err := iofs.New(schemaFiles, "schema")
	if err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	ctx := context.Background()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return fmt.Errorf("schema: %w", classify(err))
	}
	defer conn.Close()
	w := watchedSchema{conn: conn, watch: use.watch}
	if err := w.lock(ctx); err != nil {
		return fmt.Errorf("schema: %w", classify(err))
	}
	if use.changes {
		unlock, err := w.lockCluster(ctx, pool)
		if err != nil {
			return fmt.Errorf("schema: %w", classify(err))
		}
		defer unlock()
	}
	w.Driver, err = target.WithConnection(ctx, conn, &target.Config{MigrationsTable: schemaTable, NoLock: true})
	if err != nil {
		return fmt.Errorf("schema: %w", classify(err))
	}
	m, err := migrate.NewWithInstance("iofs", files, "mysql", w)
	if err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	defer m.Close()
	if err := fn(m); err != nil && !errors.Is(err, migrate.ErrNoChange) {
		return fmt.Errorf("schema: %w", classify(err))
	}
	return nil
}
