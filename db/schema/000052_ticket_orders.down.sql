ALTER TABLE ticket
  DROP KEY ix_ticket_priority,
  DROP KEY ix_ticket_start,
  DROP KEY ix_ticket_due,
  DROP KEY ix_ticket_created,
  DROP KEY ix_ticket_updated,
  DROP KEY ix_ticket_closed;
