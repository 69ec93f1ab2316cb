// The menu of a card: by a right click, by its key, or by the handle on a touch screen. On a selected card it is that of
// all selected ones.
import { closed, may, perform } from './card-acts.js'
import { commandOf } from './keys.js'
import { selection, toggle } from './select.js'

const board = document.querySelector('#board[data-board]')

let menu
let subjects = []
let from // the element that had the focus

const items = () => [...menu.querySelectorAll('[role=menuitem]:not([hidden])')]

// openMenu opens the menu of a card at a point of the window, or at the card.
export function openMenu(card, point) {
	const chosen = selection()
	subjects = chosen.includes(card) ? chosen : [card]
	const several = subjects.length > 1
	from = card.querySelector('a')
	menu.querySelector('.of').textContent = several ? `${subjects.length} tickets` : card.dataset.key
	menu.ariaLabel = menu.querySelector('.of').textContent
	for (const item of menu.querySelectorAll('[role=menuitem]')) {
		item.hidden = ('one' in item.dataset && several) || ('write' in item.dataset && !may())
	}
	menu.querySelector('[data-does=close] span').textContent = subjects.every(closed) ? 'Reopen' : 'Close'
	menu.querySelector('[data-does=select] span').textContent = 'selected' in card.dataset ? 'Deselect' : 'Select'
	menu.showPopover()
	put(point ?? { x: card.getBoundingClientRect().left + 24, y: card.getBoundingClientRect().top + 24 })
	items()[0].focus()
}

// put shows the menu at a point, as far as there is room.
function put({ x, y }) {
	const { width, height } = menu.getBoundingClientRect()
	menu.style.left = `${Math.max(4, Math.min(x, innerWidth - width - 4))}px`
	menu.style.top = `${Math.max(4, Math.min(y, innerHeight - height - 4))}px`
}

function close() {
	menu.hidePopover()
	if (document.activeElement === document.body || menu.contains(document.activeElement)) from?.focus({ preventScroll: true })
}

function choose(does) {
	close()
	if (does === 'select') toggle(subjects[0])
	else perform(does, subjects.filter((card) => card.isConnected))
}

function key(event) {
	const all = items()
	const at = all.indexOf(document.activeElement)
	const to = { ArrowDown: all[at + 1] ?? all[0], ArrowUp: all.at(at - 1), Home: all[0], End: all.at(-1) }[event.key]
	const does = event.ctrlKey || event.altKey || event.metaKey ? undefined : commandOf('board', event)
	const item = all.find(({ dataset }) => dataset.does === does)
	if (to) to.focus()
	else if (event.key === 'Tab') close()
	else if (item && event.key !== 'Enter') choose(does)
	else return
	event.preventDefault()
	event.stopPropagation()
}

function start() {
	menu = document.getElementById('card-tools').content.querySelector('#card-menu').cloneNode(true)
	document.body.append(menu)
	menu.addEventListener('keydown', key)
	menu.addEventListener('click', ({ target }) => {
		const item = target.closest('[role=menuitem]')
		if (item) choose(item.dataset.does)
	})
	menu.addEventListener('contextmenu', (event) => event.preventDefault())
	board.addEventListener('contextmenu', (event) => {
		const card = event.target.closest('.card')
		if (!card || event.shiftKey || document.documentElement.matches('.dragging')) return
		event.preventDefault()
		openMenu(card, event.detail === 0 && !event.clientX ? undefined : { x: event.clientX, y: event.clientY })
	})
	// A finger cannot click with the right button: the handle opens the menu, which has the form of the move.
	board.addEventListener('click', (event) => {
		const handle = event.pointerType === 'touch' && event.target.closest('.move')
		if (!handle) return
		event.preventDefault()
		event.stopPropagation()
		openMenu(handle.closest('.card'), { x: event.clientX, y: event.clientY })
	}, true)
}

if (board && document.getElementById('card-tools')) start()
