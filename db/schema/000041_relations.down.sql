DROP TABLE ticket_relation;
