// The filter of a board: typing narrows the columns at once, and changes the page's address.
import { boardAddress, readdress } from './address.js'
import { act, narrowColumns } from './board.js'
import { pressed } from './keys.js'
import { ask, say, toast } from './say.js'

const form = document.querySelector('form[data-filter]')
const onBoard = form && new URL(form.action).pathname === location.pathname // not on the page of one column
let wishes = 0
let timer

function address() {
	const query = new URLSearchParams()
	for (const [name, value] of new FormData(form)) if (value.trim()) query.set(name, value.trim())
	return query.size ? `${form.action}?${query}` : form.action
}

async function narrow() {
	clearTimeout(timer)
	const url = address()
	const old = boardAddress()
	if (url === old.origin + old.pathname + old.search) return
	readdress(url + old.hash)
	form.querySelector('[data-clear]').hidden = !boardAddress().search
	const mine = form.querySelector('[data-mine]')
	mine.ariaCurrent = form.elements.who.value === 'me' ? 'true' : null
	const wish = ++wishes
	const done = act()
	try {
		const answer = await ask(url, { target: 'board' })
		if (wish !== wishes) return
		await narrowColumns(answer)
		const shown = document.querySelectorAll('.board .card').length
		const more = document.querySelector('.board .more')
		if (boardAddress().search) say(`${shown || 'No'} ${shown === 1 ? 'ticket matches' : 'tickets match'}${more ? ' so far' : ''}.`)
		else say('All tickets are shown.')
	} catch (error) {
		if (wish === wishes) toast(`Filtering failed. ${error.message}`, true)
	} finally {
		done()
	}
}

function choose(values) {
	for (const [name, value] of Object.entries(values)) {
		const field = form.elements[name]
		if (field?.type === 'checkbox') field.checked = value
		else if (field) field.value = value
	}
	narrow()
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

if (onBoard) {
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
		const link = event.target.closest('a')
		if (!link || !pressed(event)) return
		event.preventDefault()
		if (link.matches('[data-mine]')) choose({ who: form.elements.who.value === 'me' ? '' : 'me' })
		else {
			choose({ q: '', who: '', label: '', state: '', requests: false })
			form.elements.q.focus()
		}
	})
	form.addEventListener('keydown', (event) => {
		if (event.key !== 'Escape' || event.target.type !== 'search' || event.isComposing) return
		event.preventDefault()
		if (event.target.value) choose({ q: '' })
		else event.target.blur()
	})
}
