// The filter of a board: typing narrows the columns at once, and changes the page's address.
import { boardAddress, readdress } from './address.js'
import { act, narrowColumns } from './board.js'
import { pressed } from './keys.js'
import { morph } from './morph.js'
import { ask, say, toast } from './say.js'
import { complete } from './words.js'

const form = document.querySelector('form[data-filter]')
const onBoard = form && document.getElementById('board') && new URL(form.action).pathname === location.pathname // not on the page of one column, or on a list
let wishes = 0
let timer
let asked = form && wish()

// wish is what the form says, as an address. The server makes a query of all its fields.
function wish() {
	const query = new URLSearchParams()
	for (const [name, value] of new FormData(form)) if (value.trim()) query.set(name, value.trim())
	return `${form.action}?${query}`
}

// narrowed reports whether the address leaves cards out; lanes do not.
const narrowed = () => boardAddress().searchParams.has('q')

async function narrow() {
	clearTimeout(timer)
	const url = wish()
	if (url === asked) return
	asked = url
	const turn = ++wishes
	const { value } = form.elements.q
	const done = act()
	try {
		const answer = await ask(url, { target: 'board' })
		if (turn !== wishes) return
		settle(answer.querySelector('#filter'), value)
		await narrowColumns(answer)
		report()
	} catch (error) {
		if (turn !== wishes) return
		asked = ''
		toast(`Filtering failed. ${error.message}`, true)
	} finally {
		done()
	}
}

// settle shows the query that the server made of the form. What was typed since stays.
function settle(fresh, value) {
	const said = new FormData(fresh)
	const { q } = form.elements
	morph(form, fresh, { keep: (old) => old === q, stays: (node) => node.matches('.suggestions') })
	for (const field of form.elements) {
		if (field.type === 'checkbox') field.checked = said.has(field.name)
		else if (field.name && field !== q) field.value = said.get(field.name) ?? ''
	}
	if (q.value === value && q.value.trim() !== said.get('q')) q.value = said.get('q')
	const wrong = !!form.querySelector('#filter-problem')
	for (const [name, value] of [['aria-invalid', 'true'], ['aria-describedby', 'filter-problem']]) {
		if (wrong) q.setAttribute(name, value)
		else q.removeAttribute(name)
	}
	readdress(canonical(said))
	lead(said.get('q'))
	if (q.value === said.get('q')) asked = wish()
}

// lead has the links to the other layouts take the query along, and marks the pinned view that is shown now.
function lead(query) {
	for (const link of document.querySelectorAll('[data-layout]')) link.search = query ? new URLSearchParams({ q: query }) : ''
	const here = new URL(location)
	for (const link of document.querySelectorAll('[data-pin]')) {
		const there = new URL(link.href)
		const same = there.pathname === here.pathname && ['q', 'lanes'].every((name) => (there.searchParams.get(name) ?? '') === (here.searchParams.get(name) ?? ''))
		if (same) link.ariaCurrent = 'page'
		else link.removeAttribute('aria-current')
	}
}

// canonical is the address of a query alone.
function canonical(said) {
	const query = new URLSearchParams([...said].filter(([name, value]) => ['q', 'lanes'].includes(name) && value))
	return form.action + (query.size ? `?${query}` : '') + boardAddress().hash
}

function report() {
	const problem = form.querySelector('#filter-problem')
	if (problem) return // it is an alert, which is said already
	if (!narrowed()) return say('All tickets are shown.')
	const shown = document.querySelectorAll('.board .card').length
	const more = document.querySelector('.board .more')
	say(`${shown || 'No'} ${shown === 1 ? 'ticket matches' : 'tickets match'}${more ? ' so far' : ''}.`)
}

function choose(values) {
	for (const [name, value] of Object.entries(values)) {
		const field = form.elements[name]
		if (field?.type === 'checkbox') field.checked = value
		else if (field) field.value = value
	}
	narrow()
}

const special = /[^\p{L}\p{N}_.@-]/u // in a value without quotes

// words are what a query can have, each with the name that it stands for: what the page lists, as conditions.
function words() {
	const quoted = (text) => (special.test(text) ? JSON.stringify(text) : text)
	const options = (field, select) => [...(select?.options ?? [])].slice(1).map(({ value, text }) => ({ word: `${field}:${quoted(value)}`, name: text }))
	const columns = JSON.parse(form.dataset.columns ?? '[]').map((name) => ({ word: `column:${quoted(name)}`, name }))
	const fixed = form.dataset.filter.split(' ').flatMap((one) => {
		const [field, values] = one.split(':')
		return [{ word: `${field}:` }, ...values.split(',').filter(Boolean).map((value) => ({ word: `${field}:${value}` }))]
	})
	return [...fixed, ...options('assignee', form.elements.who).filter(({ word }) => !/:(me|none)$/.test(word)), ...options('label', form.elements.label), ...columns]
}

// On a phone the filter takes a row of cards: it shows when it is asked for, or has the focus, or hides tickets.
const toggle = document.querySelector('[data-filter-toggle]')
function show(shown) {
	toggle.ariaExpanded = shown
	toggle.parentElement.classList.toggle('filtering', shown)
}
if (toggle) {
	form.addEventListener('focusin', () => show(true))
	toggle.addEventListener('click', () => {
		show(toggle.ariaExpanded !== 'true')
		if (toggle.ariaExpanded === 'true') form.elements.q.focus()
	})
}

if (form && !onBoard) {
	complete(form.elements.q, words)
	form.addEventListener('change', ({ target }) => {
		if (target.type !== 'search') form.requestSubmit()
	})
}
if (onBoard) {
	if (form.elements.was.value !== (boardAddress().searchParams.get('q') ?? '')) readdress(canonical(new FormData(form))) // it had other fields
	form.addEventListener('input', (event) => {
		clearTimeout(timer)
		if (event.target.type === 'search') timer = setTimeout(narrow, event.isComposing ? 800 : 200)
	})
	form.addEventListener('change', narrow)
	form.addEventListener('submit', (event) => {
		event.preventDefault()
		narrow()
	})
	form.addEventListener('click', (event) => {
		const link = event.target.closest('[data-mine], [data-clear], .chip')
		if (!link || !pressed(event)) return
		event.preventDefault()
		if (link.matches('[data-mine]')) choose({ who: form.elements.who.value === 'me' ? '' : 'me' })
		else if (link.matches('.chip')) choose({ q: new URL(link.href).searchParams.get('q') ?? '' })
		else {
			choose({ q: '', who: '', label: '', state: '', requests: false })
			form.elements.q.focus()
		}
	})
	complete(form.elements.q, words)
	form.addEventListener('keydown', (event) => {
		if (event.defaultPrevented) return // a list of words was closed
		if (event.key !== 'Escape' || event.target.type !== 'search' || event.isComposing) return
		event.preventDefault()
		if (event.target.value) choose({ q: '' })
		else event.target.blur()
	})
}
