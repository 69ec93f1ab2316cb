-- A deleted template can be restored for 30 days: live is TRUE or NULL, so that its name is free meanwhile.
ALTER TABLE ticket_template
  ADD COLUMN live BOOLEAN NULL DEFAULT TRUE,
  ADD COLUMN deleted_at DATETIME(6) NULL,
  ADD UNIQUE KEY uq_ticket_template_live (board_id, live, name),
  ADD KEY ix_ticket_template_deleted (board_id, deleted_at),
  DROP KEY uq_ticket_template_name;
