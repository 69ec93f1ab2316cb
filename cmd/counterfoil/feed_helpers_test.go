package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/counterfoil/counterfoil/domain/wait"
	"github.com/counterfoil/counterfoil/feedclient"
)

// asHelper makes the test binary a writer or a follower, as the JSON of a helper says.
const asHelper = "COUNTERFOIL_TEST_HELPER"

// helper is a process of the feeds' load test: a writer if Changes is set, else a follower.
type helper struct {
	URLs  []string
	Token string

	Changes int // changes that a writer makes until it ends

	Dir                   string // a follower's store
	Feed, Board, Consumer string
	Mode                  feedclient.Mode
}

func (h helper) run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	do := h.follow
	if h.Changes > 0 {
		do = h.write
	}
	if err := do(ctx); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// follow keeps a copy of a feed until it is stopped or killed.
func (h helper) follow(ctx context.Context) error {
	store, err := openJournal(filepath.Join(h.Dir, "journal"))
	if err != nil {
		return err
	}
	copies, err := os.OpenFile(filepath.Join(h.Dir, "copy"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	fmt.Println("following")
	client := &feedclient.Client{URL: h.URLs[0], Token: h.Token}
	options := feedclient.Options{Feed: h.Feed, Board: h.Board, Consumer: h.Consumer, Mode: h.Mode, Store: store,
		Every: 100 * time.Millisecond}
	return client.Follow(ctx, options,
		func(_ context.Context, item feedclient.Item) error { return appendLine(copies, item) })
}

// appendLine writes a whole line or nothing, also if the process is killed.
func appendLine(file io.Writer, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	return err
}

// lines calls do for each line of a file, if there is one, as JSON.
func lines[T any](path string, do func(T) error) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	for all := bufio.NewReader(file); ; {
		line, err := all.ReadBytes('\n')
		if err == io.EOF { // the line after the last newline is being written
			return nil
		}
		if err != nil {
			return err
		}
		var value T
		if err := json.Unmarshal(line, &value); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := do(value); err != nil {
			return err
		}
	}
}

// journal is a store in which each Save is a line of a file: large stores cost no more than small ones.
type journal struct {
	feedclient.Memory
	file *os.File
}

type saved struct {
	Place feedclient.Place
	Marks []feedclient.Mark
}

func openJournal(path string) (*journal, error) {
	j := &journal{}
	err := replay(path, &j.Memory)
	if err == nil {
		j.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	}
	return j, err
}

// replay saves the lines of a journal to a store.
func replay(path string, into *feedclient.Memory) error {
	return lines(path, func(s saved) error { return into.Save(context.Background(), s.Place, s.Marks) })
}

func (j *journal) Save(ctx context.Context, place feedclient.Place, marks []feedclient.Mark) error {
	if err := appendLine(j.file, saved{place, marks}); err != nil {
		return err
	}
	return j.Memory.Save(ctx, place, marks)
}

// write makes changes of every kind, from several goroutines, and prints how many.
func (h helper) write(ctx context.Context) error {
	fmt.Println("writing")
	var done atomic.Int64
	var group sync.WaitGroup
	errs := make(chan error, 8)
	for range cap(errs) {
		group.Go(func() {
			w := &scribe{helper: h, http: &http.Client{Timeout: 2 * time.Minute}}
			for done.Load() < int64(h.Changes) && ctx.Err() == nil {
				if err := w.change(ctx); err != nil {
					errs <- err
					return
				}
				if n := done.Add(1); n%20 == 0 {
					fmt.Printf("changes: %d\n", n)
				}
			}
		})
	}
	group.Wait()
	close(errs)
	return <-errs
}

// scribe is a writer with the tickets that it opened.
type scribe struct {
	helper
	http    *http.Client
	columns map[string][]int64 // of boards
	own     []sheet
}

type sheet struct {
	Key      string
	Board    string
	Version  uint64
	ClosedAt *time.Time `json:"closed_at"`
}

// change makes one change: one that others were faster to make is chosen again.
func (w *scribe) change(ctx context.Context) error {
	for ctx.Err() == nil {
		ok, err := w.attempt(ctx)
		if ok || err != nil {
			return err
		}
	}
	return nil
}

func (w *scribe) attempt(ctx context.Context) (ok bool, err error) {
	if w.columns == nil {
		w.columns = map[string][]int64{}
		for _, board := range loadBoards {
			var b struct{ Columns []struct{ ID int64 } }
			if _, err := w.call(ctx, "GET", "/boards/"+board, nil, &b); err != nil {
				return false, err
			}
			for _, column := range b.Columns {
				w.columns[board] = append(w.columns[board], column.ID)
			}
		}
	}
	if len(w.own) == 0 || rand.IntN(6) == 0 {
		var t sheet
		status, err := w.call(ctx, "POST", "/boards/"+loadBoards[rand.IntN(2)]+"/tickets",
			map[string]any{"title": fmt.Sprintf("Ticket %x", rand.Uint64())}, &t)
		if status == http.StatusCreated {
			w.own = append(w.own, t)
		}
		return status == http.StatusCreated, err
	}
	n := rand.IntN(len(w.own))
	t := &w.own[n]
	status := 0
	switch path := "/tickets/" + t.Key; rand.IntN(14) {
	case 0: // perhaps to the other board
		board := loadBoards[rand.IntN(2)]
		status, err = w.call(ctx, "POST", path+"/position",
			map[string]any{"board": board, "column": w.columns[board][rand.IntN(len(w.columns[board]))]}, t)
	case 1:
		status, err = w.call(ctx, map[bool]string{true: "PUT", false: "DELETE"}[t.ClosedAt == nil], path+"/closure", nil, t)
	case 2, 3:
		status, err = w.call(ctx, "POST", path+"/comments", map[string]any{"body": fmt.Sprintf("Comment %x", rand.Uint64())},
			nil)
	case 4:
		if rand.IntN(3) == 0 {
			if status, err = w.call(ctx, "DELETE", path, nil, nil); status/100 == 2 {
				if rand.IntN(3) == 0 {
					_, err = w.call(ctx, "PUT", path+"/restoration", nil, nil)
				}
				w.own = append(w.own[:n], w.own[n+1:]...)
			}
			return status/100 == 2, err
		}
		fallthrough
	case 5, 6:
		status, err = w.call(ctx, "PUT", path+"/labels", map[string]any{"labels": []string{w.label(), w.label()}}, t)
	case 7:
		return w.changeLabel(ctx)
	default:
		status, err = w.call(ctx, "PATCH", path, map[string]any{"title": fmt.Sprintf("Ticket %x", rand.Uint64()),
			"version": t.Version}, t)
	}
	if err != nil || status/100 == 2 {
		return err == nil, err
	}
	if status, err = w.call(ctx, "GET", "/tickets/"+t.Key, nil, t); status == http.StatusNotFound {
		w.own = append(w.own[:n], w.own[n+1:]...)
	}
	return false, err
}

// label is the name of one of a few labels.
func (w *scribe) label() string { return fmt.Sprint("label", rand.IntN(6)) }

// changeLabel renames a label, merges it into another, deletes or restores it.
func (w *scribe) changeLabel(ctx context.Context) (ok bool, err error) {
	var list struct{ Items []struct{ ID int64 } }
	if _, err := w.call(ctx, "GET", "/labels", nil, &list); err != nil || len(list.Items) == 0 {
		return false, err
	}
	one := func() int64 { return list.Items[rand.IntN(len(list.Items))].ID }
	path, status := fmt.Sprint("/labels/", one()), 0
	switch rand.IntN(4) {
	case 0:
		status, err = w.call(ctx, "PATCH", path, map[string]any{"name": w.label(), "color": "teal"}, nil)
	case 1:
		status, err = w.call(ctx, "POST", path+"/merge", map[string]any{"into": one()}, nil)
	case 2:
		status, err = w.call(ctx, "DELETE", path, nil, nil)
	default: // any that ever was
		status, err = w.call(ctx, "PUT", fmt.Sprintf("/labels/%d/restoration", 1+rand.Int64N(list.Items[0].ID+5)), nil, nil)
	}
	return status/100 == 2, err
}

// call asks one server after another until one answers.
func (w *scribe) call(ctx context.Context, method, path string, in, out any) (status int, err error) {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline) && ctx.Err() == nil; {
		status, err = w.try(ctx, method, w.URLs[rand.IntN(len(w.URLs))]+"/api/v1"+path, in, out)
		if err == nil && status < 500 {
			return status, nil
		}
		_ = wait.Sleep(ctx, 50*time.Millisecond) // as an honest client does
	}
	return status, fmt.Errorf("no answer to %s %s within %s: %d %w", method, path, patience, status, err)
}

func (w *scribe) try(ctx context.Context, method, url string, in, out any) (int, error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return 0, err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+w.Token)
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := w.http.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && out != nil && response.StatusCode/100 == 2 {
		err = json.Unmarshal(text, out)
	}
	return response.StatusCode, err
}
