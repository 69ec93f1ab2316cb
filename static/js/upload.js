// Files are sent one by one, each with a bar that shows how far it is, and a button that ends it: those for a ticket, and
// those that are pasted or dropped into a text, where a reference to each appears.
import htmx from '../vendor/htmx/htmx.min.js'
import { parse, reachable, reason, say, toasts } from './say.js'

const size = (n) => `${Math.ceil(n / 2 ** 20).toLocaleString('en')} MB`
const tooLarge = (file, most) => (most && file.size > most ? `It has ${size(file.size)}; at most ${size(most)} is allowed.` : '')

// A file that is too large is refused before it is sent: a browser that is still sending may not show the server's
// response.
document.addEventListener('change', ({ target }) => {
	if (!target.matches('input[type=file][data-most]') || target.closest('[data-attach]')) return
	const file = target.files[0]
	target.setCustomValidity(file ? tooLarge(file, Number(target.dataset.most)) : '')
	target.reportValidity()
})

// send sends a file and returns the response as nodes. Its row in the list shows how far it is; a failure stays there
// until it is closed, and ends with null.
function send(url, file, { list, target, most }) {
	const row = parse('<li><span class="name" dir="auto"></span><progress max="1" value="0"></progress><button type="button" class="quiet"></button></li>').firstChild
	const [name, bar, button] = row.children
	name.textContent = file.name
	bar.ariaLabel = `Sending ${file.name}`
	button.textContent = 'Cancel'
	button.ariaLabel = `Cancel sending ${file.name}`
	list.append(row)
	const request = new XMLHttpRequest()
	return new Promise((resolve) => {
		const fail = (why) => {
			bar.remove()
			row.insertBefore(Object.assign(document.createElement('p'), { className: 'error', textContent: `Not attached. ${why}` }), button)
			button.textContent = 'Close'
			button.ariaLabel = `Close the message about ${file.name}`
			button.onclick = () => row.remove()
			say(`${file.name} was not attached. ${why}`)
			resolve(null)
		}
		button.onclick = () => {
			request.abort()
			row.remove()
			say(`${file.name} is not sent.`)
			resolve(null)
		}
		request.upload.onprogress = (event) => { if (event.lengthComputable) bar.value = event.loaded / event.total }
		request.onerror = () => fail(reason())
		request.onload = () => {
			reachable()
			if (request.getResponseHeader('HX-Redirect')) return location.assign(request.getResponseHeader('HX-Redirect'))
			if (request.status >= 300) return fail(reason(request.status, request.response))
			row.remove()
			resolve(parse(request.response))
		}
		const why = tooLarge(file, most)
		if (why) return fail(why)
		const form = new FormData()
		form.append('file', file)
		request.open('POST', url)
		request.setRequestHeader('HX-Request', 'true')
		if (target) request.setRequestHeader('HX-Target', target)
		request.send(form)
	})
}

const listBelow = (place) => place.querySelector(':scope > .uploads') ?? place.appendChild(Object.assign(document.createElement('ul'), { className: 'uploads', role: 'list' }))

const brings = (event) => [...(event.dataTransfer?.types ?? [])].includes('Files')

// attach sends files for a ticket, one after the other. The list of its files is replaced after each.
async function attach(files) {
	for (const file of [...files]) {
		const section = document.getElementById('files')
		const form = section.querySelector('[data-attach]')
		const most = Number(form.querySelector('[type=file]').dataset.most)
		const answer = await send(form.getAttribute('action'), file, { list: listBelow(section), target: 'files', most })
		const now = document.getElementById('files')
		const fresh = answer?.querySelector('#files')
		if (!fresh || !now) continue
		const pending = now.querySelector(':scope > .uploads')
		if (pending) fresh.append(pending)
		now.replaceWith(fresh)
		htmx.process(fresh)
		toasts(answer)
	}
}

document.addEventListener('change', ({ target }) => {
	if (!target.closest('[data-attach]') || !target.files?.length) return
	const files = [...target.files]
	target.value = ''
	attach(files)
})

// equip lets a text take files: pasted, dropped, or chosen with the button.
export function equip(field, text, button, insert) {
	const url = field.dataset.upload
	const input = Object.assign(document.createElement('input'), { type: 'file', multiple: true, hidden: true, tabIndex: -1 })
	field.append(input)
	button.addEventListener('click', () => input.click())
	input.addEventListener('change', () => {
		take([...input.files])
		input.value = ''
	})

	async function take(files) {
		text.form && busy.set(text.form, (busy.get(text.form) ?? 0) + files.length)
		for (const file of files) {
			const answer = await send(url, file, { list: listBelow(field) })
			const markdown = answer?.querySelector('output')?.dataset.markdown
			if (markdown && text.isConnected) {
				insert(markdown)
				say(`${file.name} is attached.`)
			}
			text.form && busy.set(text.form, busy.get(text.form) - 1)
		}
	}

	text.addEventListener('paste', (event) => {
		const files = [...(event.clipboardData?.files ?? [])]
		if (!files.length || event.clipboardData.types.includes('text/plain')) return // a copied cell is a picture, too
		event.preventDefault()
		take(files)
	})
	field.addEventListener('dragover', (event) => { if (brings(event)) event.preventDefault() })
	field.addEventListener('drop', (event) => {
		if (!brings(event)) return
		event.preventDefault()
		event.stopPropagation()
		unmark()
		take([...event.dataTransfer.files])
	})
}

// A text is not saved before its files have arrived: it would not show them.
const busy = new WeakMap()
document.addEventListener('submit', (event) => {
	if (!busy.get(event.target)) return
	event.preventDefault()
	event.stopImmediatePropagation()
	const first = event.target.querySelector('.uploads .name')
	say(`Wait until ${first?.textContent ?? 'the file'} has arrived, or cancel it.`)
}, true)

const zone = (target) => target.closest?.('.markdown[data-upload]') ?? (document.querySelector('#files [data-attach]') && document.querySelector('.ticket-page'))
const unmark = () => document.querySelectorAll('.dropping').forEach((one) => one.classList.remove('dropping'))

document.addEventListener('dragover', (event) => {
	const over = brings(event) && zone(event.target)
	unmark()
	if (!over) return
	event.preventDefault()
	over.classList.add('dropping')
})
document.addEventListener('dragleave', (event) => { if (!event.relatedTarget) unmark() })
document.addEventListener('drop', (event) => {
	unmark()
	if (!brings(event) || !zone(event.target)) return
	event.preventDefault()
	attach(event.dataTransfer.files)
})
