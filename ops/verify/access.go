package verify

// named is what board_member comes to: the highest level of each account on each board.
const named = `(SELECT n.board_id, n.account_id, MAX(n.level) AS level FROM (
		SELECT board_id, member_id AS account_id, level FROM board_member WHERE kind = 'account'
		UNION ALL
		SELECT m.board_id, g.account_id, m.level FROM board_member m
		STRAIGHT_JOIN people_group_member g ON g.group_id = m.member_id WHERE m.kind = 'group'
	) n GROUP BY n.board_id, n.account_id)`

func accessChecks() []check {
	return []check{
		{
			name: "groups", says: "Members of a group are members of its company.", tables: []string{"people_group_member"},
			query: `SELECT CONCAT('account ', x.account_id, ' is in the group ', g.id, ' (', g.name, ') of company ', g.company_id, ', which it does not belong to')
				FROM people_group_member x STRAIGHT_JOIN people_group g ON g.id = x.group_id
				WHERE EXISTS (SELECT 1 FROM account a WHERE a.id = x.account_id)
				  AND EXISTS (SELECT 1 FROM company c WHERE c.id = g.company_id)
				  AND NOT EXISTS (SELECT 1 FROM membership m WHERE m.company_id = g.company_id AND m.account_id = x.account_id)
				ORDER BY g.id, x.account_id`,
		},
		{
			name: "board members", says: "A board names members and groups of its company, with a known level.",
			tables: []string{"board_member"},
			query: `SELECT CONCAT(` + aBoard + `, ' names ', x.kind, ' ', x.member_id, ' with level ', x.level)
				FROM board_member x STRAIGHT_JOIN board b ON b.id = x.board_id` + ofBoard + `
				WHERE x.level NOT BETWEEN 1 AND 3 OR NOT (
					x.kind = 'account' AND EXISTS (SELECT 1 FROM membership m WHERE m.company_id = b.company_id AND m.account_id = x.member_id)
					OR x.kind = 'group' AND EXISTS (SELECT 1 FROM people_group g WHERE g.company_id = b.company_id AND g.id = x.member_id))
				ORDER BY x.board_id, x.kind, x.member_id`,
		},
		{
			name: "board access", says: "Each account has the access that the members of a board come to.",
			tables: []string{"board_access", "board_member", "people_group_member"},
			query: `SELECT CONCAT('account ', n.account_id, ' has level ', COALESCE(x.level, 0), ' on board ', n.board_id, '; its members come to ', n.level)
				FROM ` + named + ` n
				LEFT JOIN board_access x ON x.board_id = n.board_id AND x.account_id = n.account_id
				WHERE COALESCE(x.level, 0) <> n.level AND EXISTS (SELECT 1 FROM board b WHERE b.id = n.board_id)
				  AND EXISTS (SELECT 1 FROM account a WHERE a.id = n.account_id)
				UNION ALL
				SELECT CONCAT('account ', x.account_id, ' has level ', x.level, ' on board ', x.board_id, '; its members come to 0')
				FROM board_access x LEFT JOIN ` + named + ` n ON n.board_id = x.board_id AND n.account_id = x.account_id
				WHERE n.level IS NULL AND EXISTS (SELECT 1 FROM account a WHERE a.id = x.account_id)
				  AND EXISTS (SELECT 1 FROM board b WHERE b.id = x.board_id)`,
		},
	}
}
