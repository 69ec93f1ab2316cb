package refs

import (
	"slices"
	"sync"
	"time"
)

// meter counts a process's pops since it was read last.
type meter struct {
	mu   sync.Mutex
	seen popStats

	allPopped, allEmpties uint64 // since the process began
}

// popStats are the results of some pops.
type popStats struct {
	popped, empties uint64
	took            []time.Duration // the latest, up to mostTimes
	next            int
}

// mostTimes are kept between two readings.
const mostTimes = 4096

func (m *meter) add(codes int, empty bool, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if empty {
		m.seen.empties++
		m.allEmpties++
		return
	}
	m.seen.popped += uint64(codes)
	m.allPopped += uint64(codes)
	m.seen.recordDuration(took)
}

func (s *popStats) recordDuration(took time.Duration) {
	if len(s.took) < mostTimes {
		s.took = append(s.took, took)
		return
	}
	s.took[s.next%mostTimes] = took
	s.next++
}

// slow returns the median and the 99th percentile of the durations.
func (s popStats) slow() (p50, p99 time.Duration) {
	slices.Sort(s.took)
	if n := len(s.took); n > 0 {
		p50, p99 = s.took[n/2], s.took[n*99/100]
	}
	return p50, p99
}

// take returns the results since the last call.
func (m *meter) take() popStats {
	m.mu.Lock()
	defer m.mu.Unlock()
	taken := m.seen
	m.seen = popStats{}
	return taken
}

// putBack adds results that could not be stored.
func (m *meter) putBack(old popStats) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen.popped += old.popped
	m.seen.empties += old.empties
	for _, took := range old.took {
		m.seen.recordDuration(took)
	}
}

// totals are the results since the process began.
func (m *meter) totals() (popped, empties uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.allPopped, m.allEmpties
}
