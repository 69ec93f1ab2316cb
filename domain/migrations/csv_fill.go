package migrations

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/counterfoil/counterfoil/domain/csvfile"
)

// RowUnknown is the error of a row's maker that could not look at the row. It ends the fill, which is tried again.
type RowUnknown struct{ Err error }

func (e RowUnknown) Error() string { return e.Err.Error() }
func (e RowUnknown) Unwrap() error { return e.Err }

// FillCSV fills a run from its file: a task for each row, with the payload that the row's maker returns. A row that
// cannot be read, or whose maker returns an error other than RowUnknown, is rejected with it. An interrupted fill resumes at its cursor.
// Maker is called once with the file, whose columns are known then; its error ends the fill. FillCSV returns
// csvfile.BadFile.
func FillCSV(
	ctx context.Context, into Filler, options csvfile.Options,
	maker func(file *csvfile.File) (func(row csvfile.Row) (payload string, err error), error),
) error {
	upload, err := into.Upload(ctx)
	if err != nil {
		return fmt.Errorf("open file: %w", err)
	}
	defer func() { _ = upload.Close() }()
	options.From = into.Cursor()
	file, err := csvfile.Open(upload, options)
	if err != nil {
		return err
	}
	makePayload, err := maker(file)
	if err != nil {
		return err
	}
	rows := options.From != ""
	for ; ; rows = true {
		row, err := file.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err := addRow(ctx, into, row, err, makePayload); err != nil {
			return err
		}
	}
	if !rows {
		return csvfile.BadFile("The file has a header and no rows.")
	}
	return nil
}

func addRow(
	ctx context.Context, into Filler, row csvfile.Row, err error, makePayload func(csvfile.Row) (string, error),
) error {
	var bad csvfile.BadRow
	if errors.As(err, &bad) {
		return into.Reject(ctx, Rejection{Line: bad.Line, Reason: bad.Reason, Content: bad.Content, Cursor: bad.Cursor})
	}
	if err != nil {
		return err
	}
	payload, err := makePayload(row)
	if errors.As(err, new(RowUnknown)) {
		return err
	}
	if err == nil && len(payload) > MaxPayload {
		err = errors.New("The row is too long for a task.")
	}
	if err != nil {
		content := csvfile.Excerpt([]byte(strings.Join(row.Fields, ",")))
		return into.Reject(ctx, Rejection{Line: row.Line, Reason: err.Error(), Content: content, Cursor: row.Cursor})
	}
	return into.Add(ctx, NewTask{Payload: payload, Line: row.Line, Cursor: row.Cursor})
}
