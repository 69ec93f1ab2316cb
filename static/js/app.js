import '../vendor/relative-time/bundle.js'
import { install, uninstall } from '../vendor/hotkey/index.js'
import htmx from '../vendor/htmx/htmx.min.js'
import './arrange.js'
import './choose.js'
import './board.js'
import './all-tickets.js'
import './calendar.js'
import './card-menu.js'
import './columns.js'
import './comments.js'
import './copy.js'
import './dates.js'
import './dialog.js'
import './drafts.js'
import './editor.js'
import './filter.js'
import './fold.js'
import './follow-board.js'
import './follow-list.js'
import './follow-ticket.js'
import './proof.js' // before forms.js, which marks forms as sent
import './forms.js'
import './inbox.js'
import { follow } from './jump.js'
import './keep.js'
import { showSwitch } from './keys.js'
import './live.js'
import './mentions.js'
import './menu.js'
import './panel.js'
import './passkey.js'
import './print.js'
import './rows.js'
import './run.js'
import { closable, reachable, reason, say, toast } from './say.js'
import './select.js'
import './undo.js'
import './upload.js'
import './walk.js'

document.documentElement.classList.add('js')

const each = (root, selector, act) => {
	if (root.matches?.(selector)) act(root)
	root.querySelectorAll?.(selector).forEach(act)
}

function listen(control) {
	uninstall(control)
	install(control)
}
each(document, '[data-hotkey]', listen) // htmx reports later that it has loaded

htmx.onLoad((root) => {
	each(root, 'button.nojs', (button) => button.remove()) // Enter would press it as the form's first button
	each(root, '[data-hotkey]', listen)
	each(root, '[data-follows]', follow)
	each(root, '.column > .alert', closable)
	each(root, '[data-keys-switch]', showSwitch)
	if (root !== document.body) each(root, '[data-say]', (message) => say(message.textContent))
})
// What must be read first gets the focus; htmx would give it back to the field that had it, which may be further down.
document.addEventListener('htmx:afterSettle', ({ target }) => {
	const first = target.matches?.('[data-focus]') ? target : target.querySelector?.('[data-focus]')
	first?.focus()
})
document.addEventListener('htmx:beforeCleanupElement', ({ target }) => {
	if (target.matches('[data-hotkey]')) uninstall(target)
})

document.addEventListener('htmx:responseError', ({ detail }) => toast(reason(detail.xhr.status, detail.xhr.response), true))
document.addEventListener('htmx:afterRequest', ({ detail }) => detail.xhr.status && reachable())
document.addEventListener('htmx:sendError', () => toast(reason(), true))
