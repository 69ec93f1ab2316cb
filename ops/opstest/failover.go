package opstest

import (
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// failedOver is what a failover leaves behind, which skipped numbers of the archived board.
var failedOver = []string{
	`INSERT INTO failover (id, old, answer, lost_us, last_at, last_audit, pool, quarantined, mint_run, sessions, began_at, ended_at, report) VALUES
		(1, 'old/counterfoil', 'It does not answer.', 30000000, '2026-01-01', 1, 0, 0, 1, 1, '2026-01-01', '2026-01-01 00:00:01', '{"old":"old/counterfoil"}')`,
	`INSERT INTO failover_board (failover_id, board_id, last_number, skipped)
		SELECT 1, i.board_id, i.max_ticket_id, 100 FROM board_ticket_incrementer i JOIN board b ON b.id = i.board_id WHERE b.slug = 'PAST'`,
	`INSERT INTO audit (company_id, account_id, kind, detail, address, created_at) VALUES (NULL, NULL, 'epoch-begun', '{"by":"command line"}', '', NOW(6))`,
	`INSERT INTO audit_spread (audit_id, after_company) SELECT MAX(id), 1 FROM audit`,
	`UPDATE board_ticket_incrementer i JOIN failover_board f ON f.board_id = i.board_id SET i.max_ticket_id = i.max_ticket_id + f.skipped`,
}

func failOver(t testing.TB, d *db.DB) {
	t.Helper()
	for _, statement := range failedOver {
		domaintest.Exec(t, d, statement)
	}
}
