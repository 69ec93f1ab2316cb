DELETE n FROM bulk_edit_notice n JOIN bulk_edit e ON e.id = n.bulk_edit_id WHERE e.board_id IS NULL;
DELETE i FROM bulk_edit_item i JOIN bulk_edit e ON e.id = i.bulk_edit_id WHERE e.board_id IS NULL;
DELETE FROM bulk_edit WHERE board_id IS NULL;
ALTER TABLE bulk_edit MODIFY board_id BIGINT UNSIGNED NOT NULL;
