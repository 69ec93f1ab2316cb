// The lanes of a board: rows across its columns. Each column has its cards of a lane in a list of its own; a board
// without lanes has one list a column.

// listsIn are the lists of cards within an element.
export const listsIn = (root) => [...root.querySelectorAll('.cards:not(.laned), .laned > .lane > ol')]

// cardsOf are the cards of a list or a column, in the order of the page.
export const cardsOf = (root) => [...root.querySelectorAll('.card')]

export const laneOf = (list) => list.closest('.lane')?.dataset.lane

const lanesOf = (cards) => [...cards.querySelectorAll(':scope > .lane')]

// level gives all columns of a board the same lanes, in the same order: cards that were loaded later join those of their
// lane, a lane without cards in any column leaves, and one that others have comes.
export function level(board) {
	const columns = [...board.querySelectorAll('.laned')]
	const known = new Map()
	for (const column of columns) {
		const own = new Map()
		for (const lane of lanesOf(column)) {
			const { lane: id } = lane.dataset
			const first = own.get(id)
			if (first) {
				first.querySelector('ol').append(...cardsOf(lane))
				lane.remove()
			} else own.set(id, lane)
			if (!known.has(id) || lane.querySelector('.card')) known.set(id, lane)
		}
	}
	const wanted = [...known.values()].filter((lane) => lane.querySelector('.card'))
		.sort((a, b) => (a.dataset.order < b.dataset.order ? -1 : 1))
	for (const column of columns) {
		const own = new Map(lanesOf(column).map((lane) => [lane.dataset.lane, lane]))
		let last = column.querySelector(':scope > .empty')
		for (const lane of wanted) {
			const here = own.get(lane.dataset.lane) ?? empty(lane)
			own.delete(lane.dataset.lane)
			if (last.nextElementSibling !== here) last.after(here)
			last = here
		}
		for (const left of own.values()) left.remove()
	}
}

function empty(lane) {
	const copy = lane.cloneNode(true)
	copy.querySelector('ol').replaceChildren()
	return copy
}
