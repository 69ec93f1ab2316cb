package bench

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/kinds/codes"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// RefLoad is the load of popping reference codes.
type RefLoad struct {
	Pool    uint64 // minted codes
	Pops    int    // by all callers of a strategy
	Callers []int  // at once
	Held    int    // pops, in blocks, while a transaction keeps the server from purging; 0: not measured
	Rivals  bool
	Clients int // over HTTP
	// Start starts a server for the measurement over HTTP; nil leaves that out.
	Start func(ctx context.Context) (Server, error)
}

// The measures of reference codes.
const (
	minting  = "minting"
	costing  = "pops by size"
	overHTTP = "over HTTP"
)

// smallPool is the size of the pool that larger ones are compared with.
const smallPool = 100_000

type refBench struct {
	d        *db.DB
	w        *app.App
	load     RefLoad
	canaries refs.Canaries
	token    string
	minted   uint64
	mintTime time.Duration
}

// Refs measures minting and popping: our workflow, and rival strategies, each from a pool of the same codes.
func Refs(ctx context.Context, d *db.DB, load RefLoad) (Report, error) {
	d.Connections(slices.Max(load.Callers) + 10)
	report, err := newReport(ctx, d)
	if err != nil {
		return Report{}, err
	}
	report.unit = "codes"
	w := app.New(d)
	defer w.Close(ctx)
	actor, _, token, err := w.Workflows.SetUp(ctx, workflows.Setup{Company: "Bench", Name: "Bench",
		Email: "bench@example.com", Password: "not a secret at all", Token: true})
	if err != nil {
		return Report{}, err
	}
	ctx = accounts.WithActor(ctx, actor)
	b := &refBench{d: d, w: w, load: load, token: token}
	if b.canaries, err = refs.ReadCanaries(ctx, d.Queries); err != nil {
		return Report{}, err
	}
	for _, measure := range []func(context.Context, *Report) error{b.sizes, b.beside, b.http, b.prove} {
		if err := measure(ctx, &report); err != nil {
			return Report{}, err
		}
	}
	return report, nil
}

// sizes mints the pool, and measures pops from it at each size, and while the server cannot purge.
func (b *refBench) sizes(ctx context.Context, report *Report) error {
	steps := []struct {
		name  string
		codes uint64
	}{{fmt.Sprintf("%d codes", smallPool), smallPool}, {"10 % of a mint", max(smallPool, b.load.Pool/10)},
		{fmt.Sprintf("%d codes", b.load.Pool), b.load.Pool}}
	var deadlocks uint64
	slice, slices_ := 0, refs.Rounds(refs.Short, b.load.Pool, 0)
	for _, step := range steps {
		from := slice
		for ; slice < len(slices_) && b.minted < step.codes; slice++ {
			b.minted += uint64(slices_[slice].Codes)
		}
		row, err := counted(ctx, b.d, func() (Row, error) { return Row{}, b.mint(ctx, slices_[from:slice]) })
		if err != nil {
			return fmt.Errorf("mint: %w", err)
		}
		if row.Deadlocks != nil {
			deadlocks += *row.Deadlocks
		}
		if err := b.cost(ctx, report, step.name); err != nil {
			return err
		}
	}
	var name string
	var buffer uint64
	if err := b.d.SQL.QueryRowContext(ctx, "SHOW GLOBAL VARIABLES LIKE 'innodb_buffer_pool_size'").Scan(&name,
		&buffer); err != nil {
		return err
	}
	report.remarks = append(report.remarks,
		fmt.Sprintf("%d codes were minted in %s (%.0f a second). The buffer pool is %d MB.", b.minted,
			b.mintTime.Round(time.Second), float64(b.minted)/b.mintTime.Seconds(), buffer>>20))
	if b.load.Held > 0 {
		if err := b.held(ctx, report); err != nil {
			return err
		}
	}
	report.Rows = append(report.Rows,
		Row{Measure: minting, Strategy: "ours", PerSecond: float64(b.minted) / b.mintTime.Seconds(), Deadlocks: &deadlocks,
			Note: "one worker, two slices at a time: draw, words, ledger, pool"})
	return nil
}

