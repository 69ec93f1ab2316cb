package pages

import "github.com/counterfoil/counterfoil/domain/tickets"

// found are the results: the ticket with the key, then those with the words.
func (p JumpProps) found() []tickets.SearchResult {
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
