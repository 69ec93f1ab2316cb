-- The key is in sealed_secret; a server of before left it here.

-- name: SigningKey :one
SELECT secret FROM signing_key WHERE id = 1;
