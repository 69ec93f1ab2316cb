//go:build soak

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// TestCPUOfATicket says how much processor time the program takes for a ticket by POST: 20 clients on one board, beside a
// durable database.
//
//	go test -tags soak -v -run TestCPUOfATicket ./cmd/counterfoil
func TestCPUOfATicket(t *testing.T) {
	const clients, warm, all = 20, 2000, 20_000
	i := onPrivate(t)
	server := i.serve(t)
	post := func(path, body string) {
		request := domaintest.OK(http.NewRequest(http.MethodPost, server.url+"/api/v1"+path, bytes.NewBufferString(body)))(t)
		request.Header.Set("Authorization", "Bearer "+i.token)
		request.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Error(err)
			return
		}
		defer answer.Body.Close()
		io.Copy(io.Discard, answer.Body)
		if answer.StatusCode != http.StatusCreated {
			t.Errorf("POST %s: %d", path, answer.StatusCode)
		}
	}
	post("/boards", `{"slug":"NINJA","title":"Ninjas"}`)
	open := func(n int64) {
		var group sync.WaitGroup
		var next atomic.Int64
		for range clients {
			group.Go(func() {
				for at := next.Add(1); at <= n && !t.Failed(); at = next.Add(1) {
					post("/boards/NINJA/tickets", fmt.Sprintf(`{"title":"Order sorbitol before the price goes up %d"}`, at))
				}
			})
		}
		group.Wait()
	}
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = clients
	open(warm)
	before, began := cpuOf(t, server.cmd.Process.Pid), time.Now()
	open(all)
	used, took := cpuOf(t, server.cmd.Process.Pid)-before, time.Since(began)
	t.Logf("%.3f ms of processor time a ticket, at %.0f tickets/s", 1000*used.Seconds()/all, all/took.Seconds())
}

// cpuOf is the processor time that a process has used, in steps of 10 ms.
func cpuOf(t *testing.T, pid int) time.Duration {
	t.Helper()
	stat := string(domaintest.OK(os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)))(t))
	fields := strings.Fields(stat[strings.LastIndex(stat, ")")+1:]) // from the third on: a name may have spaces
	user, system := domaintest.OK(strconv.Atoi(fields[11]))(t), domaintest.OK(strconv.Atoi(fields[12]))(t)
	return time.Duration(user+system) * 10 * time.Millisecond
}
