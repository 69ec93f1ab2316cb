-- contract: notification.ticket_id becomes looser, and the release before reads only entries that have a ticket.
-- The company and the board that the parameters of a run name, NULL without. Operators see the payloads of tasks, and
-- what files held, only of boards that they see. A run that the release before opens has neither: its tasks are hidden,
-- unless their payloads name a board or a ticket.
ALTER TABLE migration_run
  ADD COLUMN company_id BIGINT UNSIGNED NULL,
  ADD COLUMN board_id BIGINT UNSIGNED NULL;

UPDATE migration_run r
JOIN company c ON c.slug = JSON_UNQUOTE(JSON_EXTRACT(r.params, '$.plain.company'))
LEFT JOIN board_slug s ON s.company_id = c.id AND s.slug = UPPER(JSON_UNQUOTE(JSON_EXTRACT(r.params, '$.plain.board'))) AND s.imported = FALSE
SET r.company_id = c.id, r.board_id = s.board_id;

-- A notification about a board has no ticket.
ALTER TABLE notification
  MODIFY ticket_id BIGINT UNSIGNED NULL,
  ADD COLUMN board_id BIGINT UNSIGNED NULL;
