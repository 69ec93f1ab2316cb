package verify

import "strings"

// feedChecks check positions, and the readers of feeds.
func feedChecks() []check {
	return []check{
		{
			name: "feeds", says: "Every feed has its sequence, and no tombstone beyond it is forgotten.",
			tables: []string{"sequences"},
			query: `SELECT CONCAT('the feed ', f.name, IF(s.name IS NULL, ' has no sequence', CONCAT(' has come to ', s.value, ' but has forgotten tombstones up to ', s.horizon)))
				FROM (SELECT 'tickets' AS name UNION ALL SELECT 'comments' UNION ALL SELECT 'boards') f LEFT JOIN sequences s ON s.name = f.name
				WHERE s.name IS NULL OR s.horizon > s.value ORDER BY f.name`,
		},
		{
			name: "durable feeds", says: "No feed is noted as durable beyond its last position.",
			tables: []string{"feed_durable"},
			query: `SELECT CONCAT('the feed ', d.feed, ' is noted as durable up to ', d.head, ', and has come to ', s.value)
				FROM feed_durable d JOIN sequences s ON s.name = d.feed WHERE d.head > s.value`,
		},
		{
			name: "feed positions", says: "Every published row has a position that its feed has reached.",
			tables: []string{"ticket", "comment", "board", "ticket_sight", "comment_sight", "board_sight"},
			query: strings.Join([]string{published("tickets", "ticket"), published("comments", "comment"),
				published("boards", "board"), published("tickets", "ticket_sight"), published("comments", "comment_sight"),
				published("boards", "board_sight")}, " UNION ALL "),
		},
		{
			name: "feed batches", says: "The batches of a feed published every position, up to its last.",
			tables: []string{"feed_batch"},
			query: `SELECT CONCAT('the batch of ', b.feed, ' up to ', b.hi, ' gave out ', b.k, ' positions after ', b.last)
				FROM (SELECT feed, hi, k, LAG(hi) OVER (PARTITION BY feed ORDER BY hi) AS last FROM feed_batch) b WHERE b.hi < b.k OR b.last + b.k <> b.hi
				UNION ALL
				SELECT CONCAT('the feed ', s.name, ' has come to ', s.value, ', its last batch to ', COALESCE(x.last, 'none'))
				FROM sequences s LEFT JOIN (SELECT feed, MAX(hi) AS last FROM feed_batch GROUP BY feed) x ON x.feed = s.name
				WHERE COALESCE(x.last, 0) <> s.value`,
		},
		{
			name: "feed cursors", says: "No consumer or webhook is ahead of its feed.",
			tables: []string{"feed_consumer", "webhook_cursor"},
			query: `SELECT CONCAT('consumer ', c.id, ' (', c.name, ') is at ', GREATEST(c.position, c.began), ' of ', c.feed, ', which is at ', COALESCE(s.value, 'nothing'))
				FROM feed_consumer c LEFT JOIN sequences s ON s.name = c.feed WHERE s.name IS NULL OR c.epoch = s.epoch AND GREATEST(c.position, c.began) > s.value
				UNION ALL
				SELECT CONCAT('webhook ', w.webhook_id, ' is at ', GREATEST(w.position, w.began), ' of ', w.feed, ', which is at ', COALESCE(s.value, 'nothing'))
				FROM webhook_cursor w LEFT JOIN sequences s ON s.name = w.feed WHERE s.name IS NULL OR w.epoch = s.epoch AND GREATEST(w.position, w.began) > s.value`,
		},
		{
			name: "webhooks", says: "A webhook is about a board of its own company.", tables: []string{"webhook"},
			query: `SELECT CONCAT('webhook ', w.id, ' of company ', w.company_id, ' is about board ', b.id, ' of company ', b.company_id)
				FROM webhook w STRAIGHT_JOIN board b FORCE INDEX (PRIMARY) ON b.id = w.board_id
				WHERE b.company_id <> w.company_id AND EXISTS (SELECT 1 FROM company c WHERE c.id = w.company_id)`,
		},
		{
			name: "webhook boards", says: "A board that was added to a webhook is of its company, and its first position is one of the feed.",
			tables: []string{"webhook_board"},
			query: `SELECT CONCAT('webhook ', w.id, ' of company ', w.company_id, ' has board ', b.id, ' of company ', b.company_id)
				FROM webhook_board x STRAIGHT_JOIN webhook w FORCE INDEX (PRIMARY) ON w.id = x.webhook_id
				STRAIGHT_JOIN board b FORCE INDEX (PRIMARY) ON b.id = x.board_id
				WHERE b.company_id <> w.company_id AND EXISTS (SELECT 1 FROM company c WHERE c.id = w.company_id)
				UNION ALL
				SELECT CONCAT('webhook ', x.webhook_id, ' has board ', x.board_id, ' from ', x.after, ' of ', x.feed, ', which is at ', s.value)
				FROM (SELECT webhook_id, board_id, 'tickets' AS feed, tickets_after AS after FROM webhook_board
					UNION ALL SELECT webhook_id, board_id, 'comments', comments_after FROM webhook_board
					UNION ALL SELECT webhook_id, board_id, 'boards', boards_after FROM webhook_board) x
				STRAIGHT_JOIN sequences s ON s.name = x.feed WHERE x.after > s.value`,
		},
	}
}

// published finds rows of a feed's table with positions beyond its head.
func published(feed, table string) string {
	return `SELECT CONCAT('` + table + ` ', t.id, ' is at ', t.feed_sync_id, ' of ` + feed + `, which is at ', s.value)
		FROM ` + table + ` t STRAIGHT_JOIN sequences s ON s.name = '` + feed + `' WHERE t.feed_sync_id > s.value OR t.feed_sync_id = 0`
}
