//go:build soak

package main

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
)

// TestOthersBesideALargeColumn closes, reopens and empties a column of 200,000 tickets while another company works,
// with and without the load of a third, and logs how long that company's requests take before and meanwhile.
func TestOthersBesideALargeColumn(t *testing.T) {
	t.Parallel()
	for name, writers := range map[string]int{"quiet": 0, "under load": 10} {
		t.Run(name, func(t *testing.T) {
			i := onPrivate(t)
			_, w, d := i.operator(t)
			p := i.serve(t)
			own := newClient(i)
			own.board(t, p.url, "BIG")
			board := id.Board(domaintest.Number(t, d, "SELECT id FROM board WHERE slug = 'BIG'"))
			columns := columnsOf(t, d, board)
			apptest.Fill(t, d, 1, board, columns[1], 200_000)
			company := func(slug string) *client {
				t.Helper()
				domaintest.Must(t, d.InTx(t.Context(), func(tx *db.Tx) error {
					_, err := tx.CreateCompany(t.Context(), db.CreateCompanyParams{Slug: slug, Name: slug, CreatedAt: tx.Now})
					return err
				}))
				of := id.Company(domaintest.Number(t, d, "SELECT id FROM company WHERE slug = ?", slug))
				domaintest.Member(t, d, of, "Owner", slug+"@example.com", "owner", "")
				c := newClient(i)
				c.token = domaintest.OK(w.Workflows.OpenToken(t.Context(), slug, slug+"@example.com", nil, 0))(t)
				c.board(t, p.url, "MAIN")
				return c
			}
			busy, other := company("busy"), company("other")
			var writing sync.WaitGroup
			defer writing.Wait()
			stop := make(chan struct{})
			defer close(stop)
			for n := range writers {
				writing.Go(func() {
					for {
						select {
						case <-stop:
							return
						default:
							_, _ = busy.open(func() string { return p.url }, "MAIN", fmt.Sprint("Ticket ", n), 0)
						}
					}
				})
			}
			end := time.Now().Add(20 * time.Second)
			usual := other.works(t, p.url, func() bool { return time.Now().After(end) })
			t.Logf("usual: %s", usual)
			changes := 0
			meanwhile := func(what, method, path string, body any) {
				t.Helper()
				var out any
				response := domaintest.OK(own.call(method, p.url+"/api/v1/boards/BIG/columns/"+path, "", body, &out))(t)
				if response.StatusCode >= 300 {
					t.Fatalf("%s: %s", what, response.Status)
				}
				changes++
				began := time.Now()
				took := other.works(t, p.url, func() bool {
					return domaintest.Number(t, d,
						"SELECT COUNT(*) FROM migration_run WHERE name = 'change-column' AND state = 'complete'") == changes
				})
				t.Logf("%s took %s; meanwhile: %s", what, time.Since(began).Round(time.Second), took)
				if took.failed > 0 {
					t.Errorf("%s: %d requests failed", what, took.failed)
				}
			}
			doing := fmt.Sprint(columns[1])
			meanwhile("closing", http.MethodPatch, doing, map[string]any{"done": true})
			meanwhile("reopening", http.MethodPatch, doing, map[string]any{"done": false})
			meanwhile("emptying", http.MethodDelete, doing+"?to="+fmt.Sprint(columns[0]), nil)
			domaintest.Counts(t, d, 200_000, "SELECT COUNT(*) FROM ticket WHERE column_id = ? AND closed_at IS NULL", uint64(columns[0]))
		})
	}
}

func columnsOf(t *testing.T, d *db.DB, board id.Board) (list []id.Column) {
	t.Helper()
	rows := domaintest.OK(d.SQL.Query("SELECT id FROM board_column WHERE board_id = ? ORDER BY position", uint64(board)))(t)
	defer rows.Close()
	for rows.Next() {
		var column id.Column
		domaintest.Must(t, rows.Scan(&column))
		list = append(list, column)
	}
	return list
}

// durations are those of requests, and how many failed.
type durations struct {
	sorted []time.Duration
	failed int
}

func (d durations) String() string {
	at := func(share float64) time.Duration {
		return d.sorted[int(share*float64(len(d.sorted)-1))].Round(time.Millisecond)
	}
	return fmt.Sprintf("%d requests, %d failed, median %s, p99 %s, worst %s", len(d.sorted), d.failed, at(.5), at(.99), at(1))
}

// works opens tickets and reads the board in turn until done, which is asked after each.
func (c *client) works(t *testing.T, url string, done func() bool) (d durations) {
	t.Helper()
	for n := 0; n < 2 || !done(); n++ {
		began := time.Now()
		var out any
		method, path, body := http.MethodPost, "/tickets", map[string]string{"title": "Ticket"}
		if n%2 == 1 {
			method, path, body = http.MethodGet, "", nil
		}
		response, err := c.call(method, url+"/api/v1/boards/MAIN"+path, "", body, &out)
		if err != nil || response.StatusCode >= 300 {
			t.Logf("%s %s: %v %v", method, path, response, err)
			d.failed++
		}
		d.sorted = append(d.sorted, time.Since(began))
	}
	slices.Sort(d.sorted)
	return d
}
