DROP TABLE home_visit;
DROP TABLE pinned_board;
