DROP TABLE feed_durable;
