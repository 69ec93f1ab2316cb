// Cards move by drag and by the move form. Both send where the card was seen and what it shall lie
// below, never a position or a list; the server answers with the columns as they are.
import '../vendor/sortable/Sortable.min.js'
import htmx from '../vendor/htmx/htmx.min.js'
import { count } from './columns.js'
import { ask, say, toast, toasts } from './say.js'

const { Sortable } = window
const phone = matchMedia('(width <= 700px)')
const calm = matchMedia('(prefers-reduced-motion: reduce)')

let drag = null // resolved when the card is dropped; nothing is swapped before
let free
let seen

// hold keeps the columns as they are on the page until the function that it returns is called.
export function hold() {
	let free
	drag = new Promise((resolve) => { free = resolve })
	return () => {
		drag = null
		free()
	}
}

const touches = (event) => event.pointerType === 'touch' || event.touches !== undefined

const options = {
	group: 'cards',
	draggable: '.card:has(.grip)',
	// A finger scrolls, unless it takes the handle.
	filter: (event) => touches(event) && !event.target.closest('.grip'),
	preventOnFilter: false,
	forceFallback: true, // pointers only: native drags know no touch and no style
	fallbackOnBody: true,
	fallbackTolerance: 4,
	emptyInsertThreshold: 32,
	scrollSensitivity: 56,
	scrollSpeed: 14,
	bubbleScroll: true,
	// On a phone the handles lie near the edge: only a finger at the very edge turns to the next column.
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
		free()
		const to = place(item)
		if (to.column !== seen.column || to.after !== seen.after) move(item, seen, to)
	},
}

htmx.onLoad((root) => {
	for (const list of root.querySelectorAll('.column > .cards')) {
		Sortable.get(list) ?? new Sortable(list, { ...options, animation: calm.matches ? 0 : 140 })
	}
})
document.addEventListener('htmx:beforeCleanupElement', ({ target }) => {
	if (target.matches('.cards')) Sortable.get(target)?.destroy()
})

const listOf = (column) => document.getElementById(`cards-${column}`)
export const cardOf = (key) => document.querySelector(`.column .card[data-key="${CSS.escape(key)}"]`)
const keys = (list) => [...list.querySelectorAll(':scope > .card')].map((card) => card.dataset.key)

// place is where a card lies: its column and the card above it.
export function place(card) {
	const list = card.parentElement
	let above = card.previousElementSibling
	while (above && !above.matches('.card')) above = above.previousElementSibling
	return { column: list.closest('.column').dataset.column, after: above?.dataset.key ?? list.dataset.above, moved: card.dataset.moved }
}

export function put(card, { column, after }) {
	const list = listOf(column)
	const above = after && list.querySelector(`:scope > .card[data-key="${CSS.escape(after)}"]`)
	;(above || list.querySelector('.empty')).after(card)
}

let last = Promise.resolve()
let moving = 0
const fresh = new Map() // columns that wait until all moves are answered

