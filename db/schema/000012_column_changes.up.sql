-- A change of all tickets of a column that a run is making: 'close', 'reopen' or 'empty', '' for none. change_run is the
-- run, change_by the account that asked for it. Of change_total tickets change_done are behind it; change_left numbers
-- of the board are still to be looked at (close, reopen). Tickets that came after change_at are none of its business
-- (reopen). change_to is the column that the tickets go to, change_rank the rank of the last that went (empty).
-- incoming is how many tickets runs may still bring here: a hard limit keeps room for them.
ALTER TABLE board_column
  ADD COLUMN change_kind VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  ADD COLUMN change_run BIGINT UNSIGNED NOT NULL DEFAULT 0,
  ADD COLUMN change_by BIGINT UNSIGNED NOT NULL DEFAULT 0,
  ADD COLUMN change_at DATETIME(6) NULL,
  ADD COLUMN change_to BIGINT UNSIGNED NOT NULL DEFAULT 0,
  ADD COLUMN change_rank BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN change_total BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN change_done BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN change_left BIGINT UNSIGNED NOT NULL DEFAULT 0,
  ADD COLUMN incoming BIGINT NOT NULL DEFAULT 0;
