package doctor

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
	"github.com/counterfoil/counterfoil/domain/secrets"
)

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30

	wantedPacket = 16 * mib
	// A busy server clears historyNote in about a minute; it can hardly catch up with historyProblem.
	historyNote, historyProblem = 100_000, 5_000_000
	openNote, openProblem       = time.Minute, time.Hour
	diskNote, diskProblem       = gib, 128 * mib
	// programs is the number of serve and work processes in a small installation, during an update too.
	programs = 3
)

// diagnose makes the checks.
func diagnose(f facts) []Check {
	checks := []Check{
		fitness(f), schema(f), tables(f),
		commits(f), pages(f), counters(f), binlog(f), binlogFormat(f),
		isolation(f), zone(f), clock(f),
		packet(f), pool(f), connections(f), purge(f), transactions(f),
	}
	checks = append(checks, replication(f)...)
	if f.claims != nil {
		checks = append(checks, claims(*f.claims))
	}
	if f.waiting != nil {
		checks = append(checks, feed(*f.waiting))
	}
	if f.key != nil {
		checks = append(checks, keyOf(*f.key))
	}
	if f.forwarded {
		checks = append(checks, Check{Name: "proxy", Mark: Note, Value: "X-Forwarded-For is ignored",
			Why: "Within a day it came from an address that is not a trusted proxy. If that is your proxy, all users behind it share one address, and the limits of sign-ins and forms.",
			Fix: "The log of “counterfoil serve” names the address: list it in COUNTERFOIL_TRUSTED_PROXIES if it is your proxy."})
	}
	for _, d := range f.disks {
		checks = append(checks, diskSpace(d))
	}
	return checks
}

// feed notes changes that wait while nothing is published; a busy feed always has some waiting.
func feed(w backlog) Check {
	c := Check{Name: "feeds", Mark: OK, Value: fmt.Sprintf("%d changes wait to be published", w.rows)}
	if w.rows >= manyWaiting {
		c.Value = fmt.Sprintf("%d changes or more wait to be published", w.rows)
	}
	const soon = 10 // seconds
	if w.rows > 0 && (!w.since.Valid || w.since.Int64 > soon) {
		c.Mark, c.Why = Note, "Nothing was published lately, so pages, webhooks and readers of the feeds get no changes."
		c.Fix = "Run “counterfoil serve” or “counterfoil work”. If one runs, its log says why it cannot publish; a long open transaction keeps its rows unpublished."
	}
	return c
}

func fitness(f facts) Check {
	c := Check{Name: "server", Mark: OK, Value: f.server.String()}
	if f.unfit != "" {
		c.Mark, c.Why, c.Fix = Problem, "Counterfoil does not start on this server.", f.unfit
	}
	return c
}

func schema(f facts) Check {
	c := Check{Name: "schema", Mark: OK, Value: fmt.Sprintf("version %d of %d", f.schema.Version, f.schema.Latest)}
	switch {
	case f.mark == db.RestoreMark:
		c.Mark, c.Value, c.Why = Problem, "a restore holds the database", fault.Message(f.mark.Refusal())
		c.Fix = "Wait for the restore, or run it again if it was cut off: counterfoil restore FILE"
	case f.mark == db.FailoverMark:
		c.Mark, c.Value, c.Why = Problem, "a failover holds the database", fault.Message(f.mark.Refusal())
		c.Fix = "Wait for the failover, or run it again with the same options if it was cut off: counterfoil failover"
	case f.schema.Dirty:
		c.Mark, c.Why = Problem, "A change of the schema stopped halfway, so tables may be missing."
		c.Fix = "Restore the last backup into an empty database: counterfoil restore FILE"
	case f.schema.Version > f.schema.Latest:
		c.Mark, c.Why = Problem, "A newer Counterfoil changed the schema; this program does not know it."
		c.Fix = "Run the newer program."
	case f.schema.Version < f.schema.Latest:
		c.Mark, c.Why = Note, "The schema is older than this program."
		c.Fix = "“counterfoil serve” brings it up when it starts, or now: counterfoil schema up"
	}
	return c
}

func tables(f facts) Check {
	c := Check{Name: "tables", Mark: OK, Value: "all in InnoDB, with the schema's collations"}
	if len(f.oddTables) > 0 {
		c.Mark, c.Value = Problem, strings.Join(f.oddTables, ", ")
		c.Why = "Other engines have no transactions; under other collations texts sort and compare in another way, and unique names may not be."
		c.Fix = "ALTER TABLE … ENGINE = InnoDB; or ALTER TABLE … MODIFY the column with the character set and collation that it has in db/schema."
	}
	return c
}

func commits(f facts) Check {
	c := f.variable("commits", "innodb_flush_log_at_trx_commit")
	if f.global["innodb_flush_log_at_trx_commit"] != "1" {
		c.Mark, c.Why = Problem, "A crash of the machine takes back the last second of commits: ticket numbers that users have seen, and feed positions that readers have, would be handed out again."
		if on(f.global["wsrep_on"]) {
			c.Why = "A commit is in the memory of all nodes and on no disk when it is answered. One node may be lost; if all lose power together, the last second of commits is gone, and ticket numbers that users have seen are handed out again."
		}
		c.Fix = f.set("innodb_flush_log_at_trx_commit", "1")
	}
	return c
}

