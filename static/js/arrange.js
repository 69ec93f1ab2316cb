// Columns are put in order by a drag of their heads, in a window that shows several.
import '../vendor/sortable/Sortable.min.js'
import { hold } from './board.js'
import { ask, say, toast } from './say.js'

const board = document.querySelector('#board[data-board]')
const order = () => [...board.querySelectorAll(':scope > .column')]
const nameOf = (column) => column.querySelector('h2').textContent

// drop sends the new position of a column. If it is refused, the column goes back.
async function drop(column, before, name) {
	const position = order().indexOf(column) + 1
	try {
		const answer = await ask(`${board.dataset.columns}/${column.dataset.column}/position`, { values: { position }, target: 'board' })
		const refused = answer.querySelector('#main .lead')
		if (refused) throw new Error(refused.textContent)
		say(`${name} is column ${position} of ${order().length}.`)
	} catch (error) {
		before.forEach((one) => board.append(one))
		toast(`${name} is back where it was. ${error.message}`, true)
	}
}

if (board) {
	let before, free
	new window.Sortable(board, {
		draggable: '.column',
		handle: '.board[data-columns] > .column > header', // not once the board is read only
		direction: 'horizontal',
		forceFallback: true, // as for cards
		fallbackOnBody: true,
		fallbackTolerance: 4,
		filter: 'button',
		preventOnFilter: false,
		ghostClass: 'gap',
		dragClass: 'lifted',
		scrollSensitivity: 56,
		scrollSpeed: 14,
		onStart() {
			before = order()
			free = hold()
			document.documentElement.classList.add('dragging')
		},
		onEnd({ item }) {
			document.documentElement.classList.remove('dragging')
			free()
			if (order().some((one, at) => one !== before[at])) drop(item, before, nameOf(item))
		},
	})
}
