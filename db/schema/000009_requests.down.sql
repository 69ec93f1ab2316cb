DROP TABLE lookup_hour;
DROP TABLE public_limit;
ALTER TABLE comment DROP KEY ix_comment_public, DROP COLUMN public, DROP COLUMN from_requester;
ALTER TABLE ticket DROP COLUMN from_requester, DROP COLUMN entered_at;
DROP TABLE ticket_request;
DROP TABLE request_form;
