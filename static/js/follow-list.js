// Live lists and calendars of a board, or of all: when its tickets change, the page's part of them is fetched, and what differs is
// shown. It waits while a button is down, a ticket is dragged, the user's own change is saved, text or tickets are selected.
import { fetchFresh, Gone, held, Refresher } from './fresh.js'
import { morph } from './morph.js'
import { throttled } from './say.js'
import { follow } from './wire.js'

const list = document.querySelector('[data-follow]')

const selecting = () => !getSelection().isCollapsed && list.contains(getSelection().anchorNode)
const picking = () => !!list.querySelector('[name=keys]:checked')
const rests = () => held() || picking() || selecting() || !!document.querySelector('html.dragging, :is(#calendar, #listed)[aria-busy=true]')

const announce = throttled(() => 'Tickets were changed by others.')

// followed reports whether the page is one.
export const followed = () => !!list

// showNow shows what the user's own change made of the page.
export async function showNow() {
	const { nodes } = await fetchFresh(location.pathname + location.search, list.id)
	put(nodes)
}

function put(nodes) {
	morph(document.getElementById(list.id), nodes.getElementById(list.id))
	document.getElementById(list.id).dispatchEvent(new Event('live', { bubbles: true }))
}

async function refresh() {
	try {
		const { nodes, moved } = await fetchFresh(location.pathname + location.search, list.id)
		if (moved) return location.replace(moved) // the board was renamed
		if (rests()) return false
		const before = document.getElementById(list.id).textContent
		put(nodes)
		if (document.getElementById(list.id).textContent !== before) announce()
	} catch (error) {
		if (error instanceof Gone) return location.reload() // the page says why
		throw error
	}
}

const refresher = list && new Refresher({ refresh, rests })
// When all lose their connection together, they do not fetch together.
if (list) follow({ board: Number(list.dataset.follow) }, (event) => refresher.changed(event.all ? Math.random() * 1000 : 200))
