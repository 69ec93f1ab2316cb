package views

import (
	"strconv"

	"github.com/counterfoil/counterfoil/domain/tickets"
)

// unreadText is the number of unread entries, as far as it is counted.
func unreadText(n int) string {
	if n > tickets.MaxUnread {
		return strconv.Itoa(tickets.MaxUnread) + "+"
	}
	return strconv.Itoa(n)
}
