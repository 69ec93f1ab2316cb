package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/wait"
)

// overdue is the timeout for the last changes.
const overdue = 30 * time.Second

// live measures the time from a change to its readers, over HTTP.
func (b *feedBench) live(ctx context.Context, report *Report) (err error) {
	first, err := b.load.Start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, first.Stop()) }()
	row, err := counted(ctx, b.d, func() (Row, error) { return b.fanOut(ctx, first) })
	if err != nil {
		return fmt.Errorf("streams: %w", err)
	}
	report.Rows = append(report.Rows, row)
	report.remarks = append(report.remarks,
		fmt.Sprintf("%d streams: %.1f KB of the server's memory for each; a change was on the last of them after %.0f ms at most.",
			row.Workers, float64(row.BytesEach)/1024, row.Slowest))
	row, err = counted(ctx, b.d, func() (Row, error) { return b.latency(ctx, first, first, "LOCAL", "one process") })
	if err != nil {
		return fmt.Errorf("latency in one process: %w", err)
	}
	report.Rows = append(report.Rows, row)
	second, err := b.load.Start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, second.Stop()) }()
	row, err = counted(ctx, b.d,
		func() (Row, error) { return b.latency(ctx, first, second, "ACROSS", "across processes") })
	if err != nil {
		return fmt.Errorf("latency across processes: %w", err)
	}
	report.Rows = append(report.Rows, row)
	return nil
}

// arrivals are the times at which changes arrived. A change has a number.
type arrivals struct {
	sent []time.Time
	mu   sync.Mutex
	took map[int][]time.Duration
	all  sync.WaitGroup
}

func newArrivals(changes, readers int) *arrivals {
	a := &arrivals{sent: make([]time.Time, changes), took: map[int][]time.Duration{}}
	a.all.Add(changes * readers)
	return a
}

// arrive records that one of the readers has a change.
func (a *arrivals) arrive(change int) {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.took[change] = append(a.took[change], now.Sub(a.sent[change]))
	a.all.Done()
}

// wait returns once every reader has every change, or the rest is overdue.
func (a *arrivals) wait() {
	done := make(chan struct{})
	go func() { a.all.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(overdue):
	}
}

func (a *arrivals) sorted() (list []time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, took := range a.took {
		list = append(list, took...)
	}
	slices.Sort(list)
	return list
}

