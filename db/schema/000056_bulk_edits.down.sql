DROP TABLE bulk_edit_notice;
DROP TABLE bulk_edit_item;
DROP TABLE bulk_edit;
