// Forms that are saved each on its own: what is typed in the others of the page is kept when one is sent, and there
// again on the page that comes back, with a note. data-keep names the page. It is kept for its account alone, a week.
import { days, note } from './drafts.js'
import { changes, fields, saved, value } from './fields.js'

const page = document.querySelector('[data-keep]')
const key = `${document.body.dataset.account} ${page?.dataset.keep}`

// A number typed beside “No limit” is a limit.
document.addEventListener('input', ({ target }) => {
	const kind = target.dataset.limit && document.getElementById(target.dataset.limit)
	if (kind?.value === 'none' && target.value.trim()) kind.value = 'soft'
})

let sent // the form that was sent last

const rejected = (form) => form.querySelector('.error, .summary')

function keep() {
	const kept = {}
	for (const form of page.querySelectorAll('form[method=post]')) {
		if (form === sent) continue
		// A rejected form has what was typed as its values: what is saved is not on the page.
		if (rejected(form)) for (const field of fields(form)) kept[field.id] = [null, value(field)]
		else for (const field of changes(form)) kept[field.id] = [saved(field), value(field)]
	}
	try { sessionStorage.setItem(key, JSON.stringify({ when: Date.now(), kept })) } catch { /* it is on the page alone */ }
}

function restore() {
	let when, kept
	try { ({ when, kept } = JSON.parse(sessionStorage.getItem(key)) ?? {}) } catch { return }
	if (!kept || Date.now() - when > days * 864e5) return
	const forms = new Set()
	for (const [id, [was, typed]] of Object.entries(kept)) {
		const field = document.getElementById(id)
		// Not over what someone else saved, nor over a form that came back rejected.
		if (!field?.form || rejected(field.form) || value(field) === typed || was !== null && value(field) !== was) continue
		if (field.type === 'checkbox') field.checked = typed
		else field.value = typed
		forms.add(field.form)
	}
	for (const form of forms) note(form, 'Not saved yet.', ['Discard', () => discard(form)])
}

function discard(form) {
	form.reset()
	form.querySelector('.draft').remove()
}

if (page) {
	restore()
	page.addEventListener('submit', ({ target }) => { sent = target })
	window.addEventListener('pagehide', keep)
	window.addEventListener('pageshow', () => { sent = undefined })
}
