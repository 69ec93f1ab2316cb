// A ticket beside its board: a click on a card opens it there, the address is the ticket's, and Escape returns to the
// card. In a narrow window, with Ctrl or without scripts, a card leads to the ticket's page.
import htmx from '../vendor/htmx/htmx.min.js'
import { cameTo, showBoard, showTicket } from './address.js'
import { cardOf } from './board.js'
import { keepAll } from './drafts.js'
import { watch } from './follow-ticket.js'
import { retitle } from './inbox.js'
import { isField, pressed } from './keys.js'
import { own } from './morph.js'
import { ask, toast } from './say.js'

const board = document.querySelector('#board[data-board]')
const wide = matchMedia('(width > 900px)')
const pause = 120 // ms; steps from card to card within it fetch only the last ticket

const panel = () => document.getElementById('panel')
const body = () => panel().querySelector('.panel-body')

let shown // the key of the open ticket
let depth // of the history when the panel opened
let wish = 0
let timer
let unwatch = () => {}

// openKey is the key of the ticket beside the board, if one is open.
export const openKey = () => shown

// openCard opens a card's ticket beside the board; step: the focus stays on the card.
export function openCard(card, { step = false } = {}) {
	const link = card.querySelector('a')
	if (!wide.matches) return location.assign(link.href)
	if (card.dataset.key === shown) return step || focus()
	showTicket(link.href)
	show(link.href, card.dataset.key, link.querySelector('.title').textContent.trim(), step)
}

function show(path, key, title, step) {
	keepAll()
	shown = key
	if (!panel()) frame()
	panel().querySelector('a').href = path
	panel().ariaLabel = key
	panel().ariaBusy = 'true'
	point()
	if (!body().children.length) body().append(Object.assign(document.createElement('h1'), { textContent: title, tabIndex: -1 }))
	if (!step) focus()
	clearTimeout(timer)
	timer = setTimeout(load, step ? pause : 0, path, ++wish, step)
}

// frame makes the panel.
function frame() {
	const made = Object.assign(document.createElement('section'), { id: 'panel', className: 'panel' })
	made.innerHTML = '<header><a class="button quiet">Open the page</a><button type="button" class="quiet close" aria-label="Close the ticket">×</button></header><div class="panel-body"></div>'
	made.querySelector('.close').addEventListener('click', close)
	document.getElementById('main').append(made)
	depth = history.length
}

async function load(path, mine, step) {
	try {
		const page = (await ask(path, { target: 'main' })).querySelector('.page')
		if (mine !== wish) return
		unwatch()
		clear()
		body().append(beside(page))
		htmx.process(body())
		htmx.trigger(body(), 'htmx:load', { elt: body() })
		panel().scrollTop = 0
		panel().ariaBusy = null
		unwatch = watch({ page: beside, left })
		retitle(`${shown} ${body().querySelector('h1').textContent.trim()} · Counterfoil`)
		if (!step) focus()
	} catch (error) {
		if (mine === wish) left(error.message)
	}
}

// beside is a ticket's page without what the board's page has: the templates of dialogs.
function beside(page) {
	for (const template of page.querySelectorAll('template[id]')) {
		if ([...document.querySelectorAll(`template[id="${template.id}"]`)].some((other) => !panel().contains(other))) template.remove()
	}
	const heading = page.querySelector('h1')
	if (heading) heading.tabIndex = -1
	return page
}

function clear() {
	for (const node of [...body().children]) {
		own.beforeNodeRemoved(node)
		node.remove()
	}
}

// focus gives the open ticket the focus.
const focus = () => body().querySelector('h1')?.focus({ preventScroll: true })

// point marks the card of the open ticket.
function point() {
	for (const card of document.querySelectorAll('.card[data-open]')) delete card.dataset.open
	const card = shown && cardOf(shown)
	if (!card) return
	card.dataset.open = ''
	card.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

// left closes the panel of a ticket that cannot be shown any more.
function left(why) {
	toast(why, true)
	close()
}

// close returns to the board: by the browser's step back, unless links in the ticket made further steps.
function close() {
	const back = history.length === depth
	shut()
	if (back) history.back()
	else showBoard()
}

// shut takes the panel away. What was typed is kept as a draft.
function shut() {
	if (!panel()) return
	keepAll()
	wish++
	unwatch()
	const inside = panel().contains(document.activeElement) || document.activeElement === document.body
	const card = cardOf(shown)
	clear()
	panel().remove()
	shown = undefined
	point()
	retitle(`${document.querySelector('.board-head h1').textContent.trim()} · Counterfoil`)
	card?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
	if (inside) card?.querySelector('a').focus({ preventScroll: true })
}

function escape(event) {
	if (event.key !== 'Escape' || !panel() || event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return
	if (!isField(event.target)) close()
	else if (panel().contains(event.target) && !event.target.closest('form:has([data-draft-drop])')) focus()
	else return
	event.preventDefault()
}

if (board) {
	document.addEventListener('click', (event) => {
		const link = event.target.closest('#board .card > a:first-child')
		if (!link || !pressed(event) || !wide.matches) return
		event.preventDefault()
		openCard(link.closest('.card'))
	})
	document.addEventListener('keydown', escape)
	// Cards come anew with each change; the mark stays with its ticket.
	new MutationObserver(() => { if (shown && !cardOf(shown)?.matches('[data-open]')) point() }).observe(board, { childList: true, subtree: true })
}

// Back and forward between a board and its open ticket. A page that was loaded anew cannot show the other one.
window.addEventListener('popstate', ({ state }) => {
	if (!board) {
		if (state?.beside || state?.board) location.reload()
	} else if (!cameTo(state)) shut()
	else {
		const key = location.pathname.split('/').pop()
		show(location.pathname, key, key, false)
	}
})
