package codes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/kinds"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// TasksAtOnce is how many slices a worker mints, or parts of a file it loads, at a time: while one is written by the
// server, the codes of another are made ready, and one is not idle while another is made durable.
const TasksAtOnce = 2

// mintRefs is the migration that makes reference codes.
func (m *Codes) mintRefs() *migrations.Migration {
	return &migrations.Migration{
		Name: workflows.MintName, Title: "Mint reference codes",
		Description: "Makes reference codes at random that were never used, and puts them into the pool. It starts automatically, and can be stopped at any time: codes minted until then are usable. The pool is also refilled automatically when codes run low.",
		Params: []migrations.Param{
			{Name: "codes", Label: "How many", Kind: migrations.Number, Required: true, Default: "1000000", Min: 1,
				Max: refs.MaxMint},
			lengthParam(),
		},
		Check:   m.checkMint,
		Fill:    m.fillMint,
		Write:   m.writeMint,
		Preview: previewMint,
		Label:   mintLabel,
		Knobs:   migrations.Knobs{Concurrency: TasksAtOnce, Block: 1},
		Several: true, Unattended: true,
	}
}

func lengthParam() migrations.Param {
	return migrations.Param{Name: "length", Label: "Characters in a code", Kind: migrations.Choice, Required: true,
		Default: strconv.Itoa(refs.Short), Choices: kinds.Choices(strconv.Itoa(refs.Short), "five", strconv.Itoa(refs.Long),
			"six, for when those of five run out")}
}

// mintOrder parses the parameters of a mint.
func mintOrder(values migrations.Values) (codes uint64, length int, err error) {
	if codes, err = strconv.ParseUint(values["codes"], 10, 63); err == nil {
		length, err = strconv.Atoi(values["length"])
	}
	if err != nil {
		return 0, 0, migrations.Permanent{Err: fmt.Errorf("read parameters: %w", err)}
	}
	return codes, length, nil
}

func (m *Codes) checkMint(ctx context.Context, values migrations.Values) error {
	codes, length, err := mintOrder(values)
	if err != nil {
		return err
	}
	of, err := m.refsOfLength(ctx, length)
	if err != nil {
		return err
	}
	if float64(of.Minted+codes) > refs.MostUsed*float64(of.Space) {
		return migrations.BadParam("codes",
			fmt.Sprintf("Of the %d codes of %d characters %d were minted before; so many more would use up nearly all. Mint fewer, or longer ones.", of.Space, length, of.Minted))
	}
	return nil
}

func (m *Codes) refsOfLength(ctx context.Context, length int) (refs.LengthState, error) {
	counts, err := refs.CountByLength(ctx, m.bulk.Queries)
	for _, of := range counts {
		if of.Length == length {
			return of, err
		}
	}
	return refs.LengthState{Length: length, Space: refs.Space(length)}, err
}

// The cursor is how many codes there were at first, and how many slices were added: they follow from that.
func (m *Codes) fillMint(ctx context.Context, into migrations.Filler) error {
	codes, length, err := mintOrder(into.Values())
	if err != nil {
		return err
	}
	var existing uint64
	var done int
	if _, err := fmt.Sscanf(into.Cursor(), "%d %d", &existing, &done); err != nil {
		of, err := m.refsOfLength(ctx, length)
		if err != nil {
			return err
		}
		existing, done = of.Minted, 0
	}
	for i, slice := range refs.Rounds(length, codes, existing) {
		if i < done {
			continue
		}
		payload, err := json.Marshal(slice)
		if err != nil {
			return fmt.Errorf("write payload: %w", err)
		}
		if err := into.Add(ctx,
			migrations.NewTask{Payload: string(payload), Cursor: fmt.Sprintf("%d %d", existing, i+1)}); err != nil {
			return err
		}
	}
	return nil
}

func mintLabel(payload string) string {
	var slice refs.Slice
	if json.Unmarshal([]byte(payload), &slice) != nil {
		return ""
	}
	return fmt.Sprintf("%d codes of %d characters", slice.Codes, slice.Length)
}

func sliceOf(work *migrations.Work) (slice refs.Slice, err error) {
	if err := json.Unmarshal([]byte(work.Task.Payload), &slice); err != nil {
		return slice, migrations.Permanent{Err: fmt.Errorf("read payload: %w", err)}
	}
	return slice, nil
}

func (m *Codes) writeMint(ctx context.Context, tx *db.Tx, works []*migrations.Work) error {
	canaries, err := m.refs.Canaries(ctx)
	if err != nil {
		return err
	}
	for _, work := range works {
		slice, err := sliceOf(work)
		if err != nil {
			work.Fail(err)
			continue
		}
		lot, err := openLot(ctx, tx, work, refs.FromMint, slice.Length)
		if err != nil {
			return err
		}
		minted, err := refs.Mint(ctx, tx, canaries, lot, slice)
		if err != nil {
			return err
		}
		work.Note(fmt.Sprintf("%d codes; %d collided, %d were left out", minted.Added, minted.Collided, minted.Blocked))
	}
	return nil
}

// openLot is refs.OpenLot for a task, which fails for good if the lot is in quarantine.
func openLot(ctx context.Context, tx *db.Tx, work *migrations.Work, source string, length int) (id.Lot, error) {
	lot, err := refs.OpenLot(ctx, tx, work.Task.Run, source, length)
	if errors.Is(err, refs.CodeInQuarantine) {
		err = migrations.Permanent{Err: err}
	}
	return lot, err
}

func previewMint(_ context.Context, work *migrations.Work) (string, error) {
	slice, err := sliceOf(work)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Would mint %d codes.", slice.Codes), nil
}
