// A card among those of all boards is given what its new column stands for by a drag, and loses what the old one stood for.
import { dragged, sent } from './drops.js'

const columnOf = (list) => list.closest('.column')

dragged('listed', {
	lists: '[data-gains] > .cards',
	items: '.card[data-changes]',
	async save({ dataset: { key, changes } }, from, to) {
		const values = new URLSearchParams(columnOf(to).dataset.gains)
		for (const [name, value] of new URLSearchParams(columnOf(from).dataset.loses)) values.append(name, value)
		values.append('keys', key)
		await sent(changes, values)
	},
})
