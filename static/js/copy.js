// A button that copies the text of its field.

import { toast } from './say.js'

document.addEventListener('click', async ({ target }) => {
	const button = target.closest?.('[data-copy]')
	if (!button) return
	const field = document.getElementById(button.dataset.copy)
	field.select()
	try {
		await navigator.clipboard.writeText(field.value)
	} catch {
		// Over plain HTTP browsers have only the old way; without it, the text is at least selected.
		if (!document.execCommand('copy')) return toast('Press Ctrl+C to copy what is selected.')
	}
	toast('Copied.')
})