// mint mints slices as a worker does.
func (b *refBench) mint(ctx context.Context, slices_ []refs.Slice) error {
	defer func(began time.Time) { b.mintTime += time.Since(began) }(time.Now())
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(codes.TasksAtOnce)
	for _, slice := range slices_ {
		group.Go(func() error {
			return b.d.InTx(ctx, func(tx *db.Tx) error {
				lot, err := refs.OpenLot(ctx, tx, 1, refs.FromMint, slice.Length)
				if err != nil {
					return err
				}
				_, err = refs.Mint(ctx, tx, b.canaries, lot, slice)
				return err
			})
		})
	}
	return group.Wait()
}

// cost measures pops of our workflow from the pool at its present size.
func (b *refBench) cost(ctx context.Context, report *Report, name string) error {
	row, err := b.pops(ctx, costing, name, b.load.Callers[0], min(b.load.Pops, smallPool/4), b.ours)
	if err != nil {
		return err
	}
	report.Rows = append(report.Rows, row)
	if first := report.Rows[0]; first.PerSecond != row.PerSecond {
		report.remarks = append(report.remarks, fmt.Sprintf("A pop from %s costs %.2f × one from %s.", name,
			first.PerSecond/row.PerSecond, first.Strategy))
	}
	return nil
}

// held measures pops while an open snapshot keeps the server from purging deleted rows.
func (b *refBench) held(ctx context.Context, report *Report) error {
	conn, err := b.d.SQL.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, statement := range []string{"SET SESSION wait_timeout = 28800",
		"SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ", "START TRANSACTION WITH CONSISTENT SNAPSHOT"} {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	defer func() { _ = conn.Raw(func(any) error { return driver.ErrBadConn }) }() // it is closed, and not used again
	for left := b.load.Held; left > 0; left -= refs.MaxPop {
		if _, err := b.w.Console.PopRefs(ctx, min(left, refs.MaxPop), "", nil); err != nil {
			return fmt.Errorf("pop in blocks: %w", err)
		}
	}
	return b.cost(ctx, report, fmt.Sprintf("%d codes, %d popped and not purged", b.load.Pool, b.load.Held))
}

func (b *refBench) ours(ctx context.Context) (string, error) {
	codes, err := b.w.Console.PopRefs(ctx, 1, "", nil)
	if err != nil {
		return "", err
	}
	return string(codes[0]), nil
}

// beside measures the rivals and ours with the same callers.
func (b *refBench) beside(ctx context.Context, report *Report) error {
	if !b.load.Rivals {
		return nil
	}
	rival := refRivals{b.d.SQL}
	ways := []struct {
		name, note string
		pop        func(ctx context.Context) (string, error)
	}{
		{"procedure", "expected to fail: SELECT without a lock, then DELETE", rival.published},
		{"for update", "SELECT … FOR UPDATE of the first, DELETE", rival.forUpdate},
		{"skip locked", "SELECT … FOR UPDATE SKIP LOCKED of the first, DELETE", rival.skipLocked},
		{"counter", "codes are numbered, one row says which is next", rival.counter},
		{"delete returning", "DELETE … RETURNING from a random place; MariaDB", rival.deleteReturning},
		{"floor", "INSERT of one row, no code taken", rival.insert},
		{"ours", "whole workflow: scope, batch, random places, ledger's pool, who it is for, counters", b.ours},
	}
	for _, callers := range b.load.Callers {
		of := map[string]float64{}
		for _, way := range ways {
			if way.name == "delete returning" && !strings.HasPrefix(report.Engine, "MariaDB") {
				continue
			}
			if way.name != "ours" {
				if err := rival.fill(ctx); err != nil {
					return fmt.Errorf("fill the pool of others: %w", err)
				}
			}
			row, err := b.pops(ctx, "", way.name, callers, b.load.Pops, way.pop)
			if err != nil {
				return fmt.Errorf("%s: %w", way.name, err)
			}
			row.Note = way.note
			report.Rows = append(report.Rows, row)
			of[way.name] = row.PerSecond
		}
		report.remarks = append(report.remarks, fmt.Sprintf("With %d callers ours is %.1f × plain SKIP LOCKED.", callers,
			of["ours"]/of["skip locked"]))
	}
	return rival.drop(ctx)
}

// pops has callers take codes, and checks the outcome.
func (b *refBench) pops(
	ctx context.Context, measure, name string, callers, pops int, pop func(ctx context.Context) (string, error),
) (Row, error) {
	var mu sync.Mutex
	seen := make(map[string]uint64, pops)
	return counted(ctx, b.d, func() (Row, error) {
		var first error
		times, all, errs := crowd(callers, pops/callers, func(int, int) error {
			code, err := pop(ctx)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				first = err
				return err
			}
			seen[code]++
			return nil
		})
		if len(errs) > pops/2 {
			return Row{}, first
		}
		slices.Sort(times)
		row := Row{Measure: measure, Strategy: name, Workers: callers, PerSecond: float64(len(times)) / all.Seconds(),
			P50: quantile(times, 0.5), P99: quantile(times, 0.99), Errors: uint64(len(errs))}
		for _, n := range seen {
			row.Duplicates += n - 1
		}
		return row, nil
	})
}

