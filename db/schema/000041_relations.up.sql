-- The relations of tickets: what other_id is to ticket_id (1 parent, 2 child, 3 blocker, 4 blocked by it, 5 what it
-- duplicates, 6 its duplicate, 7 related). Each has a second row, from the other ticket's view. sole is TRUE for a
-- parent, of which a ticket has one, else NULL.
CREATE TABLE ticket_relation (
  ticket_id BIGINT UNSIGNED NOT NULL,
  kind TINYINT UNSIGNED NOT NULL,
  other_id BIGINT UNSIGNED NOT NULL,
  sole BOOLEAN NULL,
  PRIMARY KEY (ticket_id, kind, other_id),
  UNIQUE KEY uq_ticket_relation_sole (ticket_id, sole),
  KEY ix_ticket_relation_other (other_id),
  CONSTRAINT fk_ticket_relation_ticket FOREIGN KEY (ticket_id) REFERENCES ticket (id),
  CONSTRAINT fk_ticket_relation_other FOREIGN KEY (other_id) REFERENCES ticket (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
