// The jump box: its results follow the input; the arrows choose, Enter goes, or changes the tickets that were chosen before.
import Combobox from '../vendor/combobox-nav/index.js'
import { followed } from './follow-list.js'
import { ask, say } from './say.js'

// keys are those of the tickets to change: the selected ones of a board or a list, the one that is open, or that in focus.
function keys() {
	const board = document.querySelector('#board[data-batch]')
	if (board) {
		const one = board.querySelector('.card[data-open]') ?? document.activeElement.closest('#board .card')
		return joined(board.querySelectorAll('.card[data-selected]'), one, ({ dataset }) => dataset.key)
	}
	const picks = '[form=list-picks]'
	const row = document.activeElement.closest('tr')?.querySelector(picks)
	const picked = joined(document.querySelectorAll(`${picks}:checked`), row, ({ value }) => value)
	return picked || (location.pathname.match(/^\/[^/]+\/([A-Z][A-Z0-9]*-\d+)$/)?.[1] ?? '')
}

const joined = (selected, one, keyOf) => (selected.length || !one ? [...selected] : [one]).map(keyOf).join(' ')

export function follow(found) {
	const input = document.getElementById(found.dataset.follows)
	const { form } = input
	let box, timer
	let asked
	form.elements.keys.value = keys() // the dialog is about to take the focus
	look()

	async function look() {
		const query = input.value.trim()
		if (query === asked) return
		asked = query
		const answer = await ask(`${form.action}?${new URLSearchParams(new FormData(form))}`, { target: found.id }).catch(() => null)
		if (!answer || query !== asked || !found.isConnected) return
		box?.destroy()
		box = null
		found.replaceChildren(answer)
		if (!document.getElementById('board') && !followed()) {
			for (const form of found.querySelectorAll('[data-here]')) delete form.dataset.here // it comes back to this page
		}
		const list = found.querySelector('[role=listbox]')
		say(list?.dataset.count ?? found.querySelector('[data-nothing]')?.textContent ?? '')
		if (!list) return
		box = new Combobox(input, list, { tabInsertsSuggestions: false, firstOptionSelectionMode: query ? 'active' : 'none' })
		box.start()
	}
	// One Enter does one thing: the browser would also send the form after a choice.
	let chosen = 0
	found.addEventListener('combobox-commit', (event) => { chosen = event.timeStamp })
	form.addEventListener('submit', (event) => { if (chosen && event.timeStamp - chosen < 1000) event.preventDefault() })

	input.addEventListener('input', () => {
		// Enter follows the present input, never the results of an earlier one.
		box?.destroy()
		box = null
		asked = undefined
		clearTimeout(timer)
		timer = setTimeout(look, 120)
	})
}
