DROP TABLE webhook_ticket;
ALTER TABLE webhook DROP COLUMN filter, DROP COLUMN compared_to;
