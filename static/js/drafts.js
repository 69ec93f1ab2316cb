// Drafts: the input of a form with data-draft is kept in this browser, for its account alone, until the server has
// accepted the form, or for a week: signing out keeps it for the next time. data-draft-version is the version that the form was made from.
import htmx from '../vendor/htmx/htmx.min.js'
import { say } from './say.js'

const account = document.body.dataset.account
const prefix = `draft ${account} `
const sentKey = 'draft sent'
export const days = 7
const most = 40 // drafts of an account
const longest = 200_000 // characters of one

const texts = (form) => [...form.querySelectorAll('textarea[name], input[name]:not([type]), input[name][type=text]')]
const valuesOf = (form) => Object.fromEntries(texts(form).map((text) => [text.name, text.value]))
const keyOf = (form, name = form.dataset.draft) => `${prefix}${name} ${new URL(form.action).pathname}`
const plain = (text) => text.replaceAll('\r\n', '\n')
const same = (a, b) => Object.keys(a).every((name) => plain(a[name]) === plain(b[name] ?? ''))

function read(key) {
	try {
		const draft = JSON.parse(localStorage.getItem(key))
		return draft && Date.now() - draft.at < days * 864e5 ? draft : null
	} catch {
		return null
	}
}

function remove(key) {
	try { localStorage.removeItem(key) } catch { /* a browser that keeps nothing has nothing */ }
}

// kept are the keys of drafts, the oldest first.
function kept() {
	const keys = Object.keys(localStorage).filter((key) => key.startsWith('draft '))
	const at = (key) => read(key)?.at ?? 0
	return keys.sort((a, b) => at(a) - at(b))
}

function write(key, draft) {
	const text = JSON.stringify(draft)
	if (text.length > longest) return
	try {
		localStorage.setItem(key, text)
	} catch {
		try {
			kept().slice(0, most / 2).forEach(remove)
			localStorage.setItem(key, text)
		} catch { /* no room, or not allowed: the input is on the page alone */ }
	}
}

try {
	kept().filter((key) => !read(key)).forEach(remove)
	kept().filter((key) => key.startsWith(prefix)).slice(0, -most).forEach(remove)
} catch { /* no storage */ }

const waiting = new Map() // changed forms, with the timers that save them

function keep(form) {
	clearTimeout(waiting.get(form))
	waiting.delete(form)
	const untouched = texts(form).every((text) => text.value === text.defaultValue)
	const key = keyOf(form)
	if (untouched) {
		if (read(key)?.version === form.dataset.draftVersion) remove(key) // another is not this form's
	} else write(key, { at: Date.now(), version: form.dataset.draftVersion, nonce: form.elements.nonce?.value, values: valuesOf(form) })
}

// keepAll keeps what was typed a moment ago, too.
export const keepAll = () => [...waiting.keys()].forEach(keep)

// taken deletes the draft of an accepted form, unless it was changed since.
export function taken(form, values) {
	if (form.dataset.draftTakes) remove(keyOf(form, form.dataset.draftTakes))
	if (!form.dataset.draft) return
	if (!waiting.has(form) || same(values, valuesOf(form))) {
		clearTimeout(waiting.get(form))
		waiting.delete(form)
	}
	const draft = read(keyOf(form))
	if (draft && same(draft.values, values)) remove(keyOf(form))
}

const rejected = (form) => form.querySelector('[aria-invalid=true], .summary, .error') || form.closest('section, article')?.querySelector('.summary')

function restore(form) {
	if ('goesOn' in form.dataset) return // what its forerunner sent is no draft
	const draft = read(keyOf(form))
	if (!draft || rejected(form) || same(draft.values, valuesOf(form))) return
	if (draft.version === form.dataset.draftVersion) {
		fill(form, draft)
		note(form, 'Draft restored.', ['Discard', () => discard(form)])
	} else {
		const { version } = form.elements
		note(form, version ? 'You have a draft from before the last change.' : 'You have another draft.', ['Use it', () => {
			fill(form, draft)
			// The server shows what changed meanwhile.
			if (version) version.value = draft.version
			form.dataset.draftVersion = draft.version
			note(form, version ? 'Draft restored. What others changed since is shown when you save.' : 'Draft restored.', ['Discard', () => discard(form)])
		}], ['Discard', () => discard(form)])
	}
}

