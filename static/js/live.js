// Live elements: one with data-live fetches itself from data-from every so many milliseconds while the page is visible.
// The response is morphed into it and has the next data-live; without it, the element stays as it is. Nothing moves
// while its text is selected, while a mouse button is down, or while restWhile says so. If fetches fail, a banner above
// says so; with data-quiet there is none.
import htmx from '../vendor/htmx/htmx.min.js'
import { fetchFresh, Gone, held, watchPresses } from './fresh.js'
import { morph } from './morph.js'
import { say } from './say.js'

const states = new Map() // by id: the timer, whether a fetch is under way or wanted after it, failures in a row
const rests = new Map() // by id: see restWhile
const visible = () => document.visibilityState === 'visible'
const elementOf = (id) => document.getElementById(id)

function stateOf(id) {
	if (!states.has(id)) states.set(id, { failures: 0 })
	return states.get(id)
}

// restWhile keeps an element as it is while test(asked) is true; asked: now was called for it.
export const restWhile = (id, test) => rests.set(id, test)

// now fetches an element at once, also one that is not live any more.
export const now = (id) => refresh(id, true)

function plan(element) {
	const state = stateOf(element.id)
	clearTimeout(state.timer)
	if (!element.dataset.live || !visible()) return
	const backoff = state.failures && 2 ** Math.min(state.failures, 4) * (0.75 + Math.random() / 2)
	state.timer = setTimeout(refresh, Number(element.dataset.live) * (backoff || 1), element.id)
}

function selected(element) {
	const selection = getSelection()
	return !selection.isCollapsed && element.contains(selection.anchorNode)
}

const inUse = (element, asked) => held() || !asked && selected(element) || rests.get(element.id)?.(asked)

async function refresh(id, asked = false) {
	const element = elementOf(id)
	if (!element?.dataset.from || !visible()) return
	const state = stateOf(id)
	clearTimeout(state.timer)
	if (state.asking) {
		state.again ||= asked
		return
	}
	if (inUse(element, asked)) return plan(element)
	state.asking = true
	try {
		const { nodes } = await fetchFresh(element.dataset.from, id)
		show(id, nodes.getElementById(id), asked)
	} catch (error) {
		if (error instanceof Gone && !('quiet' in element.dataset)) return location.reload() // the page shows the reason
		fail(id)
	} finally {
		const { again } = state
		state.asking = state.again = false
		const element = elementOf(id)
		if (again) refresh(id, true)
		else if (element) plan(element)
	}
}

function show(id, fresh, asked) {
	const state = stateOf(id)
	const element = elementOf(id)
	state.failures = 0
	const banner = elementOf(`${id}-stale`)
	if (banner) {
		delete element?.dataset.stale
		banner.remove()
		say('The page is live again.')
	}
	if (!element || !fresh || inUse(element, asked)) return
	morph(element, fresh)
	elementOf(id)?.dispatchEvent(new Event('live', { bubbles: true }))
}

function fail(id) {
	const element = elementOf(id)
	if (++stateOf(id).failures !== 2 || !element || 'quiet' in element.dataset) return // one failure may be a hiccup
	element.dataset.stale = ''
	const banner = Object.assign(document.createElement('p'), { id: `${id}-stale`, className: 'banner stale' })
	banner.textContent = `No answer since ${new Date().toLocaleTimeString()}: what you see may be old. Retrying automatically.`
	element.before(banner)
	say(banner.textContent)
}

watchPresses()
htmx.onLoad((root) => {
	if (root.matches('[data-live]')) plan(root)
	root.querySelectorAll('[data-live]').forEach(plan)
})
document.addEventListener('visibilitychange', () => {
	for (const element of document.querySelectorAll('[data-live]')) {
		if (visible()) refresh(element.id)
		else clearTimeout(stateOf(element.id).timer)
	}
})
