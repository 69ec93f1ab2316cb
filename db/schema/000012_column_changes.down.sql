ALTER TABLE board_column
  DROP COLUMN change_kind, DROP COLUMN change_run, DROP COLUMN change_by, DROP COLUMN change_at, DROP COLUMN change_to,
  DROP COLUMN change_rank, DROP COLUMN change_total, DROP COLUMN change_done, DROP COLUMN change_left, DROP COLUMN incoming;
