// The worker that all tabs of a browser share: a connection for each company, for each account.
import { Shared } from './share.js'

const LINGER = 10_000 // so long a connection stays that nobody listens to: the next page comes soon
const shared = new Map()

// sharedFor returns the connection that a page asks for. One that was turned away is no use any more.
function sharedFor({ key, url, at }) {
	let one = shared.get(key)
	if (!one || one.out) shared.set(key, one = new Shared(url, at))
	return one
}

self.onconnect = ({ ports: [port] }) => {
	let one, key
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
	port.onmessage = ({ data: { join, seen, wake, bye } }) => {
		if (join) {
			leave()
			key = join.key
			one = sharedFor(join)
			one.join(tell, join.at)
			// The page holds the lock for as long as it is there, however it ends.
			if (join.alive) navigator.locks?.request(join.alive, leave)
		}
		if (bye) leave()
		if (seen !== undefined) one?.see(tell, seen)
		if (wake) one?.wake()
	}
}
