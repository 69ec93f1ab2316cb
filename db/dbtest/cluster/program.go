package cluster

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// program is a process of a cluster, in a group of its own with what it starts.
type program struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// start starts a program that writes to a log, as an ordinary user, and dies with this one.
func start(log string, environment []string, path string, args ...string) (*program, error) {
	to, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer to.Close()
	p := &program{cmd: exec.Command(path, args...), done: make(chan struct{})}
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = environment, to, to
	p.cmd.SysProcAttr = attributes()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait()
	}()
	return p, nil
}

func (p *program) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// kill ends the process and what it started, and waits until it is gone.
func (p *program) kill() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.done
}

func (p *program) signal(s syscall.Signal) error {
	if p.ended() {
		return errors.New("the process has ended")
	}
	return p.cmd.Process.Signal(s)
}
