package delivery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/search"
	"github.com/counterfoil/counterfoil/domain/wait"
)

const (
	searchRows    = 500                    // published rows that are read at once
	searchRetry   = 2 * time.Second        // after a round that failed
	searchStore   = time.Minute            // positions of indexes without changes are stored so often
	searchFolders = 64                     // processes with indexes below one folder
	rest          = 6                      // times as long as a step of building took, it rests
	ownChange     = 300 * time.Millisecond // a search waits for the latest changes
)

// SearchIndexes are the search indexes of all companies on the disk of this process: made from the database, and kept up
// to date by the feeds of tickets and comments. Other processes have their own.
type SearchIndexes struct {
	db    *db.DB
	feeds *feeds.Engine
	root  string // folder of all processes on the disk
	log   *slog.Logger

	wanted wait.Wakeup    // an index is to be built
	built  wait.Wakeup    // an index is to be followed
	moved  wait.Broadcast // an index has read further

	off    atomic.Bool // this process keeps none
	mu     sync.Mutex
	folder string // of this process, "" until it has one
	epoch  uint64
	list   map[id.Company]*companyIndex
}

// companyIndex is the index of a company. Its index is nil while it is not open.
type companyIndex struct {
	company id.Company
	path    string

	use   sync.RWMutex // for whoever uses the index; exclusive to open and to close it
	index *search.Index
	gone  bool // it must not be opened again

	// Under the lock of SearchIndexes, and use.
	at     search.Position
	stored search.Position // on the disk
}

// errReplaced says that an index was closed or is built anew meanwhile.
var errReplaced = errors.New("the search index was replaced")

func newSearchIndexes(c Config) *SearchIndexes {
	s := &SearchIndexes{
		db: c.Bulk, feeds: c.Feeds, root: c.Search, log: c.Log, wanted: wait.NewWakeup(), built: wait.NewWakeup(), list: map[id.Company]*companyIndex{},
	}
	s.off.Store(c.Search == "")
	return s
}

// Search returns the search indexes of this process.
func (d *Delivery) Search() *SearchIndexes { return d.search }

// WorkSearch keeps the search indexes up to date until ctx ends. It is for a process that answers browsers, once.
func (d *Delivery) WorkSearch(ctx context.Context) { d.search.Work(ctx) }

// Work keeps the indexes up to date until ctx ends.
func (s *SearchIndexes) Work(ctx context.Context) {
	if s.off.Load() {
		return
	}
	folder, release, err := ownFolder(s.root)
	if err != nil {
		s.off.Store(true)
		s.log.Error("there is no place for a search index; set COUNTERFOIL_SEARCH to a folder that can be written", "error", err)
		return
	}
	defer release()
	s.mu.Lock()
	s.folder, s.epoch = folder, 0
	s.mu.Unlock()
	defer s.closeAll()
	var building sync.WaitGroup
	defer building.Wait()
	building.Go(func() { s.buildAll(ctx) })
	for ctx.Err() == nil {
		changed := s.feeds.Changes()
		more, err := s.follow(ctx)
		if err != nil && ctx.Err() == nil {
			s.log.Warn("the search index could not be brought up to date; it is tried again", "error", err)
			_ = wait.Sleep(ctx, searchRetry)
			continue
		}
		if more {
			continue
		}
		select {
		case <-ctx.Done():
		case <-changed:
		case <-s.built:
		case <-time.After(searchStore):
			s.storePositions()
		}
	}
}

// ownFolder returns a folder below root that no other process uses until release.
func ownFolder(root string) (folder string, release func(), err error) {
	for i := range searchFolders {
		folder = filepath.Join(root, strconv.Itoa(i+1))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return "", nil, err
		}
		lock, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return "", nil, err
		}
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return folder, func() { lock.Close() }, nil
		}
		lock.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return "", nil, err
		}
	}
	return "", nil, fmt.Errorf("%d processes have their search index below %s", searchFolders, root)
}

// head is how far the feeds are known to be published.
func (s *SearchIndexes) head() (epoch uint64, at search.Position) {
	tickets, _ := s.feeds.Head("tickets")
	comments, _ := s.feeds.Head("comments")
	return tickets.Epoch, search.Position{Tickets: tickets.Position, Comments: comments.Position}
}

// begin forgets the indexes of an earlier epoch, and has those of all companies opened or built.
func (s *SearchIndexes) begin(ctx context.Context, epoch uint64) error {
	companies, err := s.companies(ctx)
	if err != nil {
		return err
	}
	s.closeAll()
	keep := map[string]bool{"lock": true}
	s.mu.Lock()
	s.epoch, s.list = epoch, map[id.Company]*companyIndex{}
	for _, company := range companies {
		keep[filepath.Base(s.add(company).path)] = true
	}
	folder := s.folder
	s.mu.Unlock()
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !keep[entry.Name()] {
			err = errors.Join(err, os.RemoveAll(filepath.Join(folder, entry.Name())))
		}
	}
	s.wanted.Wake()
	return err
}

