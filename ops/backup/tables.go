package backup

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/counterfoil/counterfoil/db"
)

// backedUp are the tables of a backup, each after those that it references. A table of the schema that is neither here
// nor in leftOut stops every backup, and fails a test.
var backedUp = []string{
	"company", "installation", "account", "membership", "invitation", "invitation_reservation", "account_totp", "recovery_code", "passkey", "account_avatar", "api_token", "service_account", "audit", "audit_spread",
	"audit_chain", "audit_sealer", "sealed_secret", "secret_key",
	"board", "board_slug", "board_ticket_incrementer", "board_column",
	"people_group", "people_group_member", "board_member", "board_access", "board_link",
	"issuer", "issuer_company", "issuer_rule", "account_identity", "company_domain",
	"ticket", "ticket_alias", "assignee", "label", "ticket_label", "ticket_template", "template_label", "template_assignee", "saved_view", "pinned_view", "pinned_board", "home_visit", "calendar_address", "folded_column", "ticket_relation", "ticket_stay", "recurrence", "occurrence", "backlink", "comment", "comment_reaction", "stored_file", "attachment", "company_storage", "file_place",
	"watcher", "notification",
	"activity", "idempotency", "ticket_origin", "image", "image_source", "picture", "run_image",
	"request_form", "ticket_request", "request_watcher",
	"sequences", "feed_batch", "feed_consumer", "webhook", "webhook_board", "webhook_ticket", "webhook_cursor", "webhook_attempt",
	"ref_lot", "ref_batch", "ref_ledger", "ref_pool", "ref_issue", "ref_quarantine", "ref_counter", "ref_policy",
	"ref_sample",
	"migration_run", "migration_task", "migration_counter", "migration_attempt", "migration_failure",
	"migration_rejection", "migration_request", "migration_event", "migration_sample", "migration_stop",
	"bulk_edit", "bulk_edit_item", "bulk_edit_notice",
	"failover", "failover_board",
}

// leftOut are not in a backup: the schema's version is in the manifest; sessions and password links must not work from
// a stolen backup; workers and limits are short-lived; a stolen backup must sign nothing; the text of a deleted comment must not outlive its undo; what is
// durable is noted anew; changes of sight are for cursors, which a restore refuses; membership_handle is there only while schema 2 is made.
var leftOut = []string{
	"schema_migrations", "membership_handle", "sessions", "session_way", "used_challenge", "password_reset", "sign_in_limit", "signing_key",
	"migration_worker", "migration_lease", "migration_upstream",
	"public_limit", "lookup_hour", "feed_durable", "deleted_comment",
	"ticket_sight", "comment_sight", "board_sight",
}

// isLock reports whether a table is none of the schema, but holds others off: a mark, and the lock of the schema on Galera.
func isLock(name string) bool { return db.IsMark(name) || name == db.SchemaLock }

// tableInfo is a table of a database.
type tableInfo struct {
	Table
	key []string // columns of the primary key
}

// describe returns the tables of the database that belong into a backup, in order.
func describe(ctx context.Context, conn *sql.Conn) ([]tableInfo, error) {
	names, err := tableNames(ctx, conn)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !slices.Contains(backedUp, name) && !slices.Contains(leftOut, name) && !isLock(name) {
			return nil, BadSchema("The database has the table " + name +
				", which this program does not know, so a backup would lack it. Use the program that made it, or move it to another database.")
		}
	}
	var tables []tableInfo
	for _, name := range backedUp {
		if !slices.Contains(names, name) {
			continue // an older schema
		}
		t, err := describeTable(ctx, conn, name)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, nil
}

func tableNames(ctx context.Context, conn *sql.Conn) ([]string, error) {
	return texts(ctx, conn, `SELECT table_name FROM information_schema.tables
		WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE' ORDER BY table_name`)
}

