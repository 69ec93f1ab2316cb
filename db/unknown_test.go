package db_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
)

// soon is an AnswerTimeout for tests in which a connection is dead.
const soon = time.Second

// isUnknown checks that an error says no more than is known.
func isUnknown(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, fault.Unknown) || !errors.Is(err, db.CodeUnknownOutcome) {
		t.Errorf("it is not unknown: %v", err)
	}
	if err != nil && strings.Contains(err.Error(), "Nothing was lost") {
		t.Errorf("it promises what is not known: %v", err)
	}
}

func TestLostCommit(t *testing.T) {
	t.Parallel()
	for name, arrives := range map[string]bool{"one that arrived": true, "one that did not arrive": false} {
		t.Run(name+" is of unknown outcome, is not sent again, and leaves no lock behind", func(t *testing.T) {
			t.Parallel()
			direct := dbtest.URL(t)
			proxy, through := dbtest.NewProxy(t, direct)
			d := dbtest.OpenAt(t, through, db.AnswerWithin(soon))
			watch := dbtest.OpenAt(t, direct)
			twoCompanies(t, watch)
			domaintest.Must(t, d.InTx(t.Context(), func(tx *db.Tx) error { return rename(t.Context(), tx, "one", "before") }))

			runs := 0
			dropped := proxy.DropCommit("UPDATE company", arrives)
			err := d.InTx(t.Context(), func(tx *db.Tx) error {
				runs++
				return rename(t.Context(), tx, "one", "during")
			})
			<-dropped
			isUnknown(t, err)
			if runs != 1 {
				t.Errorf("it ran %d times", runs)
			}
			// A NOWAIT lock: that of the dead connection is gone by now, not after a wait.
			var stored string
			domaintest.Until(t, "the row is free", func() bool {
				return watch.SQL.QueryRowContext(t.Context(),
					"SELECT name FROM company WHERE slug = 'one' FOR UPDATE NOWAIT").Scan(&stored) == nil
			})
			if (stored == "during") != arrives {
				t.Errorf("the stored name is %q", stored)
			}
			domaintest.Must(t, d.InTx(t.Context(), func(tx *db.Tx) error { return rename(t.Context(), tx, "one", "after") }))
		})
	}
}

func TestLostStatement(t *testing.T) {
	t.Parallel()
	proxy, through := dbtest.NewProxy(t, dbtest.URL(t))
	d := dbtest.OpenAt(t, through, db.AnswerWithin(soon))
	twoCompanies(t, d)

	t.Run("within a transaction nothing was saved", func(t *testing.T) {
		proxy.DropStatement("SET name = 'lost'", true)
		err := d.InTx(t.Context(), func(tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(t.Context(), "UPDATE company SET name = 'lost' WHERE slug = 'one'")
			return err
		})
		domaintest.Is(t, err, fault.Unavailable)
		domaintest.Must(t, d.InTx(t.Context(), func(tx *db.Tx) error { return rename(t.Context(), tx, "one", "after") }))
	})
	t.Run("a write without a transaction is of unknown outcome", func(t *testing.T) {
		proxy.DropStatement("SET name = 'alone'", true)
		_, err := d.SQL.ExecContext(t.Context(), "UPDATE company SET name = 'alone' WHERE slug = 'two'")
		_, err = db.Read(0, err)
		isUnknown(t, err)
		domaintest.Until(t, "it was saved all the same", func() bool {
			return domaintest.Number(t, d, "SELECT COUNT(*) FROM company WHERE name = 'alone'") == 1
		})
	})
}
