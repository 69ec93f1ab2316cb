package db

import (
	"context"
	"fmt"
)

// TableSize is the space of a table. The server estimates its rows, and may know bytes of some time ago.
type TableSize struct {
	Name  string
	Rows  int64
	Bytes int64 // with its indexes
}

// LargestTables returns the largest tables, at most limit of them, and the bytes of all.
func (d *DB) LargestTables(ctx context.Context, limit int) (list []TableSize, total int64, err error) {
	rows, err := d.SQL.QueryContext(ctx, `SELECT table_name, COALESCE(table_rows, 0),
		COALESCE(data_length, 0) + COALESCE(index_length, 0) AS bytes
		FROM information_schema.tables
		WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'
		ORDER BY bytes DESC, table_name`)
	if err != nil {
		return nil, 0, fmt.Errorf("read sizes of tables: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var t TableSize
		if err := rows.Scan(&t.Name, &t.Rows, &t.Bytes); err != nil {
			return nil, 0, fmt.Errorf("read sizes of tables: %w", err)
		}
		total += t.Bytes
		if len(list) < limit {
			list = append(list, t)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, 0, fmt.Errorf("read sizes of tables: %w", err)
	}
	return list, total, nil
}