func pages(f facts) Check {
	c := f.variable("page writes", "innodb_doublewrite")
	if v := f.global["innodb_doublewrite"]; v == "OFF" || v == "0" || v == "DETECT_ONLY" {
		c.Mark, c.Why = Problem, "A page that was half written in a crash cannot be repaired, unless the file system writes 16 KiB at once."
		c.Fix = "innodb_doublewrite = ON under [mysqld] in the server's option file, then restart it."
	}
	return c
}

func counters(f facts) Check {
	c := f.variable("AUTO_INCREMENT", "innodb_autoinc_lock_mode")
	if f.global["innodb_autoinc_lock_mode"] != "2" {
		c.Mark, c.Why = Note, "An insert of many rows makes all other inserts into its table wait until it is done."
		c.Fix = "innodb_autoinc_lock_mode = 2 under [mysqld] in the server's option file, then restart it."
	}
	return c
}

func binlog(f facts) Check {
	if !on(f.global["log_bin"]) {
		return Check{Name: "binary log", Mark: OK, Value: "log_bin = OFF"}
	}
	c := f.variable("binary log", "sync_binlog")
	if f.global["sync_binlog"] != "1" {
		c.Mark, c.Why = Problem, "After a crash of the machine the binary log may lack the last commits: the server takes those back, with feed positions that readers have, and replicas differ."
		c.Fix = f.set("sync_binlog", "1")
	}
	return c
}

func binlogFormat(f facts) Check {
	if !on(f.global["log_bin"]) {
		return Check{Name: "binary log format", Mark: OK, Value: "—"}
	}
	c := f.variable("binary log format", "binlog_format")
	if f.global["binlog_format"] == "STATEMENT" {
		c.Mark, c.Why = Problem, "Statements replay in another order than they ran; the server refuses them under READ COMMITTED, and Counterfoil does not start."
		c.Fix = f.set("binlog_format", "ROW")
	}
	return c
}

// isolation checks what our connector sets: another value comes from a proxy in between.
func isolation(f facts) Check {
	level := f.session["transaction_isolation"]
	if level == "" {
		level = f.session["tx_isolation"]
	}
	c := Check{Name: "isolation", Mark: OK, Value: level}
	if level != "READ-COMMITTED" {
		c.Mark, c.Why = Problem, "Counterfoil sets READ COMMITTED on every connection and relies on it; something between it and the server loses that."
		c.Fix = "Let a proxy pool by session, not by statement or transaction."
	}
	return c
}

func zone(f facts) Check {
	c := Check{Name: "time zone", Mark: OK, Value: f.session["time_zone"]}
	if c.Value != "+00:00" {
		c.Mark, c.Why = Problem, "Counterfoil sets UTC on every connection and relies on it; something between it and the server loses that."
		c.Fix = "Let a proxy pool by session, not by statement or transaction."
	}
	return c
}

func clock(f facts) Check {
	c := Check{Name: "clock", Mark: OK, Value: fmt.Sprintf("the server's is %+.3f s from ours", f.clock.Seconds())}
	if f.clock.Abs() > time.Second {
		c.Mark, c.Why = Note, "Counterfoil writes its own time; where machines differ, histories and sessions do too."
		c.Fix = "Run a time service such as chrony on both machines."
	}
	return c
}

func packet(f facts) Check {
	n := f.bytes("max_allowed_packet")
	c := Check{Name: "packet", Mark: OK, Value: "max_allowed_packet = " + size(n)}
	if n < wantedPacket {
		c.Mark, c.Why = Note, "Bulk work sends many rows at a time; larger packets than this are refused."
		c.Fix = f.set("max_allowed_packet", strconv.Itoa(wantedPacket))
	}
	return c
}

func pool(f facts) Check {
	n := f.bytes("innodb_buffer_pool_size")
	c := Check{Name: "memory", Mark: OK, Value: fmt.Sprintf("innodb_buffer_pool_size = %s for %s of data", size(n),
		size(f.dataBytes))}
	if n < f.dataBytes {
		c.Mark, c.Why = Note, "Data that does not fit is read from the disk again and again."
		c.Fix = f.set("innodb_buffer_pool_size", strconv.FormatUint((f.dataBytes+f.dataBytes/4)/mib*mib, 10)) +
			" At most about two thirds of the machine's memory."
	}
	return c
}

