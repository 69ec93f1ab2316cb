// What changes by others, or in another window: pages say what they show, and hear of it.
import { Connection } from './connect.js'

const { company, at } = document.body.dataset
const followers = new Set()
let connection

// concerns tells whether an event is about what someone follows.
function concerns(event, { board, ticket }) {
	if (event.all) return true
	if (ticket === undefined) return event.board === board
	if (event.ticket !== undefined) return event.ticket === ticket
	return event.tickets ? event.tickets.some(([changed]) => changed === ticket) : board === undefined || event.board === board
}

function hear({ event, at }) {
	if (!event) return
	for (const { what, act } of followers) if (concerns(event, what)) act({ ...event, at })
}

// follow calls act for each event about a board ({ board }), or about a ticket and its comments
// ({ ticket, board }), by their ids. Events are { all: true } where anything may have changed, { board, own,
// tickets } with a list of [ticket, column] (column 0: not on this board any more) or null for any of them,
// and { ticket } where comments changed; own says that the board itself did. What it returns ends that.
export function follow(what, act) {
	const one = { what, act }
	followers.add(one)
	if (!connection && company) connection = new Connection({ url: `/${company}/live`, at: at ?? '', tell: hear })
	return () => followers.delete(one)
}
