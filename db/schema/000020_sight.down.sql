DROP TABLE board_sight;
DROP TABLE comment_sight;
DROP TABLE ticket_sight;
