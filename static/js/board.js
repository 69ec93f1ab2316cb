// Cards move by drag and by the move form. Both send the card's old position and the card to put it below, never a rank
// or a list; the server responds with the present columns.
import '../vendor/sortable/Sortable.min.js'
import htmx from '../vendor/htmx/htmx.min.js'
import { boardAddress } from './address.js'
import { count } from './columns.js'
import { cardsOf, laneOf, level, listsIn } from './lanes.js'
import { asIs, mark, morph } from './morph.js'
import { ask, say, toast, toasts } from './say.js'

const { Sortable } = window
const phone = matchMedia('(width <= 700px)')
const calm = matchMedia('(prefers-reduced-motion: reduce)')

let drag = null // resolved when the card is dropped; nothing is swapped before
let free
let seen

let turns = 0 // actions here; a response to an earlier request is older than the page
export const turn = () => turns

// hold keeps the columns of the page until the returned function is called.
export function hold() {
	let free
	turns++
	drag = new Promise((resolve) => { free = resolve })
	return () => {
		drag = null
		free()
	}
}

const touches = (event) => event.pointerType === 'touch' || event.touches !== undefined

const options = {
	group: 'cards',
	draggable: '.card:has(.move)',
	// A finger scrolls, unless it takes the handle; a tap on that opens the form.
	filter: (event) => touches(event) && !event.target.closest('.move'),
	preventOnFilter: false,
	forceFallback: true, // pointers only: native drags know no touch and no style
	fallbackOnBody: true,
	fallbackTolerance: 4,
	emptyInsertThreshold: 32,
	scrollSensitivity: 56,
	scrollSpeed: 14,
	bubbleScroll: true,
	// On a phone the handles are near the edge: only a finger at the very edge turns to the next column.
	scrollFn: (x, y, event, touch) => phone.matches && x && touch.clientX > 20 && touch.clientX < innerWidth - 20 ? '' : 'continue',
	ghostClass: 'gap',
	dragClass: 'lifted',
	onStart({ item }) {
		seen = place(item)
		free = hold()
		document.documentElement.classList.add('dragging')
	},
	onEnd({ item }) {
		document.documentElement.classList.remove('dragging')
		if (escaped) put(item, seen)
		free()
		if (escaped) say(`${item.dataset.key} is back where it was.`)
		if (escaped) return escaped = false
		const to = place(item)
		if (!same(to, seen)) move(item, seen, to)
	},
}

// Escape ends a drag, and puts the card back.
let escaped = false
document.addEventListener('keydown', (event) => {
	if (event.key !== 'Escape' || !document.documentElement.classList.contains('dragging')) return
	event.preventDefault()
	event.stopPropagation()
	escaped = true
	document.dispatchEvent(new PointerEvent('pointercancel'))
}, true)

// sortable lets cards be dragged from and to all lists of the board.
function sortable() {
	for (const list of document.querySelectorAll('#board .laned')) Sortable.get(list)?.destroy() // it had no lanes before
	for (const list of listsIn(document)) {
		Sortable.get(list) ?? new Sortable(list, { ...options, animation: calm.matches ? 0 : 140 })
	}
}
htmx.onLoad(sortable)
document.addEventListener('htmx:beforeCleanupElement', ({ target }) => {
	if (target.matches('.cards, .lane > ol')) Sortable.get(target)?.destroy()
})

const listOf = (column) => document.getElementById(`cards-${column}`)
export const cardOf = (key) => document.querySelector(`.column .card[data-key="${CSS.escape(key)}"]`)
const keys = (list) => cardsOf(list).map((card) => card.dataset.key)

// place is a card's position: its column, its lane if there are any, and the card above it there.
export function place(card) {
	let above = card.previousElementSibling
	while (above && !above.matches('.card')) above = above.previousElementSibling
	const { column } = card.closest('.column').dataset
	return { column, lane: laneOf(card), after: above?.dataset.key ?? listOf(column).dataset.above, moved: card.dataset.moved }
}

// same reports whether two positions are one.
export const same = (a, b) => a.column === b.column && a.after === b.after && a.lane === b.lane

