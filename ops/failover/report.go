package failover

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/ops/hold"
)

// Report is what a failover did, as JSON. It is kept.
type Report struct {
	Old         string    `json:"old"` // address of the old server, "" if it is gone
	Answer      string    `json:"answer"`
	LostSeconds float64   `json:"lost_seconds"`
	LastChange  time.Time `json:"last_change"` // that the database knows
	BeganAt     time.Time `json:"began_at"`
	EndedAt     time.Time `json:"ended_at"`

	CodesQuarantined uint64   `json:"codes_quarantined"`
	MintRun          id.Run   `json:"mint_run"` // 0 if no codes are wanted
	Boards           []Board  `json:"boards"`
	MoreBoards       int      `json:"more_boards"` // than are listed
	RunsPaused       []id.Run `json:"runs_paused"`
	SessionsEnded    uint64   `json:"sessions_ended"`

	// Changes of tokens and roles within the hour before: what was changed after them may be lost.
	Review     []Change `json:"review"`
	MoreReview bool     `json:"more_review"` // than are listed
}

// Board is the numbers that a board skipped, behind Last.
type Board struct {
	Company string `json:"company"`
	Board   string `json:"board"`
	Last    uint64 `json:"last"`
	Skipped uint64 `json:"skipped"`
}

// Change is an audit entry.
type Change struct {
	At      time.Time            `json:"at"`
	Company string               `json:"company"`
	By      string               `json:"by"`
	Kind    string               `json:"kind"`
	Detail  accounts.AuditDetail `json:"detail"`
}

const (
	// mostListed is how many entries a list of the report has.
	mostListed = 1000
	reviewed   = time.Hour
)

// toReview are the kinds of audit entries that an operator should see.
var toReview = []string{
	accounts.AuditInvited, accounts.AuditInvitationRevoked, accounts.AuditJoined, accounts.AuditRoleChanged,
	accounts.AuditRemoved, accounts.AuditLeft, accounts.AuditTokenMade, accounts.AuditTokenRevoked,
	accounts.AuditPasswordChanged, accounts.AuditResetMade, accounts.AuditResetUsed, accounts.AuditOperatorGranted,
	accounts.AuditOperatorWithdrawn, accounts.AuditSignedOutAll, accounts.AuditSignedOutOthers, accounts.AuditSessionEnded,
	accounts.AuditSessionsEnded, accounts.AuditTokensEnded, accounts.AuditDeactivated, accounts.AuditReactivated,
	accounts.AuditAddressChanged,
}

// end stores the report, and adds a row to the mark: from then on the failover is done.
func (f *failover) end(ctx context.Context, h hold.Hold) (Report, error) {
	report, err := f.report(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("write the report: %w", err)
	}
	text, err := json.Marshal(report)
	if err != nil {
		return Report{}, err
	}
	return report, f.db.InTx(ctx, func(tx *db.Tx) error {
		ended := db.EndFailoverParams{Report: string(text), EndedAt: &report.EndedAt, ID: f.ID}
		if err := tx.EndFailover(ctx, ended); err != nil {
			return err
		}
		return h.AddRow(ctx, tx.SQL)
	})
}

func parse(row db.Failover) (report Report, err error) {
	if err := json.Unmarshal([]byte(row.Report), &report); err != nil {
		return report, fmt.Errorf("read the report: %w", err)
	}
	return report, nil
}

func (f *failover) report(ctx context.Context) (Report, error) {
	row, err := db.Read(f.db.LastFailover(ctx)) // with the counted sessions
	if err != nil {
		return Report{}, err
	}
	quarantined, err := f.quarantined(ctx)
	if err != nil {
		return Report{}, err
	}
	r := Report{Old: row.Old, Answer: row.Answer, LostSeconds: f.Lost().Seconds(), LastChange: row.LastAt,
		BeganAt: row.BeganAt, EndedAt: f.db.Now(), CodesQuarantined: quarantined - row.Quarantined, MintRun: row.MintRun,
		SessionsEnded: row.Sessions, Boards: []Board{}, RunsPaused: []id.Run{}, Review: []Change{}}
	if err := f.listBoards(ctx, &r); err != nil {
		return Report{}, err
	}
	if err := f.listRuns(ctx, &r); err != nil {
		return Report{}, err
	}
	return r, f.listChanges(ctx, &r)
}

func (f *failover) quarantined(ctx context.Context) (n uint64, err error) {
	rows, err := db.Read(f.db.CountRefs(ctx))
	for _, row := range rows {
		n += uint64(row.Quarantined)
	}
	return n, err
}

func (f *failover) listBoards(ctx context.Context, r *Report) error {
	for after, more := id.Board(0), true; more; {
		page, err := db.Read(f.db.SkippedNumbers(ctx, db.SkippedNumbersParams{FailoverID: f.ID, After: after,
			Limit: atOnce}))
		if err != nil {
			return err
		}
		for _, b := range page {
			after = b.BoardID
			if len(r.Boards) == mostListed {
				r.MoreBoards++
				continue
			}
			r.Boards = append(r.Boards, Board{Company: b.Company, Board: b.Slug, Last: b.LastNumber, Skipped: b.Skipped})
		}
		more = len(page) == atOnce
	}
	return nil
}

// listRuns lists the newest of the runs that wait for an operator because of a failover.
func (f *failover) listRuns(ctx context.Context, r *Report) error {
	for _, state := range []migrations.State{migrations.Paused, migrations.Pausing} {
		runs, err := db.Read(f.db.RunsIn(ctx, db.RunsInParams{State: string(state), Before: math.MaxInt64,
			Limit: mostListed}))
		if err != nil {
			return err
		}
		for _, run := range runs {
			if run.Reason == Reason {
				r.RunsPaused = append(r.RunsPaused, run.ID)
			}
		}
	}
	slices.Sort(r.RunsPaused)
	return nil
}

func (f *failover) listChanges(ctx context.Context, r *Report) error {
	since := f.LastAt.Add(-reviewed)
	for to := f.LastAudit; to > 0; {
		page, err := db.Read(f.db.AuditOfAll(ctx, id.Audit(to), atOnce))
		if err != nil {
			return err
		}
		for _, entry := range page {
			to = uint64(entry.ID) - 1
			if entry.CreatedAt.Before(since) {
				return nil
			}
			if !slices.Contains(toReview, entry.Kind) {
				continue
			}
			if r.MoreReview = len(r.Review) == mostListed; r.MoreReview {
				return nil
			}
			c := Change{At: entry.CreatedAt, Company: entry.Company, By: entry.Email, Kind: entry.Kind}
			_ = json.Unmarshal([]byte(entry.Detail), &c.Detail) // an unreadable detail still leaves actor and time
			r.Review = append(r.Review, c)
		}
		if len(page) < atOnce {
			return nil
		}
	}
	return nil
}
