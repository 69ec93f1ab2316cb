// Package coalesce turns many concurrent calls into few batches. Its invariant: each call gets its own result, and
// one bad call fails alone. Start at Group; Recent keeps a read for a second.
//
// While the batch of a key runs, the calls that arrive for that key gather; when it ends, they are the next batch.
// An idle key runs a call at once: nothing waits for company. After a batch of several calls a group may give its
// callers a moment to call again (Options.Return), so that callers that call in a loop form one group, not two that take
// turns. Keys do not wait for one another, and within a key calls are served in the order of arrival.
//
// A batch that fails is repeated call by call, unless it may have been saved. A caller whose context ends does not take
// the others along; a batch that all have left rolls back if it asks (Wanted). Tickets
// of a board use it with two updates, two inserts and one commit for a whole batch; pops of reference codes share a
// transaction in the same way.
package coalesce
