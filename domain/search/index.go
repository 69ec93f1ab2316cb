// Package search finds tickets by words of what they say: titles, texts, comments, names of files, keys. An Index has
// those of a company, on the disk of one process. Nothing is kept in it that the database has not: it may be thrown away.
package search

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/counterfoil/counterfoil/domain/id"
)

// Fields of the index.
const (
	fieldTitle = "title"
	fieldAll   = "all" // words of the title too
	fieldKey   = "key" // keys, as they are typed but for letter case
	fieldBoard = "board"
)

// Document is what is found of a ticket.
type Document struct {
	Ticket id.Ticket
	Board  id.Board
	Keys   []string // the present one, and those that it had
	Title  string
	Texts  []string // its text, its comments, the names of its files
}

// Index has the words of a company's tickets. Any number of goroutines may use it.
type Index struct {
	bleve bleve.Index
}

// Position is how far an index has read the feeds that it is made of.
type Position struct {
	Tickets  uint64 `json:"tickets"`
	Comments uint64 `json:"comments"`
	// While the index is built, boards before Board are read, and its tickets up to Number. Whole says that all are.
	Board  id.Board `json:"board,omitempty"`
	Number uint64   `json:"number,omitempty"`
	Whole  bool     `json:"whole,omitempty"`
}

var positionKey = []byte("counterfoil")

// persistAfter is how long batches are gathered before they are written to the disk.
const persistAfter = 3 * time.Second

// options returns those of the store: a batch can be searched at once, and is written to the disk after a while. The
// position is part of the batch, so after a crash an index goes on from what it has.
func options(nap time.Duration) map[string]any {
	return map[string]any{
		"unsafe_batch": true,
		"scorchPersisterOptions": map[string]any{
			"PersisterNapTimeMSec": nap.Milliseconds(), "PersisterNapUnderNumFiles": 200,
		},
		// Few parts, because a word with a mistake is looked for in the words of each.
		"scorchMergePlanOptions": map[string]any{
			"MaxSegmentsPerTier": 5, "MaxSegmentSize": 5_000_000, "TierGrowth": 10.0, "SegmentsPerMergeTask": 5,
			"FloorSegmentSize": 1000, "ReclaimDeletesWeight": 2.0,
		},
		"bolt_timeout": "2s",
	}
}

// Bleve starts goroutines when a program begins. Ours has one, once an index is opened: texts are taken apart in the
// background, beside requests.
func init() { bleve.Config.SetAnalysisQueueSize(0) }

var startAnalysis = sync.OnceFunc(func() { bleve.Config.SetAnalysisQueueSize(1) })

// Format is the version of what is in an index. One of another format cannot be read.
const Format = 1

// Open opens the index in a directory, and makes it if there is none. One that is damaged is an error: remove it, and open
// again.
func Open(path string) (*Index, error) {
	startAnalysis()
	if err := check(path); err != nil {
		return nil, fmt.Errorf("open the search index: %w", err)
	}
	x := &Index{}
	if err := guard(func() error { return x.open(path) }); err != nil {
		return nil, fmt.Errorf("open the search index %s: %w", path, err)
	}
	return x, nil
}

// open opens an index, or makes it first, whose description must be on the disk before it can be opened again.
func (x *Index) open(path string) (err error) {
	x.bleve, err = bleve.OpenUsing(path, options(persistAfter))
	if !errors.Is(err, bleve.ErrorIndexPathDoesNotExist) {
		return err
	}
	x.bleve, err = bleve.NewUsing(path, bleve.NewIndexMapping(), bleve.Config.DefaultIndexType, bleve.Config.DefaultKVStore, options(0))
	if err != nil {
		return err
	}
	if err := errors.Join(x.flush(), x.Close()); err != nil {
		return err
	}
	x.bleve, err = bleve.OpenUsing(path, options(persistAfter))
	return err
}

// flushTime is how long it may take to write a batch to the disk.
const flushTime = 10 * time.Second

// Close ends the use of the index. What is not on the disk yet is lost, and its position with it: it is read again.
func (x *Index) Close() error { return x.bleve.Close() }

