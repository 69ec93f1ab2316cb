package workflows

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/query"
	"github.com/counterfoil/counterfoil/domain/search"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Finder finds tickets by words of their texts.
type Finder interface {
	// Find finds tickets of a company, and says what its index has.
	Find(ctx context.Context, company id.Company, f search.Find) (search.Found, search.State, error)
}

// Bounds of a search.
const (
	searchPage     = 20
	searchHits     = 200    // are ranked
	searchFiltered = 1000   // are looked at, if there is a filter beside the words
	searchCounted  = 100    // more are not counted
	searchBoards   = 10_000 // of a company are searched
	searchComments = 200    // of a ticket are looked at for a snippet, the latest
	snippetLength  = 180    // bytes
)

// Search finds tickets in sight by the words of a text of domain/query; its other terms are a filter. page is from 1 on.
// It returns a query.Error.
func (w *Workflows) Search(ctx context.Context, text string, page int) (tickets.SearchPage, error) {
	actor, err := MayRead(ctx, "tickets:read")
	if err != nil {
		return tickets.SearchPage{}, err
	}
	q, err := query.Parse(text)
	if err != nil {
		return tickets.SearchPage{}, err
	}
	words, rest := wordsOf(q)
	phrases := phrasesOf(q)
	where, err := w.conditionOf(ctx, actor, boards.Board{}, rest, nil)
	if err != nil {
		return tickets.SearchPage{}, err
	}
	found := tickets.SearchPage{Words: words != "", Quoted: len(phrases) > 0}
	if !found.Words {
		return found, nil
	}
	f := search.Find{Text: words, Limit: searchHits}
	if !where.IsZero() || len(phrases) > 0 {
		f.Limit = searchFiltered
	}
	list, total, state, err := w.findTickets(ctx, actor, f, where)
	if err != nil {
		return tickets.SearchPage{}, err
	}
	if len(phrases) > 0 {
		if list, err = w.withPhrases(ctx, list, phrases, searchHits); err != nil {
			return tickets.SearchPage{}, err
		}
		total = len(list)
	}
	found.State, found.Total = state, min(total, searchCounted)
	found.Above = total > searchCounted
	list = list[:min(len(list), searchHits)]
	from := min((max(page, 1)-1)*searchPage, len(list))
	to := min(from+searchPage, len(list))
	if to < len(list) {
		found.Next = max(page, 1) + 1
	}
	found.Hits, err = w.searchHits(ctx, list[from:to], search.NewMarker(words, phrases...))
	return found, err
}

// wordsOf divides a query into the words that it asks for, and the rest.
func wordsOf(q query.Query) (words string, rest query.Query) {
	var list []string
	for _, part := range q.Parts() {
		if term, ok := part.(query.Term); ok && term.Field == query.Text {
			list = append(list, term.Value)
			continue
		}
		rest = rest.With(part)
	}
	return strings.Join(list, " "), rest
}

// findTickets returns the tickets in sight that a search finds and that meet a condition, the best first, and how many
// there are.
func (w *Workflows) findTickets(
	ctx context.Context, actor accounts.Actor, f search.Find, where db.TicketCondition,
) (list []db.FoundTicket, total int, state search.State, err error) {
	if f.Boards, f.All, err = w.searchedBoards(ctx, actor.Sight()); err != nil {
		return nil, 0, 0, err
	}
	found, state, err := w.finder.Find(ctx, actor.Company.ID, f)
	if err != nil || len(found.Hits) == 0 {
		return nil, 0, state, err
	}
	ids := make([]id.Ticket, len(found.Hits))
	hits := make(map[id.Ticket]search.Hit, len(found.Hits))
	for i, hit := range found.Hits {
		ids[i], hits[hit.Ticket] = hit.Ticket, hit
	}
	list, err = db.Read(w.db.FoundTickets(ctx, actor.Sight(), ids, where))
	if err != nil {
		return nil, 0, state, fmt.Errorf("read found tickets: %w", err)
	}
	now := w.db.Now()
	slices.SortFunc(list, func(a, b db.FoundTicket) int { return byRank(hits[a.ID], hits[b.ID], a, b, now) })
	total = len(list)
	if where.IsZero() && found.Total > uint64(len(ids)) {
		total = searchCounted + 1
	}
	return list, total, state, nil
}

