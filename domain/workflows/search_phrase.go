package workflows

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/search"
)

// Bounds of the texts that are read at once for phrases. The index does not know which words stand together.
const (
	phraseTickets  = 100
	phraseComments = 2000 // of a ticket no more are looked at
)

// phrasesOf returns the phrases among the words of a query: what is in quotes and has spaces.
func phrasesOf(q query.Query) (list []search.Phrase) {
	for _, part := range q.Parts() {
		term, ok := part.(query.Term)
		if !ok || term.Field != query.Text || !strings.ContainsFunc(term.Value, unicode.IsSpace) {
			continue
		}
		if phrase, ok := search.NewPhrase(term.Value); ok {
			list = append(list, phrase)
		}
	}
	return list
}

// withPhrases returns the first of some tickets that have each phrase in one of their texts, at most enough.
func (w *Workflows) withPhrases(
	ctx context.Context, list []db.FoundTicket, phrases []search.Phrase, enough int,
) (had []db.FoundTicket, err error) {
	for chunk := range slices.Chunk(list, phraseTickets) {
		c := phraseCheck{missing: map[id.Ticket][]search.Phrase{}}
		for _, t := range chunk {
			c.missing[t.ID] = phrases
			c.look(t.ID, t.Title)
		}
		if err := w.lookForPhrases(ctx, &c); err != nil {
			return nil, err
		}
		for _, t := range chunk {
			if len(c.missing[t.ID]) > 0 {
				continue
			}
			if had = append(had, t); len(had) == enough {
				return had, nil
			}
		}
	}
	return had, nil
}

// lookForPhrases looks at descriptions, names of files and comments, as far as phrases are missing.
func (w *Workflows) lookForPhrases(ctx context.Context, c *phraseCheck) error {
	texts, err := w.searchedTexts(ctx, c.open())
	if err != nil {
		return err
	}
	for ticket, list := range texts {
		for _, text := range list {
			c.look(ticket, text.text)
		}
	}
	for rest := c.open(); len(rest) > 0; {
		rows, err := db.Read(w.db.SearchComments(ctx, db.SearchCommentsParams{Tickets: rest, Limit: phraseComments}))
		if err != nil {
			return fmt.Errorf("read comments: %w", err)
		}
		for _, row := range rows {
			c.look(row.TicketID, row.Body)
		}
		if len(rows) < phraseComments {
			return nil
		}
		// Comments of the last ticket may be behind; those of the tickets before it were all read.
		last := rows[len(rows)-1].TicketID
		whole := rows[0].TicketID == last
		rest = slices.DeleteFunc(rest, func(t id.Ticket) bool { return t < last || t == last && whole })
	}
	return nil
}

// phraseCheck keeps which phrases are missing in tickets.
type phraseCheck struct {
	missing map[id.Ticket][]search.Phrase
}

func (c *phraseCheck) look(ticket id.Ticket, text string) {
	missing := c.missing[ticket]
	if len(missing) == 0 {
		return
	}
	c.missing[ticket] = slices.DeleteFunc(slices.Clone(missing), func(p search.Phrase) bool { return hasPhrase(text, p) })
}

// open returns the tickets that lack a phrase, by id.
func (c *phraseCheck) open() (list []id.Ticket) {
	for ticket, missing := range c.missing {
		if len(missing) > 0 {
			list = append(list, ticket)
		}
	}
	slices.Sort(list)
	return list
}

// hasPhrase reports whether a text has a phrase, as it is written or as it is read: the address of a link may be between
// its words.
func hasPhrase(text string, p search.Phrase) bool {
	return p.In(text) || strings.Contains(text, "](") && p.In(markup.Preview(text))
}
