// The count of the inbox is live (live.js); it is also fetched when the user comes back to the window, and after
// each form. The page's title and its icon show it, too.
import htmx from '../vendor/htmx/htmx.min.js'
import { now } from './live.js'
import { say } from './say.js'

const link = () => document.getElementById('unread')
const icon = document.querySelector('link[rel=icon]')
const plain = icon?.href
let unread = Number(link()?.dataset.unread)
let drawing // the plain icon, once it is read

// retitle gives the page another title, with the count.
export function retitle(title) {
	const count = link()?.querySelector('b')?.firstChild.textContent
	document.title = count ? `(${count}) ${title}` : title
}

// badged is the icon with a number on it.
async function badged(count) {
	drawing ??= fetch(plain).then((answer) => answer.text())
	const text = count > 9 ? '9+' : count
	const badge = `<circle cx="16" cy="16" r="8" style="fill:#b3261e"/><text x="16" y="16" dy=".36em" text-anchor="middle" style="font:700 ${count > 9 ? 9 : 12}px sans-serif;fill:#fff">${text}</text>`
	return `data:image/svg+xml,${encodeURIComponent((await drawing).replace('</svg>', `${badge}</svg>`))}`
}

async function show() {
	const count = Number(link().dataset.unread)
	retitle(document.title.replace(/^\(\d+\+?\) /, ''))
	if (count !== unread && count > unread) say(`${link().querySelector('b').textContent} in your inbox`)
	unread = count
	try {
		const href = count ? await badged(count) : plain
		if (count === unread && icon.href !== href) icon.href = href
	} catch { /* then it stays as it is */ }
}

if (link()) {
	show()
	document.addEventListener('live', ({ target }) => { if (target.id === 'unread') show() })
	htmx.on('htmx:oobAfterSwap', ({ target }) => { if (target.id === 'unread') show() })
	window.addEventListener('focus', () => now('unread'))
	htmx.on('htmx:afterRequest', ({ detail }) => {
		if (detail.successful && detail.requestConfig?.verb === 'post') now('unread')
	})
}
