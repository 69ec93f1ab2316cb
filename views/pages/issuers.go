package pages

// secretHint says what an empty secret is.
func secretHint(stored bool) string {
	if stored {
		return "Empty keeps the one before."
	}
	return "Empty if the issuer gave none."
}
