// Morphs a part of a page into the server's present one: focus, scroll, open details and input stay.
import htmx from '../vendor/htmx/htmx.min.js'
import { Idiomorph } from '../vendor/idiomorph/idiomorph.min.js'

// Attributes that scripts set in this browser.
const ours = ['aria-busy', 'data-changed', 'data-open', 'data-selected', 'data-folded', 'aria-description', 'aria-expanded']
export const own = {
	beforeAttributeUpdated: (name, node) => !(node.matches('details') && name === 'open') && !ours.includes(name),
	beforeNodeRemoved(node) { // its key goes with it
		if (node.querySelectorAll) for (const control of [node, ...node.querySelectorAll('[data-hotkey]')]) htmx.trigger(control, 'htmx:beforeCleanupElement')
	},
}

// asIs, in a response, is the placeholder of an element that stays as it is on the page.
export function asIs(element) {
	const place = element.cloneNode(false)
	place.dataset.asis = ''
	return place
}

// morph makes an element equal another, except for placeholders there, and for elements that keep(old, new) keeps.
export function morph(element, fresh, { keep, stays } = {}) {
	const added = []
	const asking = []
	Idiomorph.morph(element, fresh, {
		morphStyle: 'outerHTML',
		ignoreActiveValue: !!document.activeElement?.matches('input, textarea, select'), // of a link it would keep the content
		callbacks: {
			...own,
			beforeNodeMorphed(old, now) {
				if (now.dataset && 'asis' in now.dataset || old.nodeType === 1 && keep?.(old, now)) return false
				// Times update themselves, which is no change.
				if (old.localName === 'relative-time' && old.getAttribute('datetime') === now.getAttribute('datetime')) return false
			},
			beforeNodeRemoved: (node) => node.nodeType === 1 && stays?.(node) ? false : own.beforeNodeRemoved(node),
			afterNodeAdded: (node) => { if (node.nodeType === 1) added.push(node) },
			afterNodeMorphed: (node) => { if (node.nodeType === 1 && node.matches('[hx-get], [hx-post]')) asking.push(node) },
		},
	})
	for (const node of added) {
		if (!node.isConnected || added.some((other) => other !== node && other.contains(node))) continue
		htmx.process(node)
		htmx.trigger(node, 'htmx:load', { elt: node })
	}
	asking.forEach((node) => htmx.process(node))
}

// mark highlights for a moment elements that are new, or changed by others.
export function mark(elements) {
	for (const element of elements) {
		element.dataset.changed = ''
		setTimeout(() => { delete element.dataset.changed }, 4000)
	}
}