func connections(f facts) Check {
	limit, name := f.bytes("max_connections"), "max_connections"
	if own, _ := strconv.ParseUint(f.session["max_user_connections"], 10, 64); own > 0 && own < limit {
		limit, name = own, "max_user_connections"
	}
	open, _ := strconv.ParseUint(f.status["threads_connected"], 10, 64)
	c := Check{Name: "connections", Mark: OK, Value: fmt.Sprintf("%d open, %s = %d", open, name, limit)}
	const each = db.DefaultConnections + db.BulkConnections
	switch {
	case limit < each:
		c.Mark, c.Why = Problem, fmt.Sprintf("One Counterfoil opens up to %d; under load it would be refused.", each)
	case limit < programs*each:
		c.Mark, c.Why = Note, fmt.Sprintf("Each serve and work opens up to %d, during an update twice as many run.", each)
	case open*5 > limit*4:
		c.Mark, c.Why = Note, "More than four fifths are in use; beyond the limit users see errors."
	}
	if c.Mark != OK {
		c.Fix = f.set("max_connections", strconv.Itoa(max(150, int(limit)*2)))
		if name == "max_user_connections" {
			c.Fix = "ALTER USER " + f.account + " WITH MAX_USER_CONNECTIONS 0;"
		}
	}
	return c
}

func purge(f facts) Check {
	c := Check{Name: "purge", Mark: OK, Value: fmt.Sprintf("%d old row versions wait", f.history.value)}
	switch {
	case !f.history.known:
		return f.unreadable(c)
	case f.history.value >= historyProblem:
		c.Mark = Problem
	case f.history.value >= historyNote:
		c.Mark = Note
	}
	if c.Mark != OK {
		c.Why = "The server does not keep up with removing old row versions; reads step over them and slow down, and the disk fills."
		c.Fix = "End transactions that are long open (below); then give purge more threads: innodb_purge_threads in the option file."
	}
	return c
}

func transactions(f facts) Check {
	oldest := time.Duration(f.transactions.value) * time.Second
	c := Check{Name: "open transactions", Mark: OK, Value: fmt.Sprintf("the oldest is %s old", oldest)}
	switch {
	case !f.transactions.known:
		return f.unreadable(c)
	case oldest >= openProblem:
		c.Mark = Problem
	case oldest >= openNote:
		c.Mark = Note
	}
	if c.Mark != OK {
		c.Why = "As long as it is open the server keeps every row version since. A backup of much data takes its time too."
		c.Fix = "SELECT trx_mysql_thread_id, trx_started, trx_query FROM information_schema.innodb_trx ORDER BY trx_started; then KILL the thread if it is a forgotten one."
	}
	return c
}

func claims(plan monitor.ClaimPlan) Check {
	c := Check{Name: "claim plan", Mark: OK, Value: plan.Text}
	if !plan.Good {
		c.Mark, c.Why = Problem, "Each claim would go over the tasks of its run, or fail; so migrations pause instead of claiming."
		c.Fix = "ANALYZE TABLE migration_task; and, where the index is missing: ALTER TABLE migration_task ADD KEY ix_claim (run_id, state, id);"
	}
	return c
}

// keyOf says whether this machine has the key of the secrets.
func keyOf(s secrets.State) Check {
	c := Check{Name: "key file", Mark: OK, Value: s.Current + " in " + s.Path}
	switch {
	case s.Err != nil:
		c.Mark, c.Value, c.Why, c.Fix = Problem, s.Path, fault.Message(s.Err),
			"Until then “counterfoil serve” and “counterfoil work” do not start here."
	case s.Current == "":
		c.Value = "there is none yet; “counterfoil serve” makes it"
	case s.Waits:
		c.Mark, c.Why = Note, "Secrets that an earlier release stored are still in the clear, because a server of that release runs."
		c.Fix = "Stop the servers of the release before: the others encrypt the secrets within a minute."
	}
	return c
}

func diskSpace(d disk) Check {
	c := Check{Name: "disk", Mark: OK, Value: size(d.free) + " free for " + d.folder}
	switch {
	case d.free < diskProblem:
		c.Mark = Problem
	case d.free < diskNote:
		c.Mark = Note
	}
	if c.Mark != OK {
		c.Why = "A database on a full disk stops, and files cannot be stored."
		c.Fix = "Free some space, or move COUNTERFOIL_DATA or COUNTERFOIL_BLOBS to a larger disk."
	}
	return c
}

func (f facts) variable(name, variable string) Check {
	return Check{Name: name, Mark: OK, Value: variable + " = " + f.global[variable]}
}

func (f facts) bytes(variable string) uint64 {
	n, _ := strconv.ParseUint(f.global[variable], 10, 64)
	return n
}

// set is the advice to change a variable now and permanently.
func (f facts) set(variable, value string) string {
	if f.server.MariaDB {
		return fmt.Sprintf("SET GLOBAL %s = %s; and %[1]s = %[2]s under [mysqld] in the server's option file.", variable,
			value)
	}
	return fmt.Sprintf("SET PERSIST %s = %s;", variable, value)
}

// unreadable is a note without weight: the server is not worse for it.
func (f facts) unreadable(c Check) Check {
	c.Value, c.Mark = "—", Note
	c.Why, c.Fix = "The database account may not read it.", "GRANT PROCESS ON *.* TO "+f.account+";"
	return c
}

func on(value string) bool { return value == "ON" || value == "1" }

func size(n uint64) string {
	switch {
	case n >= gib:
		return fmt.Sprintf("%.1f GiB", float64(n)/gib)
	case n >= mib:
		return fmt.Sprintf("%d MiB", n/mib)
	}
	return fmt.Sprintf("%d KiB", n/kib)
}
