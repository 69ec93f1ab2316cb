package db

import (
	"context"
	"database/sql"

	"github.com/counterfoil/counterfoil/domain/id"
)

// Lists of members, each for a reader; those for suggestions are without inactive ones. A guest (ReachNamed) sees itself and who sees a board that names the guest: the
// accounts in board_access of these boards, and all members but guests if one of them is open. Others see all members.

// NamedMember is a row of MembersWithHandle and MembersByName.
type NamedMember struct {
	AccountID    id.Account
	Handle, Role string
	Name         string
	Avatar       string
}

const (
	// companyIfOpen is the company if an open board of it names a guest, else NULL, which no row has: so nothing is read
	// then. It takes the guest and the company.
	companyIfOpen = `(SELECT b.company_id FROM board_access mine JOIN board b ON b.id = mine.board_id
WHERE mine.account_id = ? AND b.company_id = ? AND b.privacy = 0 LIMIT 1)`
	// besideGuest are the guest and the accounts in board_access of the boards that name the guest. It takes the guest
	// and the company, and both again.
	besideGuest = `SELECT x.account_id FROM board_access mine JOIN board b ON b.id = mine.board_id
JOIN board_access x ON x.board_id = b.id WHERE mine.account_id = ? AND b.company_id = ?
UNION SELECT g.account_id FROM membership g WHERE g.account_id = ? AND g.company_id = ?`

	memberColumns = `SELECT a.id, a.name, a.email, a.avatar, a.operator, m.role, m.handle, m.created_at, m.inactive FROM `
	namedColumns  = `SELECT m.account_id, m.handle, m.role, a.name, a.avatar FROM `
)

// membersOnOpenBoard are the first members of a role after an account, of companyIfOpen. It takes what that does, the
// account and a limit.
func membersOnOpenBoard(role string) string {
	return `(SELECT n.account_id FROM membership n FORCE INDEX (ix_membership_role)
WHERE n.role = '` + role + `' AND n.company_id = ` + companyIfOpen + ` AND n.account_id > ?
ORDER BY n.account_id LIMIT ?)
UNION `
}

const members = memberColumns + `membership m FORCE INDEX (PRIMARY)
STRAIGHT_JOIN account a ON a.id = m.account_id
WHERE m.company_id = ? AND m.account_id > ?
ORDER BY m.account_id
LIMIT ?`

var membersToGuest = memberColumns + `(` + membersOnOpenBoard("owner") + membersOnOpenBoard("admin") +
	membersOnOpenBoard("member") + membersOnOpenBoard("viewer") + besideGuest + `) s
JOIN membership m ON m.company_id = ? AND m.account_id = s.account_id
JOIN account a ON a.id = m.account_id
WHERE m.account_id > ?
ORDER BY m.account_id
LIMIT ?`

// Members returns a page of the members that a reader sees.
func (q *Queries) Members(ctx context.Context, by Sight, after id.Account, limit int) ([]MemberByIDRow, error) {
	company, reader, from := uint64(by.Company), uint64(by.Reader), uint64(after)
	query, args := members, []any{company, from, limit}
	if by.Reach == ReachNamed {
		query, args = membersToGuest, nil
		for range 4 { // roles
			args = append(args, reader, company, from, limit)
		}
		args = append(args, reader, company, reader, company, company, from, limit)
	}
	return readRows(ctx, q, query, args, func(rows *sql.Rows, m *MemberByIDRow) error {
		return rows.Scan(&m.ID, &m.Name, &m.Email, &m.Avatar, &m.Operator, &m.Role, &m.Handle, &m.CreatedAt, &m.Inactive)
	})
}

const (
	membersWithHandle = namedColumns + `membership m
JOIN account a ON a.id = m.account_id
WHERE m.company_id = ? AND m.handle >= ? AND m.handle <= ? AND m.role <> ? AND m.inactive = FALSE
ORDER BY m.handle
LIMIT ?`
	membersWithHandleToGuest = namedColumns + `(SELECT n.account_id FROM (SELECT account_id, role FROM membership
WHERE company_id = ` + companyIfOpen + ` AND handle >= ? AND handle <= ? ORDER BY handle LIMIT 1000) n
WHERE n.role <> 'guest'
UNION ` + besideGuest + `) s
JOIN membership m ON m.company_id = ? AND m.account_id = s.account_id
JOIN account a ON a.id = m.account_id
WHERE m.handle >= ? AND m.handle <= ? AND m.role <> ? AND m.inactive = FALSE
ORDER BY m.handle
LIMIT ?`
)

// MembersWithHandle returns the members that a reader sees whose handle is in a range and whose role is not without,
// for suggestions. For a guest it looks among a thousand, and those that boards name beside it.
func (q *Queries) MembersWithHandle(
	ctx context.Context, by Sight, from, to, without string, limit int,
) ([]NamedMember, error) {
	company, reader := uint64(by.Company), uint64(by.Reader)
	query, args := membersWithHandle, []any{company, from, to, without, limit}
	if by.Reach == ReachNamed {
		query = membersWithHandleToGuest
		args = []any{reader, company, from, to, reader, company, reader, company, company, from, to, without, limit}
	}
	return readRows(ctx, q, query, args, scanNamed)
}

const (
	membersByName = namedColumns + `(SELECT account_id, handle, role FROM membership
WHERE company_id = ? AND inactive = FALSE ORDER BY handle LIMIT 1000) m
JOIN account a ON a.id = m.account_id
WHERE (a.name LIKE ? OR a.name LIKE ?) AND m.role <> ?
ORDER BY m.handle
LIMIT ?`
	membersByNameToGuest = namedColumns + `(SELECT n.account_id FROM (SELECT account_id, role FROM membership
WHERE company_id = ` + companyIfOpen + ` ORDER BY handle LIMIT 1000) n
WHERE n.role <> 'guest'
UNION ` + besideGuest + `) s
JOIN membership m ON m.company_id = ? AND m.account_id = s.account_id
JOIN account a ON a.id = m.account_id
WHERE (a.name LIKE ? OR a.name LIKE ?) AND m.role <> ? AND m.inactive = FALSE
ORDER BY m.handle
LIMIT ?`
)

// MembersByName returns members that a reader sees whose name is like one of two patterns and whose role is not
// without. It reads at most a thousand, whatever the company's size, and for a guest those that boards name beside it.
func (q *Queries) MembersByName(
	ctx context.Context, by Sight, beginning, inside, without string, limit int,
) ([]NamedMember, error) {
	company, reader := uint64(by.Company), uint64(by.Reader)
	query, args := membersByName, []any{company, beginning, inside, without, limit}
	if by.Reach == ReachNamed {
		query = membersByNameToGuest
		args = []any{reader, company, reader, company, reader, company, company, beginning, inside, without, limit}
	}
	return readRows(ctx, q, query, args, scanNamed)
}

func scanNamed(rows *sql.Rows, m *NamedMember) error {
	return rows.Scan(&m.AccountID, &m.Handle, &m.Role, &m.Name, &m.Avatar)
}

// readRows returns the rows of a statement, each read by scan.
func readRows[T any](
	ctx context.Context, q *Queries, query string, args []any, scan func(rows *sql.Rows, row *T) error,
) (list []T, err error) {
	rows, err := q.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var row T
		if err := scan(rows, &row); err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, rows.Err()
}
