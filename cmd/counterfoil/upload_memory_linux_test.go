package main

import (
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// TestUploadMemory attaches a file of 100 MB: the program does not hold it.
func TestUploadMemory(t *testing.T) {
	t.Parallel()
	i := onPrivate(t)
	p := i.serve(t)
	pid := p.cmd.Process.Pid
	attach := func(name string, bytes int64) {
		t.Helper()
		read, write := io.Pipe()
		form := multipart.NewWriter(write)
		go func() {
			part, err := form.CreateFormFile("file", name)
			if err == nil {
				_, err = io.Copy(part, io.LimitReader(zeros{}, bytes))
			}
			if err == nil {
				err = form.Close()
			}
			_ = write.CloseWithError(err)
		}()
		request := domaintest.OK(http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+"/api/v1/tickets/DEMO-1/attachments", read))(t)
		request.Header.Set("Content-Type", form.FormDataContentType())
		request.Header.Set("Authorization", "Bearer "+i.token)
		response := domaintest.OK(http.DefaultClient.Do(request))(t)
		defer response.Body.Close()
		if body := domaintest.OK(io.ReadAll(response.Body))(t); response.StatusCode != http.StatusCreated {
			t.Fatalf("%s: %d %s", name, response.StatusCode, body)
		}
	}
	attach("small", 1<<20) // what an upload needs at all
	// The highest use so far is forgotten, and read again after the upload.
	domaintest.Must(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0o600))
	before := memoryOf(t, pid, "VmRSS")
	attach("large", 100_000_000)
	if used := memoryOf(t, pid, "VmHWM") - before; used > 20<<20 {
		t.Errorf("an upload of 100 MB takes %d MB", used>>20)
	} else {
		t.Logf("an upload of 100 MB takes %d KB more than the %d KB of before", used>>10, before>>10)
	}
	domaintest.Must(t, p.stop(t))
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// memoryOf reads a figure of a process, in bytes.
func memoryOf(t *testing.T, pid int, name string) (bytes int64) {
	t.Helper()
	status := domaintest.OK(os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)))(t)
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			domaintest.OK(fmt.Sscan(rest, &bytes))(t)
		}
	}
	return bytes << 10
}
