package refs_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/refs"
)

// hold keeps the server from removing what is deleted from now on, until the test ends.
func (s env) hold(t *testing.T) {
	t.Helper()
	conn := domaintest.OK(s.SQL.Conn(s.ctx))(t)
	t.Cleanup(func() { conn.Close() })
	for _, statement := range []string{"SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
		"SET SESSION wait_timeout = 600 /*M!100300, idle_transaction_timeout = 0 */", "START TRANSACTION WITH CONSISTENT SNAPSHOT"} {
		domaintest.OK(conn.ExecContext(s.ctx, statement))(t)
	}
	var n int
	domaintest.Must(t, conn.QueryRowContext(s.ctx, "SELECT COUNT(*) FROM ref_pool").Scan(&n))
}

// A pool full of deleted codes is searched by its ledger: it is not parallel because it makes every pool be taken for one.
func TestPopBesideASnapshot(t *testing.T) {
	defer refs.PickByLedger()()
	s := newEnv(t)
	s.mint(t, 1, refs.Short, 20_000)
	s.hold(t)
	domaintest.OK(s.SQL.ExecContext(s.ctx, "DELETE FROM ref_pool WHERE MOD(CRC32(code), 20) <> 0"))(t)
	left := s.count(t, "ref_pool")
	var mu sync.Mutex
	seen := map[refs.Code]int{}
	var callers sync.WaitGroup
	for i := range 10 {
		callers.Go(func() {
			for {
				codes, err := s.pop(1 + i%7)
				if errors.Is(err, refs.CodeEmpty) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for _, code := range codes {
					seen[code]++
				}
				mu.Unlock()
			}
		})
	}
	callers.Wait()
	for codes, err := s.pop(1); err == nil; codes, err = s.pop(1) {
		seen[codes[0]]++
	}
	for code, n := range seen {
		if n > 1 {
			t.Errorf("%s was given out %d times", code, n)
		}
	}
	if uint64(len(seen)) != left {
		t.Errorf("%d of %d codes were found", len(seen), left)
	}
}
