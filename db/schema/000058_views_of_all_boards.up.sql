-- A view without a board is one of all boards that its reader sees.
-- contract: nothing is stricter; the release before joins views with their boards, and so leaves these out.
ALTER TABLE saved_view MODIFY board_id BIGINT UNSIGNED NULL;
