DELETE y FROM template_label y JOIN ticket_template t ON t.id = y.template_id WHERE t.live IS NULL;
DELETE y FROM template_assignee y JOIN ticket_template t ON t.id = y.template_id WHERE t.live IS NULL;
DELETE FROM ticket_template WHERE live IS NULL;
ALTER TABLE ticket_template
  ADD UNIQUE KEY uq_ticket_template_name (board_id, name),
  DROP KEY uq_ticket_template_live,
  DROP KEY ix_ticket_template_deleted,
  DROP COLUMN live,
  DROP COLUMN deleted_at;
