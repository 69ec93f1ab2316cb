//go:build cluster

package accounts_test

import (
	"crypto/rand"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// nodes opens a database at each node of a cluster: COUNTERFOIL_CLUSTER has its three URLs, with spaces between.
func nodes(t *testing.T) (list []*db.DB) {
	t.Helper()
	urls := strings.Fields(os.Getenv("COUNTERFOIL_CLUSTER"))
	if len(urls) != 3 {
		t.Fatal("COUNTERFOIL_CLUSTER must have the URLs of one database at three Galera nodes.")
	}
	domaintest.Must(t, db.SchemaUp(urls[0]))
	for _, url := range urls {
		d := domaintest.OK(db.Open(url))(t)
		t.Cleanup(func() { d.Close() })
		list = append(list, d)
	}
	return list
}

// Two owners, and two operators, demote each other at two nodes of a cluster: one of them is second, and refused.
func TestAClusterKeepsAnOwnerAndAnOperator(t *testing.T) {
	cluster := nodes(t)
	const rounds = 40
	var noOwner, noOperator int
	for range rounds {
		c := company(t, cluster[0], "c"+strings.ToLower(rand.Text()[:12]))
		domaintest.Exec(t, cluster[0], "UPDATE account SET operator = FALSE")
		if domaintest.Number(t, cluster[0], "SELECT COUNT(*) FROM installation") == 0 {
			inTx(t, cluster[0], func(tx *db.Tx) error { return accounts.CloseSetup(ctx, tx, c.ID) })
		}
		var owners [2]accounts.Actor
		for i := range owners {
			account := newAccount(t, cluster[0], strings.ToLower(rand.Text()[:12]))
			join(t, cluster[0], c, account, accounts.Owner)
			domaintest.Exec(t, cluster[0], "UPDATE account SET operator = TRUE WHERE id = ?", account.ID)
			owners[i] = accounts.Actor{Account: account, Company: c, Role: accounts.Owner}
		}
		bothAt(t, cluster[1:], owners, func(tx *db.Tx, by, of accounts.Actor) error {
			_, err := accounts.SetOperator(ctx, tx, by, of.Account.ID, false)
			return err
		})
		bothAt(t, cluster[1:], owners, func(tx *db.Tx, by, of accounts.Actor) error {
			by, err := accounts.LockRoles(ctx, tx, by)
			if err != nil {
				return err
			}
			_, err = accounts.ChangeRole(ctx, tx, by, of.Account.ID, accounts.Member)
			return err
		})
		if domaintest.Number(t, cluster[0], "SELECT COUNT(*) FROM account WHERE operator") == 0 {
			noOperator++
		}
		if domaintest.Number(t, cluster[0],
			"SELECT COUNT(*) FROM membership WHERE role = 'owner' AND company_id = ?", c.ID) == 0 {
			noOwner++
		}
	}
	if noOwner+noOperator > 0 {
		t.Errorf("of %d rounds, %d left no owner and %d no operator", rounds, noOwner, noOperator)
	}
}

// bothAt has each of two users do a thing to the other, at a node of its own, at the same time.
func bothAt(
	t *testing.T, at []*db.DB, users [2]accounts.Actor, do func(tx *db.Tx, by, of accounts.Actor) error,
) {
	t.Helper()
	var group sync.WaitGroup
	for i, by := range users {
		group.Go(func() {
			if err := at[i].InTx(ctx, func(tx *db.Tx) error { return do(tx, by, users[1-i]) }); err != nil {
				t.Log(err)
			}
		})
	}
	group.Wait()
}
