// The worker that all tabs of a browser share: a connection for each company, for each account.
import { Shared } from './share.js'

const LINGER = 10_000 // a connection without listeners stays so long: the next page comes soon
const shared = new Map()

// sharedFor returns the connection that a page asks for. One that was turned away is no use any more.
function sharedFor({ key, url, at }) {
	let one = shared.get(key)
	if (!one || one.out) shared.set(key, one = new Shared(url, at))
	return one
}

self.onconnect = ({ ports: [port] }) => {
	let one, key
	let turn = 0 // how often the page has come
	const tell = (news) => port.postMessage(news)
	const leave = () => {
		if (!one) return
		const left = one
		one = undefined
		left.leave(tell)
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
			one.join(tell, join.at)
		}
		if (alive) { // the page holds it for as long as it is there
			const then = turn
			navigator.locks.request(alive, () => { if (then === turn) leave() })
		}
		if (bye) leave()
		if (seen !== undefined) one?.see(tell, seen)
		if (wake) one?.wake()
	}
}
