// A ticket is given another due date by a drag to another day of the calendar, or by keys, at the time of day that it has.
import { open } from './dialog.js'
import { dragged, sent } from './drops.js'
import { commandOf, free } from './keys.js'
import { toast } from './say.js'
import { step } from './step.js'

const calendar = () => document.getElementById('calendar')
const tickets = () => [...calendar().querySelectorAll('li[data-key]')]
const days = () => [...calendar().querySelectorAll('ol[data-day]')]
const current = () => document.activeElement?.closest('#calendar li[data-key]')
const dayName = (list) => list.closest('td').querySelector('time').textContent.replace(/\s+/g, ' ').trim()

const carry = dragged('calendar', {
	lists: 'ol[data-day]',
	items: 'li[data-dates]',
	async save({ dataset: { key, dates, due, start, typed, clock } }, from, to) {
		await sent(dates, { due: `${to.dataset.day} ${clock}`.trim(), start: typed, seen_due: due, seen_start: start }, { quiet: true })
		return `${key} is due on ${dayName(to)}.`
	},
})

// moveBy moves the ticket that has the focus to another day, if the user may change it.
function moveBy(n) {
	const ticket = current()
	if (!ticket?.matches('[data-dates]')) return
	const all = days()
	const to = all[all.indexOf(ticket.parentNode) + n]
	if (!to) return toast('That day is on another page. Press d to type the date.')
	carry(ticket, to)
	ticket.querySelector('a').focus()
}

const commands = {
	next: () => step(tickets(), current(), 1, 'a'),
	previous: () => step(tickets(), current(), -1, 'a'),
	earlier: () => moveBy(-1),
	later: () => moveBy(1),
	'week-earlier': () => moveBy(-7),
	'week-later': () => moveBy(7),
	dates() {
		const { dates, key } = current()?.dataset ?? {}
		if (dates) open(dates, { title: `Dates of ${key}` })
	},
}

document.addEventListener('keydown', (event) => {
	const does = free(event) && calendar() && commands[commandOf('calendar', event)]
	if (!does) return
	event.preventDefault()
	does()
})
