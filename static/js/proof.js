// A form that asks for a proof of work: a number for which SHA-256 of the form's seed and the number begins with zero
// bits. The browser's own SHA-256 is asynchronous, and missing on pages without HTTPS; this one is neither.
const K = new Uint32Array(64)
const start = new Uint32Array(8)
const root = (n, power) => (n ** power % 1) * 2 ** 32
for (let found = 0, n = 2; found < 64; n++) {
	let prime = true
	for (let d = 2; d * d <= n; d++) if (n % d === 0) prime = false
	if (!prime) continue
	if (found < 8) start[found] = root(n, 1 / 2)
	K[found++] = root(n, 1 / 3)
}

const w = new Uint32Array(64)
const turn = (x, n) => (x >>> n) | (x << (32 - n))

// compress adds a block of 16 words, which are in w, to a state.
function compress(state) {
	for (let i = 16; i < 64; i++) {
		const x = w[i - 15], y = w[i - 2]
		w[i] = w[i - 16] + w[i - 7] + (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10))
	}
	let a = state[0], b = state[1], c = state[2], d = state[3] // destructuring is slow here
	let e = state[4], f = state[5], g = state[6], h = state[7]
	for (let i = 0; i < 64; i++) {
		const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0
		const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
		h = g; g = f; f = e; e = (d + one) | 0
		d = c; c = b; b = a; a = (one + two) | 0
	}
	state[0] += a; state[1] += b; state[2] += c; state[3] += d
	state[4] += e; state[5] += f; state[6] += g; state[7] += h
}

// sha256 returns the hash of bytes as eight words.
export function sha256(bytes) {
	const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
	padded.set(bytes)
	padded[bytes.length] = 0x80
	const view = new DataView(padded.buffer)
	view.setUint32(padded.length - 8, bytes.length / 2 ** 29)
	view.setUint32(padded.length - 4, bytes.length << 3)
	const state = start.slice()
	for (let at = 0; at < padded.length; at += 64) {
		for (let i = 0; i < 16; i++) w[i] = view.getUint32(at + 4 * i)
		compress(state)
	}
	return state
}

// prove returns the first number that proves a seed of eight words. The page stays alive meanwhile.
export async function prove(seed, bits) {
	const state = new Uint32Array(8)
	for (let number = 0; ; number++) {
		if (number % 4096 === 0) await new Promise((done) => setTimeout(done))
		w.set(seed)
		w.fill(0, 8, 16)
		w[8] = number / 2 ** 32
		w[9] = number
		w[10] = 0x80000000
		w[15] = 40 * 8
		state.set(start)
		compress(state)
		if (Math.clz32(state[0]) >= bits) return number
	}
}

document.addEventListener('submit', async (event) => {
	const form = event.target
	if (event.defaultPrevented || !form.matches('[data-proof]')) return
	event.preventDefault()
	if (form.ariaBusy === 'true') return
	form.ariaBusy = 'true'
	const { challenge, title, description, email, proof } = form.elements
	// As the browser sends them, with \r\n as line ends.
	const text = [challenge, title, description, email].map(({ value }) => value).join('\0').replace(/\r?\n/g, '\r\n')
	proof.value = await prove(sha256(new TextEncoder().encode(text)), Number(form.dataset.proof))
	form.submit()
})
