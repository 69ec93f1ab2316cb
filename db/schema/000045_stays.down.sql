ALTER TABLE ticket DROP COLUMN stays_known;
DROP TABLE ticket_stay;
