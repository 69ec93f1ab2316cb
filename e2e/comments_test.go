package e2e

import (
	"fmt"
	"testing"
)

func TestLongTicket(t *testing.T) {
	t.Run("keys lead to the form of a comment and from one to the next, loading older ones", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Paint the door")
		for n := range 40 {
			a.post("/acme/NINJA-1/comments", "body", fmt.Sprint("Still wet ", n+1))
		}
		b := a.tab(t)
		b.open("/acme/NINJA-1")
		b.sees("#said .more", "15 older comments")
		b.types("]")
		b.wait(`document.activeElement.id === "comment-16"`)
		b.types("]")
		b.wait(`document.activeElement.id === "comment-17"`)
		b.types("[[")
		b.wait(`document.activeElement.id === "comment-15" && document.querySelectorAll("#said .comment").length === 40`)
		b.types("[")
		b.wait(`document.activeElement.id === "comment-14"`)
		b.types("r[now]") // what follows goes into the field
		b.wait(`document.activeElement.id === "comment-body" && document.activeElement.value === "[now]"`)
		b.wait(`document.querySelector("#comment-body").getBoundingClientRect().bottom <= innerHeight && scrollY > 0`)
	})
	t.Run("a comment is deleted at once, and comes back by the message or by ctrl+Z", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Paint the door")
		a.post("/acme/NINJA-1/comments", "body", "First")
		a.post("/acme/NINJA-1/comments", "body", "Second")
		b := a.tab(t)
		b.open("/acme/NINJA-1")
		remove := func() {
			b.click("#comment-1 > header .button")
			b.wait(`document.activeElement.id === "comment-1-body"`)
			b.click("#comment-1 .away")
			b.sees("#comment-1", "This comment was deleted.")
			b.wait(`document.querySelectorAll(".toast").length === 1 && document.querySelector(".toast .close")`)
			b.wait(`document.activeElement.id === "comment-1"`)
		}
		remove()
		b.wait(`document.querySelector("#announce").textContent === "The comment is deleted."`)
		b.click(".toast [data-undo] button")
		b.sees("#comment-1 .prose", "First")
		b.sees(".toast", "The comment is restored.")
		b.wait(`document.activeElement.id === "comment-1" && !document.querySelector(".toast [data-undo]")`)
		b.open("/acme/NINJA-1")
		remove()
		b.ctrl("z", "KeyZ", 90)
		b.sees("#comment-1 .prose", "First")
		b.sees("#comment-2 .prose", "Second")
	})
	t.Run("all of it works without scripts", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Paint the door")
		a.post("/acme/NINJA-1/comments", "body", "First")
		b := a.tab(t)
		b.noScript()
		b.open("/acme/NINJA-1")
		b.click(".actions a[data-hotkey=r]")
		b.wait(`document.activeElement.id === "comment-body"`)
		b.click("#comment-1 > header .button")
		b.sees("h1", "Edit your comment")
		b.click("#comment-1 .away")
		b.sees("#said .comment", "This comment was deleted")
		b.click(".toast form button")
		b.sees("#said .comment .prose", "First")
		b.sees(".toast", "The comment is restored.")
	})
}
