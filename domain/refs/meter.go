package refs

import (
	"slices"
	"sync"
	"time"
)

// meter is what a process saw of pops since it was read last.
type meter struct {
	mu      sync.Mutex
	popped  uint64
	empties uint64
	took    []time.Duration // the latest, up to mostTimes
	next    int

	allPopped, allEmpties uint64 // since the process began
}

// mostTimes are kept between two readings.
const mostTimes = 4096

func (m *meter) add(codes int, empty bool, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if empty {
		m.empties++
		m.allEmpties++
		return
	}
	m.popped += uint64(codes)
	m.allPopped += uint64(codes)
	if len(m.took) < mostTimes {
		m.took = append(m.took, took)
		return
	}
	m.took[m.next%mostTimes] = took
	m.next++
}

// read returns what was added since the last reading, and begins anew.
func (m *meter) read() (popped, empties uint64, p50, p99 time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	slices.Sort(m.took)
	if n := len(m.took); n > 0 {
		p50, p99 = m.took[n/2], m.took[n*99/100]
	}
	popped, empties = m.popped, m.empties
	m.popped, m.empties, m.took, m.next = 0, 0, m.took[:0], 0
	return popped, empties, p50, p99
}

// totals are what was added since the process began.
func (m *meter) totals() (popped, empties uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.allPopped, m.allEmpties
}
