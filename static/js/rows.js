// The rows of a list: j and k move the focus from ticket to ticket, x selects one, a click with Shift all from the last one on;
// other keys open the form that changes the ticket, or all selected ones.
import { open } from './dialog.js'
import { commandOf, free } from './keys.js'
import { say } from './say.js'
import { step } from './step.js'

const list = () => document.querySelector('#listed table')
const rows = () => [...list().querySelectorAll('tr:has(> th[scope=row] > a)')]
const current = () => document.activeElement?.closest('#listed tr')
const boxes = () => [...list().querySelectorAll('[name=keys]')]
const boxIn = (row) => row?.querySelector('[name=keys]')

let last // the checkbox that was pressed last

function announce(box) {
	const n = boxes().filter(({ checked }) => checked).length
	say(`${box.value} ${box.checked ? 'selected' : 'not selected'}, ${n} in all.`)
}

const commands = {
	next: () => step(rows(), current(), 1, 'th > a'),
	previous: () => step(rows(), current(), -1, 'th > a'),
	pick() {
		const box = boxIn(current())
		box?.click()
		if (box) announce(box)
	},
}

// forms are the pages of a ticket that change it; all but the title is changed of several, too.
const forms = { edit: 'title', move: 'position', assign: 'assignees', priority: 'priority', dates: 'dates', labels: 'labels' }
for (const [command, page] of Object.entries(forms)) {
	commands[command] = () => {
		const row = current()
		if (page !== 'title' && boxes().some(({ checked }) => checked)) return changeSelected(command)
		if (row?.querySelector('.rename')) open(`${row.querySelector('th > a').href}/${page}`, { title: boxIn(row).value })
	}
}

function changeSelected(kind) {
	const picks = document.getElementById('list-picks')
	picks.querySelector('[name=do]').value = kind
	picks.requestSubmit(picks.querySelector('button:not([name])'))
}

document.addEventListener('keydown', (event) => {
	const does = free(event) && !event.shiftKey && list() && commands[commandOf('list', event)]
	if (!does) return
	event.preventDefault()
	does()
})

document.addEventListener('mousedown', (event) => { // Shift would select text
	if (event.shiftKey && event.target.closest('#listed .pick')) event.preventDefault()
})
document.addEventListener('click', ({ target, shiftKey }) => {
	if (!target.matches?.('#listed [name=keys]')) return
	const all = boxes()
	const from = all.indexOf(last)
	last = target
	if (!shiftKey || from < 0) return
	const [a, b] = [from, all.indexOf(target)].sort((x, y) => x - y)
	for (const box of all.slice(a, b + 1)) box.checked = target.checked
	announce(target)
})
