// Package refs hands out reference codes: short names such as ukrEP, minted beforehand, each popped once. Its
// invariant: a code enters the pool only in the transaction that first put it into the ledger. Start at pop.go and
// mint.go.
//
// A code is a name and never a permission: there are few enough to try them all.
//
// # Tables
//
// ref_ledger has every code that ever was, and only grows; ref_pool the codes that can be popped, ref_issue those
// that were, ref_quarantine those that never will be. Minting runs INSERT … ON DUPLICATE KEY into the ledger with a
// batch number of the transaction's own, then adds to the pool the codes that have this number. So a refill never
// asks whether a code is used: the ledger's primary key decides, and a refill cannot race with a pop. race_test.go
// replays the race that hands codes out twice.
//
// # Pop
//
// Random places of the pool, at most four codes from each, all in one statement (UNION ALL of code >= r ORDER BY
// code LIMIT 4 FOR UPDATE SKIP LOCKED); the codes are deleted by key, recorded in ref_issue, and counted. A
// rollback gives them back. If random places give too few three times, the pool is read from its first code.
// Concurrent pops of a process share a transaction (domain/coalesce); a ticket's transaction calls PopTx itself.
//
// # Mint
//
// A mint makes rounds over the whole space, each adding as many codes as there are, in ordered slices of 10,000, one
// task of mint-refs per slice. So inserts are sequential, and the pool is even wherever a mint stops, to a factor of
// two. A worker mints two slices at a time: they have different ranges, and contend only at their end, for the rows of
// the lot and the counter. The new codes of a slice are read as a range of the ledger; if that range has far more
// codes than are added, they are named one by one.
//
// # Counters and quarantine
//
// ref_counter has 16 rows for each length; a transaction that adds or takes codes counts in one of them. Quarantining
// a lot sets guarded in all of them, after the pops that are under way. From then on the statement that counts matches
// nothing, and a pop checks the lots of its codes first; if they are bad it takes others from a random place on,
// without locks on any code that it leaves, until quarantine-refs has gone through the ledger. A pop and a task of
// quarantine-refs each count what they removed once and last, counters before lots, so they cannot deadlock.
//
// Once a day one server counts the tables in one snapshot (RecountIfDue) and adds the differences to the counters. A
// concurrent change changes both, so the difference stays true. A row of ref_policy says which server counts; the time
// at which a count began is its fence.
//
// # Canaries
//
// One in 900 codes is a canary, by a keyed function of the code: never minted, never stored. A lookup of one is
// guessing.
package refs