// flush waits until the latest batch is on the disk, but not for ever: after a crash, what is missing is read again.
func (x *Index) flush() error {
	at, err := x.Position()
	if err != nil {
		return err
	}
	written := make(chan error, 1)
	batch, err := x.batch(Change{At: at})
	if err != nil {
		return err
	}
	batch.SetPersistedCallback(func(err error) { written <- err })
	if err := x.bleve.Batch(batch); err != nil {
		return err
	}
	select {
	case err := <-written:
		return err
	case <-time.After(flushTime):
		return nil
	}
}

// Position returns the position of the last batch, zero if there was none.
func (x *Index) Position() (at Position, err error) {
	text, err := x.bleve.GetInternal(positionKey)
	if err != nil || text == nil {
		return at, err
	}
	return at, json.Unmarshal(text, &at)
}

// Size returns how many tickets the index has.
func (x *Index) Size() (uint64, error) { return x.bleve.DocCount() }

// Change is what a batch does: tickets of the index that are replaced, and tickets that are removed.
type Change struct {
	Put    []Document
	Remove []id.Ticket
	At     Position
}

// Apply carries out a change. Once it returns, a search finds it.
func (x *Index) Apply(c Change) error {
	batch, err := x.batch(c)
	if err != nil {
		return err
	}
	return guard(func() error { return x.bleve.Batch(batch) })
}

func (x *Index) batch(c Change) (*bleve.Batch, error) {
	batch := x.bleve.NewBatch()
	for _, d := range c.Put {
		if err := batch.IndexAdvanced(d.document()); err != nil {
			return nil, fmt.Errorf("index ticket %d: %w", d.Ticket, err)
		}
	}
	for _, ticket := range c.Remove {
		batch.Delete(docID(ticket))
	}
	at, err := json.Marshal(c.At)
	if err != nil {
		return nil, err
	}
	batch.SetInternal(positionKey, at)
	return batch, nil
}

func (d Document) document() *document.Document {
	doc := document.NewDocument(docID(d.Ticket))
	add := func(field, text string, analyzer analysis.Analyzer) {
		doc.AddField(document.NewTextFieldCustom(field, nil, []byte(text), index.IndexField, analyzer))
	}
	add(fieldBoard, term(d.Board), exactly)
	for _, key := range d.Keys {
		add(fieldKey, fold(key), exactly)
	}
	add(fieldTitle, d.Title, words)
	add(fieldAll, d.Title, words)
	for _, text := range d.Texts {
		if text != "" {
			add(fieldAll, text, words)
		}
	}
	return doc
}

func docID(ticket id.Ticket) string { return strconv.FormatUint(uint64(ticket), 36) }

func ticketOf(docID string) (id.Ticket, error) {
	n, err := strconv.ParseUint(docID, 36, 64)
	return id.Ticket(n), err
}

// term is a board as a term.
func term(board id.Board) string { return string(binary.BigEndian.AppendUint64(nil, uint64(board))) }

// analyzerFunc makes terms of a text.
type analyzerFunc func(text []byte) analysis.TokenStream

// Analyze is of analysis.Analyzer.
func (f analyzerFunc) Analyze(text []byte) analysis.TokenStream { return f(text) }

// exactly takes a text as one term.
var exactly = analyzerFunc(func(text []byte) analysis.TokenStream {
	return analysis.TokenStream{{Start: 0, End: len(text), Term: text, Position: 1}}
})

// words takes the words of a text. Its tokens are made at once, and their terms are parts of the text where they can be:
// most of the time that an index takes goes into them.
var words = analyzerFunc(func(text []byte) analysis.TokenStream {
	list := Words(string(text))
	n := 0
	for _, w := range list {
		n += len(w.Terms)
	}
	tokens, stream := make([]analysis.Token, 0, n), make(analysis.TokenStream, n)
	for i, w := range list {
		for _, term := range w.Terms {
			bytes := text[w.Start:w.End]
			if string(bytes) != term {
				bytes = []byte(term)
			}
			tokens = append(tokens, analysis.Token{Start: w.Start, End: w.End, Term: bytes, Position: i + 1})
			stream[len(tokens)-1] = &tokens[len(tokens)-1]
		}
	}
	return stream
})

