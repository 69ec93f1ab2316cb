package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// session is set once on every connection. The names are the same on MariaDB and MySQL, unlike the DSN variable for
// the isolation level. The server closes a connection without a statement for ten seconds, MariaDB one within a
// transaction for eight, because a process that hangs or cannot be reached must not keep its locks.
var session = []string{
	"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
	"SET SESSION time_zone = '+00:00', innodb_lock_wait_timeout = 5, wait_timeout = 10 /*M!100300, idle_transaction_timeout = 8 */, sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
}

// DefaultConnections is how many connections a program opens by default, and BulkConnections how many more its
// migrations read with.
const (
	DefaultConnections = 24
	BulkConnections    = 8
)

// AnswerTimeout is how long a statement or COMMIT of Open may take. It is longer than any wait for a lock.
const AnswerTimeout = 10 * time.Second

// lifetime is how long a connection is kept, so that a name or proxy that leads elsewhere is followed.
const lifetime = time.Minute

// Option is a setting of Open.
type Option func(*mysql.Config)

// AnswerWithin sets another AnswerTimeout; 0 is none: for changes of the schema, backups, checks and whatever else
// has long statements.
func AnswerWithin(d time.Duration) Option { return func(cfg *mysql.Config) { cfg.ReadTimeout = d } }

// DB is a database of Counterfoil: its queries, each in a transaction of its own, and InTx.
type DB struct {
	*Queries
	SQL *sql.DB
	now func() time.Time

	host, name string

	connector, patient driver.Connector // patient ones wait for an answer as long as it takes

	mu    sync.Mutex
	apart []*DB
}

// Location returns the database's host, with its port unless that is the default, and its name, without a password.
func (d *DB) Location() (host, name string) { return d.host, d.name }

func hostOf(cfg *mysql.Config) string {
	if cfg.Net == "unix" {
		return "localhost"
	}
	return strings.TrimSuffix(cfg.Addr, ":3306")
}

// Open returns the database at rawURL (mysql://user:pass@host:3306/name or
// mysql://user@unix(/path)/name). It does not connect; Check does. While the database has a mark, each use of it is
// refused with its Refusal; a server that only allows reading is Unavailable. A statement that takes longer than
// AnswerTimeout fails, for its connection may be dead; see AnswerWithin and WithPool.
func Open(rawURL string, options ...Option) (*DB, error) {
	return OpenWith(rawURL, func(c driver.Connector) driver.Connector { return c }, options...)
}

// OpenWith is Open with a wrapped connector: tests count and time statements.
func OpenWith(rawURL string, wrap func(driver.Connector) driver.Connector, options ...Option) (*DB, error) {
	return open(rawURL, func(c driver.Connector, k *killer) driver.Connector {
		return wrap(sessionConnector{freeConnector{c}, k, toWrite})
	}, options...)
}

// OpenToRead is Open for a program that only reads, also at a server that only allows reading.
func OpenToRead(rawURL string, options ...Option) (*DB, error) {
	return open(rawURL, func(c driver.Connector, k *killer) driver.Connector {
		return sessionConnector{freeConnector{c}, k, toRead}
	}, options...)
}

func open(rawURL string, wrap wrapper, options ...Option) (*DB, error) {
	cfg, err := Config(rawURL)
	if err != nil {
		return nil, err
	}
	d := &DB{now: time.Now, host: hostOf(cfg), name: cfg.DBName}
	cfg.ReadTimeout, cfg.WriteTimeout = AnswerTimeout, AnswerTimeout
	for _, set := range options {
		set(cfg)
	}
	if d.connector, err = connectorOf(cfg, wrap); err != nil {
		return nil, err
	}
	cfg.ReadTimeout = 0
	if d.patient, err = connectorOf(cfg, wrap); err != nil {
		return nil, err
	}
	d.connect(d.connector, DefaultConnections)
	return d, nil
}

// wrapper makes a connector of one of the driver.
type wrapper func(c driver.Connector, k *killer) driver.Connector

func connectorOf(cfg *mysql.Config, wrap wrapper) (driver.Connector, error) {
	quick := cfg.Clone()
	quick.ReadTimeout, quick.WriteTimeout = killTimeout, killTimeout
	killing, err := mysql.NewConnector(quick)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	return wrap(connector, &killer{connector: killing, slots: make(chan struct{}, killsAtOnce)}), nil
}

func (d *DB) connect(connector driver.Connector, most int) {
	d.SQL = sql.OpenDB(connector)
	d.Queries = New(d.SQL)
	d.Connections(most)
	d.SQL.SetConnMaxIdleTime(5 * time.Second) // before the server closes them
	d.SQL.SetConnMaxLifetime(lifetime)
}

// WithPool returns the same database with connections of its own, at most so many, for bulk reads that must not delay
// others. Their statements may take as long as their contexts. Closing the first closes it, too.
func (d *DB) WithPool(most int) *DB {
	a := &DB{now: func() time.Time { return d.now() }, host: d.host, name: d.name, connector: d.patient,
		patient: d.patient}
	a.connect(a.connector, most)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.apart = append(d.apart, a)
	return a
}

// Connections sets how many connections are opened and kept at most.
func (d *DB) Connections(n int) {
	d.SQL.SetMaxOpenConns(n)
	d.SQL.SetMaxIdleConns(n)
}

