// The worker that all tabs of a browser share: a connection for each company and account.
import { Shared } from './share.js'

const LINGER = 10_000 // the life of a connection without listeners: the next page comes soon
const shared = new Map()

// sharedFor returns the connection of a page. One that was refused is replaced.
function sharedFor({ key, url, at }) {
	let one = shared.get(key)
	if (!one || one.out) shared.set(key, one = new Shared(url, at))
	return one
}

self.onconnect = ({ ports: [port] }) => {
	let one, key
	let turn = 0 // the page's joins
	const send = (message) => port.postMessage(message)
	const leave = () => {
		if (!one) return
		const left = one
		one = undefined
		left.leave(send)
		setTimeout(() => {
			if (!left.empty) return
			left.close()
			if (shared.get(key) === left) shared.delete(key)
		}, LINGER)
	}
	port.onmessage = ({ data: { join, alive, seen, wake, bye } }) => {
		if (join) {
			leave()
			turn++
			key = join.key
			one = sharedFor(join)
			one.join(send, join.at)
		}
		if (alive) { // the page holds this lock while it lives
			const then = turn
			navigator.locks.request(alive, () => { if (then === turn) leave() })
		}
		if (bye) leave()
		if (seen !== undefined) one?.see(send, seen)
		if (wake) one?.wake()
	}
}
