// A ticket is given another due date by a drag to another day of the calendar.
import '../vendor/sortable/Sortable.min.js'
import { ask, parse, reason, say, toast, toasts } from './say.js'

const calendar = () => document.getElementById('calendar')
const listsOf = (table) => table.querySelectorAll('ol[data-day]')
const dayName = (list) => list.closest('td').querySelector('time').textContent.replace(/\s+/g, ' ').trim()

// drop sends the new day of a ticket, with the time of day that it has. If that is refused, the ticket goes back.
async function drop(item, from, before) {
	const { key, dates, due, start, typed, clock } = item.dataset
	const to = item.parentNode
	calendar().ariaBusy = 'true' // nothing else is shown until this is saved
	try {
		const values = { due: `${to.dataset.day} ${clock}`.trim(), start: typed, seen_due: due, seen_start: start }
		const answer = await ask(dates, { values, target: 'dialog' })
		const refused = answer.querySelector('.error, #main .lead')
		if (refused) throw new Error(refused.textContent.trim())
		toasts(answer, { quiet: true })
		say(`${key} is due on ${dayName(to)}.`)
	} catch (error) {
		from.insertBefore(item, before)
		calendar().ariaBusy = null
		return toast(`${key} is back where it was. ${error.message}`, true)
	}
	await refresh().catch((error) => toast(error.message, true))
	calendar().ariaBusy = null
}

// refresh shows the calendar as it is now.
async function refresh() {
	const answer = await fetch(location.href)
	const fresh = parse(await answer.text()).getElementById('calendar')
	if (!fresh) throw new Error(reason(answer.status))
	calendar().replaceWith(fresh)
	arrange(fresh)
}

// arrange lets tickets be dragged between the lists of days, also those that came since.
function arrange(table) {
	let before
	for (const list of listsOf(table)) {
		if (window.Sortable.get(list)) continue
		new window.Sortable(list, {
			group: 'calendar',
			sort: false,
			draggable: 'li[data-dates]',
			forceFallback: true, // as for cards
			fallbackOnBody: true,
			fallbackTolerance: 4,
			delay: 200,
			delayOnTouchOnly: true,
			ghostClass: 'gap',
			dragClass: 'lifted',
			onStart({ item }) {
				before = item.nextSibling
				document.documentElement.classList.add('dragging')
			},
			onEnd({ item, from, to }) {
				document.documentElement.classList.remove('dragging')
				if (from !== to) drop(item, from, before)
			},
		})
	}
}

const arrangeNow = () => calendar()?.matches('[data-calendar]') && arrange(calendar())
arrangeNow()
document.addEventListener('live', arrangeNow) // see follow-list.js
