// A live ticket, with its comments and history. An open form stays as it is: if the ticket changed meanwhile, a line
// says so.
import htmx from '../vendor/htmx/htmx.min.js'
import { fetchFresh, Gone, held, Refresher, reachAsFar } from './fresh.js'
import { retitle } from './inbox.js'
import { asIs, mark, morph } from './morph.js'
import { say, throttled } from './say.js'
import { follow } from './wire.js'

const ticket = () => document.querySelector('#ticket[data-ticket]')
const page = () => ticket().closest('.page')
const editing = () => ticket().matches('section')
const numberOf = (element) => Number(element?.id.replace(/\D/g, '') ?? NaN)

let turn = 0 // actions here; a response to an earlier request is older than the page

const rests = () => held() || !!document.querySelector('.htmx-request, form[aria-busy=true]')

async function refresh() {
	const at = turn
	const here = location.pathname === ticket().dataset.from
	try {
		const { nodes, moved } = await fetchFresh(ticket().dataset.from + (here ? location.search : ''), 'main')
		const fresh = nodes.querySelector('.page')
		if (document.getElementById('said')) await asFar(fresh)
		if (rests() || at !== turn) return false
		show(fresh)
		if (moved) rename(moved, here)
	} catch (error) {
		if (error instanceof Gone && at === turn) leave(error)
		throw error
	}
}

// asFar extends the comments and the history of a response as far as those on the page.
async function asFar(fresh) {
	const [said, before] = ['#said', '#history'].map((list) => fresh.querySelector(list))
	const first = numberOf(document.querySelector('#said > .comment'))
	const last = numberOf(document.querySelector('#history > li:nth-last-child(1 of :not(.more))'))
	await reachAsFar(said, 'said', (list) => !(numberOf(list.querySelector(':scope > .comment')) > first))
	await reachAsFar(before, 'history', (list) => !(numberOf(list.querySelector(':scope > li:nth-last-child(1 of :not(.more))')) > last))
}

function show(fresh) {
	const old = ticket()
	const now = fresh.querySelector('#ticket')
	const newest = fresh.querySelector('#history > [data-kind=edited]')
	const edited = now.dataset.version !== old.dataset.version
	if (editing()) {
		if (edited) warnEditor(newest)
		if (!document.getElementById('said')) return // a form that is a page of its own
	}
	const known = new Set([...document.querySelectorAll('#said > .comment')].map(({ id }) => id))
	const changed = !editing() && before(old) !== before(now)
	keepForms(fresh)
	morph(page(), place.page(fresh), { keep: (one) => one.matches('.what-lines') && one.children.length > 0 })
	const came = [...document.querySelectorAll('#said > .comment')].filter(({ id }) => !known.has(id) && numberOf({ id }) > Math.max(0, ...[...known].map((k) => numberOf({ id: k }))))
	mark(came)
	const last = document.querySelector('#comment-form [name=last]')
	const end = document.querySelector('#said > .comment:last-child')
	if (last && end) last.value = numberOf(end)
	if (!editing()) retitle(`${document.querySelector('.ticket-head .key').textContent} ${document.querySelector('#ticket h1').textContent.trim()} · Counterfoil`)
	announce(came, changed)
}

// before is the ticket's text without its history.
const before = (article) => [...article.querySelectorAll('.ticket-head, .properties, .face')].map((part) => part.textContent.replace(/\s+/g, ' ')).join()

// keepForms keeps forms with input, the reasons why items were not checked, and files that are being sent on the page,
// even if their subject is gone.
function keepForms(fresh) {
	if (editing()) fresh.querySelector('#ticket').replaceWith(asIs(ticket()))
	for (const form of document.querySelectorAll('#said > .comment:has(> form)')) {
		const item = fresh.querySelector(`#${form.id}`)
		if (item) item.replaceWith(asIs(form))
	}
	for (const alert of document.querySelectorAll('#face > [role=alert], #said .comment > [id$=-text] > [role=alert]')) {
		const text = fresh.querySelector(`#${alert.parentElement.id}`)
		if (!text?.querySelector(':scope > [role=alert]')) text?.prepend(asIs(alert))
	}
	const sending = document.querySelector('#files > .uploads')
	if (sending) fresh.querySelector('#files')?.append(asIs(sending))
	for (const id of ['reply-form', 'comment-form']) {
		const form = document.getElementById(id)
		const next = fresh.querySelector(`#${id}`)
		if (form && next) {
			form.querySelector('.field > .hint').textContent = next.querySelector('.field > .hint').textContent // its readers now
			next.replaceWith(asIs(form))
		} else if (form?.elements.body.value) fresh.querySelector('#comments').append(asIs(form))
	}
}

