// What changes by itself: an element with data-live asks data-from for itself again every so many
// milliseconds, while someone looks. The answer says how often from then on; without data-live it is
// over. Nothing moves while text of it is marked, or under a button of the mouse that is down.
import htmx from '../vendor/htmx/htmx.min.js'
import { held, watchPresses } from './fresh.js'
import { say } from './say.js'

const shown = new Map() // by id: the answer that stands there, the timer, and how often it failed in a row
const visible = () => document.visibilityState === 'visible'

function state(id) {
	if (!shown.has(id)) shown.set(id, { failures: 0 })
	return shown.get(id)
}

function wait(element) {
	const at = state(element.id)
	clearTimeout(at.timer)
	if (!element.dataset.live || !visible()) return
	at.timer = setTimeout(look, Number(element.dataset.live) * 2 ** Math.min(at.failures, 4), element.id)
}

// marks tells whether someone is marking text in an element, to copy it.
function marks(element) {
	const selection = getSelection()
	return !selection.isCollapsed && element.contains(selection.anchorNode)
}

// disturbs tells whether an element is in someone's hands: what is pressed must be there when it is let go.
const disturbs = (element) => held() || marks(element)

async function look(id) {
	const element = document.getElementById(id)
	if (!element?.dataset.live || !visible()) return
	const at = state(id)
	clearTimeout(at.timer)
	if (at.asking) return
	if (disturbs(element)) return wait(element)
	at.asking = true
	try {
		const answer = await fetch(element.dataset.from, { headers: { 'HX-Request': 'true', 'HX-Target': id }, signal: AbortSignal.timeout(20_000) })
		if (answer.status === 401 || answer.status === 404) return location.reload() // signed out, or gone: the page says so
		if (!answer.ok) throw new Error(answer.statusText)
		show(id, await answer.text())
	} catch {
		failed(id)
	} finally {
		at.asking = false
		const now = document.getElementById(id)
		if (now) wait(now)
	}
}

// show puts an answer in its place, unless it is what stands there.
function show(id, html) {
	const at = state(id)
	const element = document.getElementById(id)
	if (at.failures) {
		at.failures = 0
		delete element?.dataset.stale
		document.getElementById(`${id}-stale`)?.remove()
		say('The page is live again.')
	}
	if (!element || at.html === html) return
	if (disturbs(element)) return
	at.html = html
	htmx.swap(element, html, { swapStyle: 'outerHTML' })
}

// failed says, above what stands there, that it may be old.
function failed(id) {
	const at = state(id)
	const element = document.getElementById(id)
	if (++at.failures !== 2 || !element) return // once may be a hiccup
	element.dataset.stale = ''
	const line = Object.assign(document.createElement('p'), { id: `${id}-stale`, className: 'banner stale' })
	line.textContent = `No answer since ${new Date().toLocaleTimeString()}: what you see may be old. It is tried again by itself.`
	element.before(line)
	say(line.textContent)
}

// now has an element ask at once.
export const now = (id) => look(id)

watchPresses()
htmx.onLoad((root) => {
	if (root.matches('[data-live]')) wait(root)
	root.querySelectorAll('[data-live]').forEach(wait)
})
document.addEventListener('visibilitychange', () => {
	for (const element of document.querySelectorAll('[data-live]')) {
		if (visible()) look(element.id)
		else clearTimeout(state(element.id).timer)
	}
})
