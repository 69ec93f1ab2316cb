// Package feedclient reads the change feeds of a Counterfoil server: pages of them, streams, and Follow, which
// keeps a copy of what a feed shows and misses nothing, whatever fails in between. It imports nothing else of
// Counterfoil. Start at Follow.
//
// A feed shows each row at the position of its last change, so a reader gets the newest version of each row at
// least once, and not every version between.
//
// Follow marks a row before it is first handed over, and saves its cursor after the work: a crash makes rows come
// again, and a sweep knows of every row that may have been handed over. Positions are compared within one round
// only, for a restored database gives them out again. A round begins at the start of a feed if the server refuses
// the cursor, and ends with dropping the rows that it did not show.
package feedclient
