package upkeep

import (
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// indexTexts finds which tickets texts mention, and counts comments, where a version that did neither wrote them.
func (m *Upkeep) indexTexts() *migrations.Migration {
	return m.overTickets(overTickets{
		name: "index-texts", title: "Index texts",
		description: "Finds which tickets are mentioned in the titles, descriptions and comments of others, and counts the comments of tickets, so that tickets and cards show it. Run it once after the upgrade from a version that did not, and after an import, whose texts may mention what came later.",
		would:       "index the texts", write: tickets.IndexTexts,
	})
}
