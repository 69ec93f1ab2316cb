package refs

// PickByLedger has each pop that does not find all its codes at once look for them by the ledger, until end is called.
func PickByLedger() (end func()) {
	was := costly
	costly = 0
	return func() { costly = was }
}
