package tickets

import (
	"context"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// The reasons of notices: notifications about the reader's own account, or a run of an operator's.
const (
	NoticeSignIn    = "sign-in"    // in a browser that was not known; Title says which
	NoticeToken     = "token"      // an API token was made; Title is its name
	NoticeResetMade = "reset-made" // a member, or the command line, made a link for a new password
	NoticeResetUsed = "reset-used" // such a link was used
	NoticePassword  = "password"   // the password breaks the rules of today

	// Of runs, to their operator, as the engine of migrations gives them; Title is the run and its migration.
	NoticeRunPaused  = "run-paused"
	NoticeRunStopped = "run-stopped"
	NoticeRunFailed  = "run-failed"

	// Of bulk edits, to their maker; Title is their run.
	NoticeBulkPaused  = "bulk-edit-paused"
	NoticeBulkStopped = "bulk-edit-stopped"
	NoticeBulkFailed  = "bulk-edit-failed"
)

// Notices are the reasons of notices.
var Notices = []string{NoticeSignIn, NoticeToken, NoticeResetMade, NoticeResetUsed, NoticePassword,
	NoticeRunPaused, NoticeRunStopped, NoticeRunFailed, NoticeBulkPaused, NoticeBulkStopped, NoticeBulkFailed}

// Notice reports whether the notification is about the reader's own account or run: it has no ticket and no board.
func (n Notification) Notice() bool { return slices.Contains(Notices, n.Why) }

// OfBulkEdit reports whether the notification is a notice about a bulk edit.
func (n Notification) OfBulkEdit() bool {
	return slices.Contains([]string{NoticeBulkPaused, NoticeBulkStopped, NoticeBulkFailed}, n.Why)
}

// Run is the run that a notice is about, 0 if it is about none.
func (n Notification) Run() (run id.Run) {
	switch n.Why {
	case NoticeRunPaused, NoticeRunStopped, NoticeRunFailed, NoticeBulkPaused, NoticeBulkStopped, NoticeBulkFailed:
		if _, err := fmt.Sscanf(n.Title, "Run %d:", &run); err != nil {
			return 0
		}
	}
	return run
}

// GiveNotice adds a notice to the account's inbox in each of its companies.
func GiveNotice(ctx context.Context, tx *db.Tx, account id.Account, why, title string) error {
	err := tx.NotifyAccount(ctx, db.NotifyAccountParams{Kind: why, Detail: title, CreatedAt: tx.Now, AccountID: account})
	if err != nil {
		return fmt.Errorf("give notice of %s: %w", why, err)
	}
	return nil
}

// GiveNoticeIn is GiveNotice in one company, of what an account did.
func GiveNoticeIn(
	ctx context.Context, tx *db.Tx, company id.Company, account, by id.Account, why, title string,
) error {
	err := tx.NotifyMember(ctx, db.NotifyMemberParams{CompanyID: company, AccountID: account, ActorID: by, Kind: why,
		Detail: title, CreatedAt: tx.Now})
	if err != nil {
		return fmt.Errorf("give notice of %s: %w", why, err)
	}
	return nil
}