// warnEditor shows above an open form who changed the ticket.
function warnEditor(entry) {
	const version = entry?.id ?? ''
	let line = document.getElementById('meanwhile')
	if (line?.dataset.version === version) return
	line?.remove()
	const who = entry?.querySelector('.who')?.textContent ?? 'another member'
	line = Object.assign(document.createElement('p'), { id: 'meanwhile', className: 'meanwhile' })
	line.dataset.version = version
	const link = Object.assign(document.createElement('a'), { href: ticket().dataset.from, target: '_blank', rel: 'noopener', textContent: 'Open in a new tab' })
	line.append(Object.assign(document.createElement('span'), { textContent: `This ticket was changed by ${who}. Your text is kept; what changed is shown when you save.` }), ' ', link)
	const field = ticket().contains(document.activeElement) ? document.activeElement : null
	const top = field?.getBoundingClientRect().top
	ticket().querySelector('h1').after(line)
	if (field) window.scrollBy({ top: field.getBoundingClientRect().top - top, behavior: 'instant' }) // the caret stays in view
	say(line.firstChild.textContent)
}

// rename gives the page of a ticket that went to another board its new address.
function rename(moved, here) {
	ticket().dataset.from = moved.pathname
	if (here && !editing()) history.replaceState(history.state, '', moved.pathname + moved.search + location.hash)
}

// leave shows the server's page in the place of a deleted ticket; input stays, with a line about it. wire.js informs a
// user who is signed out.
function leave({ status, page: answer }) {
	refresher.stop()
	if (status === 401) return
	const why = answer.querySelector('#main h1')?.textContent.trim().replace(/\s+/g, ' ') || 'This page is gone'
	const typed = [...document.querySelectorAll('main form :is(textarea, input[name=title])')].some((text) => text.value && (editing() || text.name === 'body'))
	if (!typed) return place.left(`${why}.`)
	const banner = Object.assign(document.createElement('div'), { className: 'banner', role: 'alert' })
	const words = Object.assign(document.createElement('p'), { textContent: `${why}. Your text is kept here: copy what you need.` })
	const link = Object.assign(document.createElement('a'), { href: ticket().dataset.from, target: '_blank', rel: 'noopener', textContent: 'See what happened' })
	banner.append(words, link)
	page().querySelector('.crumbs').after(banner)
}

// Changes by others are announced together.
let pending = { came: 0, changed: false }
const announceSoon = throttled(() => {
	const words = []
	if (pending.changed) words.push(`This ticket was changed${pending.by ? ` by ${pending.by}` : ''}.`)
	if (pending.came) words.push(pending.came === 1 ? 'There is a new comment.' : `There are ${pending.came} new comments.`)
	pending = { came: 0, changed: false }
	return words.join(' ')
})

function announce(came, changed) {
	const by = document.querySelector('#history > li .who')?.textContent
	pending = { came: pending.came + came.length, changed: pending.changed || changed, by: changed ? by : pending.by }
	if (pending.came || pending.changed) announceSoon()
}

// The page that the ticket is on: page makes a response what is shown there, left is called when the ticket is gone.
const ownPage = { page: (fresh) => fresh, left: () => location.reload() }
let place = ownPage
let refresher

// watch follows the ticket of the page, or the one beside a board, until the returned function is called.
export function watch(where = ownPage) {
	place = where
	turn++
	const mine = refresher = new Refresher({ refresh, rests })
	const { ticket: id, on } = ticket().dataset
	const delay = (event) => event.all ? Math.random() * 1000 : 0
	const ends = [
		follow({ ticket: Number(id), board: Number(on) }, (event) => mine.changed(delay(event))),
		follow({ board: Number(on) }, (event) => { if (event.own) mine.changed() }),
	]
	return () => {
		mine.stop()
		turn++
		ends.forEach((end) => end())
	}
}

for (const name of ['htmx:beforeRequest', 'htmx:afterSettle']) htmx.on(name, () => { turn++ })
if (ticket()) watch()
