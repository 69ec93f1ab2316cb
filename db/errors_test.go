package db_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
)

// signal is a statement that the server answers with an error of that number.
func signal(number int) string {
	return fmt.Sprintf("SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = %d, MESSAGE_TEXT = 'as asked'", number)
}

func TestErrorsOfTheServer(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t)
	for number, want := range map[int]struct {
		says      string
		runs      int // of the transaction
		discarded bool
	}{
		1047: {says: "left its cluster", runs: 1, discarded: true},
		3100: {says: "left its cluster", runs: 1},
		1180: {says: "could not commit", runs: 1},
		1290: {says: "only allows reading", runs: 1, discarded: true},
		1792: {says: "only allows reading", runs: 1, discarded: true},
		1836: {says: "only allows reading", runs: 1, discarded: true},
		1114: {says: "disk is full", runs: 1},
		1213: {says: "too busy", runs: 6},
		1467: {says: "too busy", runs: 6},
		3101: {says: "too busy", runs: 6},
	} {
		t.Run(fmt.Sprintf("%d is unavailable, in words, and its connection is used again only where that may help", number),
			func(t *testing.T) {
				t.Parallel()
				one := d.WithPool(1)
				id := func() uint64 {
					t.Helper()
					return uint64(domaintest.Number(t, one, "SELECT CONNECTION_ID()"))
				}
				before, runs := id(), 0
				err := one.InTx(t.Context(), func(tx *db.Tx) error {
					runs++
					_, err := tx.SQL.ExecContext(t.Context(), signal(number))
					return err
				})
				domaintest.Is(t, err, fault.Unavailable)
				if !strings.Contains(err.Error(), want.says) || runs != want.runs {
					t.Errorf("%d runs: %v", runs, err)
				}
				if discarded := id() != before; discarded != want.discarded {
					t.Errorf("the connection was discarded: %t", discarded)
				}
			})
	}
	t.Run("a transaction whose AUTO_INCREMENT waited too long is run again", func(t *testing.T) {
		t.Parallel()
		runs := 0
		domaintest.Must(t, d.InTx(t.Context(), func(tx *db.Tx) error {
			if runs++; runs > 1 {
				return nil
			}
			_, err := tx.SQL.ExecContext(t.Context(), signal(1467))
			return err
		}))
		if runs != 2 {
			t.Errorf("it ran %d times", runs)
		}
	})
}
