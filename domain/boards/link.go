package boards

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/secrets"
)

// PublicLink is the link by which strangers read a board, without its secret.
type PublicLink struct {
	On     bool
	Author string // the member who made it; "" for a reader who does not see that member
	By     id.Account
	MadeAt time.Time
	hash   []byte
}

// Opens reports whether a secret is that of the link.
func (l PublicLink) Opens(secret string) bool {
	return l.On && bytes.Equal(l.hash, PublicSight(secret))
}

// PublicLinkOf returns the public link of a board; the zero one is off.
func PublicLinkOf(ctx context.Context, q *db.Queries, board ID) (PublicLink, error) {
	row, err := db.Read(q.LinkOfBoard(ctx, board))
	if db.IsNotFound(err) {
		return PublicLink{}, nil
	}
	if err != nil {
		return PublicLink{}, fmt.Errorf("read public link: %w", err)
	}
	return PublicLink{On: true, Author: row.Author, By: row.CreatedBy, MadeAt: row.CreatedAt, hash: row.Hash}, nil
}

// OpenPublicLink gives a board a public link in place of the one it has, and returns its secret of 256 bits, which is
// not stored.
func OpenPublicLink(ctx context.Context, tx *db.Tx, board ID, by id.Account) (secret string, err error) {
	secret = secrets.NewLink()
	err = tx.SetBoardLink(ctx, db.SetBoardLinkParams{BoardID: board, Hash: PublicSight(secret), CreatedBy: by,
		CreatedAt: tx.Now})
	if err != nil {
		return "", fmt.Errorf("make public link: %w", err)
	}
	return secret, nil
}

// RevokePublicLink ends the public link of a board; there reports that it had one.
func RevokePublicLink(ctx context.Context, tx *db.Tx, board ID) (there bool, err error) {
	n, err := tx.DropBoardLink(ctx, board)
	if err != nil {
		return false, fmt.Errorf("revoke public link: %w", err)
	}
	return n > 0, nil
}

// PublicSight is the sight of whoever has a link with a secret, which may be any text.
func PublicSight(secret string) db.PublicSight { return secrets.HashOfLink(secret) }

// PublicBoard is what strangers see of a board.
type PublicBoard struct {
	ID      ID // it is not shown
	Slug    string
	Title   string
	Company string // its name
	Columns []PublicColumn
}

// PublicColumn is a column of a PublicBoard.
type PublicColumn struct {
	ID   id.Column
	Name string
	Done bool
}

// ByPublicLink returns the board of a public link, or UnknownLink: by one statement, whatever the reason.
func ByPublicLink(ctx context.Context, q *db.Queries, by db.PublicSight) (PublicBoard, error) {
	rows, err := db.Read(q.PublicBoard(ctx, by))
	if err != nil {
		return PublicBoard{}, fmt.Errorf("read public board: %w", err)
	}
	if len(rows) == 0 {
		return PublicBoard{}, UnknownLink()
	}
	board := PublicBoard{ID: rows[0].ID, Slug: rows[0].Slug, Title: rows[0].Title, Company: rows[0].Company}
	for _, row := range rows {
		board.Columns = append(board.Columns, PublicColumn{ID: row.ColumnID, Name: row.ColumnName, Done: row.Done})
	}
	return board, nil
}

// Column returns the board's column with that id.
func (b PublicBoard) Column(column id.Column) (PublicColumn, bool) {
	for _, c := range b.Columns {
		if c.ID == column {
			return c, true
		}
	}
	return PublicColumn{}, false
}
