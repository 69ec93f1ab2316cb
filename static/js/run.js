// A run's page keeps itself true: it asks for the pieces that changed, often while the run goes on,
// seldom while it rests, never once it is over; and it waits while tasks are chosen, while the tab is
// not looked at, and with the settings while someone turns them. htmx asks, idiomorph puts the answer
// in its place, so that focus, open details and scroll stay.
import htmx from '../vendor/htmx/htmx.min.js'
import { Idiomorph } from '../vendor/idiomorph/idiomorph.min.js'
import { own } from './morph.js'
import { parse, say, toasts } from './say.js'

htmx.defineExtension('morph', {
	isInlineSwap: (style) => style === 'morph',
	handleSwap(style, target, fragment) {
		if (style !== 'morph') return false
		return Idiomorph.morph(target, fragment.firstElementChild ?? fragment, { morphStyle: 'outerHTML', ignoreActiveValue: true, callbacks: own })
	},
})

const room = document.querySelector('[data-run]')
const badge = document.getElementById('run-badge')
const list = () => document.getElementById('run-list')
const asker = () => room.querySelector('[data-poll]')
const chosen = () => room.querySelectorAll('[data-pick]:checked').length
const pieces = () => ['run-poll', 'run-head', 'run-progress', 'run-database', 'run-chart', 'run-failures', 'run-workers', 'run-events', 'run-knobs', 'run-tasks'].map((id) => document.getElementById(id))

let timer
let lost = null // since when the server does not answer
let looked = new Date()
let forced = false // everything is wanted, also what rests
let whole = false // nothing that was seen counts
let acted = 0 // when Pause became Resume, or the other way round
const slip = 700 // a second press within this time was meant for the first
let listed = 0 // when the list was asked for
const seldom = 6000 // how often it is: it is long, and should hold still

const clock = (at) => at.toISOString().slice(11, 19)

function resting() {
	const n = chosen()
	if (n) return `Paused while ${n === 1 ? 'a task is' : `${n} tasks are`} chosen`
	if (document.visibilityState !== 'visible') return 'Paused while the tab is hidden'
	return ''
}

// show says why the page is not true of this moment.
function show() {
	const text = lost ? `No answer since ${clock(lost)} UTC; trying again` : resting()
	badge.hidden = !text
	badge.classList.toggle('bad', !!lost)
	if (badge.textContent !== text) badge.textContent = text
}

function plan(now = false) {
	clearTimeout(timer)
	show()
	const every = Number(asker().dataset.every)
	if (!every && !lost) return
	timer = setTimeout(look, now ? 0 : lost ? Math.max(4000, every) : every)
}

function look() {
	clearTimeout(timer)
	if (!forced && resting()) return show()
	htmx.trigger(asker(), 'poll')
}

// turned tells whether someone is about to change the settings.
function turned() {
	const form = room.querySelector('[data-knobs]')
	if (!form) return false
	if (form.contains(document.activeElement) && !document.activeElement.matches('button, a')) return true
	return [...form.elements].some((field) => field.name && !field.name.startsWith('was_') && form.elements[`was_${field.name}`]
		&& (field.type === 'checkbox' ? (field.checked ? field.value : '') : field.value) !== form.elements[`was_${field.name}`].value)
}

// aimed tells whether someone is about to press something in the list, which must not move then.
const aimed = () => chosen() > 0 || list()?.querySelector('tbody:hover, tbody :focus-visible')

function start() {
	room.addEventListener('htmx:configRequest', ({ target, detail }) => {
		if (target !== asker()) return
		const rests = { 'run-knobs': turned(), 'run-tasks': !forced && (aimed() || Date.now() - listed < seldom) }
		if (!rests['run-tasks']) listed = Date.now()
		detail.parameters.seen = pieces().map((piece) => rests[piece.id] ? '-' : whole ? '' : piece.dataset.seen).join('.')
		for (const [name, value] of new URLSearchParams(list().dataset.list)) detail.parameters[name] = value
	})
	room.addEventListener('htmx:afterRequest', ({ target, detail }) => {
		if (target === asker()) return looking(detail)
		if (detail.requestConfig?.verb === 'post') did(target, detail)
		else plan()
	})
	// What the page asks by itself says by the badge that it failed.
	for (const name of ['htmx:sendError', 'htmx:responseError', 'htmx:timeout']) {
		room.addEventListener(name, (event) => { if (event.target === asker()) event.stopPropagation() })
	}
	// The button that is there after Pause is another one: a double click must not resume.
	for (const name of ['click', 'submit']) {
		room.addEventListener(name, (event) => {
			if (!event.target.closest('.run-actions form') || Date.now() - acted > slip) return
			event.preventDefault()
			event.stopImmediatePropagation()
		}, true)
	}
	room.addEventListener('change', ({ target }) => {
		if (target.matches('[data-pick-all]')) for (const box of room.querySelectorAll('[data-pick]')) box.checked = target.checked
		if (target.matches('[data-pick], [data-pick-all]')) picked()
	})
	room.addEventListener('click', (event) => {
		const link = event.target.closest('[data-refresh], [data-jump], [data-undo-knobs]')
		if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return
		event.preventDefault()
		if (link.matches('[data-undo-knobs]')) return link.closest('form').reset()
		if (link.matches('[data-jump]')) return jump(link)
		forced = whole = true
		look()
	})
	document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' ? plan(true) : show())
	document.addEventListener('htmx:afterRequest', ({ target, detail }) => { // of forms in the dialog
		if (!room.contains(target) && detail.requestConfig?.verb === 'post') did(target, detail)
	})
	document.addEventListener('click', (event) => {
		if (!event.target.closest?.('dialog [data-cancel]')) return
		event.preventDefault()
		document.getElementById('dialog').close()
	})
	plan()
	picked()
}

// looking is what came of asking.
function looking({ xhr, successful }) {
	forced = whole = false
	if (successful) {
		lost = null
		looked = new Date()
	} else if (!lost) {
		lost = looked
		say('The server does not answer.')
	}
	picked()
	plan()
}

// did shows what came of a form at once.
function did(form, { xhr, successful }) {
	if (form.closest('.run-actions')) acted = Date.now()
	if (xhr.status < 500 && form.closest('dialog') && xhr.status === 409) document.getElementById('dialog').close()
	if (successful || xhr.status === 409 || xhr.status === 422) {
		const answer = parse(xhr.response)
		toasts(answer)
		const wrong = answer.querySelector('[data-say]')
		if (wrong) say(wrong.textContent)
		room.querySelector('[data-knobs] [aria-invalid]')?.focus()
	}
	if (successful && xhr.status < 300) {
		for (const box of room.querySelectorAll('[data-pick]:checked, [data-pick-all]:checked')) box.checked = false
		picked()
		forced = true
		look()
	} else plan()
}

function picked() {
	const n = chosen()
	const all = room.querySelector('[data-pick-all]')
	const boxes = room.querySelectorAll('[data-pick]').length
	if (all) {
		all.disabled = !boxes
		all.checked = n > 0 && n === boxes
		all.indeterminate = n > 0 && n < boxes
	}
	for (const button of room.querySelectorAll('[data-picked]')) {
		button.textContent = button.textContent.replace(/^(\w+) .*$/, n ? `$1 ${n} chosen` : '$1 chosen')
		button.disabled = !n
	}
	if (n) show()
	else if (!badge.hidden) plan(true)
}

function jump(link) {
	const section = link.closest('.piece')
	section.scrollIntoView({ block: 'start' })
	link.focus({ preventScroll: true })
}

if (room) start()
