// Package bulkedits has the bulk edits of a company: each is a change of many tickets of a board by a run, with the outcome
// for each ticket. Its invariant: an item is written in the transaction that changes its ticket, so that what a bulk edit
// did can be taken back, also if it was cancelled halfway. Start at edit.go, then bulk_edit.go.
package bulkedits
