ALTER TABLE board_column DROP COLUMN wip_hard;
DROP TABLE board_slug;
ALTER TABLE board DROP COLUMN archived_at;
