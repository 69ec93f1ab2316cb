// Completion of a query: the fields and values that go on from the word that is typed.
import Combobox from '../vendor/combobox-nav/index.js'

const most = 8
const unfinished = /(?:^|[\s(])-?([^\s("-][^\s("]*(?:"[^"]*)?)$/u // word, up to the caret

// complete offers words, each with a name or none, while an input has a part of one before its caret.
export function complete(input, words) {
	const list = document.createElement('ul')
	Object.assign(list, { role: 'listbox', id: `${input.id}-words`, className: 'suggestions', hidden: true, ariaLabel: 'Conditions' })
	input.parentNode.append(list) // behind the key, which hides while there is text
	let box

	function close() {
		box?.destroy()
		box = null
		list.hidden = true
	}

	const typed = () => input.value.slice(0, input.selectionStart).match(unfinished)?.[1] ?? ''

	// found are the words that go on from a text, or whose names have it: fields alone until one is typed.
	function found(text) {
		const field = text.slice(0, text.indexOf(':') + 1)
		return words().filter(({ word, name = '' }) => {
			const full = word.toLowerCase()
			if (full === text || !field && !word.endsWith(':')) return false
			return full.startsWith(text) || field && full.startsWith(field) && name.toLowerCase().includes(text.slice(field.length))
		}).slice(0, most)
	}

	function option({ word, name }, i) {
		const item = document.createElement('li')
		Object.assign(item, { role: 'option', id: `${list.id}-${i}` })
		item.dataset.word = word
		item.append(document.createElement('bdi'))
		item.firstChild.textContent = name && !word.endsWith(`:${name}`) ? `${name} · ${word}` : word
		return item
	}

	function offer() {
		close()
		const text = typed().toLowerCase()
		const options = text && document.activeElement === input ? found(text) : []
		if (!options.length) return
		list.replaceChildren(...options.map(option))
		list.hidden = false
		box = new Combobox(input, list, { tabInsertsSuggestions: false })
		box.start()
	}

	list.addEventListener('combobox-commit', ({ target }) => {
		const end = input.selectionStart
		const start = end - typed().length
		const chosen = target.dataset.word + (target.dataset.word.endsWith(':') ? '' : ' ')
		input.setRangeText(chosen, start, end, 'end')
		input.focus()
		input.dispatchEvent(new Event('input', { bubbles: true }))
	})
	list.addEventListener('mousedown', (event) => event.preventDefault()) // the input keeps the focus
	input.addEventListener('input', offer)
	input.addEventListener('blur', close)
	input.addEventListener('keydown', (event) => {
		if (event.key !== 'Escape' || !box) return
		event.preventDefault()
		close()
	})
}
