// The address of this page's board. While a ticket is open beside the board, the browser shows the ticket's.
let board = new URL(location.href)
let beside = false

export const boardAddress = () => board

// readdress changes the board's address.
export function readdress(to) {
	board = new URL(to, board)
	if (!beside) history.replaceState(history.state, '', board)
}

// showTicket makes a ticket's address that of the page: a step of its own in the history, unless one is open already.
export function showTicket(path) {
	const state = { beside: true }
	if (beside) history.replaceState(state, '', path)
	else {
		history.replaceState({ ...history.state, board: true }, '')
		history.pushState(state, '', path)
	}
	beside = true
}

// showBoard makes the board's address that of the page again.
export function showBoard() {
	if (beside) history.replaceState({ board: true }, '', board)
	beside = false
}

// cameTo records where the browser went in the history, and reports whether that is a ticket beside the board.
export function cameTo(state) {
	beside = location.pathname !== board.pathname
	if (!beside) history.replaceState(history.state, '', board) // its filter may have changed
	return beside && !!state?.beside
}
