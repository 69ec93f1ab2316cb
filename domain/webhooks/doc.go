// Package webhooks has the addresses to which a company's changes are sent: what an address may be, how a message
// is signed, when the next attempt is due, and the outcome of each attempt. It sends nothing itself;
// domain/delivery does. Its invariant: the outcome of a message, its cursor and its attempt are written in one
// transaction under the webhook's fence. Start at webhook.go, then lease.go and outcome.go.
//
// A webhook is a reader of feeds with its cursors in webhook_cursor. A process takes it by a lease of a minute, by
// the database's clock, and a fence. Editing a webhook or turning it off increments the fence, so a sender stops,
// and leaves 20 s of the lease, so no other one begins beside a request that is under way.
package webhooks
