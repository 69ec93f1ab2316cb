// The account menu closes on a press elsewhere, or Escape; <details> alone stays open.

const open = () => document.querySelector('.menu[open]')

document.addEventListener('click', ({ target }) => {
	const menu = open()
	if (menu && !menu.contains(target)) menu.open = false
})
document.addEventListener('focusin', ({ target }) => {
	const menu = open()
	if (menu && !menu.contains(target)) menu.open = false
})
document.addEventListener('keydown', (event) => {
	const menu = open()
	if (event.key !== 'Escape' || !menu) return
	menu.open = false
	menu.querySelector('summary').focus()
	event.stopPropagation()
}, true)

// On a phone the operators' navigation is wider than the screen: the current page is in sight.
const nav = document.querySelector('.server')
const here = nav?.querySelector('[aria-current]')
if (here) nav.scrollLeft = here.offsetLeft - (nav.clientWidth - here.offsetWidth) / 2
