// A text in Markdown: tabs to write it and to see it as its page would show it, a toolbar, lists that go on at Enter,
// and links pasted over words. All of it goes through the browser's own editing, so Ctrl+Z takes it back.
import htmx from '../vendor/htmx/htmx.min.js'
import '../vendor/markdown-toolbar/index.js'
import { subscribe, uninstallHTML, uninstallImageLink } from '../vendor/paste-markdown/bundle.js'
import { bindings } from './bindings.js'
import { commandOf, pressed } from './keys.js'
import { ask, parse, say, toast } from './say.js'
import { equip as takeFiles } from './upload.js'

const apple = /^(Mac|iP)/.test(navigator.platform)

// The tools: their style for markdown-toolbar, which is also the command of their key; name; and icon. The icons are
// from lucide 1.62.0, ISC License, Copyright (c) Lucide Contributors.
const tools = [
	['header-3', 'Heading', '<path d="M6 12h12"/><path d="M6 20V4"/><path d="M18 20V4"/>'],
	['bold', 'Bold', '<path d="M6 12h9a4 4 0 0 1 0 8H7a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1h7a4 4 0 0 1 0 8"/>'],
	['italic', 'Italic', '<path d="M19 4h-9"/><path d="M14 20H5"/><path d="M15 4 9 20"/>'],
	['code', 'Code', '<path d="m16 18 6-6-6-6"/><path d="m8 6-6 6 6 6"/>'],
	['link', 'Link', '<path d="M10 13a5 5 0 0 0 7.54.54l3-3a5 5 0 0 0-7.07-7.07l-1.72 1.71"/><path d="M14 11a5 5 0 0 0-7.54-.54l-3 3a5 5 0 0 0 7.07 7.07l1.71-1.71"/>'],
	['unordered-list', 'Bulleted list', '<path d="M3 5h.01"/><path d="M3 12h.01"/><path d="M3 19h.01"/><path d="M8 5h13"/><path d="M8 12h13"/><path d="M8 19h13"/>'],
	['ordered-list', 'Numbered list', '<path d="M11 5h10"/><path d="M11 12h10"/><path d="M11 19h10"/><path d="M4 4h1v5"/><path d="M4 9h2"/><path d="M6.5 20H3.4c0-1 2.6-1.925 2.6-3.5a1.5 1.5 0 0 0-2.6-1.02"/>'],
	['task-list', 'Task list', '<path d="M13 5h8"/><path d="M13 12h8"/><path d="M13 19h8"/><path d="m3 17 2 2 4-4"/><rect x="3" y="4" width="6" height="6" rx="1"/>'],
]

const tool = ([style, name, icon]) => {
	const key = bindings.form[style]?.[0].replace('Ctrl+', '')
	const [title, keys] = !key ? [name, ''] : apple ? [`${name} (⌘${key.toUpperCase()})`, `Meta+${key}`] : [`${name} (Ctrl+${key.toUpperCase()})`, `Control+${key}`]
	return `<button type="button" class="quiet" data-md-button="${style}" aria-label="${name}" title="${title}" ${keys && `aria-keyshortcuts="${keys}"`} tabindex="-1">
		<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${icon}</svg>
	</button>`
}

const markup = `
	<div class="preview" role="tabpanel" tabindex="0" hidden></div>
	<div class="tools">
		<div role="tablist">
			<button type="button" class="quiet" role="tab" aria-selected="true">Write</button>
			<button type="button" class="quiet" role="tab" aria-selected="false" tabindex="-1">Preview</button>
		</div>
		<markdown-toolbar>${tools.map(tool).join('')}</markdown-toolbar>
		<button type="button" class="quiet attach-file" aria-label="Attach files" title="Attach files">
			<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="m16 6-8.414 8.586a2 2 0 0 0 2.829 2.829l8.414-8.586a4 4 0 1 0-5.657-5.657l-8.379 8.551a6 6 0 1 0 8.485 8.485l8.379-8.551"/></svg>
		</button>
	</div>`

htmx.onLoad((root) => root.querySelectorAll('.markdown:not(:has(> .tools))').forEach(equip))

