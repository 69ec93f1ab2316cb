// Cards by keyboard: j k h l and the arrows move the focus from card to card, m moves the card. A move by keys sends
// what a drag sends.
import htmx from '../vendor/htmx/htmx.min.js'
import { boardAddress } from './address.js'
import { restored } from './back.js'
import { cardOf, hold, move, neighbours, place, put, same } from './board.js'
import { perform as performOn } from './card-acts.js'
import { openMenu } from './card-menu.js'
import { commandOf, free } from './keys.js'
import { cardsOf, laneOf, listsIn } from './lanes.js'
import { openCard, openKey } from './panel.js'
import { say } from './say.js'
import { selection, toggle } from './select.js'

const board = document.getElementById('board')

const directions = ['down', 'up', 'left', 'right']
const commandOn = (event) => event.shiftKey ? undefined : commandOf('board', event)
const direction = (event) => directions.find((one) => one === commandOn(event))

const cards = cardsOf
const columnOf = (card) => card.closest('.column')
const nameOf = (column) => column.querySelector('h2').textContent.trim()
const current = () => document.activeElement?.closest('#board .card')

let last // key of the card that was focused last
let row // kept by moves to the side, through shorter columns
let lifted // the moving card, and its position before

function focus(card) {
	last = card.dataset.key
	card.querySelector('a').focus({ preventScroll: true })
	card.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

// more loads the next cards of a list, and reports whether there were any.
let loading = false
async function more(list) {
	const end = list.querySelector(':scope > .more')
	if (!end || loading) return false
	loading = true
	const came = await new Promise((done) => {
		const watch = new MutationObserver(() => {
			if (end.isConnected) return
			watch.disconnect()
			done(true)
		})
		watch.observe(list, { childList: true })
		for (const failed of ['htmx:responseError', 'htmx:sendError']) end.addEventListener(failed, () => done(false), { once: true })
		end.scrollIntoView({ block: 'nearest' })
		htmx.trigger(end, 'intersect')
	})
	loading = false
	return came
}

// below returns the card below another in its column, also one that is not loaded yet.
async function below(card) {
	const list = card.closest('.cards')
	const next = () => {
		const all = cards(list)
		return all[all.indexOf(card) + 1]
	}
	return next() ?? (await more(list) && card.closest('.cards') === list ? next() : undefined)
}

function above(card) {
	const all = cards(card.closest('.cards'))
	return all[all.indexOf(card) - 1]
}

// sideways returns the next list to the left or right that fits, in the same lane.
function sideways(list, to, fits) {
	const all = listsIn(board).filter((other) => laneOf(other) === laneOf(list) && !other.closest('[data-folded]'))
	const step = to === 'left' ? -1 : 1
	for (let at = all.indexOf(list) + step; all[at]; at += step) if (fits(all[at])) return all[at]
}

function start() {
	const card = (last && cardOf(last)) ?? board.querySelector('.column .card')
	if (card) focus(card)
	else say('There are no cards.')
	return card
}

// go gives a card the focus. A ticket that is open beside the board makes room for the card's.
function go(card) {
	focus(card)
	if (openKey()) openCard(card, { step: true })
}

// active is the card with the focus, or that of the ticket beside the board.
const active = () => current() ?? (openKey() && cardOf(openKey()))

async function walk(to) {
	const card = active()
	if (!card) return start()
	if (to === 'left' || to === 'right') {
		row ??= cards(card.parentElement).indexOf(card)
		const list = sideways(card.parentElement, to, (other) => cards(other).length > 0)
		if (list) go(cards(list)[Math.min(row, cards(list).length - 1)])
		return
	}
	row = undefined
	const next = to === 'down' ? await below(card) : above(card)
	if (next && active() === card) go(next)
}

// Moving

function where(card) {
	const list = card.parentElement
	const column = columnOf(card)
	const all = cards(list)
	const at = all.indexOf(card)
	const counted = parseInt(column.querySelector('.count')?.textContent, 10) || 0
	const total = Math.max(all.length, counted + (column.dataset.column === lifted.from.column ? 0 : 1))
	const lane = list.closest('.lane')?.querySelector('h3').textContent.trim()
	const nth = list.dataset.above || lane ? '' : `, ${at + 1} of ${total}`
	return `${card.dataset.key} in ${nameOf(column)}${lane ? `, ${lane}` : ''}${nth}, ${all[at - 1] ? `below ${all[at - 1].dataset.key}` : 'at the top'}`
}

const bar = Object.assign(document.createElement('p'), { className: 'move-bar', ariaHidden: 'true' })
const strong = document.createElement('strong')
const hint = document.createElement('span')
hint.innerHTML = '<kbd>↑</kbd><kbd>↓</kbd><kbd>←</kbd><kbd>→</kbd> move · <kbd>Enter</kbd> drops · <kbd>Esc</kbd> puts back'
bar.append(strong, hint)

function announce(words = '') {
	const place = where(lifted.card)
	strong.textContent = place
	say(words ? `${words} ${place}.` : place)
}

function lift(card) {
	if (!card.querySelector('.move')) return say('This board is read only.')
	lifted = { card, from: place(card), release: hold() }
	card.classList.add('taken')
	document.body.append(bar)
	focus(card)
	announce('Arrows move the card, Enter drops it, Escape puts it back.')
}

function end() {
	const { card, from, release } = lifted
	card.classList.remove('taken')
	bar.remove()
	row = lifted = undefined
	release()
	return { card, from }
}

function drop() {
	const to = place(lifted.card)
	const { card, from } = end()
	if (same(to, from)) return say(`${card.dataset.key} stays where it was.`)
	move(card, from, to).then(() => {
		const there = current()
		if (there?.dataset.key === card.dataset.key) there.scrollIntoView({ block: 'nearest', inline: 'nearest' })
	})
}

function putBack(refocus = true) {
	put(lifted.card, lifted.from)
	const { card } = end()
	if (refocus) focus(card)
	say(`${card.dataset.key} is back in ${nameOf(columnOf(card))}.`)
}

// intoLane is a position in the lane above or below, if there is one.
const intoLane = (lane, after) => lane?.matches('.lane') ? { lane: lane.dataset.lane, after: after(lane) } : undefined

let shifting = false
async function shift(to) {
	const { card } = lifted
	const list = card.parentElement
	const column = columnOf(card)
	let target
	const top = column.querySelector('.cards').dataset.above
	if (to === 'down') {
		const all = cards(list)
		const next = all[all.indexOf(card) + 1] ?? (laneOf(list) === undefined && await below(card))
		if (next) target = { after: next.dataset.key }
		else target = intoLane(list.closest('.lane')?.nextElementSibling, () => top)
	} else if (to === 'up') {
		const all = cards(list)
		const at = all.indexOf(card)
		if (at > 0) target = { after: all[at - 2]?.dataset.key ?? top }
		else target = intoLane(list.closest('.lane')?.previousElementSibling, (lane) => cards(lane).at(-1)?.dataset.key ?? top)
	} else {
		row ??= cards(list).indexOf(card)
		const other = sideways(list, to, () => true)
		const after = other && cards(other)[Math.min(row, cards(other).length) - 1]
		const there = other && columnOf(other)
		if (other) target = { column: there.dataset.column, after: after?.dataset.key ?? there.querySelector('.cards').dataset.above }
	}
	if (lifted?.card !== card) return
	if (to === 'up' || to === 'down') row = undefined
	if (!target) return announce()
	shifting = true
	put(card, { column: column.dataset.column, ...target })
	focus(card)
	shifting = false
	announce()
}

function keyWhileMoving(event) {
	if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
	const to = direction(event)
	if (to) shift(to)
	else if (event.key === 'Enter' || event.key === ' ') drop()
	else if (event.key === 'Escape' || event.key === 'Tab') putBack()
	else if (event.key.length > 1) return
	event.preventDefault()
	event.stopPropagation()
}

// acts are the commands on a card: those of its menu, and a lift.
const acts = ['move', 'edit', 'assign', 'labels', 'priority', 'dates', 'menu', 'select']

function perform(command, card) {
	const chosen = selection()
	if (command === 'menu') openMenu(card)
	else if (command === 'select') toggle(card)
	else if (command === 'move' && !chosen.length) lift(card)
	else performOn(command, chosen.length ? chosen : [card])
}

function act(event) {
	const command = event.repeat ? undefined : commandOn(event)
	if (!acts.includes(command)) return false
	const card = current()
	const own = !['menu', 'select'].includes(command)
	if (own && openKey() && !selection().length && (!card || card.dataset.key === openKey())) return false // its own controls have the same keys
	if (active()) perform(command, active())
	else {
		const first = start()
		if (first) say(`${first.dataset.key}. Press ${event.key} again for this card.`)
	}
	return true
}

function key(event) {
	if (lifted) return keyWhileMoving(event)
	if (!free(event)) return
	const to = direction(event)
	// Arrows belong to the focused element, such as a row of links, unless that is a card or nothing.
	const ours = current() || document.activeElement === document.body || document.activeElement?.id === 'main'
	if (to && (ours || event.key.length === 1)) walk(to)
	else if (!act(event)) return
	event.preventDefault()
}

// Back on a board that was left by Enter on a card, that card has the focus again, or the one at its old position.
const left = `counterfoil.left ${document.body.dataset.account}`

function remember({ target, detail }) {
	const card = target.closest?.('#board .card')
	if (!card || detail !== 0 || !target.closest('a:first-child')) return
	sessionStorage.setItem(left, JSON.stringify({ at: boardAddress().pathname, keys: [card.dataset.key, ...neighbours(card).slice(0, 5)] }))
}

async function comeBack() {
	await restored
	const there = JSON.parse(sessionStorage.getItem(left) ?? 'null')
	if (there?.at !== location.pathname) return
	sessionStorage.removeItem(left)
	const card = there.keys.map(cardOf).find(Boolean)
	if (card && document.activeElement === document.body) focus(card)
}

if (board) {
	document.addEventListener('keydown', key, true)
	document.addEventListener('focusin', () => {
		const card = current()
		if (card && card.dataset.key !== last) {
			last = card.dataset.key
			row = undefined
		}
	})
	document.addEventListener('focusout', () => {
		if (lifted && !shifting) setTimeout(() => lifted && document.hasFocus() && !lifted.card.contains(document.activeElement) && putBack(false))
	})
	document.addEventListener('pointerdown', () => { if (lifted) putBack(false) }, true)
	document.addEventListener('click', remember)
	window.addEventListener('pageshow', comeBack)
}
