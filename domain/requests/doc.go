// Package requests has the requests of strangers: the forms of boards, the tickets that came by them, the codes and
// private links for following them, and the limits on all that. Its invariant: a response tells nothing about codes
// that the caller does not have. Start at request.go; the use cases are in workflows/public_requests.go.
//
// # Sending
//
// A form becomes a ticket in one transaction: number, ticket, code (refs.PopTx), ticket_request. The page with the
// form has a random nonce. The hash of nonce and text is unique, so a form that is sent twice opens one ticket; the
// token of the private link is another hash of both, so both requests end at the same receipt. Of the token the
// database has only SHA-256. The account that owns strangers' tickets (accounts.Requester) is made with the first
// form that is turned on. The name requester is no email address, so nobody can join, sign in, or be imported as
// it.
//
// # Lookups and limits
//
// A code is looked up by one query, a private link by another, which goes by its token. A miss costs the same
// statements whatever its reason; a canary costs one more: whether it came from a file. Limits are rows of
// public_limit by a hash of their subject, counted before they are checked for what is sent, and after a miss for
// codes. In a process the lookups of one network wait for one another, so many at once get no further than one by
// one. For a limited caller no code is looked up, so the response time tells nothing. A valid private link is
// nobody's guess: it checks no limit and waits for nothing. Only a miss writes; the results of lookups are kept in
// memory and added to lookup_hour every few seconds.
//
// # Who is notified
//
// request_watcher has the members who chose to be notified of a board's requests, or not to be; whoever replies to a
// requester is from then on, unless they chose. Without a row owners and admins are. They get the requests and what
// their requesters reply, not what members say among themselves: they do not watch the tickets.
//
// # Texts
//
// ticket.from_requester and comment.from_requester mark texts that are shown as they were typed. comment.public
// marks what a requester reads, with an index of its own, so a page of it does not go through internal comments.
//
// The pages of codes and links have no session, load nothing from elsewhere and send no referrer. So browsers send
// no origin with their forms, and the reply by a private link is the one form that is accepted from anywhere: its
// permission is in its address.
package requests
