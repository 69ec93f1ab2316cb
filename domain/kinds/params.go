package kinds

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/csvfile"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

func Truncate(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:n-1])) + "…"
}

// Count is a number of things in words: 1 task, 2 tasks.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func Choices(pairs ...string) func(context.Context) ([]migrations.Option, error) {
	return func(context.Context) (list []migrations.Option, err error) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, migrations.Option{Value: pairs[i], Label: pairs[i+1]})
		}
		return list, nil
	}
}

// EncodingParam is the encoding of a run's file; CSVOptions reads it.
func EncodingParam(label string) migrations.Param {
	return migrations.Param{Name: "encoding", Label: label, Kind: migrations.Choice, Required: true, Default: "detect",
		Choices: Choices("detect", "UTF-8, or what the file says", csvfile.EncodingWindows, "Windows-1252 (Latin-1)")}
}

func CSVOptions(values migrations.Values) csvfile.Options {
	if values["encoding"] == csvfile.EncodingWindows {
		return csvfile.Options{Encoding: csvfile.EncodingWindows}
	}
	return csvfile.Options{}
}

// CompanyParam names one company; if it is optional, none is all.
func CompanyParam(required bool) migrations.Param {
	p := migrations.Param{Name: "company", Label: "Company", Kind: migrations.Text, Required: required, Max: 40,
		Refers: migrations.ToCompany,
		Help:   "Its short name, as in its URLs: acme."}
	if !required {
		p.Help += " Leave it empty for all."
	}
	return p
}

// CompanyOf returns the company of a run, the zero one for all.
func CompanyOf(ctx context.Context, q *db.Queries, values migrations.Values) (accounts.Company, error) {
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

// BoardOf returns the board that a run is for.
func BoardOf(ctx context.Context, q *db.Queries, values migrations.Values) (boards.Board, error) {
	if values["company"] == "" {
		return boards.Board{}, migrations.BadParam("company", "Say which company's board it is.")
	}
	company, err := CompanyOf(ctx, q, values)
	if err != nil {
		return boards.Board{}, err
	}
	board, err := boards.BySlug(ctx, q, db.SightOfAll(company.ID), values["board"])
	if errors.Is(err, fault.NotFound) {
		return board, migrations.BadParam("board", fmt.Sprintf("%s has no board “%s”. Enter its ticket prefix, such as NINJA.",
			company.Name, values["board"]))
	}
	return board, err
}

// boardsPerPage is how many boards bulk work reads at once.
const boardsPerPage = 500

// EachBoard calls fn for the boards of a company, or of all if it is the zero one, by id from one on.
func EachBoard(
	ctx context.Context, q *db.Queries, company accounts.Company, from id.Board, fn func(db.BoardsAfterRow) error,
) error {
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
