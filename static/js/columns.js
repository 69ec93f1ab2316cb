// On a phone a board shows one column at a time. The switch is made of links, so it works without scripts; here it
// marks the visible column, and the address keeps it.
import { readdress } from './address.js'
import { pressed } from './keys.js'

const board = document.getElementById('board')
const nav = document.getElementById('switch')

if (board && nav) {
	const links = () => [...nav.querySelectorAll('a')]
	const mark = (id) => {
		for (const link of links()) {
			const here = link.hash === `#${id}`
			link.ariaCurrent = here ? 'true' : null
			if (here && link.offsetParent) nav.scrollTo({ left: link.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2 })
		}
	}
	const shown = () => {
		const { left, width } = board.getBoundingClientRect()
		const middle = left + width / 2
		return [...board.querySelectorAll('.column')].find((column) => {
			const box = column.getBoundingClientRect()
			return box.left <= middle && box.right >= middle
		})
	}
	let timer
	const settle = () => {
		if (!nav.offsetParent) return // a wide window shows them all
		const column = shown()
		if (!column) return
		mark(column.id)
		if (location.hash !== `#${column.id}`) readdress(`#${column.id}`)
	}
	board.addEventListener('scroll', () => {
		clearTimeout(timer)
		timer = setTimeout(settle, 80)
	}, { passive: true })
	const go = (column) => board.scrollTo({ left: column.offsetLeft - (board.clientWidth - column.offsetWidth) / 2, behavior: 'instant' })
	nav.addEventListener('click', (event) => {
		const link = event.target.closest('a')
		const column = link && document.getElementById(link.hash.slice(1))
		if (!column || !pressed(event)) return
		event.preventDefault() // the browser would scroll the page, too, and fill the history
		go(column)
		readdress(link.hash)
		mark(column.id)
	})
	const there = location.hash && board.querySelector(`.column[id="${CSS.escape(location.hash.slice(1))}"]`)
	if (there && nav.offsetParent) go(there) // a reload forgets how far the columns were scrolled
	mark(shown()?.id)
}

// count shows the number of tickets of a column in the switch.
export function count(column) {
	const there = nav?.querySelector(`a[href="#${column.id}"] .count`)
	const here = column.querySelector('.count')
	if (there && here) there.textContent = here.querySelector('[data-found]')?.textContent ?? `${parseInt(here.textContent, 10)}`
}
