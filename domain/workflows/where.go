package workflows

// Where returns the host and the name of the database that everything is in, for whoever is asked
// whether to change it.
func (w *Workflows) Where() (host, database string) { return w.db.Where() }
