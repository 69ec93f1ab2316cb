// Selected cards, by x, by a click with Shift, or on a touch screen by the menu and then by taps; the bar at the foot
// changes all of them.
import { cardOf } from './board.js'
import { closed, may, perform } from './card-acts.js'
import { isField } from './keys.js'
import { cardsOf } from './lanes.js'
import { say, toast } from './say.js'

const board = document.querySelector('#board[data-board]')
const most = 100
const chosen = new Set() // keys
let last // the key that was selected last

const cards = () => cardsOf(board)

// selection are the selected cards, in the order of the board.
export const selection = () => (chosen.size ? cards().filter(({ dataset }) => chosen.has(dataset.key)) : [])

// toggle selects a card, or takes it out.
export function toggle(card) {
	if (!may()) return say('This board is read only.')
	const { key } = card.dataset
	if (!chosen.delete(key)) add([card])
	last = key
	show()
	say(`${key} ${chosen.has(key) ? 'selected' : 'not selected'}, ${chosen.size} in all.`)
}

function add(more) {
	for (const { dataset: { key } } of more) {
		if (chosen.size === most && !chosen.has(key)) return toast(`Up to ${most} cards are selected together.`, true)
		chosen.add(key)
	}
}

// extend selects from the last card to another one of its column; in another column, only that.
function extend(card) {
	const from = last && chosen.has(last) && cardOf(last)
	if (!from || from.closest('.column') !== card.closest('.column')) return toggle(card)
	const list = cardsOf(card.closest('.column'))
	const [a, b] = [list.indexOf(from), list.indexOf(card)].sort((x, y) => x - y)
	add(list.slice(a, b + 1))
	show()
	say(`${chosen.size} cards selected.`)
}

export function clear() {
	chosen.clear()
	last = undefined
	show()
}

let bar

// show marks the selected cards; one that has left the page is selected no more.
function show() {
	const there = new Set()
	for (const card of cards()) {
		const is = chosen.has(card.dataset.key)
		if (is) there.add(card.dataset.key)
		if (is === 'selected' in card.dataset) continue
		const link = card.querySelector('a')
		if (is) {
			card.dataset.selected = ''
			link.setAttribute('aria-description', 'Selected')
		} else {
			delete card.dataset.selected
			link.removeAttribute('aria-description')
		}
	}
	for (const key of chosen) if (!there.has(key)) chosen.delete(key)
	bar.hidden = !chosen.size
	document.documentElement.classList.toggle('selecting', chosen.size > 0)
	bar.querySelector('[data-count]').textContent = `${chosen.size} selected`
	bar.querySelector('[data-does=close] span').textContent = chosen.size && selection().every(closed) ? 'Reopen' : 'Close'
}

function start() {
	bar = document.getElementById('card-tools').content.querySelector('#selection').cloneNode(true)
	document.body.append(bar)
	bar.addEventListener('click', ({ target }) => {
		const does = target.closest('[data-does]')?.dataset.does
		if (does === 'clear') clear()
		else if (does) perform(does, selection())
	})
	document.addEventListener('click', (event) => {
		const card = event.target.closest('#board .card')
		const mod = event.ctrlKey || event.metaKey || event.altKey
		const tap = event.pointerType === 'touch' && chosen.size > 0 && !event.target.closest('.move')
		if (!card || event.button || mod || event.defaultPrevented || !(event.shiftKey || tap)) return
		event.preventDefault()
		event.stopPropagation()
		if (event.shiftKey) extend(card)
		else toggle(card)
	}, true)
	document.addEventListener('mousedown', (event) => { // Shift would select text
		if (event.shiftKey && event.target.closest('#board .card')) event.preventDefault()
	})
	document.addEventListener('keydown', (event) => {
		if (event.key !== 'Escape' || !chosen.size || event.defaultPrevented || isField(event.target)) return
		if (document.querySelector('dialog[open], #panel, :popover-open')) return
		event.preventDefault()
		clear()
	})
	// Cards come anew with each change; the selection stays with its tickets.
	let due = false
	new MutationObserver(() => {
		if (!chosen.size || due) return
		due = true
		queueMicrotask(() => {
			due = false
			show()
		})
	}).observe(board, { childList: true, subtree: true })
}

if (board && document.getElementById('card-tools')) start()
