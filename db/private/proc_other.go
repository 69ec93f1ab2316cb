//go:build !linux

package private

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// processStart returns when the process began, in a form to compare, and whether it lives.
func processStart(pid int) (start string, alive bool) {
	out, err := exec.Command("ps", "-o", "stat=", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	state, start, ok := strings.Cut(strings.TrimSpace(string(out)), " ")
	if err != nil || !ok {
		return "", false
	}
	return strings.TrimSpace(start), !strings.HasPrefix(state, "Z")
}

func processArgs(pid int) []string {
	out, _ := exec.Command("ps", "-ww", "-o", "args=", "-p", strconv.Itoa(pid)).Output()
	args := strings.Split(strings.TrimSpace(string(out)), " --")
	for i := range args[1:] {
		args[i+1] = "--" + args[i+1]
	}
	return args
}

func processUser(pid int) (uid int, ok bool) {
	out, err := exec.Command("ps", "-o", "ruid=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return 0, false
	}
	uid, err = strconv.Atoi(strings.TrimSpace(string(out)))
	return uid, err == nil
}

func processes() []int {
	out, _ := exec.Command("ps", "-ax", "-o", "pid=").Output()
	var pids []int
	for _, field := range strings.Fields(string(out)) {
		if pid, err := strconv.Atoi(field); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// flush makes the files of dir's file system durable.
func flush(string) error { return syscall.Sync() }
