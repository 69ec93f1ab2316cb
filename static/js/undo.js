// Undo, by the button of a message or by ctrl+Z: on a board in place, elsewhere with a reload.
import htmx from '../vendor/htmx/htmx.min.js'
import { undo } from './board.js'
import { commandOf } from './keys.js'
import { ask, toast } from './say.js'

async function takeBack(form) {
	const target = document.getElementById(form.dataset.undo) // a comment on this page
	if (target) return htmx.ajax('POST', form.getAttribute('action'), { source: target, target, swap: 'outerHTML' })
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
	take(event.target)
})

// take is takeBack by the button of a message.
function take(form) {
	form.closest('.toast').remove()
	takeBack(form)
}

document.addEventListener('keydown', (event) => {
	if (event.shiftKey || event.isComposing || commandOf('everywhere', event) !== 'undo') return
	if (event.target.closest('input, textarea, select, [contenteditable]') || document.querySelector('dialog[open]')) return
	const form = document.getElementById('undo')
	if (!form) return
	event.preventDefault()
	const comment = document.querySelector('.toast [data-undo]:not([data-undo=""])')
	if (comment) take(comment)
	else takeBack(form)
})
