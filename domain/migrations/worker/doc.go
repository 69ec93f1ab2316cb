// Package worker is what a process does with runs of migrations: it fills them, claims their tasks in blocks, processes
// and finishes them, and is the keeper if no other worker is. Its invariant: a worker writes a task only under the
// fence of its present claim, while its lease lasts. Start at work.go, then worker.go, dispatch.go, claim.go and
// finish.go; keeper.go is what one worker does for all.
//
// # Clocks
//
// Each working process has a row with a lease (migration_worker). No process's clock is compared with anything:
// leases, waiting tasks and throttles are judged by the database's NOW(6). A process counts its own lease by its
// monotonic clock, from before it sent the renewal, so it stops first.
//
// # Filling
//
// A run is filled by one worker, in batches: tasks, total, rejections and cursor are one transaction, guarded by
// fill_fence, which each worker that takes the filling over increments. So a filling that was killed goes on where
// its last batch ended, and one that wakes late writes nothing. A server that does not have the run's file leaves
// it to others, and says so in the run's reason. A migration that gives no cursors must give the same tasks in the
// same order; committed tasks are counted off.
//
// # Claim
//
// One dispatcher per run and process claims blocks for its goroutines: the next open tasks by (run_id, state, id),
// FOR UPDATE SKIP LOCKED, then an update by primary key that gives them a fence: the worker's id and the number of
// its claim. It searches behind the last task that it claimed, for from the first on each claim would walk over
// tasks that were claimed before and are not purged yet; every two seconds, and if it finds too few, it does search
// from the first on. Outcomes of tasks are written in batches, in the transaction of the next claim if there is
// one, and after 100 ms at the latest; so a block costs about six round trips and one commit. The next block is
// claimed while as many tasks are left as are begun during a claim. Before a dispatcher claims it asks for the
// query plan; without the whole of ix_claim, or with a sort, the run is paused with that reason.
//
// # Fence
//
// A caller that completes, fails, postpones or returns a task names its fence. A task that is claimed by another is
// not written, and counted as refused; Work.Commit and Write run in the completing transaction, after the check of
// the fence. A task that is finished already under the same fence was written by an attempt whose answer was lost.
// A claim whose answer was lost is given back, which does nothing if the claim never was. A block that cannot be
// written is tried task by task, so poison fails alone: with the reason, then without any words, and if even that
// cannot be written it is tried again every five seconds. Errors that are alike are a group (migration_failure). A
// run keeps 500 groups, all further errors are one more, so its list is read whole and sorted; a transaction that
// adds a group holds the run's row alone.
//
// # Lease
//
// A lease is renewed at a third of its length, which is the shortest lease knob of the active runs, or 30 s without
// one. When it ends, the keeper increments the worker's epoch, so the worker cannot renew; it cancels its tasks and
// registers anew. With a lease that is over, or a view of the runs older than 1.5 s, no task begins and none is
// claimed: that is the stop switch. The claim's own statement checks it by the database's clock, so it holds for a
// process that stood still in the middle of its claim. A stopped worker, a pause and a drain finish the tasks under
// way and return those that were not begun, which costs no attempt. A processor that does not listen to its context
// is left behind after 3 s.
//
// # Stop of all runs
//
// While migration_stop has a row no run is claimed, filled, started or resumed, whatever its state, which stays. The
// transaction of the stop marks each living worker as halted and increments its epoch, so none renews its lease. A worker
// reads that with the runs: it cancels its tasks, writes no outcome any more, returns them, and registers anew, to work
// on nothing until the release. What a process that stands still had claimed, the stop or the keeper returns, with
// another fence and no attempt lost. Such a process, when it goes on in the middle of a transaction, asks once more
// before it commits (confirm).
//
// # Keeper
//
// One worker at a time, by a row of migration_lease, does once a second what is for all. It takes tasks back from
// workers whose lease ended, whose row is gone, or that registered after the claim; each such attempt is recorded
// as lost, and counts, for a task may be what kills its workers. A task that is opened again in this way is given
// back to a canary. The keeper reads without locks, then locks by primary key the rows that nobody else has locked,
// and checks the fence again. It opens waiting tasks that are due, settles states (a run is paused once every
// living worker has seen that version and no task is processing), continues operators' requests, and watches runs.
// Two keepers for a moment would still do each step once.
//
// # Locks
//
// Locks are taken in this order: the run's row (shared for new attempts, alone for a canary or a new group of
// errors), tasks by id, what they write (in the order of package db), groups of errors, and the counter of the
// worker last. At most eight transactions that process tasks (Write) are open in a process, of all runs together,
// so a run at a concurrency of 200, or one that waits for locks, keeps neither a page nor the stop button waiting.
//
// # Hosts
//
// A rate per host is a token bucket in each process, of its share among the living workers. The rate is that of the
// run as it is, also for tasks that were claimed before a change of it. Later with a host is a row of
// migration_upstream, which each sending process reads at most a second old. A task that is postponed in this way
// loses no attempt, unless its host let nothing of this process through for an hour (counted anew if the process
// had nothing to do with the host for longer than hosts are left alone): then each further time is a failed
// attempt, and waits as long as the host asks, up to an hour. So a run ends, or the breaker pauses it.
package worker