export async function move(card, from, to) {
	const url = card.querySelector('.move').href
	const target = `column-${to.column}`
	const values = { column: to.column, after: to.after, seen_column: from.column, seen_after: from.after }
	if (from.moved) values.seen_moved = from.moved // through a filter one does not see what lies above
	const { search } = location
	moving++
	const answered = last.then(() => ask(url, { target, values }))
	last = answered.catch(() => {})
	let words = `${card.dataset.key} moved to ${listOf(to.column).closest('.column').querySelector('h2').textContent}.`
	try {
		const answer = await answered
		for (const column of answer.querySelectorAll('.column')) {
			fresh.set(column.id, column)
			if (column.querySelector('.alert')) words = ''
			else if (hidden(card.dataset.key, to, column)) words += ' The filter does not show it there.'
		}
		toasts(answer, { quiet: true }) // words say it
		if (search !== location.search) await readAnew() // through another filter by now
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

// settle shows the columns as they are, once all moves are answered.
async function settle() {
	moving--
	await drag
	if (moving) return
	showAll(fresh)
	fresh.clear()
}

// undo takes back what the form asks for, after the moves that are on their way.
export async function undo(url, values) {
	moving++
	const answered = last.then(() => ask(url, { target: 'board', values }))
	last = answered.catch(() => {})
	try {
		const answer = await answered
		answer.querySelectorAll('.column').forEach((column) => fresh.set(column.id, column))
		toasts(answer)
	} catch (error) {
		toast(error.message, true)
	}
	await settle()
}

// hidden tells whether a card is not where it was put because of the filter.
function hidden(key, to, column) {
	if (column.dataset.column !== to.column || !column.querySelector('[data-found]')) return false
	const shown = keys(column.querySelector('.cards'))
	const at = shown.indexOf(to.after) + 1
	return (at > 0 || !to.after) && at < shown.length + !column.querySelector('.more') && shown[at] !== key
}

// refresh shows the board as it is by now.
export async function refresh() {
	await readAnew()
	await settle()
}

// readAnew has the whole board shown as it is, where it turned out to be another.
async function readAnew() {
	const page = await ask(location.href, { target: 'board' }).catch(() => null)
	page?.querySelectorAll('.column').forEach((column) => fresh.set(column.id, column))
}

// moveByForm does what the move form asks where its cards are on this page, and reports whether they are.
export function moveByForm(form) {
	const { column, after, seen_column, seen_after } = Object.fromEntries(new FormData(form))
	const card = cardOf(form.dataset.move)
	const list = listOf(column)
	if (!card || !list || !listOf(seen_column) || (after && !keys(list).includes(after))) return false
	const [near = ''] = neighbours(card)
	put(card, { column, after })
	move(card, { column: seen_column, after: seen_after }, { column, after }).then(() => {
		// On a phone one stays in the column that one looks at, else one follows the card.
		const there = cardOf(form.dataset.move)
		const stays = phone.matches && there?.closest('.column')?.dataset.column !== seen_column
		const link = ((stays && cardOf(near)) || there)?.querySelector('a')
		link?.focus({ preventScroll: stays })
		if (!stays) link?.scrollIntoView({ block: 'nearest', inline: 'center' })
	})
	return true
}

// showColumns puts the columns of an answer in the place of those on the page.
export async function showColumns(answer) {
	await drag
	showAll(answer.querySelectorAll('.column'))
}

// narrowColumns does so where they are to show other cards than before.
export async function narrowColumns(answer) {
	await drag
	showAll(answer.querySelectorAll('.column'), true)
}

// recount says how many cards a filter let through so far, when more of them were loaded.
function recount(column) {
	const found = column.querySelector('[data-found]')
	if (!found) return
	const shown = column.querySelectorAll('.cards > .card').length
	found.textContent = Number(found.dataset.before) + shown + (column.querySelector('.more') ? '+' : '')
}
document.addEventListener('htmx:afterSettle', ({ target }) => {
	const column = target.closest?.('.column')
	if (!column) return
	recount(column)
	count(column)
})

// elsewhere tells whether a card lies in another column of the page or of the answers to come.
function elsewhere(key, column, coming) {
	const same = `.card[data-key="${CSS.escape(key)}"]`
	return [...coming.values()].some((other) => other.id !== column.id && other.querySelector(same))
		|| [...document.querySelectorAll(`.column ${same}`)].some((card) => !column.contains(card))
}

// neighbours are the keys of the other cards of a column, the nearest first, below before above.
export function neighbours(card) {
	const all = keys(card.parentElement)
	const at = all.indexOf(card.dataset.key)
	return [...all.slice(at + 1), ...all.slice(0, at).reverse()]
}

// showAll puts columns in the place of those on the page. Where the card that had the focus went with
// them, it has it there; where it is gone, the nearest of those beside it.
function showAll(columns, other = false) {
	const card = document.activeElement?.closest('#board .card')
	const near = card ? [card.dataset.key, ...neighbours(card)] : []
	const from = card?.closest('.column').id
	columns.forEach((column) => showColumn(column, other))
	if (!card || document.activeElement !== document.body) return
	const next = near.map(cardOf).find(Boolean)?.querySelector('a') ?? document.querySelector(`#${from} .add summary`)
	next?.focus({ preventScroll: true })
}

function showColumn(column, other) {
	const old = document.getElementById(column.id)
	if (!old) return
	column.removeAttribute('hx-swap-oob')
	const list = column.querySelector('.cards')
	const oldList = old.querySelector('.cards')
	const scrolled = oldList.scrollTop

	// What was loaded below the first cards stays, where there still is more; but not a card that is
	// elsewhere by now.
	const now = keys(list)
	const before = keys(oldList)
	if (!other && list.querySelector('.more') && before.length > now.length && now.every((key, i) => key === before[i])) {
		list.querySelector('.more').remove()
		let next = oldList.querySelector(`:scope > .card[data-key="${CSS.escape(now.at(-1) ?? '')}"]`)?.nextSibling
		while (next) {
			const node = next
			next = node.nextSibling
			if (node.matches?.('.card') && elsewhere(node.dataset.key, old, fresh)) continue
			list.append(node)
		}
	}

	// So does what is being typed.
	const add = column.querySelector('.add')
	const oldAdd = old.querySelector('.add')
	if (add && oldAdd) {
		const title = add.querySelector('[name=title]')
		const typed = oldAdd.querySelector('[name=title]')
		title.autofocus = false // the focus stays where it is
		add.open ||= oldAdd.open
		if (!add.querySelector('.error')) title.value = typed.value
	}
	const focused = old.contains(document.activeElement) ? document.activeElement : null
	const selector = focused && (focused.id ? `#${focused.id}` : focused.closest('.card') && `#${focused.closest('.card').id} a${focused.matches('.move') ? '.move' : ''}`)
	const caret = focused?.selectionStart

	const opened = column.querySelector('.created .key')?.textContent
	Sortable.get(oldList)?.destroy()
	old.replaceWith(column)
	htmx.process(column)
	htmx.trigger(column, 'htmx:load', { elt: column })
	list.scrollTop = other ? 0 : scrolled
	recount(column)
	count(column)

	if (selector) {
		const again = column.querySelector(selector)
		again?.focus({ preventScroll: true })
		if (caret != null) again?.setSelectionRange?.(caret, caret)
	}
	if (opened) list.querySelector(`[data-key="${CSS.escape(opened)}"]`)?.scrollIntoView({ block: 'nearest' })
	column.querySelector('.alert')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}
