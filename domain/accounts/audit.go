package accounts

import (
	"cmp"
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
	AuditSignedOutOthers   = "signed-out-others"
	AuditSessionEnded      = "session-ended"
	AuditSessionsEnded     = "sessions-ended" // by an operator
	AuditDeactivated       = "deactivated"
	AuditAddressChanged    = "address-changed"
	AuditReactivated       = "reactivated"
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
	AuditTOTPMade          = "totp-made"
	AuditTOTPRemoved       = "totp-removed"
	AuditPasskeyAdded      = "passkey-added"
	AuditPasskeyRemoved    = "passkey-removed"
	AuditPasskeyCloned     = "passkey-cloned"
	AuditRecoveryMade      = "recovery-codes-made"
	AuditRecoveryUsed      = "recovery-code-used"
	AuditFactorsRemoved    = "second-factors-removed"
	AuditFactorNeeded      = "second-factor-required"
	AuditFactorOptional    = "second-factor-optional"
	AuditIssuerAdded       = "issuer-added"
	AuditIssuerChanged     = "issuer-changed"
	AuditIssuerRemoved     = "issuer-removed"
	AuditIssuerNeeded      = "issuer-required"
	AuditIssuerOptional    = "issuer-optional"
	AuditIssuerRule        = "issuer-rule"
	AuditIssuerRuleGone    = "issuer-rule-removed"
	AuditIdentityLinked    = "identity-linked"
	AuditIdentityRemoved   = "identity-removed"
	AuditDomainAdded       = "domain-added"
	AuditDomainVerified    = "domain-verified"
	AuditDomainLost        = "domain-lost"
	AuditDomainRemoved     = "domain-removed"
	AuditOperatorGranted   = "operator-granted"
	AuditOperatorWithdrawn = "operator-withdrawn"
	AuditCompanyRenamed    = "company-renamed"
	AuditCompanyOpened     = "company-opened"
	AuditQuotaSet          = "quota-set"
	AuditWebhookMade       = "webhook-made"
	AuditWebhookChanged    = "webhook-changed"
	AuditWebhookOn         = "webhook-on"
	AuditWebhookOff        = "webhook-off"
	AuditWebhookSecret     = "webhook-secret"
	AuditWebhookDeleted    = "webhook-deleted"
	AuditWebhookBoard      = "webhook-board"
	AuditWebhookBoardGone  = "webhook-board-removed"
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
	AuditBoardLinkOn       = "board-link-on"
	AuditBoardLinkReplaced = "board-link-replaced"
	AuditBoardLinkOff      = "board-link-off"
	AuditCalendarMade      = "calendar-made"
	AuditCalendarRevoked   = "calendar-revoked"
	AuditGroupMade         = "group-made"
	AuditGroupRenamed      = "group-renamed"
	AuditGroupDeleted      = "group-deleted"
	AuditGroupMember       = "group-member"
	AuditGroupMemberGone   = "group-member-removed"
	AuditFailedOver        = "failed-over"
	AuditRowsRepublished   = "rows-republished"
	AuditEpochBegun        = "epoch-begun"
	AuditKeyRotated        = "key-rotated"
	AuditKeyLost           = "key-lost"
	AuditRefPolicyChanged  = "ref-policy-changed"
	AuditRefillsPaused     = "refills-paused"
	AuditRefillsResumed    = "refills-resumed"
	AuditLotQuarantined    = "lot-quarantined"
	AuditServiceMade       = "service-account-made"
	AuditServiceDeleted    = "service-account-deleted"
	AuditRefsGranted       = "refs-granted"
	AuditBackup            = "backup"
	AuditRestored          = "restored"

	// What an operator does with a run.
	AuditRunOpened       = "run-open"
	AuditRunStarted      = "run-start"
	AuditRunPaused       = "run-pause"
	AuditRunResumed      = "run-resume"
	AuditRunCancelled    = "run-cancel"
	AuditRunDismissed    = "run-dismiss"
	AuditRunAdjusted     = "run-adjust"
	AuditTasksRetried    = "run-retry"
	AuditTasksSkipped    = "run-skip"
	AuditRunRead         = "run-read" // by the command line
	AuditWorkerDrained   = "worker-drain"
	AuditWorkerUndrained = "worker-undrain"
	AuditAllRunsStopped  = "all-runs-stop"
	AuditAllRunsReleased = "all-runs-release"
)

// AuditDetail is an entry's detail beside actor, kind and time. Fields that do not apply are "".
type AuditDetail struct {
	Member string `json:"person,omitempty"` // affected user: name and address
	Role   string `json:"role,omitempty"`   // the role now
	Was    string `json:"was,omitempty"`    // and before
	Name   string `json:"name,omitempty"`   // of a token, a company, a board, a consumer or a webhook's host, or an invitation's note
	Feed   string `json:"feed,omitempty"`   // of a consumer

	By      string `json:"by,omitempty"`      // the actor, if it has no account
	Run     id.Run `json:"run,omitempty"`     // of a migration
	Company string `json:"company,omitempty"` // the company that an entry of the instance is about: its slug
	Note    string `json:"note,omitempty"`    // what was changed
}

// CommandLine is the actor of what is done on the server itself.
const CommandLine = "command line"

// AuditEntry is one thing that was done.
type AuditEntry struct {
	ID      id.Audit
	Kind    string
	Account Account // the actor: ID, Name and Email; without ID and Email if it has no account
	Detail  AuditDetail
	Address string // the actor's address, "" if that is unknown
	At      time.Time
	// Position is that in the chain of the list, and Seal its HMAC; 0 and nil if the entry is not sealed yet. Existing
	// entries were sealed when the chains began.
	Position uint64
	Seal     []byte
	Existing bool
}

