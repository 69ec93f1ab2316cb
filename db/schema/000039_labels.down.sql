DROP TABLE ticket_label;
DROP TABLE label;
