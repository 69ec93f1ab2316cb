-- name: AddRefSample :exec
INSERT INTO ref_sample (at, source, popped, empties, p50_us, p99_us)
VALUES (sqlc.arg(at), sqlc.arg(source), sqlc.arg(popped), sqlc.arg(empties), sqlc.arg(p50_us), sqlc.arg(p99_us))
ON DUPLICATE KEY UPDATE popped = popped + VALUES(popped), empties = empties + VALUES(empties), p50_us = GREATEST(p50_us, VALUES(p50_us)), p99_us = GREATEST(p99_us, VALUES(p99_us));

-- RefSamples has a row a minute and process.
-- name: RefSamples :many
SELECT * FROM ref_sample WHERE at >= sqlc.arg(since) ORDER BY at, source LIMIT 20000;

-- RefsPopped adds up a row a minute and process, up to before a time.
-- name: RefsPopped :one
SELECT CAST(COALESCE(SUM(popped), 0) AS UNSIGNED) AS popped FROM ref_sample WHERE at >= sqlc.arg(since) AND at < sqlc.arg(before);

-- name: ForgetRefSamples :execrows
DELETE FROM ref_sample WHERE at < sqlc.arg(before) ORDER BY at LIMIT 1000;
