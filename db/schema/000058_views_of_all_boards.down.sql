DELETE p FROM pinned_view p JOIN saved_view v ON v.id = p.view_id WHERE v.board_id IS NULL;
DELETE FROM saved_view WHERE board_id IS NULL;
ALTER TABLE saved_view MODIFY board_id BIGINT UNSIGNED NOT NULL;
