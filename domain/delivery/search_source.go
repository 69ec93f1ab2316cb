package delivery

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/search"
)

const (
	sourceTickets  = 200     // tickets that are read at once for an index that follows
	buildTickets   = 40      // and for one that is built, beside requests
	sourceComments = 2000    // comments that are read at once
	sourceBytes    = 1 << 20 // of a ticket's texts are indexed; the latest comments may be left out
)

// searchTickets returns what the index has of some tickets; those that are deleted are not among them.
func searchTickets(ctx context.Context, q *db.Queries, tickets []id.Ticket) ([]search.Document, error) {
	rows, err := db.Read(q.SearchTickets(ctx, tickets))
	if err != nil {
		return nil, fmt.Errorf("read tickets to search: %w", err)
	}
	return documents(ctx, q, rows)
}

// documents adds to rows of tickets what else is found of them.
func documents(ctx context.Context, q *db.Queries, rows []db.SearchTicketsRow) ([]search.Document, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	list := make([]search.Document, len(rows))
	at := make(map[id.Ticket]*search.Document, len(rows))
	tickets := make([]id.Ticket, len(rows))
	for i, row := range rows {
		list[i] = search.Document{Ticket: row.ID, Board: row.BoardID, Keys: []string{keyOf(row.Slug, row.LocalID)},
			Title: row.Title, Texts: []string{row.Description}}
		at[row.ID], tickets[i] = &list[i], row.ID
	}
	aliases, err := db.Read(q.SearchAliases(ctx, tickets))
	if err != nil {
		return nil, fmt.Errorf("read keys to search: %w", err)
	}
	for _, alias := range aliases {
		d := at[alias.TicketID]
		d.Keys = append(d.Keys, keyOf(alias.Slug, alias.LocalID))
	}
	files, err := db.Read(q.SearchFiles(ctx, pointers(tickets)))
	if err != nil {
		return nil, fmt.Errorf("read names of files to search: %w", err)
	}
	for _, file := range files {
		d := at[*file.TicketID]
		d.Texts = append(d.Texts, file.Name)
	}
	for _, group := range byComments(rows) {
		if err := comments(ctx, q, group, func(row db.SearchCommentsRow) {
			d := at[row.TicketID]
			d.Texts = append(d.Texts, row.Body)
		}); err != nil {
			return nil, err
		}
	}
	for i := range list {
		list[i].Texts = bounded(list[i].Texts, sourceBytes)
	}
	return list, nil
}

func keyOf(slug string, number uint64) string { return slug + "-" + strconv.FormatUint(number, 10) }

func pointers(tickets []id.Ticket) []*id.Ticket {
	list := make([]*id.Ticket, len(tickets))
	for i := range tickets {
		list[i] = &tickets[i]
	}
	return list
}

// byComments groups tickets that have comments, so that those of a group can be read at once, or are of one ticket.
func byComments(rows []db.SearchTicketsRow) (groups [][]id.Ticket) {
	var group []id.Ticket
	sum := uint32(0)
	for _, row := range rows {
		n := uint32(sourceComments) // if they were never counted
		if row.Comments != nil {
			n = *row.Comments
		}
		if n == 0 {
			continue
		}
		if len(group) > 0 && sum+n > sourceComments {
			groups, group, sum = append(groups, group), nil, 0
		}
		group, sum = append(group, row.ID), sum+n
	}
	if len(group) > 0 {
		groups = append(groups, group)
	}
	return groups
}

// comments reads the comments of a group.
func comments(ctx context.Context, q *db.Queries, group []id.Ticket, add func(db.SearchCommentsRow)) error {
	after := id.Comment(0)
	for {
		rows, err := db.Read(q.SearchComments(ctx, db.SearchCommentsParams{Tickets: group, After: after, Limit: 2 * sourceComments}))
		if err != nil {
			return fmt.Errorf("read comments to search: %w", err)
		}
		for _, row := range rows {
			add(row)
		}
		if len(rows) < 2*sourceComments || len(group) > 1 {
			return nil
		}
		after = rows[len(rows)-1].ID
	}
}

// bounded returns texts up to a number of bytes.
func bounded(texts []string, most int) []string {
	for i, text := range texts {
		if most -= len(text); most < 0 {
			return slices.Concat(texts[:i], []string{text[:max(0, most+len(text))]})
		}
	}
	return texts
}
