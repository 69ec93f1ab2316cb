package delivery_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// heads are the heads of chains in a log, and empties it.
func heads(t *testing.T, log *bytes.Buffer) (list []string) {
	t.Helper()
	for line := range strings.Lines(log.String()) {
		var head struct {
			Msg, MAC        string
			Chain, Position uint64
		}
		domaintest.Must(t, json.Unmarshal([]byte(line), &head))
		if head.Msg == "audit head" {
			list = append(list, fmt.Sprint(head.Chain, " ", head.Position, " ", head.MAC))
		}
	}
	log.Reset()
	slices.Sort(list)
	return list
}

// TestAuditHourly holds that each hour entries go that are kept no longer, and that the log has the heads that moved.
func TestAuditHourly(t *testing.T) {
	t.Parallel()
	const old, new = 3, 2
	add := func(t *testing.T, e *env, n, days int) {
		for range n {
			for _, company := range []string{"1", "NULL"} {
				e.Exec(t, `INSERT INTO audit (company_id, account_id, kind, detail, address, created_at)
					VALUES (`+company+`, NULL, 'epoch-begun', '{}', '', NOW(6) - INTERVAL ? DAY)`, days)
			}
		}
	}
	for days, left := range map[int]int{0: 2 * (old + new), 30: 2 * new, 40: 2 * (old + new)} {
		t.Run(fmt.Sprintf("entries of 31 days, kept for %d", days), func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			e := newEnv(t, app.WithAuditDays(days), app.WithLog(slog.New(slog.NewJSONHandler(&log, nil))))
			e.Exec(t, "DELETE FROM audit")
			add(t, e, old, 31)
			add(t, e, new, 1)
			domaintest.Must(t, e.Delivery.TendAudit(e.Ctx))
			domaintest.Must(t, e.Delivery.TendAuditHourly(e.Ctx))
			e.Counts(t, left, "SELECT COUNT(*) FROM audit")
			_, err := accounts.CheckChains(e.Ctx, e.DB.Queries, apptest.Keys, func(text string) { t.Error(text) })
			domaintest.Must(t, err)

			stored := func() (list []string) {
				rows := domaintest.OK(e.DB.SQL.Query(
					"SELECT CONCAT(chain, ' ', last_seq, ' ', LOWER(HEX(last_mac))) FROM audit_chain ORDER BY chain"))(t)
				defer rows.Close()
				for rows.Next() {
					var one string
					domaintest.Must(t, rows.Scan(&one))
					list = append(list, one)
				}
				domaintest.Must(t, rows.Err())
				return list
			}
			same(t, heads(t, &log), stored()...)
			domaintest.Must(t, e.Delivery.TendAuditHourly(e.Ctx))
			same(t, heads(t, &log)) // none has moved

			e.Exec(t, `INSERT INTO audit (company_id, account_id, kind, detail, address, created_at)
				VALUES (1, NULL, 'epoch-begun', '{}', '', NOW(6))`)
			domaintest.Must(t, e.Delivery.TendAudit(e.Ctx))
			domaintest.Must(t, e.Delivery.TendAuditHourly(e.Ctx))
			same(t, heads(t, &log), stored()[1])
		})
	}
}
