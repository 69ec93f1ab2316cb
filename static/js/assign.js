// The members to assign: Enter in the box takes the first that its text finds, once the answer to the whole text is
// there, and saves; without a text it saves. The arrows go through the list.
import htmx from '../vendor/htmx/htmx.min.js'
import { say } from './say.js'

const box = () => document.getElementById('assign-q')
const list = () => document.getElementById('people-found')

let wanted = false // Enter was pressed, and its answer is not there yet
let saving = false

function take() {
	if (!box()) return wanted = false
	const text = box().value.trim()
	const found = list()
	if (!found || found.dataset.find.trim() !== text) return // it is asked again when that comes
	wanted = false
	if (text) {
		const first = found.querySelector('[data-first] input')
		if (!first) return say(found.textContent)
		first.checked = true
	}
	setTimeout(save) // a form cannot be submitted while its own event of that is under way
}

function save() {
	saving = true
	box()?.form.requestSubmit()
	saving = false
}

document.addEventListener('submit', (event) => {
	if (saving || !box() || document.activeElement !== box() || event.target !== box().form) return
	event.preventDefault()
	event.stopImmediatePropagation()
	wanted = true
	take()
}, true)

document.addEventListener('keydown', (event) => {
	if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
	if (!['ArrowDown', 'ArrowUp'].includes(event.key) || !event.target.closest('#assign') || !list()) return
	const stops = [box(), ...list().querySelectorAll('input')]
	const at = stops.indexOf(event.target)
	if (at < 0) return
	event.preventDefault()
	stops[at + (event.key === 'ArrowDown' ? 1 : -1)]?.focus()
})

document.addEventListener('input', (event) => {
	if (event.isTrusted && event.target === box()) wanted = false
})

htmx.onLoad(() => setTimeout(() => { if (wanted) take() })) // once the page has what was typed before it came
