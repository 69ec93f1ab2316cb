// Package private starts and keeps a database of our own: MariaDB or MySQL as a child process,
// its files in the data directory, reached through a Unix socket only.
//
// # Locks
//
// Many programs share one data directory; one of them, the owner, answers for the database
// process. Three files in the data directory are locked with flock(2), so a killed program
// leaves no lock behind:
//
//	owner.lock      exclusive, by the owner for as long as it is the owner
//	attached.lock   shared, by each other program; exclusive, by an owner that stops the database
//	closing.lock    exclusive, by a program that decides how it leaves; held for that moment only
//
// To attach, a program tries owner.lock, then a share of attached.lock, until it has the first, or holds a share and
// the database answers. A new owner adopts a running database, else starts one.
//
// To leave, a program takes closing.lock, gives up its share, and needs owner.lock (an owner has it). Without
// owner.lock another program answers for the database. With it, it tries attached.lock exclusively: if that is
// refused, others are attached, so it releases owner.lock and leaves the database to them; else it is the last and
// stops the database, and a program that attaches meanwhile waits, becomes the owner and starts it again.
// attached.lock is taken exclusively only under owner.lock, and closing.lock serialises leaving: of two that leave
// together the second sees the first gone, so the last always stops the database.
//
// The database outlives a killed owner, in a session of its own. An attached program in Watch
// gets owner.lock and adopts it; with none, the next Open does.
package private

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// database is the one schema that Open creates.
const database = "counterfoil"

// Options says where the database lives and how it runs.
type Options struct {
	// Dir is the data directory; it is created. The database's files are in its folder mariadb or mysql.
	Dir string
	// Server is the path of mariadbd or mysqld. A wrapper script must exec the server.
	// Empty means the environment's COUNTERFOIL_MYSQLD, then the first one installed.
	Server string
	// Engine, mariadb or mysql, leaves out the servers of the other make. Empty allows both.
	Engine string
	Log    *slog.Logger
	// Settings are server variables that replace ours, by their names in an option file. An empty value gives the bare
	// option, such as skip-log-bin. They apply if this program starts the server.
	Settings map[string]string
}

// Server is a running private database, as its owner or attached to it.
type Server struct {
	dir      string
	server   string
	engine   string
	settings map[string]string
	log      *slog.Logger
	grace    time.Duration // for a database that is to end, before it is killed

	owning, attached, closing *lock

	changing sync.Mutex // one of join, revive and leave at a time
	closed   bool       // guarded by turn
	quit     context.CancelFunc
	open     context.Context // ends when Close begins

	warned time.Time // of a full disk, by Watch

	mu    sync.Mutex
	owner bool
	state state
	proc  *process // nil while attached
}

// URL returns the address of one of the server's databases in the form of DATABASE_URL;
// with an empty name, that of the server.
func (s *Server) URL(database string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return "mysql://root@unix(" + s.state.Socket + ")/" + database
}

// Owner reports whether this program answers for the database process.
func (s *Server) Owner() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.owner
}

// Pid returns the database's process id, as last known.
func (s *Server) Pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owner {
		return s.state.PID
	}
	if now, err := readState(s.dir); err == nil {
		return now.PID
	}
	return s.state.PID
}

// Dir returns the data directory, absolute and without symbolic links.
func (s *Server) Dir() string { return s.dir }

func newServer(o Options) (*Server, error) {
	dir, err := dataDir(o.Dir)
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, server: o.Server, engine: o.Engine, settings: o.Settings, log: o.Log, grace: longGrace}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.open, s.quit = context.WithCancel(context.Background())
	return s, s.openLocks()
}

func dataDir(dir string) (string, error) {
	if dir == "" {
		dir = "data"
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(abs, 0o700); err != nil {
		return "", explain(abs, err)
	}
	abs, err = filepath.EvalSymlinks(abs)
	if err != nil {
		return "", explain(abs, err)
	}
	// Both engines keep paths in buffers of 512 bytes; table file names follow the folder's.
	if len(abs) > 300 {
		return "", PathTooLong(abs)
	}
	return abs, nil
}

func (s *Server) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}
