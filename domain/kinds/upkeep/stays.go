package upkeep

import (
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// fillStays adds the stays of tickets in columns from before there were stays.
func (m *Upkeep) fillStays() *migrations.Migration {
	return m.overTickets(overTickets{
		name: "fill-stays", title: "Fill in stays",
		description: "Finds in the histories of tickets in which columns they were, and when. Run it once after the upgrade from a version that did not keep that. What a history does not say is marked as inferred.",
		would:       "fill in the stays", write: tickets.FillStays,
	})
}
