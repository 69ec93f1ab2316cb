import htmx from '../vendor/htmx/htmx.min.js'
import { act, moveByForm, refresh, showColumns } from './board.js'
import { close, newNonce, show } from './dialog.js'
import { keepAll, taken } from './drafts.js'
import { changes } from './fields.js'
import { followed, showNow } from './follow-list.js'
import { commandOf } from './keys.js'
import { ask, reason, toast, toasts } from './say.js'

document.addEventListener('submit', (event) => {
	const form = event.target
	if (event.defaultPrevented || event.submitter?.formMethod === 'get') return
	if (form.matches('[data-again]')) {
		event.preventDefault()
		again(form)
	} else if (form.matches('[data-move]') && moveByForm(form)) {
		event.preventDefault()
		close()
	} else if (form.matches(followed() ? '[data-here], #dialog [data-move]' : '[data-here]')) {
		event.preventDefault()
		here(form, event.submitter)
	} else if (!form.matches('[hx-post], [method=dialog], [data-undo]')) {
		if (form.ariaBusy) event.preventDefault() // a double click sends once
		form.ariaBusy = 'true'
	}
})
window.addEventListener('pageshow', () => {
	for (const form of document.forms) form.ariaBusy = null
})

// A form about a card or a ticket, on its board or list: the result shows there. A rejected form has its id, or the one
// that data-here says.
async function here(form, button) {
	if (form.ariaBusy) return
	form.ariaBusy = 'true'
	const done = act()
	try {
		const answer = await ask(form.action, { values: new FormData(form, button), target: 'dialog' })
		const rejected = answer.querySelector(`#${form.dataset.here || form.id}`)
		if (rejected) return show(rejected)
		const words = `${document.getElementById('dialog-title').textContent.replace(/\s+/g, ' ').trim()}: saved.`
		close()
		await (followed() ? showNow() : refresh())
		if (answer.querySelector('#flash > .toast')) toasts(answer)
		else toast(words)
	} catch (error) {
		toast(error.message, true)
	} finally {
		form.ariaBusy = null
		done()
	}
}

// A form that opens tickets one after the other is free for the next title at once; the tickets are sent in order.
let line = Promise.resolve()

function again(form) {
	const values = new FormData(form)
	const { action } = form
	const column = form.closest('.column')
	const texts = [...form.querySelectorAll('[name=title], [name=description]')]
	for (const text of texts) text.value = ''
	form.elements.nonce.value = newNonce() // the next title is another ticket
	form.elements.title.focus()
	const done = act()

	line = line.then(() => create(form, action, values, column))
		.then((answer) => answer && showColumns(answer))
		.catch((error) => setTimeout(() => { throw error })) // the ticket is there: the next one is sent
		.finally(done)
}

// create sends a new ticket and returns the response, or nothing if it was not created.
async function create(form, action, values, column) {
	try {
		const answer = await ask(action, { values, target: column?.id ?? 'dialog' })
		if (!answer.querySelector('[aria-invalid=true], .summary, .error')) taken(form, Object.fromEntries(values))
		if (!column) next(answer)
		else if (!answer.querySelector('.column')) throw new Error(answer.querySelector('.error')?.textContent ?? reason(400))
		return answer
	} catch (error) {
		giveBack(column?.id, action, values)
		toast(`“${values.get('title')}” was not created. ${error.message}`, true)
	}
}

// next renews the dialog's form, and keeps new input.
function next(answer) {
	const form = answer.querySelector('form')
	const made = answer.querySelector('.created')
	const old = document.querySelector('#dialog form[data-again]')
	if (made && !old) {
		toast(made.textContent)
		return
	}
	form.dataset.goesOn = ''
	if (made) {
		for (const name of ['column', 'priority', 'due', 'labels', 'assignees']) form.elements[name].value = old.elements[name].value
		for (const name of ['title', 'description']) form.elements[name].value = old.elements[name].value || form.elements[name].value // of its template
	}
	const focused = old?.contains(document.activeElement) ? document.activeElement.id : null
	const fragment = document.createDocumentFragment()
	fragment.append(...[...answer.children].filter((node) => !node.matches('.column')))
	show(fragment)
	if (focused) document.getElementById(focused)?.focus()
}

// giveBack returns a rejected title to its form, unless there is new input.
function giveBack(column, action, values) {
	const form = column ? document.querySelector(`#${column} form[data-again]`) : document.querySelector('#dialog form[data-again]')
	if (form && !form.elements.title.value) form.elements.nonce.value = values.get('nonce') // it may have been opened
	for (const name of ['title', 'description']) {
		const text = form?.elements[name]
		if (text && !text.value) text.value = values.get(name)
	}
}

document.addEventListener('click', ({ target }) => {
	const add = target.closest('.add summary')?.parentElement
	if (add) setTimeout(() => add.open && add.querySelector('[name=title]').focus())
})

document.addEventListener('keydown', (event) => {
	if (event.isComposing) return
	const form = event.target.closest('form')
	if (commandOf('form', event) === 'save' && form?.method === 'post' && event.target.matches('input, select, textarea, [role=tab], [role=tabpanel]')) {
		event.preventDefault() // Enter in a line of text would send it once more
		form.requestSubmit(form.querySelector('button.primary:not([name=overwrite])'))
	}
	if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('dialog[open]')) leave(form)
	if (event.key === 'Escape' && event.target.closest('.add')) {
		const add = event.target.closest('.add')
		add.open = false
		add.querySelector('summary').focus()
	}
})

// leave leaves an edit by its Cancel link. Changed text stays as a draft.
function leave(form) {
	const cancel = form?.matches('[data-draft]') && form.querySelector('a[data-draft-drop]')
	if (!cancel) return
	const changed = changes(form).length > 0
	if (changed) delete cancel.dataset.draftDrop
	keepAll()
	cancel.click()
	if (changed) toast('Not saved. Your text is kept as a draft.')
}

// The caret of an edit is at the end of its text.
htmx.onLoad((root) => {
	const field = [...root.querySelectorAll('form[data-draft=edit] [autofocus], form[data-draft=comment] [autofocus]')].at(-1)
	if (!field?.setSelectionRange) return
	field.focus()
	field.setSelectionRange(field.value.length, field.value.length)
})

// The short name follows the company's until the user types one.
for (const slug of document.querySelectorAll('[data-slug-of]')) {
	const name = document.getElementById(slug.dataset.slugOf)
	let own = slug.value !== ''
	slug.addEventListener('input', () => { own = slug.value !== '' })
	name.addEventListener('input', () => {
		if (!own) slug.value = name.value.toLowerCase().replaceAll('ß', 'ss').normalize('NFD').replace(/\p{Mn}+/gu, '').replace(/[^a-z0-9]+/g, '-').replace(/^[^a-z]+|-+$/g, '').slice(0, 40)
	})
}
