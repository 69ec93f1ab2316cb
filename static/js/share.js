// One connection for all tabs of a company in a browser. It keeps the latest events for a page that was rendered a
// moment ago. It uses no document.
import { Connection, has } from './connect.js'

const KEPT = 200 // events
const UNSEEN = 5 * 60_000 // the life of the connection while no tab is visible

export class Shared {
	#url
	#since // the position from which on events are kept
	#at
	#kept = []
	#state
	#build
	#listeners = new Set()
	#seen = new Set() // visible listeners
	#connection
	#timer

	constructor(url, at) {
		this.#url = url
		this.#since = this.#at = at
		this.#open()
	}

	get empty() { return this.#listeners.size === 0 }
	get out() { return this.#state === 'out' }

	#open() {
		this.#connection = new Connection({ url: this.#url, at: this.#at, send: (message) => this.#receive(message) })
	}

	#receive(message) {
		if (message.state) this.#state = message.state
		if (message.build) this.#build = message.build
		if (message.event?.all) {
			this.#kept = []
			this.#since = message.at
		} else if (message.event) {
			this.#kept.push(message)
			if (this.#kept.length > KEPT) this.#since = this.#kept.shift().at
		} else if (message.at) this.#at = message.at
		for (const listener of this.#listeners) listener(message)
	}

	// behind is the messages that a listener at a position has missed.
	behind(at) {
		const messages = []
		if (this.#build) messages.push({ build: this.#build })
		if (this.#state) messages.push({ state: this.#state })
		if (!has(at, this.#since)) messages.push({ event: { all: true }, at: this.#at })
		else messages.push(...this.#kept.filter((one) => !has(at, one.at)))
		return messages
	}

	// join calls listener with all messages behind at, then with each new one.
	join(listener, at) {
		this.behind(at).forEach(listener)
		this.#listeners.add(listener)
	}

	leave(listener) {
		this.#listeners.delete(listener)
		this.see(listener, false)
	}

	// see records whether a listener is visible. If none is, the connection closes after a while.
	see(listener, seen) {
		if (seen) this.#seen.add(listener)
		else this.#seen.delete(listener)
		clearTimeout(this.#timer)
		if (this.#seen.size === 0) this.#timer = setTimeout(() => this.close(), UNSEEN)
		else if (!this.#connection && !this.out) this.#open()
	}

	wake() { this.#connection?.wake() }

	close() {
		this.#connection?.close()
		this.#connection = undefined
	}
}
