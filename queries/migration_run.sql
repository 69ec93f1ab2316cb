-- name: OpenRun :execlastid
INSERT INTO migration_run (name, params, same_key, active_key, listed, state, state_since, dry, canary_left, knobs, upload, upload_name, upload_hash, account_id, actor, created_at, company_id, board_id)
VALUES (sqlc.arg(name), sqlc.arg(params), sqlc.arg(same_key), sqlc.arg(active_key), sqlc.arg(listed), 'open', NOW(6), sqlc.arg(dry), sqlc.arg(canary_left), sqlc.arg(knobs),
        sqlc.arg(upload), sqlc.arg(upload_name), sqlc.arg(upload_hash), sqlc.arg(account_id), sqlc.arg(actor), NOW(6), sqlc.arg(company_id), sqlc.arg(board_id));

-- BoardOfParams is the company that a run's parameters name, and the board, 0 if they name none.
-- name: BoardOfParams :many
SELECT c.id AS company_id, CAST(COALESCE(s.board_id, 0) AS UNSIGNED) AS board_id FROM company c
LEFT JOIN board_slug s ON s.company_id = c.id AND s.slug = sqlc.arg(board) AND s.imported = FALSE
WHERE c.slug = sqlc.arg(company);

-- RunSeen says whether an operator sees what the file of a run held: that it sees the run's board or, if there is none, is
-- in its company; or that it opened the run, for an open board of any company.
-- name: RunSeen :one
SELECT r.name, r.upload, CAST(COALESCE(r.account_id = sqlc.arg(opener) AND b.privacy = 0, FALSE)
    OR COALESCE(x.level IS NOT NULL OR b.privacy <= IF(m.role = 'guest', -1, 0), m.role <> 'guest', FALSE) AND m.account_id IS NOT NULL AS SIGNED) > 0 AS seen
FROM migration_run r
LEFT JOIN board b ON b.id = r.board_id
LEFT JOIN membership m ON m.company_id = r.company_id AND m.account_id = sqlc.arg(reader)
LEFT JOIN board_access x ON x.board_id = b.id AND x.account_id = sqlc.arg(reader)
WHERE r.id = sqlc.arg(id);

-- name: CountRunLock :exec
-- A change of tasks that a run's state allows writes the run's row, as LockCompany does the company's.
UPDATE migration_run SET locks = locks + 1 WHERE id = sqlc.arg(id);

-- name: LockRun :one
SELECT * FROM migration_run WHERE id = sqlc.arg(id) FOR UPDATE;

-- name: RunByID :one
SELECT * FROM migration_run WHERE id = sqlc.arg(id);

-- name: ActiveRunOf :one
SELECT id FROM migration_run WHERE active_key = sqlc.arg(active_key);

-- SetRunState counts the version, which workers act on.
-- name: SetRunState :exec
UPDATE migration_run
SET state = sqlc.arg(state), reason = sqlc.arg(reason), state_since = NOW(6), version = version + 1,
    active_key = sqlc.arg(active_key), listed = sqlc.arg(listed), canary_left = sqlc.arg(canary_left),
    started_at = IF(sqlc.arg(started), COALESCE(started_at, NOW(6)), started_at),
    finished_at = IF(sqlc.arg(finished), NOW(6), NULL)
WHERE id = sqlc.arg(id);

-- name: SetRunListed :exec
UPDATE migration_run SET listed = sqlc.arg(listed) WHERE id = sqlc.arg(id);

-- name: SetRunKnobs :exec
UPDATE migration_run SET knobs = sqlc.arg(knobs), version = version + 1 WHERE id = sqlc.arg(id);

-- RunsIn reads the runs of the given states that are older than a run, newest first.
-- name: RunsIn :many
SELECT * FROM migration_run FORCE INDEX (ix_migration_run_state)
WHERE state = sqlc.arg(state) AND id < sqlc.arg(before)
ORDER BY id DESC
LIMIT ?;

-- RunWithTime is a run and the database's time.
-- name: RunWithTime :one
SELECT sqlc.embed(migration_run), NOW(6) AS at FROM migration_run WHERE id = sqlc.arg(id);

