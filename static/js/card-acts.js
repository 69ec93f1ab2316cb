// What is done to cards, by keys, by the menu of a card, and by the bar of the selected ones: one card has its own
// forms, several share one.
import { act, move, place, refresh } from './board.js'
import { open, show } from './dialog.js'
import { openCard } from './panel.js'
import { ask, toast, toasts } from './say.js'

const board = document.getElementById('board')

// path is a page of a card, if the user may change it; the board has each with {key} for the key.
const path = (name, card) => board.dataset[name]?.replace('{key}', card.dataset.key)

// choose opens a form with a list, which takes what is typed before it comes.
const choose = (name, template, card) => open(path(name, card), {
	template,
	fill: (dialog) => { dialog.querySelector('.key').textContent = card.querySelector('.key').textContent },
})

async function copy(text) {
	try {
		await navigator.clipboard.writeText(text)
		toast('Copied.')
	} catch { // browsers do it over HTTPS alone
		toast(`Copy it from here: ${text}`)
	}
}

// forOne are the commands that a single card has other forms for, or that are for one alone.
const forOne = {
	open: (card) => openCard(card),
	edit: (card) => location.assign(path('edit', card)),
	assign: (card) => choose('assignees', 'assign-dialog', card),
	labels: (card) => choose('labels', 'labels-dialog', card),
	priority: (card) => open(path('priority', card), { title: `Priority of ${card.dataset.key}` }),
	dates: (card) => open(path('dates', card), { title: `Dates of ${card.dataset.key}` }),
	move: (card) => open(card.querySelector('.move').href, { title: `Move ${card.dataset.key}` }),
	top: (card) => move(card, place(card), { ...place(card), after: card.closest('.cards').dataset.above }),
}

const keysOf = (cards) => cards.map(({ dataset }) => dataset.key)

// forms are the commands that ask first.
const forms = ['assign', 'labels', 'priority', 'dates', 'move', 'delete']

// texts are the commands that any reader has.
const texts = {
	'copy-link': (cards) => copy(cards.map((card) => card.querySelector('a').href).join('\n')),
	'copy-key': (cards) => copy(keysOf(cards).join(' ')),
}

// send changes cards without a form, and shows the board as it is then.
async function send(kind, cards, values = {}) {
	const done = act()
	try {
		const answer = await ask(board.dataset.batch, { values: { do: kind, keys: keysOf(cards).join(' '), ...values }, target: 'dialog' })
		const rejected = answer.querySelector('#batch')
		if (rejected) return show(rejected)
		await refresh()
		toasts(answer)
	} catch (error) {
		toast(error.message, true)
	} finally {
		done()
	}
}

// closed reports whether a card's ticket is closed.
export const closed = (card) => card.matches('.closed') || card.closest('.column').matches('.done')

// may reports whether the user may do more here than read.
export const may = () => 'batch' in board.dataset

// perform does what a command says to cards.
export function perform(command, cards) {
	if (!cards.length) return
	if (texts[command]) return texts[command](cards)
	if (command === 'open') return forOne.open(cards[0])
	if (!may()) return toast('This board is read only.')
	if (cards.length === 1 && forOne[command]) return forOne[command](cards[0])
	if (forms.includes(command)) return open(`${board.dataset.batch}?${new URLSearchParams({ do: command, keys: keysOf(cards).join(' ') })}`, { title: `${cards.length} tickets` })
	if (command === 'top' || command === 'bottom') return send('move', cards, { place: command })
	if (command === 'close') return send(cards.every(closed) ? 'reopen' : 'close', cards)
}
