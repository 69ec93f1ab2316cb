-- A bulk edit without a board is one of all boards that its maker sees.
-- contract: nothing is stricter; the release before joins bulk edits with their boards, and so leaves these out.
ALTER TABLE bulk_edit MODIFY board_id BIGINT UNSIGNED NULL;