// Record adds an entry to a company's audit list, in the transaction of the change. Without an account, the command
// line did it.
func Record(ctx context.Context, tx *db.Tx, company id.Company, account ID, kind string, detail AuditDetail) error {
	_, err := record(ctx, tx, &company, account, kind, detail)
	return err
}

// RecordInstance is Record for the list of the instance.
func RecordInstance(ctx context.Context, tx *db.Tx, account ID, kind string, detail AuditDetail) error {
	_, err := record(ctx, tx, nil, account, kind, detail)
	return err
}

// RecordForAll is RecordInstance; SpreadOnce then copies the entry into the list of each company.
func RecordForAll(ctx context.Context, tx *db.Tx, account ID, kind string, detail AuditDetail) error {
	entry, err := record(ctx, tx, nil, account, kind, detail)
	if err != nil {
		return err
	}
	if err := tx.SpreadAudit(ctx, entry); err != nil {
		return fmt.Errorf("record %s: %w", kind, err)
	}
	return nil
}

func record(
	ctx context.Context, tx *db.Tx, company *id.Company, account ID, kind string, detail AuditDetail,
) (id.Audit, error) {
	by, detail := actorOf(account, detail)
	n, err := tx.CreateAudit(ctx, db.CreateAuditParams{
		CompanyID: company, AccountID: by, Kind: kind, Detail: detail.text(), Address: AddressFrom(ctx), CreatedAt: tx.Now,
	})
	if err != nil {
		return 0, fmt.Errorf("record %s: %w", kind, err)
	}
	return id.Audit(n), nil
}

func actorOf(account ID, detail AuditDetail) (*ID, AuditDetail) {
	if account != 0 {
		return &account, detail
	}
	detail.By = cmp.Or(detail.By, CommandLine)
	return nil, detail
}

// RecordEverywhere adds an entry about an account to the list of each company that it belongs to.
func RecordEverywhere(ctx context.Context, tx *db.Tx, account ID, kind string) error {
	return RecordAbout(ctx, tx, account, account, kind, AuditDetail{})
}

// RecordAbout adds an entry by one account to the list of each company that another belongs to.
func RecordAbout(ctx context.Context, tx *db.Tx, by, about ID, kind string, detail AuditDetail) error {
	actor, detail := actorOf(by, detail)
	err := tx.CreateAuditEverywhere(ctx, db.CreateAuditEverywhereParams{
		ByAccount: actor, Kind: kind, Detail: detail.text(), Address: AddressFrom(ctx), CreatedAt: tx.Now, AccountID: about,
	})
	if err != nil {
		return fmt.Errorf("record %s: %w", kind, err)
	}
	return nil
}

// copyAtOnce is how many companies get an entry in one transaction.
const copyAtOnce = 500

// SpreadOnce copies the oldest entry for all companies into the lists of some of them, and reports whether there was
// one. A company that is newer than the entry gets none.
func SpreadOnce(ctx context.Context, d *db.DB) (more bool, err error) {
	if _, err := db.Read(d.AnySpread(ctx)); db.IsNotFound(err) {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("look for audit entries to copy: %w", err)
	}
	err = d.InTx(ctx, func(tx *db.Tx) error {
		more = false
		next, err := tx.NextSpread(ctx)
		if db.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		more = true
		return copyEntry(ctx, tx, next)
	})
	if err != nil {
		return false, fmt.Errorf("copy an audit entry: %w", err)
	}
	return more, nil
}

func copyEntry(ctx context.Context, tx *db.Tx, next db.NextSpreadRow) error {
	companies, err := tx.CompaniesBefore(ctx, db.CompaniesBeforeParams{After: next.AfterCompany, At: next.CreatedAt,
		Limit: copyAtOnce})
	if err != nil {
		return err
	}
	if len(companies) == 0 {
		return tx.EndSpread(ctx, next.AuditID)
	}
	moved := db.AdvanceSpreadParams{To: companies[len(companies)-1], AuditID: next.AuditID, From: next.AfterCompany}
	if n, err := tx.AdvanceSpread(ctx, moved); err != nil || n == 0 { // another server did
		return err
	}
	return tx.CopyAudit(ctx, next.AuditID, companies)
}

func (d AuditDetail) text() string {
	text, err := json.Marshal(d)
	if err != nil {
		panic("accounts: " + err.Error())
	}
	return string(text)
}

// Audit returns a page of a company's list, or of the instance's if the company is 0, the newest first: entries with an
// id below before, or from the newest if it is 0.
func Audit(ctx context.Context, q *db.Queries, company id.Company, before id.Audit, limit int) ([]AuditEntry, error) {
	page := db.AuditPageParams{Before: beforeOrMax(before), Limit: int32(limit)}
	if company != 0 {
		page.CompanyID = &company
	}
	rows, err := db.Read(q.AuditPage(ctx, page))
	if err != nil {
		return nil, fmt.Errorf("read audit list: %w", err)
	}
	list := make([]AuditEntry, len(rows))
	for i, row := range rows {
		list[i] = AuditEntry{
			ID: row.ID, Kind: row.Kind, Account: Account{Name: row.Name, Email: row.Email}, Address: row.Address,
			At: row.CreatedAt, Seal: row.Mac, Existing: row.Existing,
		}
		if row.Seq != nil {
			list[i].Position = *row.Seq
		}
		_ = json.Unmarshal([]byte(row.Detail), &list[i].Detail) // an unreadable detail still leaves actor and time
		if row.AccountID == nil {
			list[i].Account.Name = list[i].Detail.By
			continue
		}
		list[i].Account.ID = *row.AccountID
	}
	return list, nil
}
