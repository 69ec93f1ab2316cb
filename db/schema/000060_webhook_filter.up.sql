-- The filter of a webhook is a text of domain/query; '' lets all rows through. webhook_ticket has the tickets that met it
-- when the webhook was last sent them, so that it is told once of one that ceases to. compared_to is up to which id all
-- tickets were compared with a filter that is new; NULL if all were.
ALTER TABLE webhook
  ADD COLUMN filter VARCHAR(500) NOT NULL DEFAULT '',
  ADD COLUMN compared_to BIGINT UNSIGNED NULL;

-- A program of the release before deletes a webhook without looking here.
CREATE TABLE webhook_ticket (
  webhook_id BIGINT UNSIGNED NOT NULL,
  ticket_id BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (webhook_id, ticket_id),
  KEY ix_webhook_ticket_ticket (ticket_id),
  CONSTRAINT fk_webhook_ticket_webhook FOREIGN KEY (webhook_id) REFERENCES webhook (id) ON DELETE CASCADE,
  CONSTRAINT fk_webhook_ticket_ticket FOREIGN KEY (ticket_id) REFERENCES ticket (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