// put moves a card on the page. It stays in its lane if the position has none.
export function put(card, { column, after, lane = laneOf(card) }) {
	const list = listOf(column)
	const own = lane === undefined ? list : list.querySelector(`:scope > .lane[data-lane="${CSS.escape(lane)}"] > ol`) ?? list
	const above = after && own.querySelector(`:scope > .card[data-key="${CSS.escape(after)}"]`)
	if (above) above.after(card)
	else if (own === list) list.querySelector('.empty').after(card)
	else own.prepend(card)
}

let last = Promise.resolve()
let moving = 0

let acts = 0

// act marks the page as busy until the returned function is called.
export function act() {
	acts++
	turns++
	return () => { acts-- }
}

// busy reports whether an action of the user is under way.
export const busy = () => drag !== null || moving > 0 || acts > 0

const fresh = new Map() // columns that wait until all moves are answered
let latest = new Set() // of the last response

function wait(answer) {
	const columns = [...answer.querySelectorAll('.column')]
	for (const column of columns) fresh.set(column.id, column)
	latest = new Set(columns.map(({ id }) => id))
	return columns
}

export async function move(card, from, to) {
	const url = card.querySelector('.move').href
	const target = `column-${to.column}`
	const values = { column: to.column, after: to.after, seen_column: from.column, seen_after: from.after }
	if (from.moved) values.seen_moved = from.moved // a filter or a lane hides the cards above
	if (to.lane !== undefined && to.lane !== from.lane) Object.assign(values, { lane: to.lane, seen_lane: from.lane })
	const { search } = boardAddress()
	moving++
	turns++
	const answered = last.then(() => ask(url, { target, values }))
	last = answered.catch(() => {})
	let words = `${card.dataset.key} moved to ${listOf(to.column).closest('.column').querySelector('h2').textContent}.`
	try {
		const answer = await answered
		for (const column of wait(answer)) {
			if (column.querySelector('.alert')) words = ''
			else if (hidden(card.dataset.key, to, column)) words += ' The filter does not show it there.'
		}
		toasts(answer, { quiet: true }) // they are announced
		if (search !== boardAddress().search) await readAnew() // the filter has changed
	} catch (error) {
		put(cardOf(card.dataset.key) ?? card, from)
		const gone = error.status === 404
		toast(`${card.dataset.key} is ${gone ? 'not there any more' : 'back where it was'}. ${error.message}`, true)
		if (gone) await readAnew()
		words = ''
	}
	if (words) say(words)
	await settle()
}

// settle shows the fetched columns, once all moves are answered.
async function settle() {
	moving--
	await drag
	if (moving) return
	showAll(fresh, { mixed: [...fresh.keys()].some((id) => !latest.has(id)) }) // of several times
	fresh.clear()
}

// undo sends the form that undoes, after the moves under way.
export async function undo(url, values) {
	moving++
	turns++
	const answered = last.then(() => ask(url, { target: 'board', values }))
	last = answered.catch(() => {})
	try {
		const answer = await answered
		wait(answer)
		toasts(answer)
	} catch (error) {
		toast(error.message, true)
	}
	await settle()
}

// hidden reports whether the filter hides a card that was put there.
function hidden(key, to, column) {
	if (column.dataset.column !== to.column || !column.querySelector('[data-found]')) return false
	const shown = keys(column)
	if (to.lane !== undefined) return !column.querySelector('.more') && !shown.includes(key)
	const at = shown.indexOf(to.after) + 1
	return (at > 0 || !to.after) && at < shown.length + !column.querySelector('.more') && shown[at] !== key
}

// refresh fetches the board.
export async function refresh() {
	moving++
	await readAnew()
	await settle()
}

// readAnew fetches the whole board if it has changed too much.
async function readAnew() {
	const page = await ask(boardAddress().href, { target: 'board' }).catch(() => null)
	if (page) wait(page)
}

// moveByForm does the move form's move if its cards are on this page, and reports whether they are.
export function moveByForm(form) {
	const { column, after, seen_column, seen_after } = Object.fromEntries(new FormData(form))
	const card = cardOf(form.dataset.move)
	const list = listOf(column)
	if (!card || !list || !listOf(seen_column) || (after && !keys(list).includes(after))) return false
	const [near = ''] = neighbours(card)
	put(card, { column, after })
	move(card, { column: seen_column, after: seen_after, lane: laneOf(card) }, { column, after, lane: laneOf(card) }).then(() => {
		// On a phone the present column stays; else the page follows the card.
		const there = cardOf(form.dataset.move)
		const stays = phone.matches && there?.closest('.column')?.dataset.column !== seen_column
		const link = ((stays && cardOf(near)) || there)?.querySelector('a')
		link?.focus({ preventScroll: stays })
		if (!stays) link?.scrollIntoView({ block: 'nearest', inline: 'center' })
	})
	return true
}

