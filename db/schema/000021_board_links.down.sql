DROP TABLE board_link;