// equip gives a field its tools. They come after the text, so that Tab leads from a title to the text, and are shown
// above it.
function equip(field) {
	const write = field.querySelector('.write')
	const text = write.querySelector('textarea')
	const made = parse(markup)
	const panel = made.querySelector('.preview')
	const tabs = [...made.querySelectorAll('[role=tab]')]
	const bar = made.querySelector('markdown-toolbar')
	const attach = made.querySelector('.attach-file')
	const label = field.querySelector('label').textContent
	name(tabs, [write, panel], text.id)
	write.setAttribute('role', 'tabpanel')
	tabs[0].parentNode.ariaLabel = `${label}: write or preview`
	bar.ariaLabel = `${label}: formatting`
	bar.setAttribute('for', text.id)
	write.after(made)

	let turn = 0 // an answer to an earlier one is dropped

	function select(tab) {
		turn++
		if (tab === tabs[1] && !write.hidden) panel.style.minHeight = `${text.offsetHeight}px`
		for (const one of tabs) {
			one.ariaSelected = String(one === tab)
			one.tabIndex = one === tab ? 0 : -1
		}
		write.hidden = tab === tabs[1]
		panel.hidden = !write.hidden
		bar.inert = attach.inert = write.hidden // and not to be seen: the tabs stay where they are
		if (write.hidden) preview(turn)
	}

	async function preview(at) {
		const slow = setTimeout(() => panel.replaceChildren(hint('Loading…')), 300)
		panel.ariaBusy = 'true'
		let shown
		try {
			shown = await ask(field.dataset.preview, { values: { [text.name]: text.value }, target: panel.id })
		} catch (error) {
			shown = hint(error.message)
			say(error.message)
		}
		clearTimeout(slow)
		if (at !== turn) return
		panel.replaceChildren(shown)
		panel.ariaBusy = null
	}

	tabs[0].addEventListener('click', () => {
		select(tabs[0])
		text.focus()
	})
	tabs[1].addEventListener('click', () => select(tabs[1]))
	tabs[0].parentNode.addEventListener('keydown', (event) => {
		if (!['ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(event.key)) return
		event.preventDefault()
		const to = { Home: tabs[0], End: tabs[1] }[event.key] ?? tabs.find((tab) => tab !== event.target)
		to.focus()
		select(to)
	})
	// What the browser says of the text is said beside it.
	text.addEventListener('invalid', () => select(tabs[0]))
	text.form?.addEventListener('reset', () => select(tabs[0]))

	bar.addEventListener('mousedown', (event) => event.preventDefault()) // the text keeps the focus, and a phone its keyboard
	field.addEventListener('keydown', (event) => { if (event.target === text) press(event, bar) })
	if (field.dataset.upload) takeFiles(field, text, attach, (markdown) => place(text, markdown))
	else attach.remove()
	subscribe(text)
	uninstallHTML(text) // a key copied from a page would come as a whole link
	uninstallImageLink(text)
}

// name ties tabs and panels to one another.
function name(tabs, panels, id) {
	for (const [i, kind] of ['write', 'preview'].entries()) {
		tabs[i].id = `${id}-${kind}-tab`
		panels[i].id = `${id}-${kind}`
		tabs[i].setAttribute('aria-controls', panels[i].id)
		panels[i].setAttribute('aria-labelledby', tabs[i].id)
	}
}

const hint = (textContent) => Object.assign(document.createElement('p'), { className: 'hint', textContent })

// press acts on a key in a text, after the list of names that may be open, which takes Enter.
function press(event, bar) {
	if (event.defaultPrevented || event.isComposing || event.keyCode === 229 || event.altKey || event.shiftKey) return
	const command = (apple ? event.metaKey : event.ctrlKey) && commandOf('form', event)
	const style = tools.find(([style]) => style === command)?.[0]
	if (style) {
		event.preventDefault()
		bar.querySelector(`[data-md-button=${style}]`).click()
	} else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && goOn(event.target)) event.preventDefault()
}

const item = /^([ \t]*)(?:([-*+])|(\d{1,9})([.)]))([ \t]+)(\[[ xX]\][ \t]+)?/
const fence = /^ {0,3}(```|~~~)/gm

// goOn begins the next item of the list that the caret is in, or ends the list at an empty item: with a blank line, or
// what follows would be the last item's. It returns false elsewhere, and in code.
function goOn(text) {
	const { value, selectionStart: at, selectionEnd } = text
	const start = at && value.lastIndexOf('\n', at - 1) + 1
	const [rest] = value.slice(at).split('\n', 1)
	const [marker, indent, bullet, number, after, gap, box] = value.slice(start, at).match(item) ?? []
	if (!marker || at !== selectionEnd || value.slice(0, start).match(fence)?.length % 2) return false
	const empty = start + marker.length === at && !rest.trim()
	if (empty) text.setSelectionRange(start, at + rest.length)
	insert(text, empty ? '\n' : `\n${indent}${bullet ?? Number(number) + 1 + after}${gap}${box ? '[ ] ' : ''}`)
	return true
}

// place puts a reference to a file on a line of its own, or among the words of its line.
function place(text, markdown) {
	const { value, selectionEnd: at } = text
	const gap = at && !/\s/.test(value[at - 1]) ? ' ' : ''
	const focused = document.activeElement
	text.focus()
	text.setSelectionRange(at, at)
	insert(text, `${gap}${markdown}\n`)
	if (focused && focused !== text && focused !== document.body && focused.isConnected) focused.focus()
}

// A quotation goes to the end of the text: of the words that are selected in the comment, or of all of it.
document.addEventListener('click', async (event) => {
	const link = event.target.closest('a[data-quote]')
	const text = document.getElementById('comment-body')
	if (!link || !text || !pressed(event)) return
	event.preventDefault()
	const words = selected(link.closest('.comment'))
	let quotation = words && `> ${words.replaceAll('\n', '\n> ')}\n\n`
	try {
		quotation ||= (await ask(link.href, { target: 'comment-body' })).querySelector('output').dataset.markdown
	} catch (error) {
		return toast(error.message, true)
	}
	text.closest('.markdown').querySelector('[role=tab]').click() // Write
	text.focus({ preventScroll: true })
	text.setSelectionRange(text.value.length, text.value.length)
	const gap = !text.value || text.value.endsWith('\n\n') ? '' : text.value.endsWith('\n') ? '\n' : '\n\n'
	insert(text, gap + quotation)
	text.scrollIntoView({ block: 'center' })
})

function selected(comment) {
	const selection = getSelection()
	return selection.rangeCount && comment.contains(selection.getRangeAt(0).commonAncestorContainer) ? selection.toString().trim() : ''
}

function insert(text, words) {
	if (document.execCommand('insertText', false, words)) return
	text.setRangeText(words, text.selectionStart, text.selectionEnd, 'end') // a browser that cannot undo it
	text.dispatchEvent(new Event('input', { bubbles: true }))
}
