-- Without the record of it, what was skipped counts as purged: the numbers stay accounted for.
UPDATE board_ticket_incrementer SET purged = purged +
  (SELECT COALESCE(SUM(f.skipped), 0) FROM failover_board f WHERE f.board_id = board_ticket_incrementer.board_id);
DROP TABLE failover_board;
DROP TABLE failover;
