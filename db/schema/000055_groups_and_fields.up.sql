-- By which field the tickets of a view that is a list are grouped, "" for none, and which fields it shows beside key and
-- title: their names with commas, "" for the usual ones.
ALTER TABLE saved_view
  ADD COLUMN grouped_by VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  ADD COLUMN fields VARCHAR(120) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '';
