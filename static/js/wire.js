// Changes by others, or in another window: pages follow their subjects. All tabs of a browser share one connection: in
// a SharedWorker; without one, in an elected tab; else each tab polls.
import { Connection } from './connect.js'
import { reachable, say, toast } from './say.js'
import { Shared } from './share.js'

const { company, account } = document.body.dataset
let { at = '' } = document.body.dataset
const url = `/${company}/live`
const key = `live ${company} ${account}` // another account has a connection of its own
const followers = new Set()
const visible = () => document.visibilityState === 'visible'
let line // the connection

// concerns reports whether an event is about a followed board or ticket.
function concerns(event, { board, ticket }) {
	if (event.all) return true
	if (ticket === undefined) return !board || event.board === board
	if (event.ticket !== undefined) return event.ticket === ticket
	return event.tickets ? event.tickets.some(([changed]) => changed === ticket) : board === undefined || event.board === board
}

function receive(message) {
	if (message.state) show(message.state)
	if (!message.event) {
		if (message.at) at = message.at
		return
	}
	for (const { what, act } of followers) if (concerns(message.event, what)) act({ ...message.event, at: message.at })
}

// follow calls act for each event about a board ({ board }, 0 for all), or about a ticket and its comments ({ ticket, board }), by
// their ids. Events are { all: true } if anything may have changed, { board, own, tickets } with a list of [ticket,
// column, stamp of its card] (column 0: not on this board any more) or null for any, and { ticket } if comments
// changed; own says that the board itself changed. It returns a function that ends it.
export function follow(what, act) {
	const one = { what, act }
	followers.add(one)
	if (!line && company) line = open()
	return () => followers.delete(one)
}

const withoutWorker = () => (navigator.locks && window.BroadcastChannel ? inElected() : alone())
const open = () => (window.SharedWorker && inWorker()) || withoutWorker()

// inWorker listens to the worker that all tabs share. Its address has the build in it.
function inWorker() {
	let worker
	try {
		worker = new SharedWorker(new URL('./live-worker.js', import.meta.url), { type: 'module' })
	} catch {
		return
	}
	let heard = false
	worker.port.onmessage = ({ data }) => {
		heard = true
		receive(data)
	}
	worker.onerror = () => { if (!heard) line = withoutWorker() }
	const send = (message) => worker.port.postMessage(message)
	const alive = `${key} ${crypto.getRandomValues(new Uint32Array(2)).join('')}`
	let release = () => {}
	const join = () => {
		send({ join: { key, url, at }, seen: visible() })
		// The lock is held while this page lives, however it ends. Only then does the worker wait for it.
		navigator.locks?.request(alive, () => new Promise((resolve) => {
			release = resolve
			send({ alive })
		}))
	}
	join()
	return {
		seen: (seen) => send({ seen, wake: seen }),
		wake: () => send({ wake: true }),
		leave() {
			send({ bye: true })
			release()
		},
		join,
	}
}

// inElected connects in the one visible tab that holds the lock, and passes messages to the others. A hidden tab may be
// frozen, so it hands the lock on.
function inElected() {
	const me = crypto.getRandomValues(new Uint32Array(2)).join('')
	const channel = new BroadcastChannel(key)
	let shared, hand
	const forward = (message) => {
		receive(message)
		channel.postMessage({ news: message })
	}
	channel.onmessage = ({ data: { news: message, to, join, from } }) => {
		if (message && (!to || to === me)) receive(message)
		else if (from && shared) for (const missed of shared.behind(join)) channel.postMessage({ news: missed, to: from })
	}
	const elect = () => {
		if (hand) return
		const over = new AbortController()
		hand = () => over.abort()
		channel.postMessage({ join: at, from: me })
		navigator.locks.request(key, { signal: over.signal }, () => new Promise((resolve) => {
			shared = new Shared(url, at)
			shared.join(forward, at)
			shared.see(forward, true)
			hand = () => {
				shared.close()
				shared = undefined
				resolve()
			}
		})).catch(() => {}) // aborted: no longer needed
	}
	const resign = () => {
		hand?.()
		hand = undefined
	}
	if (visible()) elect()
	return { seen: (seen) => (seen ? elect() : resign()), wake: () => shared?.wake(), leave: resign, join: () => visible() && elect() }
}

// alone polls while the tab is visible.
function alone() {
	let connection
	const begin = () => { connection ??= new Connection({ url, at, send: receive, streams: false }) }
	const end = () => {
		connection?.close()
		connection = undefined
	}
	if (visible()) begin()
	return { seen: (seen) => (seen ? begin() : end()), wake: () => connection?.wake(), leave: end, join: begin }
}

document.addEventListener('visibilitychange', () => line?.seen(visible()))
addEventListener('online', () => line?.wake())
addEventListener('pagehide', () => line?.leave())
addEventListener('pageshow', ({ persisted }) => { if (persisted) line?.join() }) // back from the browser's cache

const words = {
	reconnecting: 'No connection: what you see may be old. Retrying automatically.',
	out: 'You are signed out, or lost access: this page is no longer updated.',
}
let shown
let pending

// show shows the state of the connection, if it lasts.
function show(state) {
	clearTimeout(pending)
	if (state === 'out') return leave()
	if (state === 'reconnecting' && shown === undefined) return
	if (state === 'reconnecting') pending = setTimeout(mark, 4000, state)
	else mark(state)
}

// mark writes a line below the header while the page is not updated.
function mark(state) {
	if (shown === state) return
	const line = document.getElementById('wire') ?? Object.assign(document.createElement('p'), { id: 'wire', className: 'wire' })
	line.dataset.state = state
	line.hidden = !words[state]
	line.textContent = words[state] ?? ''
	if (!line.isConnected) document.querySelector('.top').after(line)
	if (state === 'reconnecting') say(words.reconnecting)
	else if (shown === 'reconnecting') say('The page is live again.')
	if (!words[state]) reachable()
	shown = state
}

// leave reloads the page, which leads to signing in, unless that would lose input.
function leave() {
	mark('out')
	if (document.querySelector('form[action="/logout"][aria-busy=true]')) return // a reload would cut its answer off
	const typed = [...document.querySelectorAll('textarea, input:not([type=hidden], [type=checkbox], [type=radio])')].some((field) => field.value !== field.defaultValue || field === document.activeElement)
	const before = Number(sessionStorage.getItem('out'))
	if (typed || Date.now() - before < 60_000) return toast('You are signed out, or lost access. What you typed is still here; reload the page to continue.', true)
	sessionStorage.setItem('out', Date.now())
	location.reload()
}
