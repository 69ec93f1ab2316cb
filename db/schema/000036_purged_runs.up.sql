-- A purged run keeps its row and the sum of its counters. Its tasks with their attempts and failures, its rejections,
-- samples and log, its file and the secrets of its parameters are gone, or a purge goes on with them.
ALTER TABLE migration_run ADD COLUMN purged_at DATETIME(6) NULL;
