package opstest

import (
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// migrated is what a complete and a paused run leave behind. Tasks 1 to 4 are run 1's: two complete, one failed, one
// skipped. Tasks 5 to 7 are run 2's: one open, one waiting, one complete.
var migrated = []string{
	`DELETE FROM migration_counter`, `DELETE FROM migration_event`, `DELETE FROM migration_run`, // from renaming the board
	`INSERT INTO migration_run (id, name, params, same_key, active_key, state, state_since, version, knobs, total, rejected, account_id, actor, created_at, started_at, finished_at) VALUES
		(1, 'import-tickets', '{"company":"acme"}', UNHEX(SHA2('1', 256)), NULL, 'complete', '2026-01-01', 4, '{}', 4, 1, 1, 'Ana', '2026-01-01', '2026-01-01', '2026-01-02'),
		(2, 'download-images', '{"company":"acme"}', UNHEX(SHA2('2', 256)), UNHEX(SHA2('2', 256)), 'paused', '2026-01-01', 5, '{}', 3, 0, NULL, 'command line', '2026-01-01', '2026-01-01', NULL)`,
	`INSERT INTO migration_task (id, run_id, state, fence, worker_id, attempt, line, payload, note, fingerprint, due_at, claimed_at, finished_at) VALUES
		(1, 1, 'complete', (1 << 32) + 1, 1, 1, 2, '{"title":"größer 🥷"}', 'AWAY-1', NULL, NULL, '2026-01-01', '2026-01-01'),
		(2, 1, 'complete', (1 << 32) + 1, 1, 1, 3, '{}', '', NULL, NULL, '2026-01-01', '2026-01-01'),
		(3, 1, 'failed', (1 << 32) + 2, 1, 2, 4, '{}', '', UNHEX('00000000000000FF'), NULL, '2026-01-01', '2026-01-01'),
		(4, 1, 'skipped', 0, 0, 0, 6, '{}', '', NULL, NULL, NULL, '2026-01-01'),
		(5, 2, 'open', 0, 0, 0, 0, '{}', '', NULL, NULL, NULL, NULL),
		(6, 2, 'waiting', (2 << 32) + 1, 2, 1, 0, '{}', '', NULL, '2026-01-01 00:00:10', '2026-01-01', NULL),
		(7, 2, 'complete', (2 << 32) + 1, 2, 1, 0, '{}', '', NULL, NULL, '2026-01-01', '2026-01-01')`,
	`INSERT INTO migration_counter (run_id, worker_id, processing, waiting, complete, failed, skipped, errors, refused, reclaimed, seen) VALUES
		(1, 0, 0, -1, 0, 0, 1, 0, 0, 1, 0), (1, 1, 0, 1, 2, 1, 0, 2, 1, 0, 3), (2, 2, 0, 1, 1, 0, 0, 1, 0, 0, 5)`,
	`INSERT INTO migration_attempt (run_id, task_id, iteration, attempt, outcome, worker_id, worker, started_at, took_us, fingerprint, message, detail) VALUES
		(1, 3, 1, 1, 'lost', 1, 'one:7', '2026-01-01', 1000, UNHEX('00000000000000FF'), 'Nobody has the address x', ''),
		(1, 3, 1, 2, 'failed', 1, 'one:7', '2026-01-01', 1000, UNHEX('00000000000000FF'), 'Nobody has the address x', 'goroutine 1'),
		(2, 6, 1, 1, 'failed', 2, 'one:8', '2026-01-01', 1000, UNHEX('FFFFFFFFFFFFFFFF'), 'Too many requests', '429')`,
	`INSERT INTO migration_failure (run_id, fingerprint, message, task_id, errors, failed, first_at, last_at) VALUES
		(1, UNHEX('00000000000000FF'), 'Nobody has the address x', 3, 2, 1, '2026-01-01', '2026-01-01'),
		(2, UNHEX('FFFFFFFFFFFFFFFF'), 'Too many requests', 6, 1, 0, '2026-01-01', '2026-01-01')`,
	`INSERT INTO migration_rejection (run_id, number, line, reason, content) VALUES (1, 1, 5, 'The row has no title.', ',,"')`,
	`INSERT INTO migration_request (run_id, kind, fingerprint, after_id, account_id, actor) VALUES (1, 'retry', UNHEX('00000000000000FF'), 3, 1, 'Ana')`,
	`INSERT INTO migration_event (run_id, account_id, actor, kind, detail, created_at) VALUES (1, 1, 'Ana', 'running', '', '2026-01-01'), (1, NULL, 'Counterfoil', 'complete', '', '2026-01-01')`,
	`INSERT INTO migration_stop (id, reason, account_id, actor, stopped_at) VALUES (1, 'The disk is full. 🥷', 1, 'Ana', '2026-01-01')`,
	`INSERT INTO migration_sample (run_id, at, complete, failed, skipped, errors, processing) VALUES (1, '2026-01-01', 1, 0, 0, 1, 2), (1, '2026-01-01 00:00:05', 2, 1, 1, 2, 0)`,
	`INSERT INTO board_slug (company_id, slug, board_id, created_at, imported) SELECT 1, 'OLD', MIN(id), '2026-01-01', TRUE FROM board`,
	`INSERT INTO ticket_origin (company_id, external_id, ticket_id, created_at) SELECT 1, 'OLD-123', MAX(id), '2026-01-01' FROM ticket`,
	`INSERT INTO image (company_id, hash, content_type, bytes, width, height, created_at) VALUES (1, UNHEX(SHA2('image', 256)), 'image/png', 5, 1, 1, '2026-01-01')`,
	`INSERT INTO image_source (company_id, url_hash, url, hash, created_at) VALUES (1, UNHEX(SHA2('https://images.example/a', 256)), 'https://images.example/a', UNHEX(SHA2('image', 256)), '2026-01-01')`,
	`INSERT INTO run_image (run_id, company_id, url_hash, url, hash, created_at) VALUES (1, 1, UNHEX(SHA2('https://images.example/a', 256)), 'https://images.example/a', UNHEX(SHA2('image', 256)), '2026-01-01')`,
	`INSERT INTO account (email, name, password_hash, created_at) VALUES ('service-ABC', 'Robot (service account)', '', '2026-01-01')`,
	`INSERT INTO service_account (account_id, company_id, created_by, created_at, per_day, per_call, spent_on, spent)
		SELECT id, 1, 1, '2026-01-01', 1000, 10, '2026-01-01', 999 FROM account WHERE email = 'service-ABC'`,
	`INSERT INTO invitation_reservation (invitation_id, account_id, created_at) SELECT MAX(id), 1, '2026-01-01' FROM invitation`,
	`INSERT INTO account_totp (account_id, last_step, created_at) VALUES (1, 59000000, '2026-01-01')`,
	`INSERT INTO account_avatar (account_id, content_type, content, created_at) VALUES (1, 'image/png', UNHEX('89504E47FF00'), '2026-01-01')`,
	`UPDATE account SET avatar = LEFT(LOWER(SHA2(UNHEX('89504E47FF00'), 256)), 16) WHERE id = 1`,
	`INSERT INTO recovery_code (account_id, hash, created_at, used_at) VALUES (1, UNHEX(SHA2('code', 256)), '2026-01-01', '2026-01-02'), (1, UNHEX(SHA2('another', 256)), '2026-01-01', NULL)`,
	`INSERT INTO passkey (account_id, credential_id, user_handle, public_key, sign_count, flags, name, created_at, used_at, cloned_at)
		VALUES (1, UNHEX('00FF'), UNHEX(SHA2('ana', 256)), UNHEX('A5FF'), 4294967295, 93, 'Laptop', '2026-01-01', NULL, '2026-01-02')`,
	`INSERT INTO picture (ticket_id, url_hash, url, company_id, account_id, hash, due_at, attempts, queued_at)
		SELECT MAX(id), UNHEX(SHA2('https://images.example/a', 256)), 'https://images.example/a', 1, 1, UNHEX(SHA2('image', 256)), NULL, 1, '2026-01-01' FROM ticket`,
	`INSERT INTO picture (ticket_id, url_hash, url, company_id, account_id, hash, due_at, attempts, queued_at)
		SELECT MAX(id), UNHEX(SHA2('//images.example/b', 256)), '//images.example/b', 1, 1, NULL, '2026-01-01 00:00:00.000001', 2, '2026-01-01' FROM ticket`,
	`INSERT INTO issuer (id, company_id, url, client_id, name, groups_claim, created_at) VALUES (1, 1, 'https://id.example', 'client', 'Ä', 'groups', '2026-01-01')`,
	`INSERT INTO issuer_company (company_id, issuer_id, join_by_domain, owners_by_group) VALUES (1, 1, TRUE, FALSE)`,
	`INSERT INTO issuer_rule (company_id, issuer_id, claim, role, group_id) SELECT 1, 1, 'Staff', 'viewer', MIN(id) FROM people_group`,
	`INSERT INTO account_identity (issuer_id, subject, account_id, created_at, used_at) VALUES (1, UNHEX('00FF'), 1, '2026-01-01', NULL)`,
	`INSERT INTO company_domain (company_id, name, code, held, created_at, checked_at, due_at) VALUES (1, 'acme.example', 'code', 'acme.example', '2026-01-01', '2026-01-02', '2026-01-03')`,
}

func migrate(t testing.TB, d *db.DB) {
	t.Helper()
	for _, statement := range migrated {
		domaintest.Exec(t, d, statement)
	}
}
