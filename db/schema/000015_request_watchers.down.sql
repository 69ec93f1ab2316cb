DROP TABLE request_watcher;
