ALTER TABLE activity DROP KEY ix_activity_account, DROP COLUMN undone_at;
DROP TABLE notification;
DROP TABLE watcher;
DROP TABLE comment;
DROP TABLE assignee;
DROP TABLE ticket_alias;
ALTER TABLE ticket DROP KEY ix_ticket_deleted, DROP COLUMN closed_at;
