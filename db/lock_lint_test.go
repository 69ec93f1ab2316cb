package db_test

import (
	"regexp"
	"testing"
)

// readingLocks are the statements that lock rows without a change of them, by their location, with the reason why that
// is enough on a cluster, where such a lock holds on one server only: what two servers write is compared when they
// commit, and the second of them is done again.
var readingLocks = map[string]string{
	"queries: LockColumns":                     "who changes the number or the order of cards writes the column; a change of a board's columns writes the board's version",
	"queries: LockSpread":                      "the column is written with the ranks, or before them",
	"queries: LockBoardsShared":                "only an archive is kept out, which reads nothing of what the holder writes: on another server the holder's write may count as the one before it. Opening tickets must not write the board",
	"queries: LockMembers":                     "hot: each assignment would write its member. With several writers a member who is removed at that moment may stay assigned",
	"queries: LockServiceAccount":              "what is spent, or granted, is written in the row, or nothing is",
	"queries: LockComment":                     "the comment is written, or nothing is",
	"queries: LockDeletedText":                 "the text is deleted, or nothing is",
	"queries: LockTicket":                      "the ticket is written, or rows of its own that a unique index guards; deleting it writes it",
	"queries: LockTickets":                     "as LockTicket",
	"queries: LockTicketsWhole":                "as LockTicket",
	"queries: LockColumnTickets":               "as LockTicket; the column is written with them",
	"queries: LockTicketRequest":               "the reply is recorded in the row",
	"queries: LockIncrementers":                "the purge counts in the row",
	"queries: LockCounters":                    "the counters are added up in the row that is kept, and the others deleted",
	"queries: LockRun":                         "CountRunLock before it, or the run's new state after it, writes the row",
	"queries: LockFreeRun":                     "the run's fill fence is written, its canary, or nothing of the row: then it orders locks",
	"queries: LockCanary":                      "the canary is counted in the row; the groups of errors that it also guards may be a few more than their limit with several writers",
	"queries: LockRunShared":                   "hot: it orders locks, and guards no rule. A task leaves a final state only under LockRun",
	"queries: LockOpenTasks":                   "the tasks are written",
	"queries: LockLostTasks":                   "the tasks are written",
	"queries: LockDueTasks":                    "the tasks are written",
	"queries: LockWaitingTasks":                "the tasks are written",
	"queries: LockTasksByID":                   "the tasks are written",
	"queries: LockTasksIn":                     "the tasks are written",
	"queries: LockTasksOfFailure":              "the tasks are written",
	"queries: LockRequest":                     "the request is advanced or deleted",
	"queries: LockWorker":                      "the worker's state is written, or nothing is",
	"queries: LockWebhookSecrets":              "the webhook's secrets are emptied",
	"queries: LockWebhook":                     "the webhook's version is written, or it is deleted",
	"queries: RefPolicyForUpdate":              "the policy is written, or nothing is; lots in quarantine set its guard",
	"queries: LiveToken":                       "the token is revoked; or a run is opened with it, which may count as done before the revocation",
	"queries: LiveTokensOf":                    "the tokens are revoked",
	"queries: LiveTokenOfAccount":              "the token is revoked",
	"queries: NextSpread":                      "the row is advanced or deleted",
	"queries: LockEpoch":                       "with several writers a token that is made at the moment of a reset may stay, and is listed on the account's page",
	"db/multirow_feeds.go: LockUnpublished":    "the rows get their positions",
	"db/multirow_feeds.go: WaitForUnpublished": "the row gets its position",
	"db/multirow_migrations.go: LockTasks":     "the tasks are written",
	"db/multirow_refs.go: a constant":          "the codes are deleted",
	"db/multirow_refs.go: LockPooled":          "the codes are deleted",
	"db/multirow_refs.go: LockFree":            "the codes are deleted",
}

var locking = regexp.MustCompile(`(?i)\bFOR UPDATE\b|\bFOR SHARE\b|\bLOCK IN SHARE MODE\b`)

// A lock that guards rows which its holder does not write is a write itself; each other has its reason.
func TestEachLockIsAWriteOrHasItsReason(t *testing.T) {
	t.Parallel()
	met := map[string]bool{}
	lint := func(where, text string) {
		if !locking.MatchString(sqlComment.ReplaceAllString(text, "")) {
			return
		}
		met[where] = true
		if readingLocks[where] == "" {
			t.Errorf("%s locks rows without a change of them, which holds on one server of a cluster only. "+
				"Change a column of the row instead, or name it in readingLocks with the reason\n%s", where, text)
		}
	}
	for name, text := range allQueries(t) {
		lint("queries: "+name, text)
	}
	for _, s := range literals(t, "..") {
		lint(s.where, s.text)
	}
	for where := range readingLocks {
		if !met[where] {
			t.Errorf("%s is excused and need not be", where)
		}
	}
	for _, right := range []string{"queries: LockCompany", "queries: LockInstallation", "queries: CountRunLock"} {
		if met[right] {
			t.Errorf("%s does not write", right)
		}
	}
}
