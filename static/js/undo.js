// Undo, by the button of a message or by ctrl+Z: on a board in place, elsewhere with a reload.
import { undo } from './board.js'
import { ask, toast } from './say.js'

async function takeBack(form) {
	const values = new FormData(form)
	if (document.getElementById('board')) return undo(form.action, values)
	values.set('next', location.pathname + location.search)
	try {
		await ask(form.action, { values, target: 'undo' })
	} catch (error) {
		toast(error.message, true)
	}
}

document.addEventListener('submit', (event) => {
	if (!event.target.matches('[data-undo]')) return
	event.preventDefault()
	event.target.closest('.toast').remove()
	takeBack(event.target)
})

document.addEventListener('keydown', (event) => {
	if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.isComposing || event.key.toLowerCase() !== 'z') return
	if (event.target.closest('input, textarea, select, [contenteditable]') || document.querySelector('dialog[open]')) return
	const form = document.getElementById('undo')
	if (!form) return
	event.preventDefault()
	takeBack(form)
})