// byRank compares what was found: what has all words first, then by its score, which is a fifth less if it is old.
func byRank(hitA, hitB search.Hit, a, b db.FoundTicket, now time.Time) int {
	if hitA.Loose != hitB.Loose {
		if hitB.Loose {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(hitB.Score*freshness(b, now), hitA.Score*freshness(a, now)), cmp.Compare(b.ID, a.ID))
}

// halfLife is how old a ticket is that has lost half of what it may lose.
const halfLife = 60 * 24 * time.Hour

func freshness(t db.FoundTicket, now time.Time) float64 {
	return 0.8 + 0.2*math.Exp2(-float64(now.Sub(t.UpdatedAt))/float64(halfLife))
}

// searchedBoards returns the boards in sight; all says that these are all.
func (w *Workflows) searchedBoards(ctx context.Context, by db.Sight) (seen []id.Board, all bool, err error) {
	rows, err := db.Read(w.db.SearchedBoards(ctx, db.SearchedBoardsParams{
		Reader: by.Reader, CompanyID: by.Company, Reach: by.Reach, Limit: searchBoards,
	}))
	if err != nil {
		return nil, false, fmt.Errorf("read boards to search: %w", err)
	}
	for _, row := range rows {
		if row.Visible != 0 {
			seen = append(seen, row.ID)
		}
	}
	return seen, len(seen) == len(rows) && len(rows) < searchBoards, nil
}

// searchHits adds snippets to tickets that were found.
func (w *Workflows) searchHits(ctx context.Context, list []db.FoundTicket, marker search.Marker) ([]tickets.SearchHit, error) {
	ids := make([]id.Ticket, len(list))
	for i, t := range list {
		ids[i] = t.ID
	}
	texts, err := w.searchedTexts(ctx, ids)
	if err != nil {
		return nil, err
	}
	hits := make([]tickets.SearchHit, len(list))
	for i, t := range list {
		best, err := w.bestText(ctx, t, texts[t.ID], marker)
		if err != nil {
			return nil, err
		}
		hits[i] = tickets.SearchHit{Key: tickets.Key{Board: t.Slug, Number: t.LocalID}, Title: marker.Mark(t.Title), Board: t.Board,
			Closed: t.ClosedAt != nil, UpdatedAt: t.UpdatedAt}
		if text := markup.Preview(best.text); text != "" {
			hits[i].In, hits[i].Snippet = best.in, marker.Snippet(text, snippetLength)
		}
	}
	return hits, nil
}

// searchedText is a text of a ticket.
type searchedText struct{ in, text string }

// searchedTexts returns the descriptions of tickets, and the names of their files.
func (w *Workflows) searchedTexts(ctx context.Context, ids []id.Ticket) (map[id.Ticket][]searchedText, error) {
	texts := map[id.Ticket][]searchedText{}
	if len(ids) == 0 {
		return texts, nil
	}
	rows, err := db.Read(w.db.SearchTickets(ctx, ids))
	if err != nil {
		return nil, fmt.Errorf("read descriptions: %w", err)
	}
	for _, row := range rows {
		texts[row.ID] = append(texts[row.ID], searchedText{"", row.Description})
	}
	pointers := make([]*id.Ticket, len(ids))
	for i := range ids {
		pointers[i] = &ids[i]
	}
	files, err := db.Read(w.db.SearchFiles(ctx, pointers))
	if err != nil {
		return nil, fmt.Errorf("read names of files: %w", err)
	}
	for _, row := range files {
		texts[*row.TicketID] = append(texts[*row.TicketID], searchedText{"file", row.Name})
	}
	return texts, nil
}

// bestText is the first text that has most of the words that were searched for; with a title that has all of them, the
// description. Comments are read where words are still missing.
func (w *Workflows) bestText(
	ctx context.Context, t db.FoundTicket, texts []searchedText, marker search.Marker,
) (best searchedText, err error) {
	if len(texts) > 0 && marker.Missing(t.Title) == 0 {
		return texts[0], nil
	}
	least := math.MaxInt
	look := func(text searchedText) {
		if missing := marker.Missing(text.text); text.text != "" && missing < least {
			best, least = text, missing
		}
	}
	for _, text := range texts {
		look(text)
	}
	if least == 0 {
		return best, nil
	}
	comments, err := db.Read(w.db.SearchLatestComments(ctx, t.ID, searchComments))
	if err != nil {
		return best, fmt.Errorf("read comments: %w", err)
	}
	for _, body := range comments {
		look(searchedText{"comment", body})
	}
	return best, nil
}
