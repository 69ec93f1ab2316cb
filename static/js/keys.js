// A key is the app's unless the user types or composes, or holds a modifier; single letters not if they are off in this
// browser.
import { bindings } from './bindings.js'

const name = 'counterfoil.keys'

function read() {
	try {
		return localStorage.getItem(name) !== 'off'
	} catch {
		return true
	}
}

let on = read()
const show = () => document.documentElement.classList.toggle('keys-off', !on)
show()

const fields = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]:not([contenteditable=false])'

// free reports whether a key has no other use.
export const free = (event) => !event.ctrlKey && !event.altKey && untyped(event)

// isField reports whether an element takes what is typed.
export const isField = (element) => element.matches(fields)

// untyped is free for a character that some keyboards have on AltGr or Alt.
export function untyped(event) {
	return !event.defaultPrevented && !event.isComposing && event.keyCode !== 229 && !event.metaKey && (!event.ctrlKey || event.altKey)
		&& !event.target.closest?.(fields) && !document.querySelector('dialog[open], .card-menu:popover-open')
}

// pressed reports whether a click acts here, not in a new tab or window.
export const pressed = (event) => !event.defaultPrevented && !event.button && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey

// commandOf returns the command of a pressed key in a scope. Single letters have none if they are off.
export function commandOf(scope, event) {
	const held = !event.altKey && (event.ctrlKey || event.metaKey)
	const key = event.key.length === 1 && held ? event.key.toLowerCase() : event.key
	if (key.length === 1 && !held && !on) return
	return Object.keys(bindings[scope]).find((command) => bindings[scope][command].includes(held ? `Ctrl+${key}` : key))
}

let composing = false
document.addEventListener('keydown', (event) => { composing = event.isComposing || event.keyCode === 229 }, true)
document.addEventListener('hotkey-fire', (event) => {
	const plain = !event.detail.path.some((key) => /(Control|Alt|Meta|Mod)\+/.test(key))
	if (composing || (plain && !on) || document.querySelector('dialog[open], .card-menu:popover-open') || document.activeElement?.matches(fields)) event.preventDefault()
}, true)

document.addEventListener('change', ({ target }) => {
	if (!target.matches('[data-keys-switch]')) return
	on = target.checked
	try {
		localStorage.setItem(name, on ? 'on' : 'off')
	} catch {} // then it holds for this page
	show()
})

// showSwitch shows the setting in the help's switch.
export function showSwitch(box) { box.checked = on }
