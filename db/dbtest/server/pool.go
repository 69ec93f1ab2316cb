package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// pool lends databases with the newest schema. A returned database is wiped and lent again: that costs a few
// milliseconds where a new schema costs a hundred, on MySQL half a second. A database whose tables were altered, or
// that still has connections after a moment, is dropped. Schemas are changed one at a time: servers serialize them
// anyway, and spin while they wait.
type pool struct {
	url string // of the server
	sql *sql.DB

	tables    []string
	layout    map[string]string // CREATE TABLE by table, without counters
	create    string            // all tables, with their first rows
	seeded    []string          // the tables that have first rows
	returning sync.WaitGroup

	session  sync.Mutex // one at a time
	mu       sync.Mutex // of what follows
	clean    []string
	returned []string
	counts   struct{ lent, made, wiped, dropped int }
	waited   time.Duration // by tests
	behind   time.Duration // for wiping after them
}

// pattern is the database that others are copies of.
const pattern = "pattern"

var counter = regexp.MustCompile(` AUTO_INCREMENT=\d+`)

func newPool(url string) (*pool, error) {
	url = strings.TrimSuffix(url, "/")
	cfg, err := db.Config(url + "/mysql")
	if err != nil {
		return nil, err
	}
	cfg.MultiStatements = true
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	p := &pool{url: url, sql: sql.OpenDB(connector)}
	p.sql.SetMaxOpenConns(1) // one session: USE and SET hold from statement to statement
	if err := p.learn(); err != nil {
		return nil, errors.Join(err, p.sql.Close())
	}
	return p, nil
}

// learn makes the pattern and keeps what its copies are made with and compared to.
func (p *pool) learn() error {
	if err := p.execute("CREATE DATABASE " + pattern + " " + charset); err != nil {
		return err
	}
	if err := db.SchemaUp(p.url + "/" + pattern); err != nil {
		return err
	}
	names, err := p.strings("SELECT table_name FROM information_schema.tables WHERE table_schema = '" + pattern +
		"' ORDER BY table_name")
	if err != nil {
		return err
	}
	p.tables = names
	tables, _, err := p.readLayout(pattern)
	if err != nil {
		return err
	}
	if p.seeded, err = p.tablesWithRows(pattern); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("SET foreign_key_checks = 0;")
	for _, table := range p.tables {
		b.WriteString(tables[table] + ";")
	}
	p.create = b.String() + p.seed()
	first, err := p.make()
	if err != nil {
		return err
	}
	p.clean = append(p.clean, first)
	p.layout, _, err = p.readLayout(first) // MySQL spells a copy's character sets out
	return err
}

func (p *pool) make() (name string, err error) {
	p.count(func() { p.counts.made++; name = fmt.Sprintf("t_%d", p.counts.made) })
	return name, p.execute(patient + "CREATE DATABASE " + name + " " + charset + "; USE " + name + ";" + p.create)
}

// How long the session waits for locks: a new database, while tests hold up all writes (a backup on MySQL, whose lock
// another test holds up); a returned one, which another can stand in for, while a connection still uses it.
const (
	patient = "SET SESSION lock_wait_timeout = 120, innodb_lock_wait_timeout = 120;"
	brief   = "SET SESSION lock_wait_timeout = 5, innodb_lock_wait_timeout = 5;"
)

// charset is that of every database for tests.
const charset = "CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci"

func (p *pool) seed() string {
	var b strings.Builder
	for _, table := range p.seeded {
		fmt.Fprintf(&b, "INSERT INTO %s SELECT * FROM %s.%s;", table, pattern, table)
	}
	return b.String() + "UPDATE sequences SET epoch = UNIX_TIMESTAMP(); SET foreign_key_checks = 1"
}

func (p *pool) execute(statements string) error {
	_, err := p.sql.Exec(statements)
	return err
}