func describeTable(ctx context.Context, conn *sql.Conn, name string) (tableInfo, error) {
	t := tableInfo{Table: Table{Name: name}}
	var err error
	if t.Columns, err = columns(ctx, conn, name); err != nil {
		return t, err
	}
	t.key, err = texts(ctx, conn, `SELECT column_name FROM information_schema.key_column_usage
		WHERE table_schema = DATABASE() AND table_name = ? AND constraint_name = 'PRIMARY' ORDER BY ordinal_position`, name)
	if err != nil {
		return t, err
	}
	if len(t.key) == 0 {
		return t, BadSchema("The table " + name + " has no primary key, so it has no order to back it up in.")
	}
	t.Next, err = nextID(ctx, conn, name)
	return t, err
}

// columns returns a table's columns but for generated ones, which the server fills itself.
func columns(ctx context.Context, conn *sql.Conn, table string) ([]Column, error) {
	rows, err := conn.QueryContext(ctx, `SELECT column_name, data_type FROM information_schema.columns
		WHERE table_schema = DATABASE() AND table_name = ? AND COALESCE(generation_expression, '') = '' ORDER BY ordinal_position`, table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Column
	for rows.Next() {
		var name, dataType string
		if err := rows.Scan(&name, &dataType); err != nil {
			return nil, err
		}
		kind := kindOf(dataType)
		if kind == "" {
			return nil, BadSchema(fmt.Sprintf("The column %s of %s has the type %s, which this program cannot back up.", name,
				table, dataType))
		}
		list = append(list, Column{Name: name, Type: kind})
	}
	return list, rows.Err()
}

// kindOf returns the encoding of a type's values, "" for a type that the server's text does not represent exactly.
func kindOf(dataType string) string {
	switch strings.ToLower(dataType) {
	case "tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "year":
		return number
	case "char", "varchar", "tinytext", "text", "mediumtext", "longtext", "json", "enum", "set", "date", "datetime",
		"time", "timestamp":
		return text
	case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob":
		return binary
	}
	return ""
}

var nextForm = regexp.MustCompile(`\sAUTO_INCREMENT=(\d+)`)

// nextID is read after the snapshot: never below an id that was used. information_schema may be stale on MySQL.
func nextID(ctx context.Context, conn *sql.Conn, table string) (uint64, error) {
	var name, definition string
	if err := conn.QueryRowContext(ctx, "SHOW CREATE TABLE "+quote(table)).Scan(&name, &definition); err != nil {
		return 0, err
	}
	options := definition[strings.LastIndex(definition, ")"):]
	found := nextForm.FindStringSubmatch(options)
	if found == nil {
		return 0, nil
	}
	return strconv.ParseUint(found[1], 10, 64)
}

// schemaVersion returns the version of the schema, or BadSchema if it is fit for no backup.
func schemaVersion(ctx context.Context, conn *sql.Conn) (uint, error) {
	names, err := tableNames(ctx, conn)
	if err != nil {
		return 0, err
	}
	if i := slices.IndexFunc(names, db.IsMark); i >= 0 {
		return 0, db.Mark(names[i]).Refusal()
	}
	if !slices.Contains(names, "schema_migrations") {
		return 0, BadSchema("The database is empty: there is nothing to back up. Check DATABASE_URL or COUNTERFOIL_DATA.")
	}
	var version uint
	var dirty bool
	err = conn.QueryRowContext(ctx, "SELECT version, dirty FROM schema_migrations").Scan(&version, &dirty)
	switch latest := db.LatestSchema(); {
	case err != nil && !db.IsNotFound(err):
		return 0, err
	case version == 0:
		return 0, BadSchema("The database is empty: there is nothing to back up. Check DATABASE_URL or COUNTERFOIL_DATA.")
	case dirty:
		return 0, BadSchema(fmt.Sprintf(
			"A change of the schema to version %d stopped halfway, so a backup could not be restored. Restore the last one into an empty database.", version))
	case version > latest:
		return 0, BadSchema(fmt.Sprintf(
			"The schema has version %d, this program knows %d. Make the backup with the newer program that changed it.", version,
			latest))
	}
	return version, nil
}

func texts(ctx context.Context, conn *sql.Conn, query string, args ...any) ([]string, error) {
	rows, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, rows.Err()
}

func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = quote(name)
	}
	return strings.Join(quoted, ", ")
}

func (t Table) names() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}
