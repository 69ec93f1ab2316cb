// One connection for all tabs of a company in a browser. It keeps the latest events for a page that was rendered a
// moment ago. It uses no document.
import { Connection, has } from './connect.js'

const KEPT = 200 // events
const UNSEEN = 5 * 60_000 // it stays open so long while no tab is visible

export class Shared {
	#url
	#since // what is kept begins there
	#at
	#kept = []
	#state
	#build
	#listeners = new Set()
	#seen = new Set() // those that are visible
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
		this.#connection = new Connection({ url: this.#url, at: this.#at, tell: (news) => this.#hear(news) })
	}

	#hear(news) {
		if (news.state) this.#state = news.state
		if (news.build) this.#build = news.build
		if (news.event?.all) {
			this.#kept = []
			this.#since = news.at
		} else if (news.event) {
			this.#kept.push(news)
			if (this.#kept.length > KEPT) this.#since = this.#kept.shift().at
		} else if (news.at) this.#at = news.at
		for (const tell of this.#listeners) tell(news)
	}

	// behind is what a listener at a position has missed.
	behind(at) {
		const news = []
		if (this.#build) news.push({ build: this.#build })
		if (this.#state) news.push({ state: this.#state })
		if (!has(at, this.#since)) news.push({ event: { all: true }, at: this.#at })
		else news.push(...this.#kept.filter((one) => !has(at, one.at)))
		return news
	}

	// join calls tell with all messages behind at, then with each new one.
	join(tell, at) {
		this.behind(at).forEach(tell)
		this.#listeners.add(tell)
	}

	leave(tell) {
		this.#listeners.delete(tell)
		this.see(tell, false)
	}

	// see says whether a listener is visible. If none is, the connection closes after a while.
	see(tell, seen) {
		if (seen) this.#seen.add(tell)
		else this.#seen.delete(tell)
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
