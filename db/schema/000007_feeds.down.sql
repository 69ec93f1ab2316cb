DROP TABLE webhook_attempt;
DROP TABLE webhook_cursor;
DROP TABLE webhook;
DROP TABLE feed_consumer;
DROP TABLE feed_batch;
ALTER TABLE board DROP KEY uq_board_feed, DROP COLUMN feed_sync_id;
ALTER TABLE comment DROP KEY uq_comment_feed, DROP COLUMN feed_sync_id;
ALTER TABLE ticket DROP KEY uq_ticket_feed, DROP COLUMN feed_sync_id;
DROP TABLE sequences;
