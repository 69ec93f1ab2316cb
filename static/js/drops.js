// Tickets that are dragged between lists of a page: a drop is saved after those before it. Until all are saved nothing else is
// shown; then the page's part with the lists is shown as it is.
import '../vendor/sortable/Sortable.min.js'
import { morph } from './morph.js'
import { ask, parse, reason, say, toast, toasts } from './say.js'

// dragged lets tickets that match items be dragged between the lists of the element with an id, also those that come later.
// save(item, from, to) sends a drop, or throws why it is refused, and returns what to announce, if anything. It returns what drops
// an item in a list without a drag.
export function dragged(id, { lists, items, save }) {
	const root = () => document.getElementById(id)
	let saved = Promise.resolve() // by the drops so far
	let unsaved = 0

	function drop(item, from, before) {
		const to = item.parentNode
		unsaved++
		root().ariaBusy = 'true'
		saved = saved.then(() => save(item, from, to)).then((text) => text && say(text), (error) => {
			from.insertBefore(item, before?.parentNode === from ? before : null)
			toast(`${item.dataset.key} is back where it was. ${error.message}`, true)
		}).finally(() => { unsaved-- }).then(refresh).catch((error) => toast(error.message, true)).finally(() => {
			if (!unsaved) root().ariaBusy = null
		})
	}

	// refresh shows the lists as they are now. While more is dragged or saved, only what the next drop is to have seen.
	async function refresh() {
		const answer = await fetch(location.href)
		const fresh = parse(await answer.text()).getElementById(id)
		if (!fresh) throw new Error(reason(answer.status))
		if (unsaved || document.querySelector('html.dragging')) return renew(fresh)
		morph(root(), fresh)
		arrange()
	}

	function renew(fresh) {
		for (const ticket of fresh.querySelectorAll('li[data-key]')) {
			const shown = root().querySelector(`li[data-key="${ticket.dataset.key}"]`)
			if (shown) Object.assign(shown.dataset, ticket.dataset)
		}
	}

	function arrange() {
		let before
		for (const list of root()?.querySelectorAll(lists) ?? []) {
			if (window.Sortable.get(list)) continue
			new window.Sortable(list, {
				group: id,
				sort: false,
				draggable: items,
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

	arrange()
	document.addEventListener('live', arrange) // see follow-list.js
	return (item, to) => {
		const { parentNode: from, nextSibling: before } = item
		to.append(item)
		drop(item, from, before)
	}
}

// sent posts what a drop changes, shows the messages of the response, aloud unless quiet, and throws what it says is wrong.
export async function sent(url, values, { quiet = false } = {}) {
	const answer = await ask(url, { values, target: 'dialog' })
	const refused = answer.querySelector('.error') ?? answer.querySelector('.summary li, #main .lead')
	if (refused) throw new Error(refused.textContent.replace(/\s+/g, ' ').trim())
	toasts(answer, { quiet })
}
