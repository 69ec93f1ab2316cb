// Package accounts has users and companies: accounts, memberships with roles and handles, passwords, sessions, API
// tokens, invitations, and the audit list. Its invariant: a secret is never stored: of a session's and an API
// token's secret the database has a SHA-256, of a password an argon2id hash. Start at account.go and member.go;
// Actor is the caller in a context.
package accounts
