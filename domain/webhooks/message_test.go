package webhooks

import "testing"

// A restored database gives positions out again, to other changes; receivers leave out an id that they know.
func TestRowMessage(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, m := range []Message{
		RowMessage("tickets", 1, 7, 5), RowMessage("tickets", 2, 7, 5), RowMessage("tickets", 1, 7, 6),
		RowMessage("tickets", 1, 8, 5), RowMessage("comments", 1, 7, 5), RowMessage("tickets", 17, 5, 5),
	} {
		if known[m.ID] {
			t.Errorf("%s is the id of two messages", m.ID)
		}
		known[m.ID] = true
	}
}