// State says what an index can find.
type State uint8

// States of an index.
const (
	Ready    State = iota // all
	Behind                // not the latest changes
	Building              // a part
	Off                   // nothing: this process keeps no index
)

// String names a state for programs.
func (s State) String() string { return [...]string{"ready", "behind", "building", "off"}[s] }

// Find is a search.
type Find struct {
	Text   string
	Boards []id.Board // that are in sight
	All    bool       // all boards are
	Titles bool       // only titles are searched
	Limit  int        // 1 at least
}

// Found are the best matches of a search, the best first, and how many there are.
type Found struct {
	Hits  []Hit
	Total uint64
}

// Hit is a ticket that was found. Scores are comparable among those that are Loose, and among those that are not.
type Hit struct {
	Ticket id.Ticket
	Score  float64
	Loose  bool // it has a word with a mistake, or lacks one
}

// Find returns the tickets that have all words of a text. Where few have, it also takes words that differ by a letter from
// one that is hardly ever written, and tickets that lack one of three words or more; of two, if none has both.
func (x *Index) Find(ctx context.Context, f Find) (Found, error) {
	f.Limit = max(f.Limit, 1)
	list := distinct(Words(f.Text))
	if len(list) == 0 || len(f.Boards) == 0 && !f.All {
		return Found{}, nil
	}
	strict, err := x.find(ctx, f, list, false, false)
	if err != nil || len(strict.Hits) >= enough {
		return strict, err
	}
	lacks := strings.ContainsFunc(strings.TrimSpace(f.Text), unicode.IsSpace) && // else it is a key, or an address
		(len(list) > 2 || len(list) == 2 && strict.Total == 0)
	loose, err := x.find(ctx, f, list, true, lacks)
	return merged(strict, loose, f.Limit), err
}

// maxWords is how many words of a text are searched for; what follows makes no difference.
const maxWords = 12

// distinct returns the first words, each once.
func distinct(words []Word) (list []Word) {
	seen := map[string]bool{}
	for _, w := range words {
		if !seen[w.Terms[0]] && len(list) < maxWords {
			seen[w.Terms[0]] = true
			list = append(list, w)
		}
	}
	return list
}

// enough is how many matches are so many that no looser ones are looked for.
const enough = 10

// merged appends the hits of a looser search that a stricter one has not.
func merged(strict, loose Found, limit int) Found {
	had := map[id.Ticket]bool{}
	for _, hit := range strict.Hits {
		had[hit.Ticket] = true
	}
	for _, hit := range loose.Hits {
		if !had[hit.Ticket] && len(strict.Hits) < limit {
			strict.Hits = append(strict.Hits, hit)
		}
	}
	strict.Total = max(strict.Total, loose.Total)
	return strict
}

func (x *Index) find(ctx context.Context, f Find, list []Word, loose, lacks bool) (found Found, err error) {
	err = guard(func() error {
		snapshot, err := x.snapshot()
		if err != nil {
			return err
		}
		defer snapshot.Close()
		q := newQuery(ctx, snapshot, f)
		q.loose, q.lacks = loose, lacks
		for i, w := range list {
			q.words = append(q.words, q.variants(w, i == len(list)-1))
		}
		found = q.rank()
		return q.err
	})
	if err != nil {
		return Found{}, fmt.Errorf("search: %w", err)
	}
	return found, nil
}

// snapshot returns the present state of the index. It must be closed.
func (x *Index) snapshot() (*scorch.IndexSnapshot, error) {
	all, err := x.bleve.Advanced()
	if err != nil {
		return nil, err
	}
	reader, err := all.Reader()
	if err != nil {
		return nil, err
	}
	snapshot, ok := reader.(*scorch.IndexSnapshot)
	if !ok || snapshot == nil {
		return nil, fmt.Errorf("the index is a %T", reader)
	}
	return snapshot, nil
}
