DROP TABLE occurrence;
DROP TABLE recurrence;
