package pages

// secretHint is the meaning of an empty secret.
func secretHint(stored bool) string {
	if stored {
		return "Empty keeps the one before."
	}
	return "Empty if the issuer gave none."
}
