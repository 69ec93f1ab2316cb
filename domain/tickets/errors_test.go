package tickets_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	ticket := tickets.Ticket{Key: tickets.Key{Board: "NINJA", Number: 42}}
	for _, c := range []struct {
		err         error
		kind        error
		field, says string
	}{
		{tickets.EmptyTitle(), fault.Invalid, "title", "Enter a title"},
		{tickets.LongTitle(300), fault.Invalid, "title", "300 characters; shorten it to 255"},
		{tickets.BadTitle(), fault.Invalid, "title", "Type it again"},
		{tickets.LongDescription(70000), fault.Invalid, "description", "70000 bytes; shorten it to 65535"},
		{tickets.BadDescription(), fault.Invalid, "description", "Paste it again"},
		{tickets.NotFound(), fault.NotFound, "", "Check the key"},
		{tickets.Stale{Current: ticket}, fault.Conflict, "version", "changed NINJA-42"},
		{tickets.MovedSince{Current: ticket}, fault.Conflict, "seen", "Move it again"},
		{tickets.AfterItself(), fault.Invalid, "after", "Choose another ticket"},
	} {
		wrapped := fmt.Errorf("use case: %w", c.err)
		if !errors.Is(wrapped, c.kind) || fault.KindOf(wrapped) != c.kind {
			t.Errorf("%T is of the kind %v", c.err, fault.KindOf(wrapped))
		}
		if got := fault.Field(wrapped); got != c.field {
			t.Errorf("%T is about the field %q", c.err, got)
		}
		if got := fault.Message(wrapped); !strings.Contains(got, c.says) || !strings.HasSuffix(got, ".") {
			t.Errorf("%T says %q", c.err, got)
		}
	}
}
