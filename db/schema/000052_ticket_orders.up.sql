-- The orders that a list of a board's tickets can have. Each index ends with the id, the last thing to sort by.
ALTER TABLE ticket
  ADD KEY ix_ticket_priority (board_id, priority),
  ADD KEY ix_ticket_start (board_id, start_at),
  ADD KEY ix_ticket_due (board_id, due_at),
  ADD KEY ix_ticket_created (board_id, created_at),
  ADD KEY ix_ticket_updated (board_id, updated_at),
  ADD KEY ix_ticket_closed (board_id, closed_at);
