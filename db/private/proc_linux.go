package private

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// processStart returns when the process began, in a form to compare, and whether it lives.
func processStart(pid int) (start string, alive bool) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", false
	}
	// The second field is the name in parentheses; it may hold any character.
	_, rest, _ := strings.Cut(string(raw[strings.LastIndexByte(string(raw), ')')+1:]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 20 {
		return "", false
	}
	state := fields[0]
	return fields[19], state != "Z" && state != "X"
}

func processArgs(pid int) []string {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
}

// processUser returns the user who started a process, whatever rights its program has.
func processUser(pid int) (uid int, ok bool) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(string(raw), "\nUid:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0, false
	}
	uid, err = strconv.Atoi(fields[0])
	return uid, err == nil
}

// processes returns the processes that see the same files as we do: a container's database may have the same path as
// ours.
func processes() []int {
	root, err := os.Stat("/")
	if err != nil {
		return nil
	}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	var pids []int
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		if its, err := os.Stat(dir + "/root"); err == nil && os.SameFile(its, root) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// flush makes the files of dir's file system durable.
func flush(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}
