// Package db persists: sqlc's generated queries, the connection, transactions with retry, and the meaning of the
// server's errors. It knows no rule of any entity. Start at Open and InTx; the SQL is in queries/, and what sqlc
// cannot express in multirow.go and its neighbours.
//
// # Transactions
//
// InTx runs a function in a READ COMMITTED transaction, and again from the start after a deadlock, a lock wait
// timeout, or a changed snapshot. One transaction has one Now.
//
// Locks are taken in this order: columns by id, the incrementer, tickets by id, then the rest: board rows (shared,
// if the board must not be archived), members, and inserted rows.
//
// Each connection is set up once: isolation level, time zone, lock wait, strict mode, and a server timeout of ten
// seconds without a statement, so a process that hangs within a transaction loses its locks. Statements are
// interpolated by the driver, so each is one round trip.
//
// A statement that is not answered in AnswerTimeout has lost its connection. Its transaction is ended at the server
// (killer) before InTx returns: Unavailable if it cannot have been committed, else UnknownOutcome, which must not be
// repeated unless that does no harm to what was saved.
//
// # Unique indexes
//
// Never check, then insert: the unique index decides, and the entity translates the error by the index's name
// (IsDuplicate).
//
// # Connections
//
// Pages, operators and the engine's short statements share the connections of a process (DefaultConnections).
// Migrations read their data through BulkConnections of their own (WithPool), so many tasks delay neither a page nor
// the stop button.
package db
