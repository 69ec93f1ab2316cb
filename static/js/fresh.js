// Fetches of live pages. The user did not ask for them, so a failure shows no message; it is retried.
import { parse } from './say.js'

// Gone is the error of a page that the user cannot see any more: signed out, deleted, or forbidden.
export class Gone extends Error {
	constructor(status, body) {
		super(`answered ${status}`)
		this.status = status
		this.page = parse(body)
	}
}

// fetchFresh returns the page at a path as nodes, and its new address if it moved.
export async function fetchFresh(path, target) {
	const answer = await fetch(path, { headers: { 'HX-Request': 'true', 'HX-Target': target, 'HX-Current-URL': location.href }, signal: AbortSignal.timeout(20_000) })
	const body = await answer.text()
	if ([401, 403, 404].includes(answer.status)) throw new Gone(answer.status, body)
	if (!answer.ok) throw Object.assign(new Error(`answered ${answer.status}`), { after: Number(answer.headers.get('Retry-After')) * 1000 })
	return { nodes: parse(body), moved: answer.redirected ? new URL(answer.url) : null }
}

// reachAsFar loads more of a response's list until enough reports that it reaches as far as the one on the page.
export async function reachAsFar(list, target, enough) {
	for (let most = 40; most > 0; most--) {
		const more = list.querySelector(':scope > .more')
		const from = more?.querySelector('[hx-get]') ?? more
		if (!from || enough(list)) return
		const { nodes } = await fetchFresh(from.getAttribute('hx-get'), target)
		for (const row of nodes.querySelectorAll('[id]')) if (list.querySelector(`#${row.id}`) && !row.matches('.more')) row.remove()
		more.replaceWith(nodes)
	}
}

// held reports whether a finger or a button is down in the page's main part: what is under it must not move.
let down = false
let watching = false
export const held = () => down

// watchPresses keeps held up to date.
export function watchPresses() {
	if (watching) return
	watching = true
	document.addEventListener('pointerdown', ({ target }) => { down = !!target.closest?.('main') }, true)
	for (const name of ['pointerup', 'pointercancel', 'blur']) window.addEventListener(name, () => { down = false }, true)
	window.addEventListener('pointermove', ({ buttons }) => { if (!buttons) down = false }, { capture: true, passive: true }) // it was released elsewhere
}

// Refresher runs one refresh after the other: some time after changed, not while hidden or while rests() is true, and
// again after a failure.
export class Refresher {
	#timer
	#failures = 0
	#busy = false
	#wanted = false
	#end = new AbortController()

	constructor({ refresh, rests }) {
		this.refresh = refresh
		this.rests = rests
		watchPresses()
		const { signal } = this.#end
		document.addEventListener('visibilitychange', () => this.#plan(0), { signal })
		window.addEventListener('pageshow', () => this.#plan(0), { signal })
	}

	changed(delay = 0) {
		this.#wanted = true
		this.#plan(delay)
	}

	stop() {
		this.stopped = true
		clearTimeout(this.#timer)
		this.#end.abort()
	}

	#plan(delay) {
		clearTimeout(this.#timer)
		if (this.stopped || this.#busy || !this.#wanted || document.visibilityState !== 'visible') return
		this.#timer = setTimeout(() => this.#run(), delay)
	}

	async #run() {
		if (this.rests()) return this.#plan(150)
		this.#busy = true
		this.#wanted = false
		let delay = 50 // many changes are fetched together
		try {
			if (await this.refresh() === false) {
				this.#wanted = true
				delay = 150
			}
			this.#failures = 0
		} catch (error) {
			this.#wanted = true
			this.#failures++
			delay = Math.max(error.after || 0, 500 * 2 ** Math.min(this.#failures, 6)) * (0.5 + Math.random())
		}
		this.#busy = false
		this.#plan(delay)
	}
}
