package codes

import (
	"context"
	"encoding/json"
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
		Label:       loadLabel,
		Knobs:       migrations.Knobs{Concurrency: TasksAtOnce, Block: 2},
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
	filler := &codeFiller{Filler: into}
	options := kinds.CSVOptions(into.Values())
	options.Header = func(first []string) bool { return len(first) > 1 || codeColumn(first) >= 0 }
	err = migrations.FillCSV(ctx, filler, options, func(file *csvfile.File) (func(csvfile.Row) (string, error), error) {
		column := codeColumn(file.Columns)
		switch {
		case column < 0 && len(file.Columns) > 1:
			return nil, csvfile.BadFile("The file has no column code. Its columns are: " + strings.Join(file.Columns, ", ") + ".")
		case column < 0: // without a heading
			column = 0
		}
		return func(row csvfile.Row) (string, error) {
			if column >= len(row.Fields) {
				return "", errors.New("The line has no code.") //nolint:staticcheck // a sentence for operators
			}
			return take(row.Fields[column])
		}, nil
	})
	if err != nil {
		return err
	}
	return filler.flush(ctx)
}

// codeColumn is the index of the column of codes among those of a header, -1 for none.
func codeColumn(columns []string) int {
	return slices.IndexFunc(columns, func(name string) bool {
		return slices.Contains(headings, strings.ToLower(strings.TrimSpace(name)))
	})
}

// codesAtOnce is how many codes a task loads.
const codesAtOnce = 2000

// loadTask is a task of load-refs: codes from lines of the file one after the other.
type loadTask struct {
	Line  uint64 `json:"line"` // of the first
	Codes string `json:"codes"`
}

func loadTaskOf(work *migrations.Work) (line uint64, codes []refs.Code, err error) {
	if !strings.HasPrefix(work.Task.Payload, "{") { // of a run that an earlier version filled: a line
		return work.Task.Line, []refs.Code{refs.Code(work.Task.Payload)}, nil
	}
	var t loadTask
	if err := json.Unmarshal([]byte(work.Task.Payload), &t); err != nil {
		return 0, nil, migrations.Permanent{Err: fmt.Errorf("read payload: %w", err)}
	}
	for text := range strings.FieldsSeq(t.Codes) {
		codes = append(codes, refs.Code(text))
	}
	return t.Line, codes, nil
}

// codeFiller makes one task of up to codesAtOnce codes that are added one by one.
type codeFiller struct {
	migrations.Filler
	first  uint64 // the line of the first code
	codes  []string
	cursor string
}

// Add takes a code, whose line follows that of the one before or begins another task.
func (f *codeFiller) Add(ctx context.Context, code migrations.NewTask) error {
	if len(f.codes) == codesAtOnce || code.Line != f.first+uint64(len(f.codes)) {
		if err := f.flush(ctx); err != nil {
			return err
		}
		f.first = code.Line
	}
	f.codes, f.cursor = append(f.codes, code.Payload), code.Cursor
	return nil
}

// Reject adds the codes before the line first, so that its cursor is behind them.
func (f *codeFiller) Reject(ctx context.Context, rejection migrations.Rejection) error {
	if err := f.flush(ctx); err != nil {
		return err
	}
	return f.Filler.Reject(ctx, rejection)
}

func (f *codeFiller) flush(ctx context.Context) error {
	if len(f.codes) == 0 {
		return nil
	}
	payload, err := json.Marshal(loadTask{f.first, strings.Join(f.codes, " ")})
	if err != nil {
		return fmt.Errorf("write payload: %w", err)
	}
	task := migrations.NewTask{Payload: string(payload), Line: f.first, Cursor: f.cursor}
	f.codes = f.codes[:0]
	return f.Filler.Add(ctx, task)
}

func loadLabel(payload string) string {
	fields := migrations.PayloadFields(payload)
	if fields["line"] == "" {
		return ""
	}
	return "Codes from line " + fields["line"]
}

func writeLoad(ctx context.Context, tx *db.Tx, works []*migrations.Work) error {
	length, err := strconv.Atoi(works[0].Values["length"])
	if err != nil {
		return fmt.Errorf("read parameters: %w", err)
	}
	for _, work := range works {
		line, codes, err := loadTaskOf(work)
		if err != nil {
			work.Fail(err)
			continue
		}
		if err := loadCodes(ctx, tx, work, length, line, codes); err != nil {
			return err
		}
	}
	return nil
}

// loadCodes loads the codes of a task. Those that are known, or twice in it, are rejected lines of the run.
func loadCodes(
	ctx context.Context, tx *db.Tx, work *migrations.Work, length int, line uint64, codes []refs.Code,
) error {
	lot, err := openLot(ctx, tx, work, refs.FromFile, length)
	if err != nil {
		return err
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(codes)))
	added, err := refs.Load(ctx, tx, lot, length, distinct)
	if err != nil {
		return err
	}
	loaded := len(added)
	var known []migrations.Rejection
	for i, code := range codes {
		if added[code] {
			delete(added, code) // a second line with it is rejected
			continue
		}
		known = append(known, migrations.Rejection{Line: line + uint64(i), Reason: refs.Known(code).Error(), Content: string(code)})
	}
	work.Note(loadNote(loaded, len(known)))
	return migrations.RejectLines(ctx, tx, work.Task.Run, known)
}

func loadNote(loaded, known int) string {
	note := kinds.Count(loaded, "code", "codes")
	if known == 0 {
		return note
	}
	return fmt.Sprintf("%s; %d known and rejected", note, known)
}

func (m *Codes) previewLoad(ctx context.Context, work *migrations.Work) (string, error) {
	_, codes, err := loadTaskOf(work)
	if err != nil {
		return "", err
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(codes)))
	texts := make([]string, len(distinct))
	for i, code := range distinct {
		texts[i] = string(code)
	}
	known, err := db.Read(m.bulk.LedgerHas(ctx, texts))
	if err != nil {
		return "", err
	}
	return "Would add " + loadNote(len(texts)-len(known), len(codes)-len(texts)+len(known)) + ".", nil
}
