package private

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	mib = 1 << 20
	gib = 1 << 30
)

// bufferPool is a quarter of the memory, within what is useful.
func bufferPool(memory uint64) uint64 {
	return min(max(memory/4/mib*mib, 128*mib), 4*gib)
}

// memory returns the machine's memory in bytes, or the control group's limit if that is less; 0 if neither is known.
func memory() uint64 {
	least := min(total("/proc/meminfo"), limit("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
		groupLimit("/sys/fs/cgroup"))
	if least == math.MaxUint64 {
		return 0
	}
	return least
}

func total(meminfo string) uint64 {
	raw, _ := os.ReadFile(meminfo)
	for line := range strings.Lines(string(raw)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "MemTotal:" {
			continue
		}
		if kb, err := strconv.ParseUint(fields[1], 10, 64); err == nil {
			return kb * 1024
		}
	}
	return math.MaxUint64
}

// groupLimit returns the least limit of our control group (version 2) and those above it.
func groupLimit(root string) uint64 {
	raw, _ := os.ReadFile("/proc/self/cgroup")
	_, group, _ := strings.Cut(string(raw), "0::")
	group, _, _ = strings.Cut(group, "\n")
	least := limit(filepath.Join(root, "memory.max"))
	for ; group != "" && group != "/" && group != "."; group = filepath.Dir(group) {
		least = min(least, limit(filepath.Join(root, group, "memory.max")))
	}
	return least
}

// limit reads a number of bytes; no file, and the word max, are no limit.
func limit(path string) uint64 {
	raw, _ := os.ReadFile(path)
	bytes, err := strconv.ParseUint(strings.TrimSpace(string(raw)), 10, 64)
	if err != nil {
		return math.MaxUint64
	}
	return bytes
}
