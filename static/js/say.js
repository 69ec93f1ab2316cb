import { boardAddress } from './address.js'
const announce = document.getElementById('announce')
const flashes = document.getElementById('flash')

// say announces a text to screen readers, also from within an open dialog, outside of which nothing is read.
export function say(text) {
	const regions = [announce, ...document.querySelectorAll('dialog[open] [data-announce]')]
	for (const region of regions) region.textContent = ''
	// Emptied first, or the same message twice would be heard once.
	setTimeout(() => { for (const region of regions) region.textContent = text.replace(/\s+/g, ' ').trim() }, 50)
}

// throttled returns a function that announces the result of inWords soon, but at most every ten seconds.
export function throttled(inWords) {
	let last = 0
	let timer
	return () => {
		timer ??= setTimeout(() => {
			timer = undefined
			last = Date.now()
			say(inWords())
		}, Math.max(500, last + 10_000 - Date.now()))
	}
}

// toast shows a message, in the open dialog if there is one. A bad one stays until it is closed, or, if the server
// could not be reached, until it can be.
export function toast(text, bad = false) {
	const message = document.createElement('p')
	message.className = bad ? 'toast bad' : 'toast'
	message.append(Object.assign(document.createElement('span'), { textContent: text }))
	if (text.includes(unreachable)) message.dataset.unreachable = ''
	const dialog = document.querySelector('dialog[open] #dialog-body')
	if (dialog) dialog.prepend(message)
	else flashes.append(message)
	closable(message)
	say(text)
}

// reachable removes the messages whose reason has ended: the server answers again.
export function reachable() {
	document.querySelectorAll('.toast[data-unreachable]').forEach((message) => message.remove())
}

// toasts shows the messages of a response. An earlier one that offers to undo is removed: ctrl+Z goes back further.
export function toasts(answer, { quiet = false } = {}) {
	for (const message of answer.querySelectorAll('#flash > .toast')) {
		message.removeAttribute('role') // say announces it
		flashes.querySelectorAll('.toast:has([data-undo])').forEach((old) => old.remove())
		flashes.append(message)
		closable(message)
		if (!quiet) say(message.querySelector('span').textContent)
	}
}

// A message that htmx brings is shown as one that a script asked for.
document.addEventListener('htmx:oobAfterSwap', () => {
	const fresh = [...flashes.children].filter((message) => !message.querySelector(':scope > .close'))
	if (!fresh.length) return
	const answer = document.createElement('div')
	answer.append(Object.assign(document.createElement('div'), { id: 'flash' }))
	answer.firstChild.append(...fresh)
	toasts(answer)
})

// closable gives a message a button that closes it; a good one also leaves by itself.
export function closable(message) {
	if (message.querySelector('.close')) return
	const close = Object.assign(document.createElement('button'), { type: 'button', className: 'quiet close', ariaLabel: 'Close this message', textContent: '×' })
	close.addEventListener('click', () => message.remove())
	message.append(close)
	if (message.matches('.toast:not(.bad)')) setTimeout(() => message.matches(':hover, :focus-within') || message.remove(), 8000)
}

for (const message of flashes.children) closable(message)

// The banner of a stopped webhook, once closed, stays away in this tab.
const banner = document.getElementById('stopped')
if (banner && sessionStorage.getItem('stopped') === document.body.dataset.company) banner.remove()
else if (banner) {
	closable(banner)
	banner.querySelector('.close').addEventListener('click', () => sessionStorage.setItem('stopped', document.body.dataset.company))
}

// parse returns HTML as inert nodes.
export function parse(html) {
	const template = document.createElement('template')
	template.innerHTML = html
	return template.content
}

const unreachable = 'Counterfoil cannot be reached.'

// reason explains a failed request; an error page has its own words.
export function reason(status, body = '') {
	if (!status) return `${unreachable} Check your connection, then try again.`
	return parse(body).querySelector('#main .lead')?.textContent ?? `The request failed (${status}). Try again; if it fails again, reload the page.`
}

// here is the address that a request comes from: a board's also while a ticket is open beside it.
const here = () => document.getElementById('board') ? boardAddress().href : location.href

// ask sends what htmx would send and returns the response as nodes: the fragment, or a form or a state to correct.
// Anything else is an error with its reason.
export async function ask(url, { values, target } = {}) {
	const headers = { 'HX-Request': 'true', 'HX-Target': target, 'HX-Current-URL': here() }
	let answer, body
	try {
		answer = await fetch(url, values ? { method: 'POST', headers, body: new URLSearchParams(values) } : { headers })
		body = await answer.text()
	} catch {
		throw new Error(reason())
	}
	const away = answer.headers.get('HX-Redirect')
	if (away) {
		location.assign(away)
		return new Promise(() => {})
	}
	reachable()
	if (!answer.ok && answer.status !== 409 && answer.status !== 422) {
		throw Object.assign(new Error(reason(answer.status, body)), { status: answer.status })
	}
	return parse(body)
}
