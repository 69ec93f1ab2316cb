package worker

import (
	"context"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
)

const (
	// othersMessage is that of the group of all others.
	othersMessage = "Other errors: the run has too many kinds to list each. See the tasks for their errors."
)

var (
	othersPrint = fingerprintOf(othersMessage)
	lostPrint   = fingerprintOf(lostMessage)
)

// prints are fingerprints of which a run has groups.
type prints map[[8]byte]bool

// groupsOf reads which groups the run has. Nobody adds one meanwhile: its row is locked.
func groupsOf(ctx context.Context, tx *db.Tx, run id.Run) (prints, error) {
	rows, err := tx.FingerprintsOf(ctx, run, migrations.FailuresShown)
	list := make(prints, len(rows))
	for _, row := range rows {
		list[[8]byte(row)] = true
	}
	return list, err
}

// know reports whether what tasks failed with needs no new group.
func (p prints) know(run *migrations.Run, batch []*attempt) bool {
	return p.full() || !slices.ContainsFunc(batch,
		func(h *attempt) bool { return h.outcome == failed && !p[h.problemOf(run).fingerprint] })
}

// full reports whether the run can have no more groups of its own.
func (p prints) full() bool {
	n := len(p)
	for _, print := range [][8]byte{othersPrint, lostPrint} {
		if p[print] {
			n--
		}
	}
	return n >= migrations.MaxFailures
}

// group returns the problem under which an error is counted: its own if the run has it or has room for it, or that of
// all others.
func (p prints) group(of problem) problem {
	if !p[of.fingerprint] && p.full() {
		of.message, of.fingerprint = othersMessage, othersPrint
	}
	p[of.fingerprint] = true
	return of
}
