DROP TABLE webhook_board;
