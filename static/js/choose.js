// Forms that choose from a list: members to assign (one), labels of a ticket (several). Enter in the box takes the first
// that its text finds, once the answer to the whole text is there. With one it saves then; with several the box is empty
// again, and without a text Enter saves. The arrows go through the list.
import htmx from '../vendor/htmx/htmx.min.js'
import { say } from './say.js'

const form = () => document.querySelector('form[data-choose]')
const box = () => form()?.querySelector('[name=q]')
const list = () => form()?.querySelector('[data-find]')

let wanted = false // Enter was pressed, and its answer is not there yet
let saving = false

function take() {
	if (!box()) return wanted = false
	const text = box().value.trim()
	const found = list()
	if (!found || found.dataset.find.trim() !== text) return // it is asked again when that comes
	wanted = false
	if (text && !check(found)) return
	if (text && form().dataset.choose === 'several') return next()
	setTimeout(save) // a form cannot be submitted while its own event of that is under way
}

// check takes the first that was found, and reports whether there is one.
function check(found) {
	const first = found.querySelector('[data-first] input')
	if (!first) {
		say(found.textContent)
		return false
	}
	first.checked = true
	if (form().dataset.choose === 'several') say(`${first.closest('label').textContent.trim()} is chosen.`)
	return true
}

// next empties the box for another one.
function next() {
	box().value = ''
	box().dispatchEvent(new Event('input', { bubbles: true }))
}

function save() {
	saving = true
	form()?.requestSubmit()
	saving = false
}

document.addEventListener('submit', (event) => {
	if (saving || !box() || document.activeElement !== box() || event.target !== form()) return
	event.preventDefault()
	event.stopImmediatePropagation()
	wanted = true
	take()
}, true)

document.addEventListener('keydown', (event) => {
	if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
	if (!['ArrowDown', 'ArrowUp'].includes(event.key) || !event.target.closest('[data-choose]') || !list()) return
	const stops = [box(), ...list().querySelectorAll('input:not([type=hidden])')]
	const at = stops.indexOf(event.target)
	if (at < 0) return
	event.preventDefault()
	stops[at + (event.key === 'ArrowDown' ? 1 : -1)]?.focus()
})

document.addEventListener('input', (event) => {
	if (event.isTrusted && event.target === box()) wanted = false
})

// After a tick, a list under way is dropped: it would undo the tick.
document.addEventListener('change', ({ target }) => {
	if (target.type === 'checkbox' && target.closest('[data-choose]')) htmx.trigger(box(), 'htmx:abort')
})

htmx.onLoad(() => setTimeout(() => { if (wanted) take() })) // once the page has what was typed before it came
