package api

import (
	"encoding/json"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// nullable is a text, or null, or absent.
type nullable struct {
	Sent bool
	Text string
}

func (n *nullable) UnmarshalJSON(data []byte) error {
	n.Sent = true
	if string(data) == "null" {
		return nil
	}
	return json.Unmarshal(data, &n.Text)
}

// readProperties reads those of a new ticket; null and "" are none. It returns all errors: BadPriority and BadDate.
func readProperties(priority, start, due nullable) (p tickets.Properties, err error) {
	var badPriority, badStart, badDue error
	p.Priority, badPriority = tickets.ParsePriority(priority.Text)
	p.Start, badStart = tickets.ParseDate("start", start.Text)
	p.Due, badDue = tickets.ParseDate("due", due.Text)
	return p, fault.Join(badPriority, badStart, badDue)
}

// readPropertyEdit reads what a request changes: what is absent stays. It returns what readProperties does.
func readPropertyEdit(priority, start, due nullable) (e tickets.PropertyEdit, err error) {
	p, err := readProperties(priority, start, due)
	if priority.Sent {
		e.Priority = &p.Priority
	}
	if start.Sent {
		e.Start = &p.Start
	}
	if due.Sent {
		e.Due = &p.Due
	}
	return e, err
}
