package verify

// importChecks compare the keys of imported tickets with the slugs that lead to them.
func importChecks() []check {
	return []check{
		{
			name: "imported slugs", says: "A slug that is kept for imported keys is no board's.", tables: []string{"board_slug"},
			query: `SELECT CONCAT('the slug ', s.slug, ' of company ', s.company_id, ' is kept for imported keys, and is that of board ', b.id)
				FROM board_slug s JOIN board b ON b.company_id = s.company_id AND b.slug = s.slug
				WHERE s.imported ORDER BY s.company_id, s.slug`,
		},
		{
			name: "imported keys", says: "The slug of every imported key is kept.", tables: []string{"ticket_origin"},
			query: `SELECT CONCAT('“', o.external_id, '” of company ', o.company_id, ' has a slug that is not kept: a board could get it')
				FROM ticket_origin o
				LEFT JOIN board_slug s ON s.company_id = o.company_id AND s.slug = SUBSTRING_INDEX(o.external_id, '-', 1)
				WHERE s.slug IS NULL AND o.external_id REGEXP '^[A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,17}$'
				  AND EXISTS (SELECT 1 FROM company c WHERE c.id = o.company_id)
				ORDER BY o.company_id, o.external_id`,
		},
	}
}