func (s *SearchIndexes) companies(ctx context.Context) (all []id.Company, err error) {
	for after := id.Company(0); ; {
		list, err := db.Read(s.db.SearchCompanies(ctx, after, searchRows))
		if err != nil || len(list) == 0 {
			return all, err
		}
		all = append(all, list...)
		after = list[len(list)-1]
	}
}

// add returns the index of a company. The caller holds the lock.
func (s *SearchIndexes) add(company id.Company) *companyIndex {
	c := s.list[company]
	if c == nil {
		name := fmt.Sprintf("%d-%d-%d", search.Format, s.epoch, company)
		c = &companyIndex{company: company, path: filepath.Join(s.folder, name)}
		s.list[company] = c
	}
	return c
}

// of returns the index of a company, and has it built if there is none.
func (s *SearchIndexes) of(company id.Company) *companyIndex {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.epoch == 0 {
		return nil
	}
	c, known := s.list[company]
	if !known {
		c = s.add(company)
		s.wanted.Wake()
	}
	return c
}

// apply carries out a change of an index that is at a position. It returns errReplaced if it is elsewhere.
func (s *SearchIndexes) apply(c *companyIndex, from search.Position, change search.Change) error {
	c.use.RLock()
	err := s.applyOpen(c, from, change)
	c.use.RUnlock()
	if err == nil || errors.Is(err, errReplaced) {
		return err
	}
	s.discard(c, err)
	return errReplaced
}

func (s *SearchIndexes) applyOpen(c *companyIndex, from search.Position, change search.Change) error {
	if c.index == nil || s.positionOf(c) != from {
		return errReplaced
	}
	if err := c.index.Apply(change); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.at, c.stored = change.At, change.At
	s.moved.Wake()
	return nil
}

func (s *SearchIndexes) positionOf(c *companyIndex) search.Position {
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.at
}

// discard removes an index that cannot be used, and has it built anew.
func (s *SearchIndexes) discard(c *companyIndex, why error) {
	c.use.Lock()
	defer c.use.Unlock()
	if err := s.remove(c, why); err != nil {
		s.log.Error("a search index could not be removed", "path", c.path, "error", err)
	}
	s.wanted.Wake()
}

// remove removes an index. The caller has it to itself.
func (s *SearchIndexes) remove(c *companyIndex, why error) error {
	s.log.Warn("a search index is built anew", "company", c.company, "reason", why)
	if c.index != nil {
		_ = c.index.Close() // which may fail for what it is removed for
		c.index = nil
	}
	s.mu.Lock()
	c.at, c.stored = search.Position{}, search.Position{}
	s.mu.Unlock()
	return os.RemoveAll(c.path)
}

// all returns the indexes, in no order.
func (s *SearchIndexes) all() (list []*companyIndex) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.list {
		list = append(list, c)
	}
	return list
}

// storePositions writes how far indexes have read that no change has told.
func (s *SearchIndexes) storePositions() {
	for _, c := range s.all() {
		s.mu.Lock()
		at, stored := c.at, c.stored
		s.mu.Unlock()
		if at.Whole && at != stored {
			_ = s.apply(c, at, search.Change{At: at})
		}
	}
}

// closeAll closes all indexes for good.
func (s *SearchIndexes) closeAll() {
	s.storePositions()
	for _, c := range s.all() {
		c.use.Lock()
		c.gone = true
		if c.index != nil {
			if err := c.index.Close(); err != nil {
				s.log.Warn("a search index could not be closed", "company", c.company, "error", err)
			}
		}
		c.index = nil
		c.use.Unlock()
	}
}

// Find finds tickets of a company. It waits a moment for what this process has committed; the state says what the index
// has. An index that is not open finds nothing.
func (s *SearchIndexes) Find(ctx context.Context, company id.Company, f search.Find) (search.Found, search.State, error) {
	if s.off.Load() {
		return search.Found{}, search.Off, nil
	}
	c := s.of(company)
	if c == nil {
		return search.Found{}, search.Building, nil
	}
	state := s.await(ctx, c)
	found, open, err := c.find(ctx, f)
	switch {
	case !open:
		return search.Found{}, search.Building, nil
	case err != nil && ctx.Err() == nil:
		s.discard(c, err)
		return search.Found{}, search.Building, nil
	}
	return found, state, err
}

// find finds in an index, if it is open.
func (c *companyIndex) find(ctx context.Context, f search.Find) (found search.Found, open bool, err error) {
	c.use.RLock()
	defer c.use.RUnlock()
	if c.index == nil {
		return search.Found{}, false, nil
	}
	found, err = c.index.Find(ctx, f)
	return found, true, err
}

// await waits until an index has what was published and committed here, but not long.
func (s *SearchIndexes) await(ctx context.Context, c *companyIndex) search.State {
	ctx, cancel := context.WithTimeout(ctx, ownChange)
	defer cancel()
	published := s.feeds.Published(ctx) == nil
	_, head := s.head()
	for {
		moved := s.moved.Next()
		at := s.positionOf(c)
		switch {
		case !at.Whole:
			return search.Building
		case published && at.Tickets >= head.Tickets && at.Comments >= head.Comments:
			return search.Ready
		}
		if wait.For(ctx, moved) != nil {
			return search.Behind
		}
	}
}
