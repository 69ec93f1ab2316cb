DROP TABLE board_access;
DROP TABLE board_member;
DROP TABLE people_group_member;
DROP TABLE people_group;
ALTER TABLE board DROP COLUMN privacy;
