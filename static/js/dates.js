// Dates: a picker beside a field fills it. The time zone of the browser becomes that of an account that has none.
import htmx from '../vendor/htmx/htmx.min.js'
import { ask } from './say.js'

htmx.onLoad((root) => {
	for (const picker of root.querySelectorAll('[data-pick]')) picker.hidden = false
})

document.addEventListener('change', ({ target }) => {
	const field = document.getElementById(target.dataset?.pick)
	if (!field) return
	field.value = target.value
	field.dispatchEvent(new Event('input', { bubbles: true }))
})

const { zonePath } = document.body.dataset
const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
if (zonePath && timeZone) ask(zonePath, { values: { zone: timeZone }, target: 'zone' }).catch(() => {}) // the next page tries again
