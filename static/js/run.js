// A run's page. The run, its settings and its tasks are live elements (live.js) of one page. The settings pause while
// the user edits them; the tasks pause while some are selected, or while one is about to be pressed.
import htmx from '../vendor/htmx/htmx.min.js'
import { now, restWhile } from './live.js'
import { morph } from './morph.js'
import { parse, say, toasts } from './say.js'

htmx.defineExtension('morph', {
	isInlineSwap: (style) => style === 'morph',
	handleSwap(style, target, fragment) {
		if (style !== 'morph') return false
		morph(target, fragment.firstElementChild ?? fragment)
		return [document.getElementById(target.id)]
	},
})

const page = document.querySelector('[data-run]')
const badge = document.getElementById('run-badge')
const chosen = () => page.querySelectorAll('[data-pick]:checked').length
const refresh = () => ['run', 'run-knobs', 'run-tasks'].forEach(now)
const slip = 700 // a second press within this time was meant for the first
let acted = 0 // when Pause became Resume, or the other way round

// edited reports whether the user is changing the settings.
function edited() {
	const form = page.querySelector('[data-knobs]')
	if (!form) return false
	if (form.contains(document.activeElement) && !document.activeElement.matches('button, a')) return true
	const valueOf = (field) => field.type === 'checkbox' ? (field.checked ? field.value : '') : field.value
	return [...form.elements].some((field) => {
		const was = field.name && form.elements[`was_${field.name}`]
		return was && valueOf(field) !== was.value
	})
}

const aimed = () => chosen() > 0 || document.querySelector('#run-list :is(tbody:hover, tbody :focus-visible)')

function start() {
	restWhile('run-knobs', edited)
	restWhile('run-tasks', (asked) => !asked && aimed())
	page.addEventListener('live', ({ target }) => { if (target.id === 'run-tasks') picked() })
	document.addEventListener('htmx:afterRequest', ({ target, detail }) => { // also of forms in the dialog
		if (detail.requestConfig?.verb === 'post') did(target, detail)
		else picked()
	})
	// The button in the place of Pause is another one: a double click must not resume.
	for (const name of ['click', 'submit']) {
		page.addEventListener(name, (event) => {
			if (!event.target.closest('.run-actions form') || Date.now() - acted > slip) return
			event.preventDefault()
			event.stopImmediatePropagation()
		}, true)
	}
	page.addEventListener('change', ({ target }) => {
		if (target.matches('[data-pick-all]')) for (const box of page.querySelectorAll('[data-pick]')) box.checked = target.checked
		if (target.matches('[data-pick], [data-pick-all]')) picked()
	})
	page.addEventListener('click', (event) => {
		const link = event.target.closest('[data-refresh], [data-jump], [data-undo-knobs]')
		if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return
		event.preventDefault()
		if (link.matches('[data-undo-knobs]')) return link.closest('form').reset()
		if (link.matches('[data-jump]')) return jump(link)
		refresh()
	})
	document.addEventListener('click', (event) => {
		if (!event.target.closest?.('dialog [data-cancel]')) return
		event.preventDefault()
		document.getElementById('dialog').close()
	})
	picked()
}

// did shows the result of a form at once.
function did(form, { xhr, successful }) {
	if (form.closest('.run-actions')) acted = Date.now()
	if (xhr.status === 409 && form.closest('dialog')) document.getElementById('dialog').close()
	if (successful || xhr.status === 409 || xhr.status === 422) {
		const answer = parse(xhr.response)
		toasts(answer)
		const wrong = answer.querySelector('[data-say]')
		if (wrong) say(wrong.textContent)
		page.querySelector('[data-knobs] [aria-invalid]')?.focus()
	}
	if (!successful || xhr.status >= 300) return
	for (const box of page.querySelectorAll('[data-pick]:checked, [data-pick-all]:checked')) box.checked = false
	picked()
	refresh()
}

// picked shows the number of selected tasks, on the buttons and on the badge.
function picked() {
	const n = chosen()
	const all = page.querySelector('[data-pick-all]')
	const boxes = page.querySelectorAll('[data-pick]').length
	if (all) {
		all.disabled = !boxes
		all.checked = n > 0 && n === boxes
		all.indeterminate = n > 0 && n < boxes
	}
	for (const button of page.querySelectorAll('[data-picked]')) {
		button.textContent = button.textContent.replace(/^(\w+) .*$/, n ? `$1 ${n} selected` : '$1 selected')
		button.disabled = !n
	}
	const text = n ? `Paused while ${n === 1 ? 'a task is' : `${n} tasks are`} selected` : ''
	if (badge.textContent !== text) badge.textContent = text
	badge.hidden = !text
}

function jump(link) {
	const section = link.closest('.section')
	section.scrollIntoView({ block: 'start' })
	link.focus({ preventScroll: true })
}

if (page) start()
