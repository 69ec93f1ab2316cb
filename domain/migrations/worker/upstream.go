package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/wait"
)

const (
	// patience is how long a work waits for its turn before it is put off.
	patience = 2 * time.Second
	// longestBlock is how long a host is left alone at most, whatever it asks for; then it is asked again.
	longestBlock = time.Hour
	// hostsKept is how many limits and blocks a process keeps in memory.
	hostsKept = 1000
	// maxRefusing is how long a host may answer nothing but that it wants to be left alone, before that
	// counts as failing: else a run with tasks for a host that is closed for good would never end.
	maxRefusing = time.Hour
	// hostsFresh is how old what a process knows of blocked hosts may be.
	hostsFresh = time.Second
)

// hosts is what a process knows of the hosts that its works send to.
type hosts struct {
	readMu sync.Mutex // held by the goroutine that reads the database

	mu      sync.Mutex
	readAt  time.Time // when the database was asked
	workers int       // that share a rate
	blocked map[string]block
	limits  map[limitOf]*limit
	closed  map[string]refusals // the hosts that let nothing of this process through
}

// refusals is how long a host lets nothing through, as far as this process asked.
type refusals struct {
	since, last time.Time // the first and the last refusal
	again       time.Time // by when it would have been asked again
}

type block struct {
	until  time.Time
	reason string
}

type limitOf struct {
	run  id.Run
	host string
}

type limit struct {
	*rate.Limiter
	used time.Time
}

// await returns nil when a task of the run may send a request, and Later if that would take more than about two
// seconds. The run is as it is now: its rate may be turned while the task is processed.
func (p *Process) await(ctx context.Context, run func() *migrations.Run, host string) error {
	host = hostName(host)
	known := &p.hosts
	giveUp := time.Now().Add(patience)
	for mine := false; ; {
		if err := known.refresh(ctx, p.db); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return migrations.Later{After: patience, Reason: "the database did not say whether " + host +
				" wants to be left alone"}
		}
		now := time.Now()
		if b := known.block(host); b.until.After(giveUp) {
			return migrations.Later{After: b.until.Sub(now), Reason: b.reason}
		} else if b.until.After(now) {
			if err := wait.Sleep(ctx, b.until.Sub(now)); err != nil {
				return err
			}
			continue
		}
		run := run()
		perHost := run.Knobs.PerHost
		if mine || perHost <= 0 {
			return nil
		}
		reservation := known.reserve(limitOf{run.ID, host}, perHost, now)
		delay := reservation.DelayFrom(now)
		if now.Add(delay).After(giveUp) {
			reservation.CancelAt(now)
			return migrations.Later{After: delay + rand.N(delay),
				Reason: fmt.Sprintf("%s gets at most %.6g requests per second from this run", host, perHost)}
		}
		if err := wait.Sleep(ctx, delay); err != nil {
			return err
		}
		mine = true // unless the host was blocked meanwhile
	}
}

// blockHost has all workers leave a host alone for the time that it asked for, an hour at most. A
// shorter time never takes the place of a longer one.
func (p *Process) blockHost(ctx context.Context, host string, after time.Duration, reason string) error {
	host, after, reason = hostName(host), min(after, longestBlock), migrations.Cut(reason, 255)
	if after <= 0 {
		return nil
	}
	p.hosts.add(host, block{time.Now().Add(after), reason})
	return p.db.InTx(ctx, func(tx *db.Tx) error {
		return tx.BlockUpstream(ctx, db.BlockUpstreamParams{Host: host, Micros: after.Microseconds(), Reason: reason})
	})
}

// ClosedHost is an attempt at a host that wants to be left alone, and let nothing through for long.
type ClosedHost struct {
	Later migrations.Later
	For   time.Duration
}

func (e ClosedHost) Error() string {
	return fmt.Sprintf("“%s” failed all requests for %d minutes: %s", e.Later.Host, int(e.For.Minutes()), e.Later.Reason)
}
func (e ClosedHost) Unwrap() error { return e.Later }