// http measures pops over HTTP, each answered before the client asks again.
func (b *refBench) http(ctx context.Context, report *Report) (err error) {
	if b.load.Start == nil {
		return nil
	}
	server, err := b.load.Start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: b.load.Clients}, Timeout: time.Minute}
	defer client.CloseIdleConnections()
	row, err := b.pops(ctx, overHTTP, "ours", b.load.Clients, b.load.Pops,
		func(ctx context.Context) (string, error) { return b.post(ctx, client, server.URL) })
	if err != nil {
		return fmt.Errorf("over HTTP: %w", err)
	}
	row.Note = "POST /api/v1/refs/pop, clients and server on the same cores"
	report.Rows = append(report.Rows, row)
	report.remarks = append(report.remarks,
		fmt.Sprintf("Over HTTP, %d clients get %.0f codes a second, 99 of 100 within %.1f ms.", b.load.Clients, row.PerSecond,
			row.P99))
	return nil
}

func (b *refBench) post(ctx context.Context, client *http.Client, server string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server+"/api/v1/refs/pop", nil)
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+b.token)
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", err
	}
	var answer struct{ Refs []string }
	if err := json.Unmarshal(body, &answer); err != nil || len(answer.Refs) != 1 {
		return "", fmt.Errorf("%s: %s", response.Status, body)
	}
	return answer.Refs[0], nil
}

// prove compares the popped codes with the tables: no code is in two of them, and none is lost.
func (b *refBench) prove(ctx context.Context, report *Report) error {
	var ledger, pool, issued, both uint64
	err := b.d.SQL.QueryRowContext(ctx, `SELECT (SELECT COUNT(*) FROM ref_ledger), (SELECT COUNT(*) FROM ref_pool), (SELECT COUNT(*) FROM ref_issue),
		(SELECT COUNT(*) FROM ref_issue i JOIN ref_pool p ON p.code = i.code)`).Scan(&ledger, &pool, &issued, &both)
	if err != nil {
		return fmt.Errorf("count codes: %w", err)
	}
	for i := range report.Rows {
		if row := &report.Rows[i]; row.Strategy == "ours" && row.Measure != minting {
			row.Gaps = ledger - pool - issued
			row.Duplicates += both
		}
	}
	report.remarks = append(report.remarks,
		fmt.Sprintf("At the end: %d codes in the ledger, %d in the pool, %d given out, %d in both, %d lost.", ledger, pool,
			issued, both, ledger-pool-issued))
	return nil
}

// refRivals are other ways to take a code, in their plainest form, each recording its owner in the transaction.
type refRivals struct{ conn *sql.DB }

