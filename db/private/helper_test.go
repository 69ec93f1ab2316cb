package private

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// helperEnv makes the test binary a program of its own with a private database; its value is a
// helperConfig.
const helperEnv = "COUNTERFOIL_PRIVATE_HELPER"

type helperConfig struct {
	Dir      string
	Settings map[string]string
	Watch    bool
}

// helperStatus answers each line that a helper reads.
type helperStatus struct {
	Owner bool
	Pid   int
	URL   string
	Err   string
}

// helper answers "status" and "close" until its input ends.
func helper(config string) {
	var c helperConfig
	if err := json.Unmarshal([]byte(config), &c); err != nil {
		panic(err)
	}
	out := json.NewEncoder(os.Stdout)
	s, err := Open(context.Background(), options(c.Dir, c.Settings))
	if err != nil {
		out.Encode(helperStatus{Err: err.Error()})
		os.Exit(1)
	}
	if c.Watch {
		go s.Watch(context.Background())
	}
	out.Encode(statusOf(s))
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if lines.Text() == "close" {
			break
		}
		out.Encode(statusOf(s))
	}
	status := statusOf(s)
	if err := s.Close(context.Background()); err != nil {
		status.Err = err.Error()
	}
	out.Encode(status)
}

func statusOf(s *Server) helperStatus {
	return helperStatus{Owner: s.Owner(), Pid: s.Pid(), URL: s.URL(database)}
}

// program is a running helper.
type program struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
}

// launch starts a helper that has not opened its database yet.
func launch(t *testing.T, c helperConfig, change ...func(*exec.Cmd)) *program {
	t.Helper()
	raw := domaintest.OK(json.Marshal(c))(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperEnv+"="+string(raw))
	var log bytes.Buffer
	cmd.Stderr = &log
	for _, change := range change {
		change(cmd)
	}
	in := domaintest.OK(cmd.StdinPipe())(t)
	out := domaintest.OK(cmd.StdoutPipe())(t)
	domaintest.Must(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Logf("helper %d said:\n%s", cmd.Process.Pid, log.String())
		}
	})
	return &program{t: t, cmd: cmd, in: in, out: json.NewDecoder(out)}
}

// startHelper starts a helper and returns when its database answers.
func startHelper(t *testing.T, c helperConfig, change ...func(*exec.Cmd)) *program {
	t.Helper()
	p := launch(t, c, change...)
	if got := p.read(); got.Err != "" {
		t.Fatal(got.Err)
	}
	return p
}

func (p *program) read() helperStatus {
	p.t.Helper()
	var got helperStatus
	domaintest.Must(p.t, p.out.Decode(&got))
	return got
}

func (p *program) status() helperStatus {
	p.t.Helper()
	fmt.Fprintln(p.in, "status")
	return p.read()
}

// close returns the error of the helper's Close.
func (p *program) close() string {
	p.t.Helper()
	fmt.Fprintln(p.in, "close")
	return p.read().Err
}

// kill is kill -9.
func (p *program) kill() {
	p.t.Helper()
	domaintest.Must(p.t, p.cmd.Process.Kill())
	p.cmd.Wait()
}
