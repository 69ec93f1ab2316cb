-- CountRefs reads three dozen rows.
-- name: CountRefs :many
SELECT length, CAST(SUM(minted) AS SIGNED) AS minted, CAST(SUM(issued) AS SIGNED) AS issued, CAST(SUM(quarantined) AS SIGNED) AS quarantined, CAST(MAX(guarded) AS SIGNED) AS guarded
FROM ref_counter GROUP BY length ORDER BY length;

-- AddMinted counts codes that were added.
-- name: AddMinted :execrows
UPDATE ref_counter SET minted = minted + sqlc.arg(n) WHERE length = sqlc.arg(length) AND slot = sqlc.arg(slot);

-- AddIssued counts popped codes, unless a lot is being quarantined.
-- name: AddIssued :execrows
UPDATE ref_counter SET issued = issued + sqlc.arg(n) WHERE length = sqlc.arg(length) AND slot = sqlc.arg(slot) AND guarded = FALSE;

-- AddIssuedUnguarded is AddIssued for codes whose lots were checked.
-- name: AddIssuedUnguarded :execrows
UPDATE ref_counter SET issued = issued + sqlc.arg(n) WHERE length = sqlc.arg(length) AND slot = sqlc.arg(slot);

-- name: AddQuarantined :execrows
UPDATE ref_counter SET quarantined = quarantined + sqlc.arg(n) WHERE length = sqlc.arg(length) AND slot = sqlc.arg(slot);

-- GuardRefs waits for all pops: each holds a row's lock.
-- name: GuardRefs :execrows
UPDATE ref_counter SET guarded = sqlc.arg(guarded);

-- CorrectRefCounter adds differences.
-- name: CorrectRefCounter :execrows
UPDATE ref_counter SET minted = minted + sqlc.arg(minted), issued = issued + sqlc.arg(issued), quarantined = quarantined + sqlc.arg(quarantined) WHERE length = sqlc.arg(length) AND slot = 0;
