// The count of the inbox is live (live.js); it is also fetched when the user comes back to the window, and after
// each form.
import htmx from '../vendor/htmx/htmx.min.js'
import { now } from './live.js'
import { say } from './say.js'

const link = document.getElementById('unread')
let unread = Number(link?.dataset.unread)

if (link) {
	link.addEventListener('live', () => {
		const before = unread
		unread = Number(link.dataset.unread)
		if (unread > before) say(`${link.querySelector('b').textContent} in your inbox`)
	})
	window.addEventListener('focus', () => now(link.id))
	htmx.on('htmx:afterRequest', ({ detail }) => {
		if (detail.successful && detail.requestConfig?.verb === 'post') now(link.id)
	})
}
