package upkeep

import (
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// countChecklists counts the items of checklists where a version without checklists wrote the description last.
func (m *Upkeep) countChecklists() *migrations.Migration {
	return m.overTickets(overTickets{
		name: "count-checklists", title: "Count checklists",
		description: "Counts the items of the checklists of descriptions, so that cards show them. Run it once after the upgrade from a version without checklists: the counts of what that wrote are missing, or old.",
		would:       "count the checklists", write: tickets.CountItems,
	})
}
