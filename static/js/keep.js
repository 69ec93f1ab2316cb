// Forms that are saved each on its own: what is typed in the others of the page is kept when one is sent, and there
// again on the page that comes back, with a note. data-keep names the page.
import { say } from './say.js'

const page = document.querySelector('[data-keep]')

// A number typed beside “No limit” is a limit.
document.addEventListener('input', ({ target }) => {
	const kind = target.dataset.limit && document.getElementById(target.dataset.limit)
	if (kind?.value === 'none' && target.value.trim()) kind.value = 'soft'
})

const fields = (form) => [...form.querySelectorAll('input[id]:not([type=hidden]), textarea[id], select[id]')]
const value = (field) => field.type === 'checkbox' ? field.checked : field.value
const saved = (field) => {
	if (field.type === 'checkbox') return field.defaultChecked
	if (field.matches('select')) return ([...field.options].find((option) => option.defaultSelected) ?? field.options[0]).value
	return field.defaultValue
}

let sent // the form that was sent last

function keep() {
	const kept = {}
	for (const form of page.querySelectorAll('form[method=post]')) {
		if (form === sent) continue
		for (const field of fields(form)) if (value(field) !== saved(field)) kept[field.id] = [saved(field), value(field)]
	}
	try { sessionStorage.setItem(page.dataset.keep, JSON.stringify(kept)) } catch { /* it is on the page alone */ }
}

function restore() {
	let kept
	try { kept = JSON.parse(sessionStorage.getItem(page.dataset.keep)) ?? {} } catch { return }
	const forms = new Set()
	for (const [id, [was, typed]] of Object.entries(kept)) {
		const field = document.getElementById(id)
		// Not over what someone else saved, nor over a form that came back rejected.
		if (!field?.form || value(field) !== was || field.form.querySelector('.error, .summary')) continue
		if (field.type === 'checkbox') field.checked = typed
		else field.value = typed
		forms.add(field.form)
	}
	forms.forEach(note)
	if (forms.size) say('What you typed in other forms of this page is not saved yet.')
}

function note(form) {
	const line = Object.assign(document.createElement('p'), { className: 'draft' })
	const button = Object.assign(document.createElement('button'), { type: 'button', className: 'quiet', textContent: 'Discard' })
	button.addEventListener('click', () => { form.reset(); line.remove() })
	line.append(Object.assign(document.createElement('span'), { textContent: 'Not saved yet.' }), button)
	form.prepend(line)
}

if (page) {
	restore()
	page.addEventListener('submit', ({ target }) => { sent = target })
	window.addEventListener('pagehide', keep)
	window.addEventListener('pageshow', () => { sent = undefined })
}
