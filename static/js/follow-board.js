// A live board: when tickets change, it fetches their old and new columns, and shows those that differ. It waits during
// an action of the user, for a column while the user types into it, and while the page is hidden; then it catches up.
import { boardAddress, readdress } from './address.js'
import { busy, knows, showOthers, turn } from './board.js'
import { fetchFresh, Gone, held, Refresher, reachAsFar } from './fresh.js'
import { retitle } from './inbox.js'
import { cardsOf } from './lanes.js'
import { asIs, morph } from './morph.js'
import { throttled } from './say.js'
import { follow } from './wire.js'

const board = document.querySelector('#board[data-board]')

let stale = new Map() // columns to fetch, with the tickets in them that changed; null: any of them
let echoes = new Map() // changed tickets with their column and stamp: they may come from an action here
let whole = false // the board itself is to be fetched
let typed = { column: null, at: 0, composing: false }

const columns = () => [...document.querySelectorAll('#board > .column')]

function note(column, ticket) {
	if (!stale.has(column)) stale.set(column, new Set())
	if (ticket === null) stale.set(column, null)
	else stale.get(column)?.add(ticket)
}

function changed(event) {
	if (event.all || event.own) whole = true
	else if (!event.tickets) columns().forEach((column) => note(column.id, null))
	else for (const [ticket, column, stamp] of event.tickets) {
		moved(`card-${ticket}`, `column-${column}`)
		echoes.set(`card-${ticket}`, [`column-${column}`, `${stamp}`])
	}
	// When all lose their connection together, they do not fetch together.
	refresher.changed(event.all ? Math.random() * 1000 : 0)
}

// moved records a ticket's column before and now. One that is not on the page may have been below the cards that are.
function moved(card, to) {
	const was = document.getElementById(card)?.closest('.column')
	if (was) note(was.id, card)
	else for (const column of columns()) if (column.querySelector('.more, [data-found]')) note(column.id, card)
	if (document.getElementById(to)) note(to, card)
}

// dropEchoes drops changes that were made here and are on the page already.
function dropEchoes(wanted, echoed) {
	for (const [card, place] of echoed) {
		if (!knows(card, ...place)) continue
		for (const [column, tickets] of wanted) if (tickets?.delete(card) && !tickets.size) wanted.delete(column)
	}
}

// byParent reports whether cards are in the lanes of their parents, of which their stamps do not know.
const byParent = () => boardAddress().searchParams.get('lanes') === 'parent'

const rests = () => busy() || held()

// typing reports whether the user types into a column, or loads more of it.
function typing(column) {
	if (column.querySelector('.htmx-request')) return true
	return typed.column === column.id && (typed.composing || Date.now() - typed.at < 1500)
}

async function refresh() {
	const at = { turn: turn(), search: boardAddress().search }
	const older = () => rests() || at.turn !== turn() || at.search !== boardAddress().search
	const wanted = stale
	const all = whole
	const echoed = echoes
	stale = new Map()
	echoes = new Map()
	whole = false
	const again = () => {
		whole ||= all
		for (const [card, place] of echoed) if (!echoes.has(card)) echoes.set(card, place)
		for (const [column, tickets] of wanted) for (const ticket of tickets ?? [null]) note(column, ticket)
		return false
	}
	if (!all && !byParent()) dropEchoes(wanted, echoed)
	let later = false
	for (const column of all ? [] : columns().filter(typing)) {
		for (const ticket of wanted.get(column.id) ?? (wanted.has(column.id) ? [null] : [])) note(column.id, ticket)
		later ||= wanted.delete(column.id)
	}
	try {
		if (all && columns().some(typing)) return again()
		return await (all ? fetchAll(older) : fetchColumns(wanted, older, echoed)) === false ? again() : !later
	} catch (error) {
		again()
		if (error instanceof Gone) leave(error)
		throw error
	}
}

async function fetchColumns(wanted, older, echoed) {
	const ready = columns().filter((column) => wanted.has(column.id))
	if (!ready.length) return
	const query = new URLSearchParams(boardAddress().search)
	query.set('columns', ready.map((column) => `${column.dataset.column}.${cardsOf(column).length}.${column.dataset.seen}`).join(','))
	const { nodes, moved } = await fetchFresh(`${boardAddress().pathname}?${query}`, 'board')
	if (moved) { // the board was renamed
		whole = true
		return false
	}
	const fresh = [...nodes.querySelectorAll('.column')]
	await asFar(fresh)
	if (older() || ready.some(typing)) return false
	if (lost(ready, fresh, echoed)) {
		const others = columns().filter((column) => !ready.includes(column) && !typing(column))
		others.forEach((column) => note(column.id, null))
		if (others.length) return false
	}
	const lists = [...wanted.values()]
	announce(showOthers(fresh, { tickets: lists.includes(null) ? null : new Set(lists.flatMap((list) => [...list])) }))
}

