package tickets

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/search"
)

// SearchResult is a ticket that matches a search.
type SearchResult struct {
	Key    Key
	Title  string
	Closed bool
}

// SearchPage is a page of what a search finds.
type SearchPage struct {
	Hits   []SearchHit
	Total  int  // tickets that match
	Above  bool // there are more
	State  search.State
	Words  bool // there are words to search for
	Quoted bool // some of them are to stand together
	Next   int  // the next page, 0 for none
}

// SearchHit is a ticket that was found, with what was searched for marked.
type SearchHit struct {
	Key       Key
	Title     []search.Piece
	Board     string
	Closed    bool
	UpdatedAt time.Time
	In        string // where the snippet is from: "" for the description, "comment" or "file"
	Snippet   []search.Piece
}

// shortKey is a typed key: the slug, what divides it from the number, and the number.
var shortKey = regexp.MustCompile(`^#?(?:([A-Za-z](?:[A-Za-z0-9]*[A-Za-z])?)|([A-Za-z][A-Za-z0-9]*)[\s\p{Pd}])[\s\p{Pd}]*([0-9]+)$`)

// ParseShortKey reads a typed key: NINJA-42, ninja 42, ninja42, or 42 on the board with the slug board, which may be "".
// ok is false if it is no key.
func ParseShortKey(text, board string) (key Key, ok bool) {
	text = strings.TrimSpace(text)
	if m := shortKey.FindStringSubmatch(text); m != nil {
		text = m[1] + m[2] + "-" + m[3]
	} else if number := strings.TrimPrefix(text, "#"); board != "" {
		text = board + "-" + number
	}
	key, err := ParseKey(text)
	return key, err == nil
}

const (
	maxTerms = 6
	maxFound = 10
)

// SearchBoard is a board whose titles are searched.
type SearchBoard struct {
	ID   id.Board
	Slug string
	Last uint64 // the number of its newest ticket
}

// SearchTitles returns at most ten tickets whose titles have every word of text, among the newest numbers of each
// board: those of the first board first, then the newest.
func SearchTitles(
	ctx context.Context, q *db.Queries, on []SearchBoard, text string, newest uint64,
) ([]SearchResult, error) {
	line, length, ok := markup.Line(text)
	words := strings.Fields(line)
	if !ok || length == 0 || length > MaxTitle || len(on) == 0 {
		return nil, nil
	}
	search := db.TitleSearch{Terms: words[:min(len(words), maxTerms)], Limit: maxFound}
	slugs := make(map[id.Board]string, len(on))
	for _, b := range on {
		search.Boards = append(search.Boards, db.TitleBoard{ID: b.ID, After: b.Last - min(b.Last, newest)})
		slugs[b.ID] = b.Slug
	}
	rows, err := db.Read(q.TicketsByTitle(ctx, search))
	if err != nil {
		return nil, fmt.Errorf("search titles: %w", err)
	}
	found := make([]SearchResult, 0, len(rows))
	for _, r := range rows {
		found = append(found, SearchResult{Key: Key{Board: slugs[r.BoardID], Number: r.LocalID}, Title: r.Title,
			Closed: r.ClosedAt != nil})
	}
	return found, nil
}
