// The one dialog: links with data-dialog, and a card's move link, open in it.
import htmx from '../vendor/htmx/htmx.min.js'
import { pressed } from './keys.js'
import { ask, toast } from './say.js'

const dialog = document.getElementById('dialog')
const body = document.getElementById('dialog-body')

export const close = () => dialog.close()

// show puts nodes into the dialog.
export function show(content) {
	body.replaceChildren(content)
	for (const form of body.querySelectorAll('form[hx-target^="#"]')) {
		if (document.querySelector(form.getAttribute('hx-target'))) continue
		form.removeAttribute('hx-post') // on a board there is no ticket for the response
		form.dataset.here = ''
	}
	htmx.process(body)
	htmx.trigger(body, 'htmx:load', { elt: body })
	if (!dialog.open) dialog.showModal()
	body.querySelector('[autofocus]')?.focus()
}

document.addEventListener('click', async (event) => {
	const link = event.target.closest('a[data-dialog], a.move')
	if (!link || !pressed(event)) return
	event.preventDefault()
	if (link.ariaBusy) return
	link.ariaBusy = 'true'
	await open(link.href)
	link.ariaBusy = null
})

// open shows the page at a path in the dialog, unless another is open.
export async function open(path) {
	if (dialog.open) return
	try {
		show(await ask(path, { target: 'dialog' }))
	} catch (error) {
		toast(error.message, true)
	}
}

dialog.addEventListener('close', () => {
	document.dispatchEvent(new Event('visibilitychange')) // keeps drafts before the input goes
	body.replaceChildren()
})

// A click beside the dialog closes it, but not one that began inside, as when text is selected.
let outside = false
dialog.addEventListener('pointerdown', (event) => { outside = event.target === dialog })
dialog.addEventListener('click', (event) => { if (outside && event.target === dialog) dialog.close() })

// A form in the dialog whose response goes to the page behind it closes the dialog on success.
htmx.on('htmx:afterRequest', ({ target, detail }) => {
	if (target.matches?.('[data-closes]') && detail.requestConfig?.verb === 'post' && detail.xhr.status < 300) close()
})