-- SetThrottleReason keeps the figures on the page current; workers need not see it, so the version stays.
-- name: SetThrottleReason :execrows
UPDATE migration_run SET reason = sqlc.arg(reason) WHERE id = sqlc.arg(id) AND state = 'throttled';

-- RunsListed reads a page of one of the lists of runs, newest first.
-- name: RunsListed :many
SELECT * FROM migration_run FORCE INDEX (ix_migration_run_listed)
WHERE listed = sqlc.arg(listed) AND id < sqlc.arg(before)
ORDER BY id DESC
LIMIT ?;

-- ClaimFill has a worker fill the run from now on.
-- name: ClaimFill :exec
UPDATE migration_run SET fill_worker = sqlc.arg(worker_id), fill_fence = fill_fence + 1 WHERE id = sqlc.arg(id);

-- ReleaseFill lets another worker continue at once.
-- name: ReleaseFill :exec
UPDATE migration_run SET fill_worker = 0 WHERE id = sqlc.arg(id) AND fill_fence = sqlc.arg(fill_fence) AND state = 'filling';

-- RecordFilled is written with a batch of tasks.
-- name: RecordFilled :execrows
UPDATE migration_run
SET total = total + sqlc.arg(tasks), rejected = rejected + sqlc.arg(rejections), fill_cursor = sqlc.arg(fill_cursor), reason = ''
WHERE id = sqlc.arg(id) AND fill_fence = sqlc.arg(fill_fence) AND state = 'filling';

-- name: CountRejected :exec
UPDATE migration_run SET rejected = rejected + sqlc.arg(rejections) WHERE id = sqlc.arg(id);

-- name: SetFillReason :exec
UPDATE migration_run SET reason = sqlc.arg(reason) WHERE id = sqlc.arg(id) AND fill_fence = sqlc.arg(fill_fence) AND state IN ('open', 'filling');

-- FillerOf returns the worker that fills the run, and whether it lives.
-- name: FillerOf :one
SELECT r.state, r.fill_fence, r.fill_worker,
       EXISTS(SELECT 1 FROM migration_worker w WHERE w.id = r.fill_worker AND w.state <> 'stopped' AND w.lease_until >= NOW(6)) AS lives
FROM migration_run r WHERE r.id = sqlc.arg(id);

-- RunsForWorkers returns the runs that need workers, also to stop.
-- name: RunsForWorkers :many
SELECT * FROM migration_run FORCE INDEX (ix_migration_run_state)
WHERE state IN ('open', 'filling', 'ready', 'running', 'pausing', 'throttled', 'cancelling')
ORDER BY id
LIMIT 1000;

-- name: LockCanary :one
SELECT state, canary_left FROM migration_run WHERE id = sqlc.arg(id) FOR UPDATE;

-- TakeCanary keeps the version: workers need not see it.
-- name: TakeCanary :exec
UPDATE migration_run SET canary_left = canary_left - sqlc.arg(tasks) WHERE id = sqlc.arg(id);

-- ReturnCanary is for tasks that were claimed and not done.
-- name: ReturnCanary :exec
UPDATE migration_run SET canary_left = canary_left + sqlc.arg(tasks) WHERE id = sqlc.arg(id) AND canary_left IS NOT NULL;

-- LockRunShared comes before the locks of tasks, for transactions that insert rows of the run.
-- name: LockRunShared :one
SELECT state FROM migration_run WHERE id = sqlc.arg(id) LOCK IN SHARE MODE;

-- UploadsAfter are the names of the files of runs, in the order of runs.
-- name: UploadsAfter :many
SELECT id, upload FROM migration_run WHERE id > sqlc.arg(after) ORDER BY id LIMIT ?;

-- RunsByState counts runs in the given states, ten thousand at most, from the index alone.
-- name: RunsByState :many
SELECT state, COUNT(*) AS runs FROM (
  SELECT state FROM migration_run FORCE INDEX (ix_migration_run_state) WHERE state IN (sqlc.slice(states)) LIMIT 10000
) AS some GROUP BY state;
