package private

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// process is a database process, our child or an adopted one.
type process struct {
	pid    int
	start  string
	handle *os.Process
	done   chan struct{} // closed when the process is gone
	exit   string        // how it ended, once done, if it was our child
	forget func()        // ends the watch over it
}

// spawn starts cmd in a session of its own: no signal of our terminal reaches it, and it
// outlives us.
func spawn(cmd *exec.Cmd) (*process, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	start, _ := processStart(cmd.Process.Pid)
	p := &process{pid: cmd.Process.Pid, start: start, handle: cmd.Process, done: make(chan struct{}), forget: func() {}}
	go func() {
		defer close(p.done)
		cmd.Wait()
		p.exit = cmd.ProcessState.String()
	}()
	return p, nil
}

// follow watches a process that may be no child of ours, by polling.
func follow(pid int, start string) *process {
	handle, err := os.FindProcess(pid)
	forgotten := make(chan struct{})
	p := &process{pid: pid, start: start, handle: handle, done: make(chan struct{}),
		forget: sync.OnceFunc(func() { close(forgotten) })}
	if err != nil || !p.alive() {
		close(p.done)
		return p
	}
	go func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for p.alive() {
			select {
			case <-forgotten:
				return
			case <-tick.C:
			}
		}
		close(p.done)
	}()
	return p
}

func (p *process) alive() bool {
	start, alive := processStart(p.pid)
	return alive && start == p.start
}

func (p *process) gone() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// stop asks the process to end and waits until it has, or ctx ends.
func (p *process) stop(ctx context.Context) error {
	if p.gone() {
		return nil
	}
	p.handle.Signal(syscall.SIGTERM) // an error means that it is gone already
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end is stop for a process that does not answer: after grace it is killed.
func (p *process) end(ctx context.Context, grace time.Duration) error {
	asked, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	if p.stop(asked) == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p.handle.Signal(syscall.SIGKILL)
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
