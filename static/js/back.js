// Back on a board its columns are loaded and scrolled as far as they were when this tab left it.
import htmx from '../vendor/htmx/htmx.min.js'
import { boardAddress } from './address.js'
import { reachAsFar } from './fresh.js'
import { level } from './lanes.js'

const of = document.body.dataset.account // another account in this tab does not see it
const name = `counterfoil.scrolled ${of}`
const lasts = 30 * 60 * 1000 // ms
const here = () => boardAddress().pathname + boardAddress().search
const board = () => document.getElementById('board')
const columns = () => [...document.querySelectorAll('#board .column')]
const cards = (column) => column.querySelector('.cards')
const count = (list) => list.querySelectorAll('.card').length

function keep() {
	const at = Object.fromEntries(columns().map((column) => [column.id, [count(cards(column)), cards(column).scrollTop]]))
	try {
		sessionStorage.setItem(lastBoard, here())
		sessionStorage.setItem(name, JSON.stringify({ page: here(), when: Date.now(), left: board().scrollLeft, top: board().scrollTop, at }))
	} catch { /* then it is not restored */ }
}

async function restore() {
	const was = JSON.parse(sessionStorage.getItem(name) ?? 'null')
	sessionStorage.removeItem(name)
	if (was?.page !== here() || location.hash || Date.now() - was.when > lasts) return
	await Promise.all(columns().filter(({ id }) => was.at[id]).map(async (column) => {
		const [loaded, top] = was.at[column.id]
		const list = cards(column)
		await reachAsFar(list, `more-${column.dataset.column}`, () => count(list) >= loaded)
		level(board())
		htmx.process(list)
		if (!list.scrollTop) list.scrollTop = top // unless the user has scrolled meanwhile
	}))
	if (!board().scrollLeft) board().scrollLeft = was.left
	if (!board().scrollTop) board().scrollTop = was.top
}

// The link from a ticket back to its board keeps the filter. A live ticket is fetched again, and then the server does not
// know it; without scripts the link has it from the start.
const lastBoard = `counterfoil.board ${of}`

function keepFilter({ target }) {
	const link = target.closest?.('.crumbs a')
	try {
		const was = new URL(sessionStorage.getItem(lastBoard) ?? '', location.href)
		if (link && !link.search && link.pathname === was.pathname) link.search = was.search
	} catch { /* then it leads to the board as it is */ }
}

for (const name of ['click', 'auxclick']) document.addEventListener(name, keepFilter, true)

const isBoard = columns().length > 0
// restored resolves once all is loaded again; what cannot be loaded is not.
export const restored = isBoard ? restore().catch(() => {}) : Promise.resolve()
if (isBoard) window.addEventListener('pagehide', keep)
