// A ticket is given another due date by a drag to another day of the calendar.
import '../vendor/sortable/Sortable.min.js'
import { ask, parse, reason, say, toast, toasts } from './say.js'

const calendar = () => document.getElementById('calendar')
const listsOf = (table) => table.querySelectorAll('ol[data-day]')
const dayName = (list) => list.closest('td').querySelector('time').textContent.replace(/\s+/g, ' ').trim()

let saved = Promise.resolve() // by the drops so far
let unsaved = 0

// drop saves the new day of a ticket after the drops before it. Nothing else is shown until all are saved.
function drop(item, from, before) {
	const to = item.parentNode
	unsaved++
	calendar().ariaBusy = 'true'
	saved = saved.then(() => save(item, to).catch((error) => {
		from.insertBefore(item, before?.parentNode === from ? before : null)
		toast(`${item.dataset.key} is back where it was. ${error.message}`, true)
	})).finally(() => { unsaved-- }).then(refresh).catch((error) => toast(error.message, true)).finally(() => {
		if (!unsaved) calendar().ariaBusy = null
	})
}

// save sends the new day of a ticket, with the time of day that it has.
async function save(item, to) {
	const { key, dates, due, start, typed, clock } = item.dataset
	const values = { due: `${to.dataset.day} ${clock}`.trim(), start: typed, seen_due: due, seen_start: start }
	const answer = await ask(dates, { values, target: 'dialog' })
	const refused = answer.querySelector('.error, #main .lead')
	if (refused) throw new Error(refused.textContent.trim())
	toasts(answer, { quiet: true })
	say(`${key} is due on ${dayName(to)}.`)
}

// refresh shows the calendar as it is now. While more is dragged or saved, only the dates that the next drop is to have seen.
async function refresh() {
	const answer = await fetch(location.href)
	const fresh = parse(await answer.text()).getElementById('calendar')
	if (!fresh) throw new Error(reason(answer.status))
	if (unsaved || document.querySelector('html.dragging')) return renew(fresh)
	calendar().replaceWith(fresh)
	arrange(fresh)
}

function renew(fresh) {
	for (const ticket of fresh.querySelectorAll('li[data-key]')) {
		const shown = calendar().querySelector(`li[data-key="${ticket.dataset.key}"]`)
		if (shown) Object.assign(shown.dataset, ticket.dataset)
	}
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