// latency changes at the load's rate through one server, and reads the stream of another, or the same. The time counts
// from when a change was due to be sent.
func (b *feedBench) latency(ctx context.Context, to, from Server, slug, strategy string) (Row, error) {
	if _, err := b.w.Workflows.OpenBoard(ctx, boards.Draft{Slug: slug, Title: strategy}, nil); err != nil {
		return Row{}, err
	}
	changes := b.load.Rate * b.load.Seconds
	got := newArrivals(changes, 1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	reader, err := b.stream(ctx, from, slug, b.token)
	if err != nil {
		return Row{}, err
	}
	defer reader.Close()
	twice, seen := atomic.Uint64{}, make([]atomic.Bool, changes)
	go reader.follow(func(change int) {
		if seen[change].Swap(true) {
			twice.Add(1)
			return
		}
		got.arrive(change)
	})
	var failed atomic.Uint64
	due := make(chan int, changes)
	var writers sync.WaitGroup
	for range 64 {
		writers.Go(func() {
			for change := range due {
				if err := b.change(ctx, to, slug, change); err != nil {
					failed.Add(1)
					got.all.Done()
				}
			}
		})
	}
	began := time.Now()
	for change := range changes {
		at := began.Add(time.Duration(change) * time.Second / time.Duration(b.load.Rate))
		_ = wait.Sleep(ctx, time.Until(at))
		got.sent[change] = at
		due <- change
	}
	close(due)
	writers.Wait()
	took := time.Since(began)
	got.wait()
	times := got.sorted()
	return Row{
		Measure: latency, Strategy: "ours, " + strategy, PerSecond: float64(len(times)) / took.Seconds(),
		P50: quantile(times, 0.5), P99: quantile(times, 0.99),
		Slowest: quantile(times, 1), Duplicates: twice.Load(), Gaps: uint64(changes-len(times)) - failed.Load(),
		Errors: failed.Load(),
		Note: fmt.Sprintf("from when a change was due to be sent until a stream shows it; %d a second asked for",
			b.load.Rate),
	}, nil
}

// fanOut opens many streams on one server and makes a few changes.
func (b *feedBench) fanOut(ctx context.Context, server Server) (Row, error) {
	const slug, changes = "FANOUT", 10
	if _, err := b.w.Workflows.OpenBoard(ctx, boards.Draft{Slug: slug, Title: "Streams"}, nil); err != nil {
		return Row{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	got := newArrivals(changes, b.load.Streams)
	var readers []*eventReader
	defer func() {
		for _, reader := range readers {
			reader.Close()
		}
	}()
	token := b.token
	open := func() (err error) {
		if n := len(readers); n%streamsEach == 0 {
			if token, err = b.reader(ctx, n/streamsEach); err != nil {
				return err
			}
		}
		reader, err := b.stream(ctx, server, slug, token)
		if err == nil {
			readers = append(readers, reader)
		}
		return err
	}
	if err := open(); err != nil { // the cost of the first is shared by all
		return Row{}, err
	}
	before, err := memory(ctx, server)
	if err != nil {
		return Row{}, err
	}
	for len(readers) < b.load.Streams {
		if err := open(); err != nil {
			return Row{}, fmt.Errorf("stream %d: %w", len(readers)+1, err)
		}
	}
	for _, reader := range readers {
		go reader.follow(got.arrive)
	}
	for change := range changes {
		got.sent[change] = time.Now()
		if err := b.change(ctx, server, slug, change); err != nil {
			return Row{}, err
		}
		if err := wait.Sleep(ctx, time.Second); err != nil {
			return Row{}, err
		}
	}
	got.wait()
	after, err := memory(ctx, server)
	if err != nil {
		return Row{}, err
	}
	times := got.sorted()
	row := Row{
		Measure: fanOut, Strategy: "ours", Workers: b.load.Streams, P50: quantile(times, 0.5), P99: quantile(times, 0.99),
		Slowest: quantile(times, 1),
		Gaps:    uint64(changes*b.load.Streams - len(times)), BytesEach: max(0, after-before) / int64(max(1, b.load.Streams-1)),
		Note: "from sending a change until each stream shows it; memory is the resident set's growth by the streams, while they are sent to",
	}
	if row.Slowest > 0 {
		row.PerSecond = float64(b.load.Streams) / row.Slowest * 1000
	}
	return row, nil
}

// streamsEach is how many streams an account has.
const streamsEach = 40

// reader returns the token of one more member.
func (b *feedBench) reader(ctx context.Context, n int) (string, error) {
	email := fmt.Sprintf("reader%d@example.com", n)
	added, err := b.d.SQL.ExecContext(ctx, "INSERT INTO account (email, name, password_hash, operator, created_at) "+
		"VALUES (?, 'Reader', '', FALSE, NOW(6))", email)
	if err != nil {
		return "", err
	}
	account, err := added.LastInsertId()
	if err != nil {
		return "", err
	}
	_, err = b.d.SQL.ExecContext(ctx, "INSERT INTO membership (company_id, account_id, role, handle, created_at) "+
		"VALUES (?, ?, 'member', ?, NOW(6))", accounts.ActorFrom(ctx).Company.ID, account, fmt.Sprintf("reader%d", n))
	if err != nil {
		return "", err
	}
	return b.w.Workflows.OpenToken(ctx, accounts.ActorFrom(ctx).Company.Slug, email, nil, 0)
}

// client makes the changes.
var client = &http.Client{Timeout: overdue, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

const titled = "Change "

// change opens a ticket with the change's number in its title.
func (b *feedBench) change(ctx context.Context, server Server, slug string, change int) error {
	body := fmt.Sprintf(`{"title":"%s%d"}`, titled, change)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/api/v1/boards/"+slug+"/tickets",
		strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+b.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	if response.StatusCode != http.StatusCreated {
		return fmt.Errorf("open a ticket: %s", response.Status)
	}
	return err
}

// eventReader is one connection to a stream of events, as small as thousands of them need it.
type eventReader struct {
	net.Conn
	body *bufio.Reader
}

// stream starts to read a board's changes at the end of the feed, and returns once the server has started.
func (b *feedBench) stream(ctx context.Context, server Server, slug, token string) (*eventReader, error) {
	address, err := url.Parse(server.URL)
	if err != nil {
		return nil, err
	}
	conn, err := (&net.Dialer{Timeout: overdue}).DialContext(ctx, "tcp", address.Host)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest(http.MethodGet, server.URL+"/api/v1/feeds/tickets/stream?cursor=end&board="+slug, nil)
	if err == nil {
		request.Header.Set("Authorization", "Bearer "+token)
		err = request.Write(conn)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	response, err := http.ReadResponse(bufio.NewReaderSize(conn, 1024), request) //nolint:bodyclose // it ends with the connection
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("open a stream: %s", response.Status)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	r := &eventReader{Conn: conn, body: bufio.NewReaderSize(response.Body, 1024)}
	for { // the first event is the cursor
		line, err := r.body.ReadSlice('\n')
		if err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		if bytes.HasPrefix(line, []byte("id:")) {
			return r, nil
		}
	}
}

// follow calls got with the number of each change, until the connection ends.
func (r *eventReader) follow(got func(change int)) {
	for {
		line, err := r.body.ReadBytes('\n')
		if err != nil {
			return
		}
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue
		}
		var item struct{ Data struct{ Title string } }
		var change int
		if json.Unmarshal(data, &item) != nil {
			continue
		}
		if _, err := fmt.Sscanf(item.Data.Title, titled+"%d", &change); err == nil {
			got(change)
		}
	}
}

// memory is the resident set of a server's process, in bytes.
func memory(ctx context.Context, server Server) (int64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.Metrics, nil)
	if err != nil {
		return 0, err
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		var size float64
		if n, _ := fmt.Sscanf(lines.Text(), "process_resident_memory_bytes %g", &size); n == 1 {
			return int64(size), nil
		}
	}
	return 0, errors.Join(fmt.Errorf("the server does not report its memory: %s", response.Status), lines.Err())
}
