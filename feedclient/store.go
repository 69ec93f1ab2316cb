package feedclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Place is Follow's progress. Keep all of it.
type Place struct {
	Feed   string `json:"feed"`
	Board  string `json:"board,omitempty"`
	Cursor string `json:"cursor"`
	Round  uint64 `json:"round"` // how often reading began at the start
	Whole  bool   `json:"whole"` // this round has reached the end once, and the rows that it did not contain are removed
}

// Mark is the state of a row when it was last handed over. At position 0 it may not have been.
type Mark struct {
	ID, Round, Position uint64
	Board               uint64 // of the row, for BoardStore
	Gone                bool   // the row is deleted: forget the mark
	Sum                 uint64 // of the item, for Prove; a Store may leave it 0, and proves less then
}

// Store keeps a reader's progress and marks, one for each feed that is followed. One Follow uses it at a time.
//
// Save is called after the work that it records, except for marks with position 0. A reader with its copy in a
// database can do that work and Save in one transaction: then nothing is done twice.
type Store interface {
	// Place returns the saved place; the zero Place at first.
	Place(ctx context.Context) (Place, error)
	// Marks returns the marks that are kept of some rows.
	Marks(ctx context.Context, rows []uint64) (map[uint64]Mark, error)
	// Save keeps the place and the marks, all or nothing.
	Save(ctx context.Context, place Place, marks []Mark) error
	// Before returns at most limit rows whose mark is of an earlier round.
	Before(ctx context.Context, round uint64, limit int) ([]uint64, error)
}

// Memory is a Store that forgets when the program ends. Its zero value is empty.
type Memory struct {
	mu    sync.Mutex
	state state
}

// state is the content of a store. A row has its round, its position, its sum and its board, which files of before lack.
type state struct {
	Place Place                `json:"place"`
	Rows  map[uint64][4]uint64 `json:"rows"`
}

// Place is of Store.
func (m *Memory) Place(context.Context) (Place, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.Place, nil
}

// Marks is of Store.
func (m *Memory) Marks(_ context.Context, rows []uint64) (map[uint64]Mark, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := map[uint64]Mark{}
	for _, row := range rows {
		if mark, ok := m.state.Rows[row]; ok {
			found[row] = Mark{ID: row, Round: mark[0], Position: mark[1], Sum: mark[2], Board: mark[3]}
		}
	}
	return found, nil
}

// Save is of Store.
func (m *Memory) Save(_ context.Context, place Place, marks []Mark) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state.take(place, marks)
	return nil
}

func (s *state) take(place Place, marks []Mark) {
	s.Place = place
	if s.Rows == nil {
		s.Rows = map[uint64][4]uint64{}
	}
	for _, mark := range marks {
		if mark.Gone {
			delete(s.Rows, mark.ID)
		} else {
			s.Rows[mark.ID] = [4]uint64{mark.Round, mark.Position, mark.Sum, mark.Board}
		}
	}
}

// Before is of Store.
func (m *Memory) Before(_ context.Context, round uint64, limit int) (rows []uint64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for row, mark := range m.state.Rows {
		if len(rows) == limit {
			break
		}
		if mark[0] < round {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// OfBoard is of BoardStore.
func (m *Memory) OfBoard(_ context.Context, board, after uint64, limit int) (rows []uint64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for row, mark := range m.state.Rows {
		if mark[3] == board && row > after {
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	return rows[:min(len(rows), limit)], nil
}

// File is a Store in a file, which each Save rewrites: a crash leaves the old or the new one. It takes about 40 bytes
// a row, so use a database for more than some hundred thousand rows.
type File struct {
	Memory
	path string
	fail error // a Save failed: the file is not as the memory
}

// OpenFile reads a File's file, or starts an empty one.
func OpenFile(path string) (*File, error) {
	f := &File{path: path}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &f.state); err != nil {
		return nil, fmt.Errorf("%s is not what Follow wrote: %w", path, err)
	}
	return f, nil
}

// Save is of Store. After an error, open the File again.
func (f *File) Save(_ context.Context, place Place, marks []Mark) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fail != nil {
		return f.fail
	}
	f.state.take(place, marks)
	f.fail = f.write()
	return f.fail
}

func (f *File) write() error {
	text, err := json.Marshal(f.state)
	if err != nil {
		return err
	}
	folder := filepath.Dir(f.path)
	next, err := os.CreateTemp(folder, filepath.Base(f.path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(next.Name()) // if it was not renamed
	_, err = next.Write(text)
	if err = errors.Join(err, next.Sync(), next.Close()); err != nil {
		return err
	}
	if err := os.Rename(next.Name(), f.path); err != nil {
		return err
	}
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
