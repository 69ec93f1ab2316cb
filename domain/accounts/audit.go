package accounts

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Kinds of audit entries.
const (
	AuditSignedIn          = "signed-in"
	AuditSignInLimited     = "sign-in-limited"
	AuditSignedOutAll      = "signed-out-everywhere"
	AuditInvited           = "invited"
	AuditInvitationRevoked = "invitation-revoked"
	AuditJoined            = "joined"
	AuditRoleChanged       = "role-changed"
	AuditRemoved           = "removed"
	AuditLeft              = "left"
	AuditTokenMade         = "token-made"
	AuditTokenRevoked      = "token-revoked"
	AuditTokensEnded       = "tokens-ended"
	AuditPasswordChanged   = "password-changed"
	AuditResetMade         = "reset-made"
	AuditResetUsed         = "reset-used"
	AuditOperatorGranted   = "operator-granted"
	AuditOperatorWithdrawn = "operator-withdrawn"
	AuditCompanyRenamed    = "company-renamed"
	AuditCompanyOpened     = "company-opened"
	AuditWebhookMade       = "webhook-made"
	AuditWebhookChanged    = "webhook-changed"
	AuditWebhookOn         = "webhook-on"
	AuditWebhookOff        = "webhook-off"
	AuditWebhookSecret     = "webhook-secret"
	AuditWebhookDeleted    = "webhook-deleted"
	AuditConsumerPaused    = "consumer-paused"
	AuditConsumerResumed   = "consumer-resumed"
	AuditConsumerMoved     = "consumer-moved"
	AuditConsumerDeleted   = "consumer-deleted"
	AuditFormOn            = "form-on"
	AuditFormOff           = "form-off"
	AuditBoardPrivate      = "board-private"
	AuditBoardOpen         = "board-open"
	AuditBoardMember       = "board-member"
	AuditBoardMemberGone   = "board-member-removed"
	AuditBoardTaken        = "board-taken-over"
	AuditGroupMade         = "group-made"
	AuditGroupRenamed      = "group-renamed"
	AuditGroupDeleted      = "group-deleted"
	AuditGroupMember       = "group-member"
	AuditGroupMemberGone   = "group-member-removed"
	AuditFailedOver        = "failed-over"
)

// AuditDetail is an entry's detail beside actor, kind and time. Fields that do not apply are "".
type AuditDetail struct {
	Member string `json:"person,omitempty"` // affected user: name and address
	Role   string `json:"role,omitempty"`   // the role now
	Was    string `json:"was,omitempty"`    // and before
	Name   string `json:"name,omitempty"`   // of a token, a company, a board, a consumer or a webhook's host, or an invitation's note
	Feed   string `json:"feed,omitempty"`   // of a consumer
}

// AuditEntry is one thing that was done.
type AuditEntry struct {
	ID      id.Audit
	Kind    string
	Account Account // the actor: ID, Name and Email
	Detail  AuditDetail
	Address string // the actor's address, "" if that is unknown
	At      time.Time
}

// Record adds an entry to a company's audit list, in the transaction of the change.
func Record(ctx context.Context, tx *db.Tx, company id.Company, account ID, kind string, detail AuditDetail) error {
	err := tx.CreateAudit(ctx, db.CreateAuditParams{
		CompanyID: company, AccountID: account, Kind: kind, Detail: detail.text(), Address: AddressFrom(ctx),
		CreatedAt: tx.Now,
	})
	if err != nil {
		return fmt.Errorf("record %s: %w", kind, err)
	}
	return nil
}

// RecordEverywhere adds an entry about an account to the list of each company that it belongs to.
func RecordEverywhere(ctx context.Context, tx *db.Tx, account ID, kind string) error {
	err := tx.CreateAuditEverywhere(ctx, db.CreateAuditEverywhereParams{
		Kind: kind, Detail: AuditDetail{}.text(), Address: AddressFrom(ctx), CreatedAt: tx.Now, AccountID: account,
	})
	if err != nil {
		return fmt.Errorf("record %s: %w", kind, err)
	}
	return nil
}

func (d AuditDetail) text() string {
	text, err := json.Marshal(d)
	if err != nil {
		panic("accounts: " + err.Error())
	}
	return string(text)
}

// Audit returns a page of a company's list, the newest first: entries with an id below before, or from the newest if
// it is 0.
func Audit(ctx context.Context, q *db.Queries, company id.Company, before id.Audit, limit int) ([]AuditEntry, error) {
	rows, err := db.Read(q.AuditPage(ctx, db.AuditPageParams{CompanyID: company, Before: beforeOrMax(before),
		Limit: int32(limit)}))
	if err != nil {
		return nil, fmt.Errorf("read audit list: %w", err)
	}
	list := make([]AuditEntry, len(rows))
	for i, row := range rows {
		list[i] = AuditEntry{
			ID: row.ID, Kind: row.Kind, Account: Account{ID: row.AccountID, Name: row.Name, Email: row.Email},
			Address: row.Address, At: row.CreatedAt,
		}
		_ = json.Unmarshal([]byte(row.Detail), &list[i].Detail) // an unreadable detail still leaves actor and time
	}
	return list, nil
}
