package views

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/counterfoil/counterfoil/domain/tickets"
)

// serverPlace is a page of operators with those below it.
type serverPlace struct{ name, path string }

// serverPlaces are the operators' navigation. Workers are below the migrations.
var serverPlaces = []serverPlace{
	{"Overview", AdminPath},
	{"Migrations", MigrationsPath},
	{"Workers", WorkersPath},
	{"Feeds", FeedsPath},
	{"Webhooks", AnyWebhooksPath},
	{"Codes", RefsPath},
	{"Companies", CompaniesPath},
	{"People", AnyAccountsPath},
	{"Storage", StoragePath},
	{"Audit log", InstanceAuditPath},
	{"Settings", ServerSettingsPath},
}

// at marks the place of the page, also after a form.
func (p Page) at(place serverPlace) templ.Attributes {
	at, best := p.Place, ""
	for _, other := range serverPlaces {
		if below := strings.HasPrefix(at, other.path+"/"); len(other.path) > len(best) && (at == other.path || below) {
			best = other.path
		}
	}
	switch {
	case place.path != best:
		return nil
	case at == best:
		return templ.Attributes{"aria-current": "page"}
	}
	return templ.Attributes{"aria-current": "true"}
}

// UnreadText is the number of unread entries, as far as it is counted.
func UnreadText(n int) string {
	if n > tickets.MaxUnread {
		return strconv.Itoa(tickets.MaxUnread) + "+"
	}
	return strconv.Itoa(n)
}
