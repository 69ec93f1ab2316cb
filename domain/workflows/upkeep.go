package workflows

import (
	"context"
	"errors"
	"fmt"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

// upkeep are the migrations that keep an installation in order.
func (w *Workflows) upkeep() []*migrations.Migration {
	return []*migrations.Migration{w.rebalanceRanks(), w.purgeDeleted(), w.reRenderMarkdown()}
}

// companyParam names one company; where it need not, none is all of them.
func companyParam(required bool) migrations.Param {
	p := migrations.Param{Name: "company", Label: "Company", Kind: migrations.Text, Required: required, Max: 40, Help: "Its short name, as in its addresses: acme."}
	if !required {
		p.Help += " Leave it empty for all."
	}
	return p
}

// companyOf returns the company that a run is for, the zero one where it is for all.
func companyOf(ctx context.Context, q *db.Queries, values migrations.Values) (accounts.Company, error) {
	slug := values["company"]
	if slug == "" {
		return accounts.Company{}, nil
	}
	company, err := accounts.CompanyBySlug(ctx, q, slug)
	if errors.Is(err, fault.NotFound) {
		return company, migrations.BadParam("company", err.Error())
	}
	return company, err
}

// boardOf returns the board that a run is for.
func boardOf(ctx context.Context, q *db.Queries, values migrations.Values) (boards.Board, error) {
	company, err := companyOf(ctx, q, values)
	if err != nil {
		return boards.Board{}, err
	}
	board, err := boards.BySlug(ctx, q, company.ID, values["board"])
	if errors.Is(err, fault.NotFound) {
		return board, migrations.BadParam("board", fmt.Sprintf("%s has no board “%s”. Give its slug, such as NINJA.", company.Name, values["board"]))
	}
	return board, err
}

// boardsPerPage is how many boards bulk work reads at once.
const boardsPerPage = 500

// eachBoard calls fn for the boards of a company, or of all where it is the zero one, by id from one on.
func eachBoard(ctx context.Context, q *db.Queries, company accounts.Company, from id.Board, fn func(db.BoardsAfterRow) error) error {
	after := from
	if after > 0 {
		after--
	}
	for {
		rows, err := db.Read(q.BoardsAfter(ctx, after, boardsPerPage))
		if err != nil {
			return fmt.Errorf("read boards: %w", err)
		}
		for _, row := range rows {
			after = row.ID
			if company.ID != 0 && row.Company != company.Slug {
				continue
			}
			if err := fn(row); err != nil {
				return err
			}
		}
		if len(rows) < boardsPerPage {
			return nil
		}
	}
}
