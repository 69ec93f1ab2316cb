package console

// Where returns the host and the name of the database that everything is in, for whoever is asked
// whether to change it.
func (c *Console) Where() (host, database string) { return c.db.Where() }