// heard records for the hosts of an attempt whether they let it through. A blocked attempt costs no try, until its
// host has refused for long.
func (h *hosts) heard(of *attempt, now time.Time) {
	var later migrations.Later
	if of.outcome == postponed && errors.As(of.err, &later) && later.Host != "" {
		if since := now.Sub(h.addRefusal(hostName(later.Host), now, later.After)); since >= maxRefusing {
			of.outcome, of.err = failed, ClosedHost{later, since}
		}
		return
	}
	if of.outcome != returned && of.outcome != postponed {
		h.letThrough(of.hosts)
	}
}

// addRefusal records a refusal of a host, and returns since when it lets nothing through. If this process had nothing
// to do with the host for longer than a block, others may have been let through meanwhile: it begins anew.
func (h *hosts) addRefusal(host string, now time.Time, after time.Duration) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	c, closed := h.closed[host]
	if !closed {
		makeRoom(&h.closed, func(c refusals) time.Time { return c.last })
	}
	if !closed || now.After(c.again) {
		c.since = now
	}
	left := min(max(after, longestBlock), longestLater)
	c.last, c.again = now, now.Add(left+left/2) // tasks come back somewhat later than they could
	h.closed[host] = c
	return c.since
}

// letThrough records answers of hosts.
func (h *hosts) letThrough(list []string) {
	if len(list) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, host := range list {
		delete(h.closed, host)
	}
}

// refresh reads the blocks if those known are a second old. Concurrent callers wait for it.
func (h *hosts) refresh(ctx context.Context, d *db.DB) error {
	if h.fresh() {
		return nil
	}
	h.readMu.Lock()
	defer h.readMu.Unlock()
	if h.fresh() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	since := time.Now()
	rows, err := d.BlockedUpstreams(ctx, hostsKept)
	if err != nil {
		return err
	}
	workers, err := d.LivingWorkers(ctx)
	if err != nil {
		return err
	}
	answered := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	before := h.blocked
	h.readAt, h.workers, h.blocked = since, 0, make(map[string]block, len(rows))
	for host, b := range before { // added by this process during the read
		if b.until.After(answered) && len(h.blocked) < hostsKept {
			h.blocked[host] = b
		}
	}
	for _, row := range rows {
		h.blocked[row.Host] = block{answered.Add(time.Duration(row.LeftUs) * time.Microsecond), row.Reason}
	}
	for _, w := range workers {
		if w.MigrationWorker.State == migrations.WorkerActive {
			h.workers++
		}
	}
	return nil
}

func (h *hosts) fresh() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.readAt.IsZero() && time.Since(h.readAt) < hostsFresh
}

func (h *hosts) block(host string) block {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.blocked[host]
}

func (h *hosts) add(host string, b block) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.blocked == nil {
		h.blocked = map[string]block{}
	}
	if b.until.After(h.blocked[host].until) {
		h.blocked[host] = b
	}
}

// reserve takes a turn of this process's share of the rate.
func (h *hosts) reserve(of limitOf, perHost float64, now time.Time) *rate.Reservation {
	h.mu.Lock()
	defer h.mu.Unlock()
	share := rate.Limit(perHost / float64(max(h.workers, 1)))
	l, ok := h.limits[of]
	if !ok {
		makeRoom(&h.limits, func(l *limit) time.Time { return l.used })
		l = &limit{Limiter: rate.NewLimiter(share, 1)}
		h.limits[of] = l
	}
	if l.Limit() != share {
		l.SetLimitAt(now, share)
	}
	l.used = now
	return l.ReserveN(now, 1)
}

// makeRoom drops the least recently used quarter once there is much.
func makeRoom[K comparable, V any](kept *map[K]V, used func(V) time.Time) {
	if *kept == nil {
		*kept = map[K]V{}
	}
	if len(*kept) < hostsKept {
		return
	}
	of := slices.Collect(maps.Keys(*kept))
	slices.SortFunc(of, func(a, b K) int { return used((*kept)[a]).Compare(used((*kept)[b])) })
	for _, key := range of[:len(of)/4] {
		delete(*kept, key)
	}
}

// hostName is a host as the table keeps it: in lower case, ASCII, at most 255 bytes.
func hostName(host string) string {
	host = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(host), "."))
	if quoted := strconv.QuoteToASCII(host); len(quoted) != len(host)+2 {
		host = quoted
	}
	return cmp.Or(host[:min(len(host), 255)], "?")
}
