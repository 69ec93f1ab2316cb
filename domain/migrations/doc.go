// Package migrations is bulk work: a migration is a value that the program registers, with typed parameters, how a run
// is filled with tasks, and how a task is processed; an operator opens, starts, pauses, throttles and stops runs. It
// knows no entity; the migrations that come with Counterfoil are in domain/kinds. Workers, in any number of processes,
// are in worker; what measures and holds runs is in monitor. The invariant of all three: a task is written only under
// the fence of its present claim, and counters change in the transaction of the tasks that they count, so nothing ever
// counts tasks. Start at migration.go and run.go, then control.go and transition.go.
//
// # Operators
//
// An operator's action is one short transaction that locks the run's row, moves it by Transit, the only way in
// which a state changes, and logs the actor. To repeat an action is no error; an action that the state forbids is
// WrongState. listed is kept with the state, so each list of runs is one range of an index.
//
// Retrying or skipping many tasks goes through the failed or the waiting ones by id, in chunks of 1,000, each with
// its counters and groups. After a second the request leaves the rest to the keeper; migration_request has its
// progress. Requests take turns, so one that cannot be carried out holds up no other; one that meets a conflict
// ends, and the log says so. A run with an open request is not complete. A task that fails again behind the request
// is not taken twice. Start turns knobs and moves the run in one transaction, so of two concurrent starts the
// settings of the first count, and the second gets an error.
package migrations
