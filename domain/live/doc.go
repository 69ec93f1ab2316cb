// Package live keeps the latest changes for the pages that are open now: which boards, and which tickets of them.
// It is no queue. Its invariant: a listener that comes too late learns that anything may have changed, and no
// listener holds up another. Start at hub.go.
//
// The hub keeps the changes of about 100,000 tickets in order, once for all listeners. A listener has an offset in it
// and nothing else. If it comes from before the kept changes or from another epoch, or after more than 4,000 rows at
// once, it learns that anything may have changed.
//
// The heads of the feeds are four numbers (Position). A page carries those that were known before it was rendered, and
// listens from there, so nothing is lost between. After a break a browser resumes after the last event that it
// received, also on another server. A change is encoded once for all listeners (Change.Encoded).
package live
