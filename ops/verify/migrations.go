package verify

import (
	"database/sql"
	"encoding/json"

	"github.com/counterfoil/counterfoil/domain/migrations"
)

const (
	aRun  = `CONCAT('run ', r.id, ' (', r.name, ', ', r.state, ')')`
	aTask = `CONCAT('task ', t.id, ' of run ', t.run_id, ' (', t.state, ')')`

	overStates = `('complete', 'cancelled')`
)

// migrationChecks compare runs, their tasks and their counters. There may be millions of tasks: each check scans them
// once, by an index if that suffices.
func migrationChecks() []check {
	return []check{
		{name: "runs", says: "Runs have known states, parameters and settings that can be read, and an end exactly when they are over; those that are purged are over and have no secrets.", tables: []string{"migration_run"}, run: runs},
		{
			name: "active runs", says: "A run excludes others like it exactly while it is active.",
			tables: []string{"migration_run"},
			query: `SELECT CONCAT(` + aRun + `, IF(r.state IN ` + overStates + `, ' is over but still has the key of an active one', ' is active but does not have its key')) FROM migration_run r
				WHERE IF(r.state IN ` + overStates + `, r.active_key IS NOT NULL, (r.active_key <=> r.same_key) = 0) ORDER BY r.id`,
		},
		{
			name: "run boards", says: "The board of a run is one of the run's company.",
			tables: []string{"migration_run", "board", "company"},
			query: `SELECT CONCAT(` + aRun + `, IF(c.id IS NULL, CONCAT(' names company ', COALESCE(r.company_id, 'none'), ', which does not exist'), CONCAT(' names board ', r.board_id, ', which company ', r.company_id, ' does not have')))
				FROM migration_run r LEFT JOIN company c ON c.id = r.company_id LEFT JOIN board b ON b.id = r.board_id
				WHERE r.company_id IS NOT NULL AND c.id IS NULL OR r.board_id IS NOT NULL AND NOT (b.company_id <=> r.company_id) ORDER BY r.id`,
		},
		{
			name: "run totals", says: "A run's total is the number of its tasks.",
			tables: []string{"migration_run", "migration_task"},
			query: `SELECT CONCAT(` + aRun + `, ' has the total ', r.total, ' but ', COALESCE(x.present, 0), ' tasks')
				FROM migration_run r LEFT JOIN (SELECT run_id, COUNT(*) AS present FROM migration_task FORCE INDEX (ix_claim) GROUP BY run_id) x ON x.run_id = r.id
				WHERE r.total <> COALESCE(x.present, 0) AND r.purged_at IS NULL ORDER BY r.id`,
		},
		{
			name: "task counters", says: "The counters of a run add up to its tasks in each state.",
			tables: []string{"migration_counter", "migration_task"},
			query: `SELECT CONCAT(` + aRun + `, ' has ', t.processing, ' tasks processing, ', t.waiting, ' waiting, ', t.complete, ' complete, ', t.failed, ' failed, ', t.skipped,
					' skipped, but counts ', c.processing, ', ', c.waiting, ', ', c.complete, ', ', c.failed, ', ', c.skipped)
				FROM migration_run r
				JOIN (SELECT r.id, COALESCE(SUM(c.processing), 0) AS processing, COALESCE(SUM(c.waiting), 0) AS waiting, COALESCE(SUM(c.complete), 0) AS complete,
						COALESCE(SUM(c.failed), 0) AS failed, COALESCE(SUM(c.skipped), 0) AS skipped
					FROM migration_run r LEFT JOIN migration_counter c FORCE INDEX (PRIMARY) ON c.run_id = r.id GROUP BY r.id) c ON c.id = r.id
				JOIN (SELECT r.id, COALESCE(SUM(IF(n.state = 'processing', n.tasks, 0)), 0) AS processing, COALESCE(SUM(IF(n.state = 'waiting', n.tasks, 0)), 0) AS waiting,
						COALESCE(SUM(IF(n.state = 'complete', n.tasks, 0)), 0) AS complete, COALESCE(SUM(IF(n.state = 'failed', n.tasks, 0)), 0) AS failed,
						COALESCE(SUM(IF(n.state = 'skipped', n.tasks, 0)), 0) AS skipped
					FROM migration_run r
					LEFT JOIN (SELECT run_id, state, COUNT(*) AS tasks FROM migration_task FORCE INDEX (ix_claim) GROUP BY run_id, state) n ON n.run_id = r.id
					GROUP BY r.id) t ON t.id = r.id
				WHERE (t.processing <> c.processing OR t.waiting <> c.waiting OR t.complete <> c.complete OR t.failed <> c.failed OR t.skipped <> c.skipped)
				  AND r.purged_at IS NULL
				ORDER BY r.id`,
		},
		{
			name:   "tasks under way",
			says:   "Tasks are under way only in runs that have workers, and none is left in a complete one.",
			tables: []string{"migration_run", "migration_task"},
			query: `SELECT CONCAT(` + aRun + `, ' has ', n.tasks, ' tasks that are ', n.state)
				FROM migration_run r
				JOIN (SELECT run_id, state, COUNT(*) AS tasks FROM migration_task FORCE INDEX (ix_claim) GROUP BY run_id, state) n ON n.run_id = r.id
				WHERE n.state = 'processing' AND r.state NOT IN ('running', 'pausing', 'throttled', 'cancelling')
				   OR n.state IN ('open', 'waiting') AND r.state = 'complete'
				ORDER BY r.id, n.state`,
		},
		{
			name: "tasks", says: "A task has a time to wait for while it waits, a reason while it is failed, and the token of the worker that claimed it.", tables: []string{"migration_task"},
			query: `SELECT CONCAT(` + aTask + `, ' has ', IF(t.due_at IS NULL, 'no time to wait for', CONCAT('the time ', t.due_at, ' to wait for')), ', ',
					IF(t.fingerprint IS NULL, 'no reason', CONCAT('the reason ', HEX(t.fingerprint))), ', worker ', t.worker_id, ', and a token of worker ', t.fence >> 32)
				FROM migration_task t
				WHERE (t.state = 'waiting') <> (t.due_at IS NOT NULL) OR (t.state = 'failed') <> (t.fingerprint IS NOT NULL)
				   OR t.fence >> 32 <> t.worker_id OR t.state = 'processing' AND (t.worker_id = 0 OR t.attempt = 0)`,
		},
		{
			name: "failures", says: "A group of errors counts its failed tasks.", tables: []string{"migration_failure"},
			query: `SELECT CONCAT('run ', x.run_id, ' counts ', SUM(x.counted), ' tasks failed as ', HEX(x.fingerprint), ' but has ', SUM(x.present))
				FROM (SELECT run_id, fingerprint, failed AS counted, 0 AS present FROM migration_failure
					UNION ALL SELECT run_id, fingerprint, 0, COUNT(*) FROM migration_task FORCE INDEX (ix_failed) WHERE fingerprint IS NOT NULL GROUP BY run_id, fingerprint) x
				WHERE NOT EXISTS (SELECT 1 FROM migration_run r WHERE r.id = x.run_id AND r.purged_at IS NOT NULL)
				GROUP BY x.run_id, x.fingerprint HAVING SUM(x.counted) <> SUM(x.present)`,
		},
		{
			name: "errors", says: "The groups of a run's errors add up to what its counters say.",
			tables: []string{"migration_failure", "migration_counter"},
			query: `SELECT CONCAT('run ', x.run_id, ' counts ', SUM(x.counted), ' errors, its groups ', SUM(x.grouped))
				FROM (SELECT run_id, errors AS counted, 0 AS grouped FROM migration_counter
					UNION ALL SELECT run_id, 0, errors FROM migration_failure) x
				WHERE NOT EXISTS (SELECT 1 FROM migration_run r WHERE r.id = x.run_id AND r.purged_at IS NOT NULL)
				GROUP BY x.run_id HAVING SUM(x.counted) <> SUM(x.grouped)`,
		},
		{
			name: "attempts", says: "Every recorded attempt was counted by its task, which is of the same run.",
			tables: []string{"migration_attempt"},
			query: `SELECT CONCAT('attempt ', a.id, ' of run ', a.run_id, ' is ', a.attempt, ' of iteration ', a.iteration, ', but ', ` + aTask + `, ' has had ', t.attempt, ' of iteration ', t.iteration)
				FROM migration_attempt a STRAIGHT_JOIN migration_task t FORCE INDEX (PRIMARY) ON t.id = a.task_id
				WHERE a.attempt < 1 OR a.iteration < 1 OR a.iteration > t.iteration OR a.iteration = t.iteration AND a.attempt > t.attempt
				   OR a.run_id <> t.run_id AND EXISTS (SELECT 1 FROM migration_run r WHERE r.id = a.run_id) ORDER BY a.id`,
		},
		{
			name: "rejections", says: "A run counts at least the rejections that are kept.",
			tables: []string{"migration_rejection"},
			query: `SELECT CONCAT(` + aRun + `, ' counts ', r.rejected, ' rejections but has ', x.present)
				FROM migration_run r JOIN (SELECT run_id, COUNT(*) AS present FROM migration_rejection GROUP BY run_id) x ON x.run_id = r.id
				WHERE r.rejected < x.present ORDER BY r.id`,
		},
		{
			name: "image addresses", says: "An address leads to an image that its company keeps.",
			tables: []string{"image_source"},
			query: `SELECT CONCAT('the address ', LEFT(s.url, 200), ' of company ', s.company_id, ' leads to the image ', LOWER(HEX(s.hash)), ', which is not there')
				FROM image_source s LEFT JOIN image i FORCE INDEX (PRIMARY) ON i.company_id = s.company_id AND i.hash = s.hash
				WHERE i.hash IS NULL AND EXISTS (SELECT 1 FROM company c WHERE c.id = s.company_id)`,
		},
		{
			name: "images of runs", says: "An image that a run stored is kept by its company.",
			tables: []string{"run_image"},
			query: `SELECT CONCAT('run ', g.run_id, ' stored the image ', LOWER(HEX(g.hash)), ' of company ', g.company_id, ', which is not there')
				FROM run_image g LEFT JOIN image i FORCE INDEX (PRIMARY) ON i.company_id = g.company_id AND i.hash = g.hash
				WHERE i.hash IS NULL AND EXISTS (SELECT 1 FROM company c WHERE c.id = g.company_id)`,
		},
		{
			name: "pictures of texts", says: "A picture of a ticket is one of its company, and what it shows is an image that the company keeps.",
			tables: []string{"picture"},
			query: `SELECT CONCAT('the picture ', LEFT(p.url, 200), ' of company ', p.company_id, ' is on ', ` + aTicket + `, ' with the image ', COALESCE(LOWER(HEX(p.hash)), 'that is not fetched'))
				FROM picture p STRAIGHT_JOIN ticket t FORCE INDEX (PRIMARY) ON t.id = p.ticket_id` + ofTicket + `
				LEFT JOIN image i FORCE INDEX (PRIMARY) ON i.company_id = p.company_id AND i.hash = p.hash
				WHERE (b.company_id <> p.company_id OR p.hash IS NOT NULL AND i.hash IS NULL)
				  AND EXISTS (SELECT 1 FROM company c WHERE c.id = p.company_id)`,
		},
		{
			name: "origins", says: "Imported names belong to their own company.", tables: []string{"ticket_origin"},
			query: `SELECT CONCAT('“', o.external_id, '” of company ', o.company_id, ' is ', ` + aTicket + `)
				FROM ticket_origin o STRAIGHT_JOIN ticket t FORCE INDEX (PRIMARY) ON t.id = o.ticket_id` + ofTicket + `
				WHERE b.company_id <> o.company_id AND EXISTS (SELECT 1 FROM company c WHERE c.id = o.company_id)`,
		},
	}
}

func runs(l *checkRun) error {
	return l.each("SELECT id, name, state, params, knobs, finished_at IS NOT NULL, purged_at IS NOT NULL FROM migration_run ORDER BY id", func(rows *sql.Rows) error {
		var id uint64
		var name, state, params, knobs string
		var finished, purged bool
		if err := rows.Scan(&id, &name, &state, &params, &knobs, &finished, &purged); err != nil {
			return err
		}
		var settings migrations.Knobs
		known := migrations.State(state)
		switch over := known == migrations.Complete || known == migrations.Cancelled; {
		case !over && !known.IsActive():
			l.find("run %d (%s) has the unknown state %q", id, name, state)
		case finished != over:
			l.find("run %d (%s) is %s, and its end is known: %t", id, name, state, finished)
		case migrations.CheckStoredParams(params) != nil:
			l.find("run %d (%s) has parameters that cannot be read", id, name)
		case json.Unmarshal([]byte(knobs), &settings) != nil:
			l.find("run %d (%s) has settings that cannot be read", id, name)
		case purged && !over:
			l.find("run %d (%s) is %s, but purged", id, name, state)
		case purged && migrations.HasSecrets(params):
			l.find("run %d (%s) is purged, but has secrets", id, name)
		}
		return nil
	})
}