func (p *pool) strings(query string) ([]string, error) {
	rows, err := p.sql.Query(query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

// readLayout returns the CREATE TABLE of each table without its counter, and the tables whose counter has moved.
func (p *pool) readLayout(name string) (layout map[string]string, counted []string, err error) {
	if err := p.execute("USE " + name); err != nil {
		return nil, nil, err
	}
	rows, err := p.sql.Query("SHOW CREATE TABLE " + strings.Join(p.tables, "; SHOW CREATE TABLE "))
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	layout = map[string]string{}
	for {
		for rows.Next() {
			var table, text string
			if err := rows.Scan(&table, &text); err != nil {
				return nil, nil, err
			}
			layout[table] = counter.ReplaceAllString(text, "")
			if layout[table] != text {
				counted = append(counted, table)
			}
		}
		if !rows.NextResultSet() {
			return layout, counted, rows.Err()
		}
	}
}

// tablesWithRows returns the tables of the database in use that have rows.
func (p *pool) tablesWithRows(name string) ([]string, error) {
	if err := p.execute("USE " + name); err != nil {
		return nil, err
	}
	var b strings.Builder
	for i, table := range p.tables {
		if i > 0 {
			b.WriteString(" UNION ALL ")
		}
		fmt.Fprintf(&b, "(SELECT '%s' FROM %s LIMIT 1)", table, table)
	}
	return p.strings(b.String())
}

// lend returns the name of a database like a new one.
func (p *pool) lend() (string, error) {
	began := time.Now()
	defer func() { p.count(func() { p.counts.lent++; p.waited += time.Since(began) }) }()
	if name := pop(p, &p.clean); name != "" {
		return name, nil
	}
	p.session.Lock()
	defer p.session.Unlock()
	p.wipeNext()
	if name := pop(p, &p.clean); name != "" {
		return name, nil
	}
	return p.make()
}

// giveBack takes a database back, and wipes it later.
func (p *pool) giveBack(name string) {
	p.count(func() { p.returned = append(p.returned, name) })
	p.returning.Go(func() {
		p.session.Lock()
		defer p.session.Unlock()
		began := time.Now()
		p.wipeNext()
		p.count(func() { p.behind += time.Since(began) })
	})
}

func (p *pool) wipeNext() {
	name := pop(p, &p.returned)
	if name == "" {
		return
	}
	if err := p.wipe(name); err != nil {
		p.count(func() { p.counts.dropped++ })
		if err := p.execute(brief + "DROP DATABASE " + name); err != nil {
			fmt.Fprintln(os.Stderr, "test server:", name, err)
		}
		return
	}
	p.count(func() { p.counts.wiped++; p.clean = append(p.clean, name) })
}

func (p *pool) count(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func pop(p *pool, names *[]string) (name string) {
	p.count(func() {
		if last := len(*names) - 1; last >= 0 {
			name, *names = (*names)[last], (*names)[:last]
		}
	})
	return name
}

var (
	errChanged = errors.New("altered")
	errInUse   = errors.New("in use")
)

func (p *pool) wipe(name string) error {
	if err := p.idle(name); err != nil {
		return err
	}
	layout, counted, err := p.readLayout(name)
	if err != nil {
		return err
	}
	tables, err := p.strings("SHOW TABLES FROM " + name)
	if err != nil {
		return err
	}
	triggers, err := p.triggers(name)
	if err != nil {
		return err
	}
	if len(tables) != len(p.tables) || len(triggers) > 0 || !maps.Equal(layout, p.layout) {
		return errChanged
	}
	dirty, err := p.tablesWithRows(name)
	if err != nil {
		return err
	}
	// To truncate costs a table's file; only that begins its counter anew.
	how := map[string]string{}
	for _, table := range append(dirty, p.seeded...) {
		how[table] = "DELETE FROM "
	}
	for _, table := range counted {
		how[table] = "TRUNCATE TABLE "
	}
	var b strings.Builder
	b.WriteString(brief + "SET SESSION foreign_key_checks = 0;")
	for table, begins := range how {
		b.WriteString(begins + table + ";")
	}
	return p.execute(b.String() + p.seed())
}

// triggers returns the triggers of a database, which take long to list: the server counts those made at all.
func (p *pool) triggers(name string) ([]string, error) {
	var status string
	var made int
	if err := p.sql.QueryRow("SHOW GLOBAL STATUS LIKE 'Com_create_trigger'").Scan(&status, &made); err != nil ||
		made == 0 {
		return nil, err
	}
	return p.strings("SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema = '" + name + "'")
}

// idle returns nil once the database has no connections: the server notices a closed client with a delay.
func (p *pool) idle(name string) error {
	if err := p.execute("USE mysql"); err != nil { // else the pool's own connection may use it
		return err
	}
	for until := time.Now().Add(200 * time.Millisecond); ; _ = wait.Sleep(context.Background(), 2*time.Millisecond) {
		list, err := dbtest.Connections(context.Background(), p.sql)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(list, func(c dbtest.Connection) bool { return c.Database == name }) {
			return nil
		}
		if time.Now().After(until) {
			return errInUse
		}
	}
}

func (p *pool) report() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("databases: %d lent, %d made, %d wiped, %d dropped; tests waited %.1f s for them, and wiping took %.1f s besides",
		p.counts.lent, p.counts.made, p.counts.wiped, p.counts.dropped, p.waited.Seconds(), p.behind.Seconds())
}

// serve lends over the socket until ctx ends: POST /lend answers with a name, POST /return has it as its body.
func (p *pool) serve(ctx context.Context, socket string) error {
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /lend", func(w http.ResponseWriter, _ *http.Request) {
		name, err := p.lend()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, name)
	})
	mux.HandleFunc("POST /return", func(_ http.ResponseWriter, r *http.Request) {
		name, err := io.ReadAll(r.Body)
		if err == nil {
			p.giveBack(string(name))
		}
	})
	server := &http.Server{Handler: mux}
	context.AfterFunc(ctx, func() { server.Close() })
	go func() { _ = server.Serve(listener) }() // until ctx ends
	return nil
}

func (p *pool) close() {
	p.returning.Wait()
	p.sql.Close()
}