function fill(form, { nonce, values }) {
	if (form.elements.nonce && nonce) form.elements.nonce.value = nonce // it may have been sent, and its answer lost
	for (const text of texts(form)) if (text.name in values) text.value = values[text.name]
}

function discard(form) {
	remove(keyOf(form))
	form.reset()
	if (form.elements.version) form.dataset.draftVersion = form.elements.version.value = form.elements.version.defaultValue
	form.querySelector('.draft')?.remove()
	texts(form)[0]?.focus()
}

// note says in a form what its texts are, with buttons for what to do about them.
export function note(form, text, ...buttons) {
	form.querySelector('.draft')?.remove()
	const line = Object.assign(document.createElement('p'), { className: 'draft' })
	line.append(Object.assign(document.createElement('span'), { textContent: text }))
	for (const [label, act] of buttons) {
		const button = Object.assign(document.createElement('button'), { type: 'button', className: 'quiet', textContent: label })
		button.addEventListener('click', act)
		line.append(button)
	}
	form.prepend(line)
	say(text)
}

// settle checks, on the page after a form was sent, whether the server accepted it.
function settle() {
	let sent
	try {
		sent = JSON.parse(sessionStorage.getItem(sentKey))
		sessionStorage.removeItem(sentKey)
	} catch { /* none */ }
	if (!sent || !sent.key.startsWith(prefix) || document.querySelector('main .status, main .typed')) return
	// A user who left a response before its scripts ran may have missed a rejection.
	if (!document.referrer || new URL(document.referrer).pathname !== sent.from) return
	const again = [...document.querySelectorAll('form[data-draft]')].some((form) => keyOf(form) === sent.key && rejected(form))
	if (again) return
	const draft = read(sent.key)
	if (draft && (sent.takes || same(draft.values, sent.values))) remove(sent.key)
}

if (account) {
	settle()
	document.addEventListener('input', ({ target }) => {
		const form = target.closest('form[data-draft]')
		if (!form || !texts(form).includes(target)) return
		clearTimeout(waiting.get(form))
		waiting.set(form, setTimeout(keep, 300, form))
	})
	window.addEventListener('pagehide', keepAll)
	document.addEventListener('visibilitychange', keepAll)

	const under = new WeakMap() // forms that htmx sends, with their values
	document.addEventListener('htmx:beforeRequest', ({ detail }) => {
		keepAll() // the response may replace the form
		if (!detail.elt.matches('[data-draft], [data-draft-takes]')) return
		under.set(detail.elt, valuesOf(detail.elt))
	})
	document.addEventListener('htmx:afterRequest', ({ detail }) => {
		const form = detail.requestConfig.elt // detail.elt is another if the response replaced the form
		const values = under.get(form)
		if (values && detail.xhr.status >= 200 && detail.xhr.status < 300) taken(form, values)
	})
	document.addEventListener('submit', (event) => {
		const form = event.target
		const { draft, draftTakes } = form.dataset
		if (!draft && !draftTakes) return
		if (waiting.has(form)) keep(form)
		if (form.matches('[hx-post], [data-again]') || event.defaultPrevented) return
		const sent = { key: keyOf(form, draft ?? draftTakes), takes: !draft, from: location.pathname, values: valuesOf(form) }
		try { sessionStorage.setItem(sentKey, JSON.stringify(sent)) } catch { /* stays a draft */ }
	}, true)
	document.addEventListener('click', ({ target }) => {
		const form = target.closest('[data-draft-drop]')?.closest('form[data-draft], section')
		const drop = form?.matches('form') ? form : form?.querySelector('form[data-draft]') ?? form?.parentElement.querySelector('form[data-draft]')
		if (!drop) return
		clearTimeout(waiting.get(drop))
		waiting.delete(drop)
		remove(keyOf(drop))
	}, true)
	htmx.onLoad((root) => {
		if (root.matches('form[data-draft]')) restore(root)
		root.querySelectorAll('form[data-draft]').forEach(restore)
	})
} else {
	// Signing in came instead of a response: the sent form is still a draft.
	try { sessionStorage.removeItem(sentKey) } catch { /* none */ }
}
