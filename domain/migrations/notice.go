package migrations

import (
	"context"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// The kinds of notifications about a run, in the inbox of its operator.
const (
	NoticePaused  = "run-paused"  // the engine paused it
	NoticeStopped = "run-stopped" // the engine cancelled it
	NoticeFailed  = "run-failed"  // it is complete, but for tasks that failed
)

// BulkEdits is the name of the migration whose runs members open. Notifications about such a run are its maker's, who may be
// no operator.
const BulkEdits = "bulk-edit"

// The kinds of notifications about a bulk edit, in the inbox of its maker.
const (
	NoticeBulkPaused  = "bulk-edit-paused"  // an operator or the engine paused it
	NoticeBulkStopped = "bulk-edit-stopped" // an operator or the engine stopped it
	NoticeBulkFailed  = "bulk-edit-failed"  // some of its tickets could not be looked at
)

// NoticeDetail is the text of such a notification: the run and its migration, no reason, which may name what its
// reader does not see.
func NoticeDetail(run id.Run, name string) string { return fmt.Sprintf("Run %d: %s", run, name) }

// giveNotice adds a notification about a run that was moved, if an operator has to mend it, for whoever started or
// resumed it last, or else opened it. It is in the transaction of the move, so that of two servers one gives it.
func giveNotice(ctx context.Context, tx *db.Tx, row db.MigrationRun, before State) error {
	kind := noticeOf(row, before)
	if kind == "" {
		return nil
	}
	if row.Name == BulkEdits {
		return giveMaker(ctx, tx, row, bulkNotices[kind])
	}
	account, err := operatorOf(ctx, tx, row)
	if err != nil || account == 0 {
		return err
	}
	err = tx.NotifyAccount(ctx, db.NotifyAccountParams{Kind: kind, Detail: NoticeDetail(row.ID, row.Name),
		CreatedAt: tx.Now, AccountID: account})
	if err != nil {
		return fmt.Errorf("give notice of %s: %w", kind, err)
	}
	return nil
}

var bulkNotices = map[string]string{NoticePaused: NoticeBulkPaused, NoticeStopped: NoticeBulkStopped,
	NoticeFailed: NoticeBulkFailed}

// giveMaker adds a notification about a bulk edit for whoever made it.
func giveMaker(ctx context.Context, tx *db.Tx, row db.MigrationRun, kind string) error {
	if row.AccountID == nil || row.CompanyID == nil {
		return nil
	}
	err := tx.NotifyMember(ctx, db.NotifyMemberParams{CompanyID: *row.CompanyID, AccountID: *row.AccountID,
		ActorID: *row.AccountID, Kind: kind, Detail: NoticeDetail(row.ID, row.Name), CreatedAt: tx.Now})
	if err != nil {
		return fmt.Errorf("give notice of %s: %w", kind, err)
	}
	return nil
}

// noticeOf is the kind of the notice of a move to the row's state, "" if it needs none.
func noticeOf(row db.MigrationRun, before State) string {
	if row.Listed != ListAttention {
		return ""
	}
	switch to := State(row.State); {
	case to == Pausing, to == Paused && before != Pausing:
		return NoticePaused
	case to == Cancelled:
		return NoticeStopped
	case to == Complete:
		return NoticeFailed
	}
	return ""
}

// recentEvents is how far back a run's log is read for its last start: the throttle may add entries without end.
const recentEvents = 200

// operatorOf returns the operator who started or resumed a run last, or else opened it; 0 for the command line, and for
// an account that is no operator any more.
func operatorOf(ctx context.Context, tx *db.Tx, row db.MigrationRun) (id.Account, error) {
	events, err := tx.RunEventsOf(ctx, db.RunEventsOfParams{RunID: row.ID, Before: 1 << 62, Limit: recentEvents})
	if err != nil {
		return 0, fmt.Errorf("last start of a run: %w", err)
	}
	last := row.AccountID
	for _, event := range events {
		if event.Kind == string(Running) && event.AccountID != nil {
			last = event.AccountID
			break
		}
	}
	if last == nil {
		return 0, nil
	}
	account, err := tx.AccountByID(ctx, *last)
	if err != nil {
		return 0, fmt.Errorf("operator of a run: %w", err)
	}
	if !account.Operator {
		return 0, nil
	}
	return account.ID, nil
}
