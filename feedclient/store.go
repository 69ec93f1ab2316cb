package feedclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Place is where Follow stands. Keep all of it.
type Place struct {
	Feed   string `json:"feed"`
	Board  string `json:"board,omitempty"`
	Cursor string `json:"cursor"`
	Round  uint64 `json:"round"` // how often it was begun at the start
	Whole  bool   `json:"whole"` // this round has come once to the end, and what it did not show is dropped
}

// Mark says of a row how it was last handed over. A position of 0 says that it may have been.
type Mark struct {
	ID, Round, Position uint64
	Gone                bool // the row is deleted: forget the mark
}

// Store keeps where a reader stands and what it was given, one for each feed that is followed. One Follow uses
// it at a time.
//
// Save is called after the work that it stands for was done, but for marks with position 0. Who keeps their copy
// in a database may do that work and Save in one transaction: then nothing is ever done twice.
type Store interface {
	// Place returns what was last saved; the zero Place before that.
	Place(ctx context.Context) (Place, error)
	// Marks returns the marks that are kept of some rows.
	Marks(ctx context.Context, rows []uint64) (map[uint64]Mark, error)
	// Save keeps the place and the marks, all at once or nothing.
	Save(ctx context.Context, place Place, marks []Mark) error
	// Before returns at most limit rows whose mark is of an earlier round.
	Before(ctx context.Context, round uint64, limit int) ([]uint64, error)
}

// Memory is a Store that forgets when the program ends. Its zero value is empty.
type Memory struct {
	mu    sync.Mutex
	state state
}

// state is what a store holds. A row has its round and its position.
type state struct {
	Place Place                `json:"place"`
	Rows  map[uint64][2]uint64 `json:"rows"`
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
			found[row] = Mark{ID: row, Round: mark[0], Position: mark[1]}
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
		s.Rows = map[uint64][2]uint64{}
	}
	for _, mark := range marks {
		if mark.Gone {
			delete(s.Rows, mark.ID)
		} else {
			s.Rows[mark.ID] = [2]uint64{mark.Round, mark.Position}
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

// File is a Store in a file, which it writes anew with each Save: a crash leaves the old or the new one. That
// takes about 20 bytes a row, so for more than some hundred thousand rows use a database.
type File struct {
	Memory
	path string
	fail error // of a Save: what is in memory is not in the file
}

// OpenFile reads a file that a File wrote, or begins with none.
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

// Save is of Store. After an error the File is of no use any more; open it again.
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
	defer os.Remove(next.Name()) // where it was not renamed
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
