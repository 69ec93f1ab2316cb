package tickets

import (
	"context"
	"fmt"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// The reasons of notices: notifications about the reader's own account.
const (
	NoticeSignIn    = "sign-in"    // in a browser that was not known; Title says which
	NoticeToken     = "token"      // an API token was made; Title is its name
	NoticeResetMade = "reset-made" // a member, or the command line, made a link for a new password
	NoticeResetUsed = "reset-used" // such a link was used
	NoticePassword  = "password"   // the password breaks the rules of today
)

// Notices are the reasons of notices.
var Notices = []string{NoticeSignIn, NoticeToken, NoticeResetMade, NoticeResetUsed, NoticePassword}

// Notice reports whether the notification is about the reader's own account: it has no ticket and no board then.
func (n Notification) Notice() bool { return slices.Contains(Notices, n.Why) }

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
