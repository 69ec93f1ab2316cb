package api

import (
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/feeds"
)

func TestFramesAreShort(t *testing.T) {
	t.Parallel()
	page := feeds.Page{Cursor: feeds.Cursor{Epoch: 1, Feed: "tickets", Position: 100}}
	for i := range uint64(frameRows) {
		page.Items = append(page.Items, feeds.Item{ID: i + 1, Position: i + 1, Data: strings.Repeat("x", 60_000)})
	}
	var sent []string
	rows := frameRows
	for len(page.Items) > 0 {
		read := page
		if rows < len(page.Items) {
			read.Items, read.More = page.Items[:rows], true
			read.Cursor.Position = read.Items[rows-1].Position
		}
		made := domaintest.OK(newFrame(read, rows))(t)
		if len(made.events) > frameLong+70_000 || made.rows < 1 || made.rows > frameRows {
			t.Fatalf("a frame has %d bytes, and %d rows come next", len(made.events), made.rows)
		}
		n := strings.Count(string(made.events), "\nevent: change\n")
		if last := page.Items[n-1].Position; made.next.Position != last || made.more != (n < len(page.Items)) {
			t.Fatalf("behind %d it goes on from %+v; more: %v", last, made.next, made.more)
		}
		for _, item := range page.Items[:n] {
			cursor := page.Cursor
			cursor.Position = item.Position
			sent = append(sent, cursor.String())
		}
		page.From, page.Items, rows = made.next, page.Items[n:], made.rows
	}
	if len(sent) != frameRows || !slices.IsSortedFunc(sent, func(a, b string) int { return len(a) - len(b) }) {
		t.Errorf("%d items were sent", len(sent))
	}
}
