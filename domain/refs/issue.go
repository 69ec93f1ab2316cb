package refs

import (
	"context"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
)

// MaxPurpose is how many characters the purpose of a pop may have.
const MaxPurpose = 200

// ParsePurpose returns the purpose of a pop as it is stored. It returns BadPurpose.
func ParsePurpose(s string) (string, error) {
	purpose, length, ok := markup.Line(s)
	if !ok || length > MaxPurpose {
		return "", BadPurpose()
	}
	return purpose, nil
}

// Issue is a popped code.
type Issue struct {
	Code         Code
	IssuedAt     time.Time
	Token        id.Token // 0: it was popped for a ticket, by no token
	TokenName    string
	TokenAccount string // the name of the token's account
	Purpose      string
	Board        string // the prefix of the ticket that it leads to; "" if the reader sees none
	Number       uint64
}

// IssueInSight returns a code that was popped with a token of the reader, or any popped code to an operator. It returns
// NotIssued for any other, by the same statement.
func IssueInSight(ctx context.Context, q *db.Queries, by db.Sight, code Code) (Issue, error) {
	row, err := db.Read(q.RefIssueInSight(ctx, db.RefIssueInSightParams{Reader: by.Reader, CompanyID: by.Company,
		Reach: by.Reach, Code: string(code)}))
	if db.IsNotFound(err) {
		return Issue{}, NotIssued()
	}
	if err != nil {
		return Issue{}, fmt.Errorf("read a popped code: %w", err)
	}
	issue := Issue{Code: Code(row.Code), IssuedAt: row.IssuedAt, Token: row.TokenID, TokenName: row.TokenName,
		TokenAccount: row.AccountName, Purpose: row.Purpose}
	if row.Visible != 0 {
		issue.Board, issue.Number = row.BoardSlug, row.LocalID
	}
	return issue, nil
}
