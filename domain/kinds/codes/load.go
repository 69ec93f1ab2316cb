package codes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/csvfile"
	"github.com/counterfoil/counterfoil/domain/kinds"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// loadRefs is the migration that adds codes made elsewhere, such as those on printed labels.
func (m *Codes) loadRefs() *migrations.Migration {
	return &migrations.Migration{
		Name: workflows.LoadName, Title: "Load reference codes",
		Description: "Puts codes from a file into the pool, such as those printed on labels. A code that was minted or loaded before is refused.",
		Params:      []migrations.Param{lengthParam(), kinds.EncodingParam("Encoding")},
		Upload:      "a text file with a code in each line, or a CSV file with a column code",
		Fill:        m.fillLoad,
		Write:       writeLoad,
		Preview:     m.previewLoad,
		Knobs:       migrations.Knobs{Concurrency: 1, Block: 500, Attempts: 1},
		Unattended:  true,
	}
}

// headings are the accepted names of a column of codes; a file without one begins with a code.
var headings = []string{"code", "codes", "ref", "refs", "reference", "reference code", "label"}

func (m *Codes) fillLoad(ctx context.Context, into migrations.Filler) error {
	length, err := strconv.Atoi(into.Values()["length"])
	if err != nil {
		return fmt.Errorf("read parameters: %w", err)
	}
	take := func(text string) (string, error) {
		code, err := refs.Parse(text)
		if err == nil && len(code) != length {
			err = fmt.Errorf("The code %s has %d characters, and this run is for codes of %d.", code, len(code), length) //nolint:staticcheck // a sentence for operators
		}
		return string(code), err
	}
	return migrations.FillCSV(ctx, into, kinds.CSVOptions(into.Values()),
		func(file *csvfile.File) (func(csvfile.Row) (string, error), error) {
			column := slices.IndexFunc(file.Columns, func(name string) bool {
				return slices.Contains(headings, strings.ToLower(strings.TrimSpace(name)))
			})
			if column < 0 {
				if err := firstIsCode(ctx, into, file.Columns, take); err != nil {
					return nil, err
				}
				column = 0
			}
			return func(row csvfile.Row) (string, error) {
				if column >= len(row.Fields) {
					return "", errors.New("The line has no code.") //nolint:staticcheck // a sentence for operators
				}
				return take(row.Fields[column])
			}, nil
		})
}

// firstIsCode adds the first line of a file without a heading.
func firstIsCode(
	ctx context.Context, into migrations.Filler, columns []string, take func(string) (string, error),
) error {
	if into.Cursor() != "" {
		return nil
	}
	if len(columns) != 1 {
		return csvfile.BadFile("The file has no column code. Its columns are: " + strings.Join(columns, ", ") + ".")
	}
	payload, err := take(columns[0])
	if err != nil {
		return into.Reject(ctx, migrations.Rejection{Line: 1, Reason: err.Error(), Content: kinds.Truncate(columns[0], 200)})
	}
	return into.Add(ctx, migrations.NewTask{Payload: payload, Line: 1})
}

func writeLoad(ctx context.Context, tx *db.Tx, works []*migrations.Work) error {
	length, err := strconv.Atoi(works[0].Values["length"])
	if err != nil {
		return fmt.Errorf("read parameters: %w", err)
	}
	lot, err := openLot(ctx, tx, works[0], refs.FromFile, length)
	if err != nil {
		return err
	}
	byCode := map[refs.Code]*migrations.Work{}
	var codes []refs.Code
	for _, work := range works {
		code := refs.Code(work.Task.Payload)
		if byCode[code] != nil {
			work.Fail(migrations.Permanent{Err: refs.Known(code)})
			continue
		}
		byCode[code] = work
		codes = append(codes, code)
	}
	added, err := refs.Load(ctx, tx, lot, length, codes)
	if err != nil {
		return err
	}
	for code, work := range byCode {
		if !added[code] {
			work.Fail(migrations.Permanent{Err: refs.Known(code)})
		}
	}
	return nil
}

func (m *Codes) previewLoad(ctx context.Context, work *migrations.Work) (string, error) {
	code := work.Task.Payload
	known, err := db.Read(m.bulk.LedgerHas(ctx, []string{code}))
	if err != nil {
		return "", err
	}
	if len(known) > 0 {
		return "", migrations.Permanent{Err: refs.Known(refs.Code(code))}
	}
	return "Would add " + code + ".", nil
}