// SetClock replaces the clock of transactions.
func (d *DB) SetClock(now func() time.Time) { d.now = now }

// Close closes all connections.
func (d *DB) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.SQL.Close()
	for _, a := range d.apart {
		err = errors.Join(err, a.Close())
	}
	return err
}

// CodeBadURL: DATABASE_URL is malformed. Write mysql://user:password@host:3306/database.
const CodeBadURL fault.Code = "Database.BadURL"

// BadURL is the error of CodeBadURL.
type BadURL struct{ Why string }

func (e BadURL) Error() string {
	return "DATABASE_URL " + e.Why +
		": write mysql://user:password@host:3306/database or mysql://user@unix(/path/to/socket)/database."
}

func (e BadURL) Unwrap() error {
	return fault.Invalid.New(CodeBadURL, "", e.Error())
}

// Config translates a DATABASE_URL for the driver.
func Config(rawURL string) (*mysql.Config, error) {
	rest, ok := strings.CutPrefix(rawURL, "mysql://")
	if !ok {
		return nil, BadURL{Why: "does not begin with mysql://"}
	}
	cfg := mysql.NewConfig()
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		if err := credentials(cfg, rest[:at]); err != nil {
			return nil, err
		}
		rest = rest[at+1:]
	}
	address, name, ok := cutDatabase(rest)
	if !ok {
		return nil, BadURL{Why: "names no database"}
	}
	name, query, _ := strings.Cut(name, "?")
	cfg.DBName, cfg.Net, cfg.Addr = name, "tcp", address
	if path, ok := strings.CutPrefix(address, "unix("); ok {
		cfg.Net, cfg.Addr = "unix", strings.TrimSuffix(path, ")")
	} else if cfg.Addr = withPort(address); cfg.Addr == "" {
		return nil, BadURL{Why: "names no host"}
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, BadURL{Why: "has options that cannot be read"}
	}
	if err := knownOptions(values); err != nil {
		return nil, err
	}
	cfg.TLSConfig = values.Get("tls")
	cfg.DialFunc = dial
	cfg.ParseTime = true
	cfg.Loc = time.UTC
	cfg.ClientFoundRows = true
	cfg.InterpolateParams = true // one round trip a statement instead of three
	cfg.Collation = "utf8mb4_general_ci"
	cfg.Timeout = 10 * time.Second
	cfg.Logger = &mysql.NopLogger{} // its lines repeat the returned errors
	return cfg, nil
}

// knownOptions refuses options of a DATABASE_URL that would do nothing.
func knownOptions(values url.Values) error {
	for name := range values {
		if name != "tls" {
			return BadURL{Why: fmt.Sprintf("has an option %q that is not known; the only one is tls", name)}
		}
	}
	switch values.Get("tls") {
	case "", "true", "false", "skip-verify", "preferred":
		return nil
	}
	return BadURL{Why: "has an unknown value of tls; it may be true, false, skip-verify or preferred"}
}

func credentials(cfg *mysql.Config, userinfo string) error {
	user, password, _ := strings.Cut(userinfo, ":")
	var err error
	if cfg.User, err = url.PathUnescape(user); err != nil {
		return BadURL{Why: "has a user name that cannot be read"}
	}
	if cfg.Passwd, err = url.PathUnescape(password); err != nil {
		return BadURL{Why: "has a password that cannot be read; percent-encode its special characters"}
	}
	return nil
}

func cutDatabase(s string) (address, name string, ok bool) {
	if strings.HasPrefix(s, "unix(") {
		address, name, ok = strings.Cut(s, ")/")
		return address + ")", name, ok
	}
	return strings.Cut(s, "/")
}

func withPort(address string) string {
	if address == "" {
		return ""
	}
	if _, _, err := net.SplitHostPort(address); err == nil {
		return address
	}
	return net.JoinHostPort(strings.Trim(address, "[]"), "3306")
}

// sessionConnector sets up each new connection once.
type sessionConnector struct {
	driver.Connector
	killer *killer
	use    use
}

// use is what connections are for. One to write is not opened at a server that only allows reading: it may be a replica
// that lags behind, and read_only does not hold for each account. One to look answers also at a node that its cluster has
// lost.
type use int

const (
	toWrite use = iota
	toRead
	toLook
)

func (c sessionConnector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	ready := &conn{whole: opened.(whole), killer: c.killer}
	if err := ready.setUp(ctx, c.use); err != nil {
		ready.whole.Close()
		return nil, fmt.Errorf("set up database connection: %w", err)
	}
	return ready, nil
}

func (c *conn) setUp(ctx context.Context, use use) (err error) {
	for _, statement := range session {
		if _, err := c.whole.ExecContext(ctx, statement, nil); err != nil {
			return err
		}
	}
	if use == toLook {
		if _, err := c.whole.ExecContext(ctx, "SET SESSION wsrep_dirty_reads = ON", nil); err != nil && number(err) != unknownVariable {
			return err
		}
	}
	if c.at, err = placeOf(ctx, c.whole); err == nil && use == toWrite && c.at.readOnly {
		return &mysql.MySQLError{Number: readOnlyOption, Message: "read_only is on"}
	}
	return err
}
