// The one dialog: links with data-dialog, whose value is the id of a template if they have one, and a card's move link
// open in it.
import htmx from '../vendor/htmx/htmx.min.js'
import { changes } from './fields.js'
import { pressed } from './keys.js'
import { ask, toast } from './say.js'

const dialog = document.getElementById('dialog')
const body = document.getElementById('dialog-body')

export const close = () => dialog.close()

// show puts nodes into the dialog.
export function show(content) {
	body.replaceChildren(content)
	for (const form of body.querySelectorAll('form[hx-target^="#"]')) {
		const there = document.querySelector(form.getAttribute('hx-target'))
		const from = there?.dataset.from
		if (there && (!from || new URL(form.action).pathname.startsWith(`${from}/`))) continue
		form.removeAttribute('hx-post') // on a board there is no ticket for the response, or another one
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
	open(link.href, { template: link.dataset.dialog, title: titleOf(link), fill: nameOf(link) })
})

// open shows the page at a path in the dialog, unless another is open. The dialog opens in the same task, so the next
// key is its own: with a template of the page, or with a title until the page comes. A template with data-whole needs
// nothing else; others are replaced by the page, which gets what was typed meanwhile.
export async function open(path, { template, title = '', fill } = {}) {
	if (dialog.open) return
	dropKey()
	const source = document.getElementById(template)
	show(source ? source.content.cloneNode(true) : loading(title))
	fill?.(body)
	for (const nonce of body.querySelectorAll('[name=nonce]')) nonce.value = newNonce()
	if (source && 'whole' in source.dataset) return
	const first = body.firstElementChild
	const here = () => dialog.open && body.firstElementChild === first
	try {
		const page = await ask(path, { target: 'dialog' })
		await composed()
		if (here()) replace(page)
	} catch (error) {
		if (here() && !source) close()
		toast(error.message, true)
	}
}

// A key that opens the dialog, or leads to a field, is none of its text: what it would insert or send is dropped, until
// the next key.
export const dropKey = () => { own = pressing }
let pressing = false // within the task of a key
let own = false
document.addEventListener('keydown', () => {
	own = false
	pressing = true
	setTimeout(() => { pressing = false })
}, true)
document.addEventListener('keyup', () => { own = false }, true)
document.addEventListener('beforeinput', (event) => { if (own && event.inputType === 'insertText') event.preventDefault() }, true)
document.addEventListener('keypress', (event) => { if (own && event.key === 'Enter') event.preventDefault() }, true)

// nameOf fills the key of a ticket beside its board into a template of the board.
function nameOf(link) {
	const key = link.closest('.panel')?.querySelector('.ticket-head .key')?.textContent
	return key && ((content) => {
		const place = content.querySelector('.key')
		if (place && !place.textContent) place.textContent = key
	})
}

// titleOf is the text of a link without its key.
function titleOf(link) {
	if (link.ariaLabel) return link.ariaLabel
	const copy = link.cloneNode(true)
	copy.querySelectorAll('kbd').forEach((key) => key.remove())
	return copy.textContent
}

// loading is the dialog until its page comes.
function loading(title) {
	const heading = Object.assign(document.createElement('h2'), { id: 'dialog-title', tabIndex: -1, textContent: title.trim() })
	heading.setAttribute('autofocus', '')
	const hint = Object.assign(document.createElement('p'), { className: 'hint', textContent: 'Loading…' })
	const both = document.createDocumentFragment()
	both.append(heading, hint)
	return both
}

// replace shows a page in place of its template: fields that were changed keep their texts, the focus and the caret, and
// a preview that is open stays.
function replace(page) {
	const typed = changes(body)
	const preview = body.querySelector('[role=tab][aria-selected=true][id$=-preview-tab]')?.id
	const { id, selectionStart, selectionEnd } = document.activeElement
	const had = body.contains(document.activeElement)
	show(page)
	for (const { id, value } of typed) {
		const field = body.querySelector(`#${CSS.escape(id)}`)
		if (!field) continue
		field.value = value
		field.dispatchEvent(new Event('input', { bubbles: true }))
	}
	if (preview) document.getElementById(preview)?.click()
	const field = had && id ? body.querySelector(`#${CSS.escape(id)}`) : null
	if (!field) return
	field.focus()
	if (selectionStart !== undefined && selectionStart !== null) field.setSelectionRange(selectionStart, selectionEnd)
}

// composed waits until no word is being composed: to replace its field would lose it.
let composing = false
const composed = () => composing ? new Promise((done) => document.addEventListener('compositionend', () => setTimeout(done), { once: true })) : undefined
document.addEventListener('compositionstart', () => { composing = true }, true)
document.addEventListener('compositionend', () => { composing = false }, true)

// newNonce names another submission than those before.
export const newNonce = () => crypto.getRandomValues(new Uint32Array(4)).join('-')

dialog.addEventListener('close', () => {
	if (dialog.open) return // the event comes late: a key has opened it again
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
