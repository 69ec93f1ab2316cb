package pages

import "github.com/counterfoil/counterfoil/domain/tickets"

// Found are the tickets of the results, that of the key first.
func (p JumpProps) Found() []tickets.SearchResult {
	if p.Key == nil {
		return p.Titles
	}
	list := []tickets.SearchResult{*p.Key}
	for _, t := range p.Titles {
		if t.Key != p.Key.Key && len(list) < maxFound {
			list = append(list, t)
		}
	}
	return list
}

const maxFound = 10
