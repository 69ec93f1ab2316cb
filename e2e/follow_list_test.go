package e2e

import (
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/wait"
)

func TestFollowedLists(t *testing.T) {
	t.Parallel()
	t.Run("a list and a calendar show what others change, and the focus stays on its ticket", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "Paint one", "Wax two", "Paint three")
		list, calendar := a.tab(t), a.tab(t)
		list.open("/acme/boards/NINJA/list?q=paint+sort:due")
		list.live()
		calendar.open("/acme/boards/NINJA/calendar?month=2030-05&q=paint")
		calendar.live()
		keys := `[...document.querySelectorAll(".listed tbody .key")].map(e => e.textContent).join(" ") === %s`
		list.wait(keys, "NINJA-1 NINJA-3")
		eval[bool](list, `(document.querySelector(".listed a[href='/acme/NINJA-1']").focus(), true)`)
		a.post("/acme/NINJA-3/dates", "due", "2030-05-08")
		list.wait(keys, "NINJA-3 NINJA-1")
		list.wait(`document.activeElement.getAttribute("href") === "/acme/NINJA-1"`)
		due := `[...document.querySelectorAll("#calendar li")].map(e => e.dataset.key.slice(6) + "@" + e.parentNode.dataset.day.slice(8)).join(" ") === %s`
		calendar.wait(due, "3@08")
		a.post("/acme/boards/NINJA/tickets", "title", "Paint four")
		list.wait(keys, "NINJA-3 NINJA-1 NINJA-4")
		list.hears("Tickets were changed by others.")
		a.post("/acme/NINJA-1/dates", "due", "2030-05-09")
		calendar.wait(due, "3@08 1@09")
		calendar.drag(`[data-key="NINJA-1"]`, `[data-day="2030-05-10"]`, 0) // what came can be dragged
		calendar.wait(due, "3@08 1@10")
		list.wait(`document.querySelector("#row-1, [id^=row-] time[datetime^='2030-05-10']")`)
		a.post("/acme/NINJA-3/deletion")
		calendar.wait(due, "1@10")
		list.wait(keys, "NINJA-1 NINJA-4")
	})

	t.Run("while text is selected nothing moves, and then all comes", func(t *testing.T) {
		t.Parallel()
		a := withBoard(t, "One", "Two")
		b := a.tab(t)
		b.open("/acme/boards/NINJA/list")
		b.live()
		eval[bool](b, `(getSelection().selectAllChildren(document.querySelector(".listed tbody")), true)`)
		a.post("/acme/boards/NINJA/tickets", "title", "Three")
		wait.Sleep(t.Context(), 1500*time.Millisecond)
		if n := eval[int](b, `document.querySelectorAll(".listed tbody tr").length`); n != 2 {
			t.Errorf("%d rows while text is selected", n)
		}
		eval[bool](b, `(getSelection().removeAllRanges(), true)`)
		b.wait(`document.querySelectorAll(".listed tbody tr").length === 3`)
	})
}
