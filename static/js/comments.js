// The keys of a long ticket: to the form of a comment, and from one comment to the next.
import htmx from '../vendor/htmx/htmx.min.js'
import { dropKey } from './dialog.js'
import { commandOf, pressed, untyped } from './keys.js'

// A link to a comment that is not on the page leads to its page.
const wanted = location.hash.match(/^#comment-(\d+)$/)
if (wanted && document.getElementById('comments') && !document.getElementById(`comment-${wanted[1]}`) && !location.search.includes(`comment=${wanted[1]}`)) {
	location.replace(`${location.pathname}?comment=${wanted[1]}${location.hash}`)
}

// The field has the focus at once, so a key that follows is typed into it.
document.addEventListener('click', (event) => {
	const field = document.getElementById(event.target.closest('[data-goto]')?.dataset.goto)
	if (!field || !pressed(event)) return
	event.preventDefault()
	dropKey()
	field.focus({ preventScroll: true })
	field.scrollIntoView({ block: 'center' })
})

const comments = () => [...document.querySelectorAll('#said > .comment')]

function show(comment) {
	comment?.focus({ preventScroll: true })
	comment?.scrollIntoView({ block: 'start' })
}

function next() {
	const all = comments()
	const at = all.findIndex((one) => one.contains(document.activeElement))
	show(at < 0 ? all.find((one) => one.getBoundingClientRect().top >= 0) ?? all.at(-1) : all[at + 1])
}

async function previous() {
	const all = comments()
	const at = all.findIndex((one) => one.contains(document.activeElement))
	const older = document.querySelector('#said > .more')
	if (at < 0) return show(all.findLast((one) => one.getBoundingClientRect().top < 0) ?? all.at(-1))
	if (at > 0 || !older) return show(all[at - 1])
	await htmx.ajax('GET', older.querySelector('a').href, { source: older, target: older, swap: 'outerHTML' })
	show(comments()[comments().indexOf(all[0]) - 1])
}

document.addEventListener('keydown', (event) => {
	const step = { 'next-comment': next, 'previous-comment': previous }[commandOf('ticket', event)]
	if (!step || !untyped(event) || !comments().length) return
	event.preventDefault()
	step()
})
