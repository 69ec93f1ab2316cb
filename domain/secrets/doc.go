// Package secrets encrypts what the program must read back: the secrets of webhooks, the key of the audit chains, the
// key that servers sign with. The keys are in a file that is neither in the database nor in backups; the database knows
// the id of the one that new secrets are encrypted with. Its invariant: a secret opens only with the key whose id its row
// has, and only as the secret of that row's kind and owner. Start at Keys.
package secrets
