// A button that asks the browser for a passkey, by the options at its address, and sends its form with the answer.
import { toast } from './say.js'

const able = Boolean(window.PublicKeyCredential?.parseRequestOptionsFromJSON)
document.documentElement.classList.toggle('passkeys', able)

async function ask(address) {
	const answer = await fetch(address, { headers: { Accept: 'application/json' } })
	if (!answer.ok || answer.redirected) throw new Error('no options')
	const options = await answer.json()
	const credential = options.rp
		? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
		: await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
	return JSON.stringify(credential.toJSON())
}

document.addEventListener('click', async ({ target }) => {
	const button = target.closest?.('[data-passkey]')
	if (!button || !button.form.reportValidity()) return
	button.disabled = true
	try {
		button.form.elements.answer.value = await ask(button.dataset.passkey)
		button.form.requestSubmit()
	} catch (error) {
		toast(error.name === 'InvalidStateError' ? 'This passkey was added before.' : 'No passkey was used. Try again, or use another way.', true)
	} finally {
		button.disabled = false
	}
})
