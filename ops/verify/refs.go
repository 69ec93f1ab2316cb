package verify

// refChecks compare the tables of reference codes. There may be tens of millions: each check merges tables that have
// the same order.
func refChecks() []check {
	return []check{
		{
			name:   "reference codes",
			says:   "Every code in the pool, popped or in quarantine is in the ledger, and in only one of these.",
			tables: []string{"ref_ledger", "ref_pool", "ref_issue", "ref_quarantine"},
			query: notIn("ref_pool", "ref_ledger") + " UNION ALL " + notIn("ref_issue", "ref_ledger") + " UNION ALL " +
				notIn("ref_quarantine", "ref_ledger") + " UNION ALL " +
				alsoIn("ref_pool", "ref_issue") + " UNION ALL " + alsoIn("ref_pool", "ref_quarantine") + " UNION ALL " +
				alsoIn("ref_issue", "ref_quarantine"),
		},
		{
			name: "lost codes", says: "Every code of the ledger is in the pool, popped or in quarantine.",
			tables: []string{"ref_ledger"},
			query: `SELECT CONCAT('a code of batch ', l.batch, ' that begins with ', LEFT(l.code, 2), ' is nowhere') FROM ref_ledger l FORCE INDEX (PRIMARY)
				LEFT JOIN ref_pool p FORCE INDEX (PRIMARY) ON p.code = l.code LEFT JOIN ref_issue i FORCE INDEX (PRIMARY) ON i.code = l.code LEFT JOIN ref_quarantine q FORCE INDEX (PRIMARY) ON q.code = l.code
				WHERE p.code IS NULL AND i.code IS NULL AND q.code IS NULL`,
		},
		{
			name: "code counters", says: "The counters of reference codes say how many there are.",
			tables: []string{"ref_counter"},
			query: countedAs("minted", "ref_ledger") + " UNION ALL " + countedAs("issued", "ref_issue") + " UNION ALL " +
				countedAs("quarantined", "ref_quarantine"),
		},
		{
			name: "lots of codes", says: "Every code of the ledger came with a lot that counts it.",
			tables: []string{"ref_lot", "ref_batch", "ref_ledger"},
			query: `SELECT CONCAT('lot ', o.id, ' counts ', o.codes, ' codes, and the ledger has ', COALESCE(x.n, 0))
				FROM ref_lot o LEFT JOIN (SELECT b.lot_id, SUM(l.n) AS n FROM (SELECT batch, COUNT(*) AS n FROM ref_ledger GROUP BY batch) l JOIN ref_batch b ON b.id = l.batch GROUP BY b.lot_id) x ON x.lot_id = o.id
				WHERE o.codes <> COALESCE(x.n, 0)
				UNION ALL
				SELECT CONCAT('batch ', l.batch, ' of the ledger is of no lot') FROM (SELECT DISTINCT batch FROM ref_ledger) l
				LEFT JOIN ref_batch b ON b.id = l.batch LEFT JOIN ref_lot o ON o.id = b.lot_id WHERE o.id IS NULL`,
		},
		{
			name: "codes for tickets", says: "A code that was popped for a ticket was popped for its company.",
			tables: []string{"ref_issue"},
			query: `SELECT CONCAT('a code for company ', i.company_id, ' is of ticket ', i.ticket_id, ' of company ', b.company_id)
				FROM ref_issue i STRAIGHT_JOIN ticket t FORCE INDEX (PRIMARY) ON t.id = i.ticket_id STRAIGHT_JOIN board b FORCE INDEX (PRIMARY) ON b.id = t.board_id
				WHERE i.ticket_id <> 0 AND b.company_id <> i.company_id`,
		},
	}
}

// notIn finds the codes of a table that another lacks. Codes are not shown whole, because a reader of a log could look
// them up.
func notIn(table, other string) string {
	return `SELECT CONCAT('a code in ` + table + ` that begins with ', LEFT(a.code, 2), ' is not in ` + other + `') FROM ` + table + ` a FORCE INDEX (PRIMARY)
		LEFT JOIN ` + other + ` b FORCE INDEX (PRIMARY) ON b.code = a.code WHERE b.code IS NULL`
}

func alsoIn(table, other string) string {
	return `SELECT CONCAT('a code that begins with ', LEFT(a.code, 2), ' is in ` + table + ` and in ` + other + `') FROM ` + table + ` a FORCE INDEX (PRIMARY)
		STRAIGHT_JOIN ` + other + ` b FORCE INDEX (PRIMARY) ON b.code = a.code`
}

func countedAs(column, table string) string {
	return `SELECT CONCAT('the counters say that ', c.n, ' codes of ', c.length, ' characters are in ` + table + `, and there are ', COALESCE(x.n, 0))
		FROM (SELECT length, SUM(` + column + `) AS n FROM ref_counter GROUP BY length) c
		LEFT JOIN (SELECT CHAR_LENGTH(code) AS length, COUNT(*) AS n FROM ` + table + ` GROUP BY CHAR_LENGTH(code)) x ON x.length = c.length WHERE c.n <> COALESCE(x.n, 0)`
}