// showColumns shows the columns of a response.
export async function showColumns(answer) {
	await drag
	showAll([...answer.querySelectorAll('.column')])
}

// narrowColumns shows the columns of a response that have other cards than before.
export async function narrowColumns(answer) {
	await drag
	showAll([...answer.querySelectorAll('.column')], { narrowed: true })
}

// recount shows the number of matches so far, when more cards were loaded.
function recount(column) {
	const found = column.querySelector('[data-found]')
	if (!found) return
	const shown = cardsOf(column).length
	found.textContent = Number(found.dataset.before) + shown + (column.querySelector('.more') ? '+' : '')
}
document.addEventListener('htmx:afterSettle', ({ target }) => {
	const column = target.closest?.('.column')
	if (!column) return
	level(document.getElementById('board'))
	sortable()
	recount(column)
	count(column)
})

// elsewhere reports whether a card is in another column of the page or of the responses to come.
function elsewhere(key, column, coming) {
	const same = `.card[data-key="${CSS.escape(key)}"]`
	return [...coming.values()].some((other) => other.id !== column.id && other.querySelector(same))
		|| [...document.querySelectorAll(`.column ${same}`)].some((card) => !column.contains(card))
}

// neighbours are the keys of the other cards of a column, the nearest first, below before above.
export function neighbours(card) {
	const all = keys(card.closest('.cards'))
	const at = all.indexOf(card.dataset.key)
	return [...all.slice(at + 1), ...all.slice(0, at).reverse()]
}

// known is the state of a ticket's card after an action here: an event with the same state is an echo.
const known = new Map()

// knows reports whether an action here put a card into this state.
export function knows(id, column, stamp) {
	const cards = document.querySelectorAll(`#board [id="${id}"]`)
	return known.get(id) === stamp && cards.length === 1 && cards[0].dataset.stamp === stamp && cards[0].closest('.column').id === column
}

// learn records the cards of a response. If one may still be counted in a column that another user moved it from,
// nothing is recorded, and its event fetches.
function learn(fresh) {
	const all = [...fresh.values()].flatMap((column) => cardsOf(column).map((card) => ({ card, column })))
	const partial = new Set(columnsOf().map((old) => fresh.get(old.id) ?? old).filter((column) => column.querySelector('.more')).map(({ id }) => id))
	for (const { card: { id, dataset: { stamp } }, column } of all) {
		const old = document.getElementById(id)
		if (old?.dataset.stamp === stamp) continue
		const was = old?.closest('.column').id
		const left = was === column.id || (was ? fresh.has(was) && !partial.has(was) : [...partial].every((other) => other === column.id))
		if (left && all.every(({ card }) => card.id !== id || card.closest('.column') === column)) known.set(id, stamp)
		else known.delete(id)
	}
}

const columnsOf = () => [...document.querySelectorAll('#board > .column')]

// showAll gives columns of the page the state of a response. The focus follows its card, or goes to the nearest of its
// neighbours if the card is gone.
function showAll(columns, { narrowed = false, whole = false, others = false, mixed = false } = {}) {
	const fresh = new Map([...columns.values()].map((column) => [column.id, column]))
	const board = document.getElementById('board')
	if (!fresh.size || !board) return
	turns++
	if (!others && !mixed) learn(fresh)
	const focused = document.activeElement
	const card = focused?.closest('#board .card')
	const near = card ? [card.dataset.key, ...neighbours(card)] : []
	const from = card?.closest('.column').id
	const caret = focused?.selectionStart

	const goal = board.cloneNode(false)
	const shown = whole ? [...fresh.values()] : columnsOf().map((column) => fresh.get(column.id) ?? asIs(column))
	for (const column of shown) {
		const old = document.getElementById(column.id)
		if (old && fresh.has(column.id)) prepare(column, old, fresh, { narrowed, others })
	}
	goal.append(...shown)
	morph(board, goal, {
		keep: (old) => others && old.matches('.add'),
		stays(node) {
			if (node.matches('.column')) for (const list of listsIn(node)) Sortable.get(list)?.destroy()
			return others && node.matches('.alert') // until it was read
		},
	})
	level(board) // a response has the lanes of its own columns
	sortable()
	for (const id of fresh.keys()) {
		const column = document.getElementById(id)
		if (!column) continue
		if (narrowed) column.querySelector('.cards').scrollTop = 0
		recount(column)
		count(column)
		if (!others) reveal(column)
	}
	if (document.activeElement === focused || document.activeElement !== document.body || !focused || focused === document.body) return
	if (focused.isConnected) {
		focused.focus({ preventScroll: true })
		if (caret != null) focused.setSelectionRange?.(caret, caret)
	} else if (card) {
		const next = near.map(cardOf).find(Boolean)?.querySelector('a') ?? document.querySelector(`#${from} .add summary`)
		next?.focus({ preventScroll: true })
	}
}

