package db

import (
	"database/sql"
	"database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"io/fs"

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

// SchemaUp brings the schema to the newest version, under a lock. It returns BrokenSchema or NewerSchema if it cannot.
// Each of reached is called with each version. A database that a restore holds is refused with Restoring.
func SchemaUp(rawURL string, reached ...func(version, latest uint)) error {
	return withSchema(rawURL, true, reached, func(m *migrate.Migrate) error {
		// Up checks the version under its lock; before that, another process may be changing it.
		err := m.Up()
		for errors.Is(err, database.ErrLocked) || errors.Is(err, migrate.ErrLockTimeout) {
			err = m.Up() // it waited some seconds; a large change takes longer
		}
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

// SchemaTo brings the schema up or down to a version, also of a database that a restore holds.
func SchemaTo(rawURL string, version uint) error {
	return withSchema(rawURL, false, nil, func(m *migrate.Migrate) error { return m.Migrate(version) })
}

// SchemaDown reverts the newest schema change, and loses the data that it holds.
func SchemaDown(rawURL string) error {
	return withSchema(rawURL, true, nil, func(m *migrate.Migrate) error { return m.Steps(-1) })
}

// Schema returns the state of the schema.
func Schema(rawURL string) (SchemaStatus, error) {
	status := SchemaStatus{Latest: LatestSchema()}
	err := withSchema(rawURL, true, nil, func(m *migrate.Migrate) error {
		var err error
		status.Version, status.Dirty, err = m.Version()
		if errors.Is(err, migrate.ErrNilVersion) {
			return nil
		}
		return err
	})
	return status, err
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

// watchedSchema reports the versions that a schema reaches.
type watchedSchema struct {
	database.Driver
	reached []func(version, latest uint)
}

// SetVersion is called by golang-migrate before a change, which it calls dirty, and after it.
func (w watchedSchema) SetVersion(version int, dirty bool) error {
	err := w.Driver.SetVersion(version, dirty)
	if err != nil || dirty {
		return err
	}
	for _, reached := range w.reached {
		reached(uint(version), LatestSchema())
	}
	return nil
}

// withSchema runs golang-migrate on a connection of its own: its files hold several statements.
func withSchema(
	rawURL string, onlyFree bool, reached []func(version, latest uint), fn func(*migrate.Migrate) error,
) error {
	cfg, err := Config(rawURL)
	if err != nil {
		return err
	}
	cfg.MultiStatements = true
	var connector driver.Connector
	if connector, err = mysql.NewConnector(cfg); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	if onlyFree {
		connector = freeConnector{connector}
	}
	pool := sql.OpenDB(connector)
	defer pool.Close()
	files, err := iofs.New(schemaFiles, "schema")
	if err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	changed, err := target.WithInstance(pool, &target.Config{MigrationsTable: "schema_migrations"})
	if err != nil {
		return fmt.Errorf("schema: %w", classify(err))
	}
	m, err := migrate.NewWithInstance("iofs", files, "mysql", watchedSchema{changed, reached})
	if err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	defer m.Close()
	if err := fn(m); err != nil && !errors.Is(err, migrate.ErrNoChange) {
		return fmt.Errorf("schema: %w", classify(err))
	}
	return nil
}
