DROP TABLE pinned_view;
DROP TABLE saved_view;
