ALTER TABLE ticket DROP COLUMN attachments;
DROP TABLE file_place;
DROP TABLE company_storage;
DROP TABLE attachment;
DROP TABLE stored_file;
