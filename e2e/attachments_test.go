package e2e

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// pictureFile is a picture.
func pictureFile(t *testing.T) string {
	t.Helper()
	canvas := image.NewNRGBA(image.Rect(0, 0, 900, 300))
	for x := range 900 {
		for y := range 300 {
			canvas.Set(x, y, color.NRGBA{R: uint8(x), G: 90, B: 160, A: 255})
		}
	}
	var content bytes.Buffer
	domaintest.Must(t, png.Encode(&content, canvas))
	return content.String()
}

// attach attaches a file to a ticket.
func (a *env) attach(key, name, content string) {
	a.t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part := domaintest.OK(w.CreateFormFile("file", name))(a.t)
	domaintest.OK(part.Write([]byte(content)))(a.t)
	domaintest.Must(a.t, w.Close())
	client := http.Client{Jar: a.jar}
	answer := domaintest.OK(client.Post(a.url+"/acme/"+key+"/attachments", w.FormDataContentType(), &form))(a.t)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		a.t.Fatal(answer.Status)
	}
}

// files is JavaScript that makes files for an event: pictures drawn by the browser, and texts.
const files = `async function files(...names) {
	const transfer = new DataTransfer()
	for (const name of names) {
		let content = new Blob([name])
		if (name.endsWith(".png")) {
			const canvas = new OffscreenCanvas(900, 300)
			canvas.getContext("2d").fillRect(0, 0, 400, 200)
			content = await canvas.convertToBlob()
		}
		transfer.items.add(new File([name.startsWith("large") ? new Uint8Array(101 << 20) : content], name, { type: content.type }))
	}
	return transfer
}
`

// brings has files come to an element, by a paste or a drop.
func (b *tab) brings(selector, event, names string) {
	b.t.Helper()
	kind, field := "DragEvent", "dataTransfer"
	if event == "paste" {
		kind, field = "ClipboardEvent", "clipboardData"
	}
	_ = eval[bool](b, `((async () => { `+files+`
		const transfer = await files(`+names+`)
		document.querySelector(`+"`"+selector+"`"+`).dispatchEvent(new `+kind+`("`+event+`", { `+field+`: transfer, bubbles: true, cancelable: true }))
	})(), true)`)
}

// holdsFiles holds the files that the page sends until go is called.
func (b *tab) holdsFiles() {
	b.t.Helper()
	_ = eval[bool](b, `(() => {
		const send = XMLHttpRequest.prototype.send
		XMLHttpRequest.prototype.send = function (body) {
			if (body instanceof FormData) window.go = () => send.call(this, body)
			else send.call(this, body)
		}
		return true
	})()`)
}

func TestFiles(t *testing.T) {
	t.Parallel()
	a := withBoard(t, "Paint the door", "Oil the hinge")
	b, other := a.tab(t), a.tab(t)
	b.open("/acme/NINJA-1")
	other.open("/acme/boards/NINJA")

	// A screenshot is pasted into a comment.
	b.click("#comment-body")
	b.types("It looks like this: ")
	b.brings("#comment-body", "paste", `"shot.png"`)
	b.wait(`document.querySelector("#comment-body").value === "It looks like this: ![shot.png](attachment:1)\n"`)
	b.click("[aria-controls=comment-body-preview]")
	b.wait(`document.querySelector("#comment-body-preview img")?.naturalWidth === 640`)
	b.click("[aria-controls=comment-body-write]")
	b.click("#comment-form .primary")
	b.wait(`document.querySelector("#said .prose img")?.naturalWidth === 640`)
	b.wait(`document.querySelectorAll("#files li").length === 1`)
	other.sees(".card[data-key=NINJA-1] .plan", "1")

	// Five files are dropped on the ticket; one is too large, another is cancelled while it is sent.
	b.brings(".ticket-page", "drop", `"one.txt", "two.txt", "large.bin", "four.png", "five.txt"`)
	b.wait(`document.querySelectorAll("#files > ul:not(.uploads) > li").length === 5`)
	b.sees("#files .uploads .error", "It has 101 MB; at most 100 MB is allowed.")
	b.accessible("a ticket with files, and one that was refused")
	b.fits("/acme/NINJA-1")
	b.click("#files .uploads button")
	b.wait(`!document.querySelector("#files .uploads li")`)
	other.sees(".card[data-key=NINJA-1] .plan", "5")

	// One is deleted, and restored.
	b.click("#files li:nth-child(2) form button")
	b.wait(`document.querySelectorAll("#files > ul:not(.uploads) > li").length === 4`)
	b.ctrl("z", "KeyZ", 90)
	b.wait(`document.querySelectorAll("#files > ul:not(.uploads) > li").length === 5`)

	// A file waits in a form whose text is sent too early.
	b.open("/acme/NINJA-2/edit")
	b.holdsFiles()
	b.brings("#edit-description", "drop", `"plan.txt"`)
	b.wait(`document.querySelector(".uploads progress")`)
	b.click("#ticket .primary")
	b.wait(`document.querySelector("#announce").textContent.includes("Wait until plan.txt has arrived")`)
	_ = eval[bool](b, `(window.go(), true)`)
	b.wait(`document.querySelector("#edit-description").value.startsWith("[plan.txt](attachment:")`)
	b.click("#ticket .primary")
	b.sees("#face a.file", "plan.txt")

	// Cancelled while it is sent.
	b.holdsFiles()
	b.brings(".ticket-page", "drop", `"never.txt"`)
	b.wait(`document.querySelector("#files .uploads progress")`)
	b.click("#files .uploads button")
	b.wait(`!document.querySelector("#files .uploads li")`)

	plain := a.tab(t)
	plain.noScript()
	plain.open("/acme/NINJA-2")
	file := filepath.Join(t.TempDir(), "plain.png")
	domaintest.Must(t, os.WriteFile(file, []byte(pictureFile(t)), 0o600))
	plain.chooseFile("#attach-file", file)
	plain.click("#files .attach button")
	plain.sees("#files", "plain.png")
	phone := a.tab(t)
	phone.size(390, 844, true)
	phone.open("/acme/NINJA-1")
	phone.fits("/acme/NINJA-1")
	phone.accessible("a ticket with files on a phone")
}