// prepare has a column of a response keep what the one on the page has beyond it.
function prepare(column, old, fresh, { narrowed, others }) {
	column.removeAttribute('hx-swap-oob')
	const list = column.querySelector('.cards')
	const oldList = old.querySelector('.cards')

	// Cards loaded below the first ones stay if there are more; but not a card that is elsewhere now.
	const now = keys(list)
	const before = keys(oldList)
	if (!narrowed && !others && !list.matches('.laned') && list.querySelector('.more') && before.length > now.length && now.every((key, i) => key === before[i])) {
		list.querySelector('.more').remove()
		let next = oldList.querySelector(`:scope > .card[data-key="${CSS.escape(now.at(-1) ?? '')}"]`)?.nextSibling
		for (; next; next = next.nextSibling) {
			if (next.matches?.('.card') && elsewhere(next.dataset.key, old, fresh)) continue
			list.append(next.cloneNode(true))
		}
	}
	if (others) return

	// Messages of the last action.
	old.querySelectorAll('.alert, .created, .error').forEach((message) => message.remove())
	// Input stays; a rejected title comes back.
	const title = column.querySelector('.add [name=title]')
	const typed = old.querySelector('.add [name=title]')
	if (!title || !typed) return
	title.removeAttribute('autofocus') // keep the focus
	if (column.querySelector('.add').open) old.querySelector('.add').open = true
	const [nonce, last] = [column, old].map((form) => form.querySelector('.add [name=nonce]'))
	if (typed.value) nonce.setAttribute('value', last.value) // it may have been sent, and its answer lost
	if (!column.querySelector('.add .error')) title.setAttribute('value', typed.value)
	else if (document.activeElement === typed && !typed.value) typed.value = title.value
}

// reveal scrolls to the subject of a response.
function reveal(column) {
	const opened = column.querySelector('.created .key')?.textContent
	if (opened) column.querySelector(`.card[data-key="${CSS.escape(opened)}"]`)?.scrollIntoView({ block: 'nearest' })
	column.querySelector('.alert')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

// Changes by others

// stateOf is a card's text and column, to find changes by others.
const stateOf = (card) => ({
	column: card.closest('.column').id,
	above: card.previousElementSibling?.id,
	text: `${card.className} ${card.querySelector('a').textContent} ${card.querySelector('.on')?.title ?? ''}`,
})

// showOthers shows changes by others, and returns the changed cards: among tickets if given. whole: the columns are all
// of the board.
export function showOthers(columns, { tickets, whole = false } = {}) {
	const before = new Map([...document.querySelectorAll('#board .card')].map((card) => [card.id, { key: card.dataset.key, ...stateOf(card) }]))
	const open = new Set(columnsOf().filter((column) => column.querySelector('.more')).map((column) => column.id))
	showAll(columns, { others: true, whole })
	const changes = []
	for (const { id } of columns) {
		for (const card of document.querySelectorAll(`#${id} .card`)) {
			const was = before.get(card.id)
			const is = stateOf(card)
			if (tickets && !tickets.has(card.id)) continue
			if (!was && !tickets && open.has(id)) continue // it may have been below the cards of the page
			if (was && was.column === is.column && was.text === is.text && (!tickets || was.above === is.above)) continue
			changes.push({ card, key: card.dataset.key, column: is.column, moved: was?.column !== is.column, came: !was })
		}
	}
	for (const [id, { key }] of before) {
		if (!document.getElementById(id) && (!tickets || tickets.has(id))) changes.push({ key, gone: true })
	}
	mark(changes.filter(({ card }) => card).map(({ card }) => card))
	return changes
}
