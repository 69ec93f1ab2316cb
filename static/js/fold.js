// A column is folded, or unfolded, at once; the server keeps it for the user.
import { ask, toast } from './say.js'

function set(column, folded) {
	column.toggleAttribute('data-folded', folded)
	column.querySelector('.fold button').ariaExpanded = `${!folded}`
}

document.addEventListener('submit', async (event) => {
	const form = event.target
	if (!form.matches('.fold')) return
	event.preventDefault()
	const column = form.closest('.column')
	const folded = !column.matches('[data-folded]')
	set(column, folded)
	try {
		await ask(form.action, { values: { folded: folded ? '1' : '0' }, target: 'board' })
	} catch (error) {
		set(column, !folded)
		toast(error.message, true)
	}
}, true)
