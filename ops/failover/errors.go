package failover

import (
	"fmt"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// CodeOldWritable: the server that was failed over from still takes writes. Stop it, or make it read-only, and see to it
// that it does not come back.
const CodeOldWritable fault.Code = "Failover.OldWritable"

func oldWritable(old string) error {
	return fault.Conflict.New(CodeOldWritable, "",
		fmt.Sprintf("The old server at %s still takes writes, so numbers and codes would be handed out by two servers. Stop it or cut it off from its clients (on MySQL also SET GLOBAL super_read_only = ON), see to it that it does not come back by itself, then run this again.", old))
}

// CodeOldUnclear: the old server answers, but not whether it takes writes. Correct its address, or stop it and run this
// again with --old-is-gone.
const CodeOldUnclear fault.Code = "Failover.OldUnclear"

func oldUnclear(old string, why error) error {
	return fault.Error{Kind: fault.Conflict, Code: CodeOldUnclear, Cause: why,
		Message: fmt.Sprintf("Whether the old server at %s takes writes cannot be told: %v. Correct the address after --old; if the server is surely stopped for good, run this with --old-is-gone in place of it.", old, why)}
}

// CodeSameServer: --old names the promoted database itself. Name the server that was failed over from.
const CodeSameServer fault.Code = "Failover.SameServer"

func sameServer(old string) error {
	return fault.Invalid.New(CodeSameServer, "",
		fmt.Sprintf("The address after --old, %s, is the same database as DATABASE_URL. Name the server that was failed over from, or say --old-is-gone if it has no address any more.", old))
}

// CodeReadOnly: the database does not take writes. Promote its server first.
const CodeReadOnly fault.Code = "Failover.NotPromoted"

func readOnly(why error) error {
	return fault.Error{Kind: fault.Conflict, Code: CodeReadOnly, Cause: why,
		Message: fmt.Sprintf("The database of DATABASE_URL does not take writes: %v. Promote its server first (STOP REPLICA; SET GLOBAL read_only = OFF), then run this again.", why)}
}

// CodeReplicating: the promoted server still applies changes of another. End its replication first.
const CodeReplicating fault.Code = "Failover.StillReplicating"

func replicating() error {
	return fault.Conflict.New(CodeReplicating, "",
		"The server of DATABASE_URL still applies changes of another server, which would come after what protects the data. Let it apply what it has received, then STOP REPLICA; RESET REPLICA ALL; and run this again.")
}

// CodeRunning: another failover, or a restore, holds the database. Wait for it.
const CodeRunning fault.Code = "Failover.Running"

func running() error {
	return fault.Conflict.New(CodeRunning, "",
		"Another failover of this database, or a restore into it, is running right now. Wait for it.")
}

// CodeNone: there was no failover of this database. Nothing is to be shown.
const CodeNone fault.Code = "Failover.None"

func none() error {
	return fault.NotFound.New(CodeNone, "", "There was no failover of this database.")
}