// lost reports whether a card is neither in its old column nor in that of its event, so it moved since: without its new
// column it would leave the page for a moment, and the focus with it.
function lost(ready, fresh, echoed) {
	const now = new Map(fresh.map((column) => [column.id, column]))
	const shown = new Set(fresh.flatMap((column) => [...cardsOf(column)]).map(({ id }) => id))
	const away = ({ id }) => !shown.has(id) && (!echoed.has(id) || now.has(echoed.get(id)[0]))
	return ready.some((old) => !now.get(old.id)?.querySelector('.more') && [...cardsOf(old)].some(away)) // it may still be below the cards of the page
}

const asFar = (fresh) => Promise.all(fresh.map((column) => {
	const old = document.getElementById(column.id)
	return old && reachAsFar(column.querySelector('.cards'), `more-${column.dataset.column}`, () => cardsOf(column).length >= cardsOf(old).length)
}))

async function fetchAll(older) {
	const { nodes, moved } = await fetchFresh(boardAddress().pathname + boardAddress().search, 'main')
	const fresh = [...nodes.querySelectorAll('.column')]
	await asFar(fresh)
	if (older() || columns().some(typing)) return false
	if (moved) readdress(moved.pathname + boardAddress().search + boardAddress().hash)
	showFrame(nodes)
	announce(showOthers(fresh, { whole: true }))
}

// showFrame shows the page around the columns.
function showFrame(nodes) {
	const filter = document.querySelector('#filter')
	const next = nodes.querySelector('#filter')
	filter.action = next.action
	for (const link of ['[data-mine]', '[data-clear]']) filter.querySelector(link).href = next.querySelector(link).href
	const main = document.getElementById('main')
	const goal = main.cloneNode(false)
	const fresh = nodes.querySelector('#board')
	for (const name of ['edit', 'assignees', 'priority', 'dates', 'labels', 'batch', 'columns']) {
		if (name in fresh.dataset) board.dataset[name] = fresh.dataset[name]
		else delete board.dataset[name]
	}
	goal.append(nodes)
	fresh.replaceWith(asIs(board))
	const panel = document.getElementById('panel')
	if (panel) goal.append(asIs(panel))
	const current = document.querySelector('#switch [aria-current]')?.hash
	for (const link of goal.querySelectorAll('#switch a')) if (link.hash === current) link.ariaCurrent = 'true'
	morph(main, goal, { keep: (old) => old === filter })
	if (!panel) retitle(`${document.querySelector('.board-head h1').textContent.trim()} · Counterfoil`)
}

// leave reloads the page of a deleted board. wire.js informs a user who is signed out.
function leave({ status }) {
	refresher.stop()
	if (status === 401) return
	const text = [...document.querySelectorAll('main textarea, main input[name=title], dialog textarea, dialog input:not([type=hidden])')]
	if (!text.some(({ value }) => value)) location.reload()
}

// Changes by others are announced together.
const pending = new Map()
const announceSoon = throttled(() => {
	const words = inWords([...pending.values()])
	pending.clear()
	return words
})

function announce(changes) {
	for (const one of changes) pending.set(one.key, one)
	if (pending.size) announceSoon()
}

function inWords(changes) {
	if (changes.length > 1) return `${changes.length} tickets changed by others.`
	const [{ key, column, gone, moved, came }] = changes
	if (gone) return `${key} is not on this board any more.`
	const name = document.querySelector(`[id="${column}"] h2`)?.textContent
	if (moved) return `${key} ${came ? 'is new in' : 'was moved to'} ${name}.`
	return `${key} was changed.`
}

const refresher = board && new Refresher({ refresh, rests })

// What is due today is due tomorrow no more: the board is fetched anew once a day ends, or a time on it comes.
let looked = new Date()
function lookAtDates() {
	const now = new Date()
	const passed = ({ dateTime }) => dateTime.includes('T') && new Date(dateTime) > looked && new Date(dateTime) <= now
	const old = now.toDateString() !== looked.toDateString() || [...board.querySelectorAll('time.due')].some(passed)
	looked = now
	if (!old) return
	whole = true
	refresher.changed(0)
}
if (board) setInterval(lookAtDates, 60_000)

if (board) {
	const type = ({ target, type }) => {
		const column = target.closest?.('.column')
		if (column) typed = { column: column.id, at: Date.now(), composing: type === 'compositionstart' || (type !== 'compositionend' && typed.composing) }
	}
	for (const name of ['input', 'compositionstart', 'compositionend']) board.addEventListener(name, type)
	follow({ board: Number(board.dataset.board) }, changed)
}
