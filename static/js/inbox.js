// The count of the inbox keeps itself true while someone looks at the page.
import htmx from '../vendor/htmx/htmx.min.js'
import { parse, say } from './say.js'

const every = 20_000
let timer

const link = () => document.getElementById('unread')
const visible = () => document.visibilityState === 'visible'

async function look() {
	clearTimeout(timer)
	const old = link()
	if (!old || !visible()) return
	try {
		const answer = await fetch(old.dataset.from, { headers: { 'HX-Request': 'true', 'HX-Target': 'unread' } })
		if (answer.status === 401) return // signed out: what is done next says so
		if (answer.ok) show(parse(await answer.text()).querySelector('#unread'))
	} catch { /* away for a moment */ }
	timer = setTimeout(look, every)
}

// show puts the new count in the place of the old, and says so only when there is more to read.
function show(fresh) {
	const old = link()
	if (!fresh || !old || fresh.dataset.unread === old.dataset.unread) return
	const grew = Number(fresh.dataset.unread) > Number(old.dataset.unread)
	// The link itself stays: it may have the focus.
	old.dataset.unread = fresh.dataset.unread
	old.replaceChildren(...fresh.childNodes)
	if (grew) say(`${old.querySelector('b').textContent} in your inbox`)
}

if (link()) {
	timer = setTimeout(look, every)
	document.addEventListener('visibilitychange', () => { if (visible()) look() })
	window.addEventListener('focus', look)
	htmx.on('htmx:afterRequest', ({ detail }) => { if (detail.successful && detail.requestConfig?.verb === 'post') look() })
}