// fill gives them the codes of our pool.
func (r refRivals) fill(ctx context.Context) error {
	if err := r.drop(ctx); err != nil {
		return err
	}
	const code = "code VARCHAR(6) CHARACTER SET ascii COLLATE ascii_bin NOT NULL"
	for _, statement := range []string{
		"CREATE TABLE bench_pool (" + code + ", PRIMARY KEY (code)) ENGINE=InnoDB",
		"CREATE TABLE bench_numbered (n BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, " + code +
			", PRIMARY KEY (n)) ENGINE=InnoDB",
		"CREATE TABLE bench_next (id INT NOT NULL, n BIGINT UNSIGNED NOT NULL, PRIMARY KEY (id)) ENGINE=InnoDB",
		"CREATE TABLE bench_issue (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, " + code +
			", issued_at DATETIME(6) NOT NULL, PRIMARY KEY (id), KEY (code)) ENGINE=InnoDB",
		"INSERT INTO bench_pool SELECT code FROM ref_pool",
		"INSERT INTO bench_numbered (code) SELECT code FROM (SELECT code FROM ref_pool LIMIT 200000) few",
		"INSERT INTO bench_next VALUES (1, 0)",
	} {
		if _, err := r.conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func (r refRivals) drop(ctx context.Context) error {
	_, err := r.conn.ExecContext(ctx, "DROP TABLE IF EXISTS bench_pool, bench_numbered, bench_next, bench_issue")
	return err
}

func (r refRivals) published(ctx context.Context) (string, error) { return r.pick(ctx, "") }
func (r refRivals) forUpdate(ctx context.Context) (string, error) { return r.pick(ctx, " FOR UPDATE") }
func (r refRivals) skipLocked(ctx context.Context) (string, error) {
	return r.pick(ctx, " FOR UPDATE SKIP LOCKED")
}

// pick is SELECT, DELETE and INSERT in a transaction.
func (r refRivals) pick(ctx context.Context, lock string) (string, error) {
	return r.within(ctx, func(tx *sql.Tx) (code string, err error) {
		if err := tx.QueryRowContext(ctx, "SELECT code FROM bench_pool ORDER BY code LIMIT 1"+lock).Scan(&code); err != nil {
			return "", err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM bench_pool WHERE code = ?", code)
		return code, err
	})
}

func (r refRivals) counter(ctx context.Context) (string, error) {
	return r.within(ctx, func(tx *sql.Tx) (code string, err error) {
		result, err := tx.ExecContext(ctx, "UPDATE bench_next SET n = LAST_INSERT_ID(n + 1) WHERE id = 1")
		if err != nil {
			return "", err
		}
		n, err := result.LastInsertId()
		if err != nil {
			return "", err
		}
		return code, tx.QueryRowContext(ctx, "SELECT code FROM bench_numbered WHERE n >= ? ORDER BY n LIMIT 1", n).Scan(&code)
	})
}

// anyCode is a random code, in use or not.
func anyCode() string {
	const letters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	var code [refs.Short]byte
	for i := range code {
		code[i] = letters[rand.IntN(len(letters))]
	}
	return string(code[:])
}

func (r refRivals) deleteReturning(ctx context.Context) (string, error) {
	return r.within(ctx, func(tx *sql.Tx) (code string, err error) {
		return code, tx.QueryRowContext(ctx, "DELETE FROM bench_pool WHERE code >= ? ORDER BY code LIMIT 1 RETURNING code",
			anyCode()).Scan(&code)
	})
}

func (r refRivals) insert(ctx context.Context) (string, error) {
	return r.within(ctx, func(*sql.Tx) (string, error) { return anyCode(), nil })
}

// within runs fn in a transaction and records its code as popped.
func (r refRivals) within(ctx context.Context, fn func(tx *sql.Tx) (string, error)) (string, error) {
	tx, err := r.conn.BeginTx(ctx, nil)
	if err != nil {
		return "", err
	}
	defer tx.Rollback()
	code, err := fn(tx)
	if err != nil {
		return "", err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO bench_issue (code, issued_at) VALUES (?, NOW(6))", code); err != nil {
		return "", err
	}
	return code, tx.Commit()
}
