// A ticket is given another due date by a drag to another day of the calendar, at the time of day that it has.
import { dragged, sent } from './drops.js'

const dayName = (list) => list.closest('td').querySelector('time').textContent.replace(/\s+/g, ' ').trim()

dragged('calendar', {
	lists: 'ol[data-day]',
	items: 'li[data-dates]',
	async save({ dataset: { key, dates, due, start, typed, clock } }, from, to) {
		await sent(dates, { due: `${to.dataset.day} ${clock}`.trim(), start: typed, seen_due: due, seen_start: start }, { quiet: true })
		return `${key} is due on ${dayName(to)}.`
	},
})
