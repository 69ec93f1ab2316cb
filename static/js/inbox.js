// The count of the inbox keeps itself true while someone looks at the page.
import htmx from '../vendor/htmx/htmx.min.js'
import { close } from './dialog.js'
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

// Enter takes a form's first button, also one that nobody sees: with scripts there is nothing to find by hand.
htmx.onLoad((root) => { for (const button of root.querySelectorAll('#assign .nojs')) button.remove() })

// A form in the dialog whose answer goes to the page behind it closes the dialog once it is taken.
htmx.on('htmx:afterRequest', ({ target, detail }) => {
	if (target.matches?.('[data-closes]') && detail.requestConfig?.verb === 'post' && detail.xhr.status < 300) close()
})

// A link to a comment that the page does not show leads to the page that does.
const wanted = location.hash.match(/^#comment-(\d+)$/)
if (wanted && document.getElementById('comments') && !document.getElementById(`comment-${wanted[1]}`) && !location.search.includes(`comment=${wanted[1]}`)) {
	location.replace(`${location.pathname}?comment=${wanted[1]}${location.hash}`)
}
