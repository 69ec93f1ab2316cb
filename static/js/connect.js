// One connection to the changes of a company: a stream of events, or polls if no stream gets through. It runs in a page
// or in a worker, so it uses no document.
//
// Its messages: { state: 'live' | 'reconnecting' | 'polling' | 'out' }, { build }, { event, at }, an event being { all
// } if anything may have changed, { board, own, tickets } with tickets null or a list of [ticket, column, stamp], or {
// ticket } if its comments changed; and { at } after all up to there. at are positions of feeds.

const FIRST = 10_000 // the timeout of the first bytes, or a response; a buffering proxy sends none
const SILENCE = 45_000 // the server sends a heartbeat every 20 s
const POLL = 5_000
const AGAIN = 12 // polls until the next try of the stream

// has reports whether a reader at a has read all up to b.
export function has(a, b) {
	const [x, y] = [a, b].map((at) => (at ?? '').split('.').map(Number))
	return x.length === 4 && y.length === 4 && x[0] === y[0] && x.every((n, i) => i === 0 || n >= y[i])
}

class Out extends Error {}

// check throws if the company is not visible any more: signed out, removed, deleted.
function check(response) {
	if ([401, 403, 404].includes(response.status) || response.redirected) throw new Out()
	if (!response.ok && response.status !== 304) throw Object.assign(new Error(`${response.status}`), { status: response.status, after: Number(response.headers.get('Retry-After')) })
}

export class Connection {
	#url
	#send
	#streams
	#state
	#failures = 0
	#cut = 0 // streams that did not come through; a server that is down cuts none
	#reached = false
	#polls = 0
	#tag // ETag of the last response
	#closed = false
	#abort = new AbortController()
	#heard = 0
	#resume

	// url is that of the stream; at is the reader's position. Without streams it only polls.
	constructor({ url, at, send, streams = true }) {
		this.#url = url
		this.at = at
		this.#send = send
		this.#streams = streams
		this.#run()
	}

	close() {
		this.#closed = true
		this.#abort.abort()
		this.#resume?.()
	}

	// wake reconnects if it waits, or has received nothing for a while: the machine slept, or the network came back.
	wake() {
		if (this.#resume) this.#resume()
		else if (this.#state === 'live' && Date.now() - this.#heard > SILENCE / 2) this.#abort.abort()
	}

	async #run() {
		while (!this.#closed) {
			const began = Date.now()
			let after = 0
			let streamed = false
			const streams = this.#streams && (this.#cut < 3 || this.#polls >= AGAIN)
			try {
				if (streams) {
					this.#polls = 0
					await this.#stream()
					streamed = true
				} else {
					await this.#poll()
					after = POLL
				}
			} catch (error) {
				if (this.#closed) return
				if (error instanceof Out) {
					this.#show('out')
					return
				}
				if (streams && error.status === 429) { // as many streams as there may be: one in a minute is tried again
					this.#cut = 3
					continue
				}
				after = error.after * 1000 || 0
				this.#failures++
				if (this.#reached) this.#cut++
				if (this.#state !== 'polling' || this.#failures > 6) this.#show('reconnecting')
			}
			if (this.#closed) return
			if (streamed) { // it ended, as when the server restarts
				if (Date.now() - began < FIRST) this.#cut++ // or a proxy passes only the first bytes
				else if (this.#state === 'live') this.#failures = this.#cut = 0
				if (this.#state === 'live') this.#show('reconnecting')
			}
			await this.#wait(Math.max(after, this.#state === 'polling' ? POLL : Math.min(30_000, 400 * 2 ** this.#failures)) * (0.75 + Math.random() / 2))
		}
	}

	#wait(time) {
		return new Promise((resolve) => {
			const timer = setTimeout(resolve, time)
			this.#resume = () => {
				clearTimeout(timer)
				resolve()
			}
		}).then(() => { this.#resume = undefined })
	}

	#show(state) {
		if (this.#state === state) return
		this.#state = state
		this.#send({ state })
	}

	#fetch(url, headers) {
		this.#abort = new AbortController()
		// As from htmx, so a user who is signed out gets 401, not a redirect.
		return fetch(url, { headers: { ...headers, 'HX-Request': 'true', 'HX-Target': 'live' }, cache: 'no-store', signal: this.#abort.signal })
	}

	async #stream() {
		let watch = setTimeout(() => {
			this.#cut = 3 // as if a proxy buffers it
			this.#abort.abort()
		}, FIRST)
		this.#reached = false
		try {
			const response = await this.#fetch(`${this.#url}?at=${this.at}`, { Accept: 'text/event-stream' })
			this.#reached = ![502, 504].includes(response.status)
			check(response)
			const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
			let rest = ''
			for (;;) {
				const { value, done } = await reader.read()
				if (done) return
				clearTimeout(watch)
				watch = setTimeout(() => this.#abort.abort(), SILENCE)
				this.#heard = Date.now()
				const blocks = (rest + value).split('\n\n')
				rest = blocks.pop()
				for (const block of blocks) this.#read(block)
				this.#show('live')
			}
		} finally {
			clearTimeout(watch)
		}
	}

	#read(block) {
		const fields = Object.fromEntries(block.split('\n').map((line) => {
			const at = line.indexOf(':')
			return [line.slice(0, at), line.slice(at + 1).trimStart()]
		}))
		if (fields.event) this.#receive(fields.event, JSON.parse(fields.data))
		if (fields.id && fields.id !== this.at) this.#reach(fields.id)
	}

	#reach(at) {
		this.at = at
		this.#send({ at })
	}

	#receive(name, data) {
		if (name === 'hello') this.#send({ build: data.build })
		else if (name === 'gone') throw new Out()
		else if (name === 'all') this.#send({ event: { all: true }, at: data.at })
		else if (name === 'board' || name === 'ticket') {
			const { at, ...event } = data
			this.#send({ event, at })
		}
	}

	async #poll() {
		this.#polls++
		const asked = this.#fetch(`${this.#url}/changes?at=${this.at}`, this.#tag && { 'If-None-Match': this.#tag })
		const watch = setTimeout(() => this.#abort.abort(), FIRST) // a dead connection
		try {
			const response = await asked
			check(response)
			this.#heard = Date.now()
			if (response.status === 200) {
				const { at, build, events } = await response.json()
				this.#receive('hello', { build })
				for (const { name, data } of events) this.#receive(name, data)
				this.#reach(at)
				this.#tag = response.headers.get('ETag')
			}
			this.#show('polling')
		} finally {
			clearTimeout(watch)
		}
	}
}
