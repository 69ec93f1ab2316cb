package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// TestKillWhileUploading ends the server, and now and then its database, while programs attach files: each repeats what
// was not answered. No file that was answered is lost, none is there twice, and verify finds nothing.
func TestKillWhileUploading(t *testing.T) {
	t.Parallel()
	const programs, kills = 3, 6
	i := onPrivate(t)
	server := i.serve(t)
	var url atomic.Value
	url.Store(server.url)
	var senders sync.WaitGroup
	done := make(chan struct{})
	sent := make([]int, programs)
	var answered atomic.Int64
	for program := range programs {
		senders.Go(func() {
			for sent[program] < 60 { // a ticket has room for 200
				select {
				case <-done:
					return
				default:
				}
				name := fmt.Sprintf("%d-%d.txt", program, sent[program])
				if err := i.attachAgain(t.Context(), url.Load, name, uploadOf(name)); err != nil {
					t.Error(err)
					return
				}
				sent[program]++
				answered.Add(1)
			}
		})
	}
	for n := range kills {
		domaintest.Until(t, "another file is attached", func() bool { return answered.Load() > int64(n) })
		if err := wait.Sleep(t.Context(), time.Duration(200+rand.IntN(500))*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		if n%3 == 2 {
			domaintest.Must(t, syscall.Kill(databasePID(t, i), syscall.SIGKILL))
		}
		server.kill(t)
		server = i.serve(t)
		url.Store(server.url)
	}
	close(done)
	senders.Wait()
	var list struct {
		Items []struct {
			ID   uint64
			Name string
		}
	}
	if _, err := newClient(i).call("GET", server.url+"/api/v1/tickets/DEMO-1/attachments", "", nil, &list); err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, n := range sent {
		want += n
	}
	seen := map[string]bool{}
	for _, a := range list.Items {
		if seen[a.Name] {
			t.Errorf("%s is attached twice", a.Name)
		}
		seen[a.Name] = true
		path := fmt.Sprintf("%s/api/v1/tickets/DEMO-1/attachments/%d/content", server.url, a.ID)
		if got := domaintest.OK(i.fetch(path))(t); got != uploadOf(a.Name) {
			t.Errorf("%s has %d bytes of %d", a.Name, len(got), len(uploadOf(a.Name)))
		}
	}
	if len(seen) != want || want < kills {
		t.Errorf("%d files are attached, and %d were answered", len(seen), want)
	}
	domaintest.Must(t, server.stop(t))
	i.verified(t)
}

// uploadOf is the content of a file, of 200 KB: several programs send the same now and then.
func uploadOf(name string) string { return strings.Repeat(name[2:]+"\n", 200_000/(len(name)-1)) }

// attachAgain attaches a file to DEMO-1, and repeats that with the same key until it is answered.
func (i *install) attachAgain(ctx context.Context, url func() any, name, content string) error {
	for until := time.Now().Add(2 * time.Minute); time.Now().Before(until); {
		code, err := i.attachOnce(url().(string), name, content)
		if err == nil && code == http.StatusCreated {
			return wait.Sleep(ctx, 30*time.Millisecond)
		}
		if err == nil && code < 500 && code != http.StatusTooManyRequests {
			return fmt.Errorf("attach %s: %d", name, code)
		}
		if err := wait.Sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	return errors.New(name + " was not attached in two minutes")
}

func (i *install) attachOnce(url, name, content string) (code int, err error) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", name)
	if err != nil {
		return 0, err
	}
	_, _ = part.Write([]byte(content))
	_ = w.Close()
	request, err := http.NewRequest(http.MethodPost, url+"/api/v1/tickets/DEMO-1/attachments", &form)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", w.FormDataContentType())
	request.Header.Set("Authorization", "Bearer "+i.token)
	request.Header.Set("Idempotency-Key", name)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

func (i *install) fetch(url string) (string, error) {
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+i.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return string(content), err
}
