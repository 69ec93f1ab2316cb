// After @ in a text, a list offers members from the server.
import '../vendor/text-expander/bundle.js'
import htmx from '../vendor/htmx/htmx.min.js'
import { ask } from './say.js'

const source = () => document.getElementById('unread')?.dataset.people

htmx.onLoad((root) => {
	if (!source()) return
	for (const text of root.querySelectorAll('textarea[name$=body], textarea[name$=description], input[data-people]')) wrap(text)
})

// wrap puts a field into the element that watches it. Moving it takes the focus, which is restored.
function wrap(text) {
	if (text.closest('text-expander')) return
	const focused = document.activeElement === text
	const expander = document.createElement('text-expander')
	expander.setAttribute('keys', '@')
	text.replaceWith(expander)
	const after = expander.nextSibling
	const parent = expander.parentNode
	expander.remove()
	expander.append(text) // it looks for its field when it is attached
	parent.insertBefore(expander, after)
	if (focused) text.focus()
}

// The beginning of a name is the text after the last @ that is not within a word.
document.addEventListener('text-expander-change', ({ detail }) => {
	if (/[^\p{L}\p{N}-]/u.test(detail.text) || detail.text.length > 40) return
	detail.provide(find(detail.text))
}, true)

let latest = 0

// find fetches members. A response that comes after more input is dropped, even an empty one: it would close the list
// that the next response opens.
async function find(text) {
	const turn = ++latest
	const answer = await ask(`${source()}?q=${encodeURIComponent(text)}`, { target: 'people-to-name' }).catch(() => null) // without a list, typing goes on
	if (turn !== latest) return new Promise(() => {})
	const fragment = answer?.querySelector('#people-to-name')
	return { matched: Boolean(fragment?.children.length), fragment }
}

document.addEventListener('text-expander-value', ({ detail }) => { detail.value = detail.item.dataset.value }, true)
document.addEventListener('text-expander-committed', ({ detail }) => {
	detail.input.dispatchEvent(new Event('input', { bubbles: true })) // keeps drafts
}, true)

// On a narrow page the list stays within it.
document.addEventListener('text-expander-activate', ({ target }) => {
	requestAnimationFrame(() => {
		const list = target.querySelector('.suggestions')
		const over = (list?.getBoundingClientRect().right ?? 0) - document.documentElement.clientWidth + 8
		if (over > 0) list.style.translate = `-${over}px`
	})
}, true)
