package importer

import (
	"context"
	"net/mail"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
)

// directory finds a company's members by the names in a file.
type directory struct {
	byEmail map[string]accounts.CompanyMember
	byName  map[string]accounts.CompanyMember
	shared  map[string]bool // ambiguous names, which match no member
}

func readDirectory(ctx context.Context, q *db.Queries, company id.Company) (*directory, error) {
	const page = 1000
	d := &directory{byEmail: map[string]accounts.CompanyMember{}, byName: map[string]accounts.CompanyMember{},
		shared: map[string]bool{}}
	for after := accounts.ID(0); ; {
		members, err := accounts.Members(ctx, q, db.SightOfAll(company), after, page)
		if err != nil {
			return nil, err
		}
		for _, member := range members {
			d.byEmail[member.Account.Email] = member
			name := markup.Flat(member.Account.Name)
			_, taken := d.byName[name]
			d.byName[name], d.shared[name] = member, taken || d.shared[name]
			after = member.Account.ID
		}
		if len(members) < page {
			return d, nil
		}
	}
}

// find returns the member with a name's email address or, if it has none and names are allowed, the only one with
// exactly that name.
func (d *directory) find(name string, names bool) (accounts.CompanyMember, bool) {
	email, err := accounts.ParseEmail(name)
	if err != nil {
		if parsed, err := mail.ParseAddress(name); err == nil {
			email, _ = accounts.ParseEmail(parsed.Address)
		}
	}
	if email != "" {
		member, ok := d.byEmail[email]
		return member, ok
	}
	if !names || name == "" || d.shared[name] {
		return accounts.CompanyMember{}, false
	}
	member, ok := d.byName[name]
	return member, ok
}
