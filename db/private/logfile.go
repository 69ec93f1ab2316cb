package private

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// errorLog is the file that the server's own messages go to.
type errorLog struct{ path string }

func (s *Server) logOf(engine string) errorLog {
	return errorLog{filepath.Join(s.dir, engine+".log")}
}

// open returns the log for appending. A large one is set aside, one generation.
func (l errorLog) open() (*os.File, error) {
	const large = 16 << 20
	if info, err := os.Stat(l.path); err == nil && info.Size() > large {
		os.Rename(l.path, l.path+".old")
	}
	return os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}

// tail returns the last lines, errors first.
func (l errorLog) tail() string {
	const lines = 12
	all := l.end()
	var errs []string
	for _, line := range all {
		if strings.Contains(line, "ERROR") {
			errs = append(errs, line)
		}
	}
	if len(errs) > 0 {
		all = errs
	}
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

func (l errorLog) last() string {
	all := l.end()
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// end returns the lines since the server's last start within the last 16 KiB.
func (l errorLog) end() []string {
	f, err := os.Open(l.path)
	if err != nil {
		return nil
	}
	defer f.Close()
	if _, err := f.Seek(-16<<10, io.SeekEnd); err != nil && !errors.Is(err, io.EOF) {
		_, _ = f.Seek(0, io.SeekStart)
	}
	raw, _ := io.ReadAll(f)
	if i := bytes.LastIndex(raw, []byte(logMark)); i >= 0 {
		raw = raw[i+len(logMark):]
	}
	var lines []string
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// logMark begins each start's part of the log.
const logMark = "--- counterfoil starts the server ---\n"
