// step moves the focus from one of some elements to another, from none to the first or the last: to what it has that matches
// a selector.
export function step(all, current, by, link) {
	const at = all.indexOf(current)
	const next = at < 0 ? all[by > 0 ? 0 : all.length - 1] : all[at + by]
	next?.querySelector(link).focus()
	next?.scrollIntoView({ block: 'nearest' })
}
