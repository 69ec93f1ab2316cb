// A file that is too large is refused before it is sent: a browser that is still sending may not show the server's
// response.
document.addEventListener('change', ({ target }) => {
	if (!target.matches('input[type=file][data-most]')) return
	const file = target.files[0]
	const most = Number(target.dataset.most)
	const size = (n) => `${Math.ceil(n / 2 ** 20).toLocaleString('en')} MB`
	target.setCustomValidity(file && file.size > most ? `The file has ${size(file.size)}; at most ${size(most)} is allowed.` : '')
	target.reportValidity()
})
