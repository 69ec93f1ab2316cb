package requests_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/limits"
	"github.com/counterfoil/counterfoil/domain/requests"
)

// counted runs a count, which is committed also if it says TooMany, and returns how long to wait.
func counted(t *testing.T, d *db.DB, count func(tx *db.Tx) error) time.Duration {
	t.Helper()
	var refused requests.TooMany
	if err := d.InTx(ctx, func(tx *db.Tx) error {
		refused = requests.TooMany{}
		if err := count(tx); !errors.As(err, &refused) {
			return err
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	return refused.Wait
}

func form(t *testing.T, d *db.DB, board id.Board, address string) time.Duration {
	t.Helper()
	return counted(t, d, func(tx *db.Tx) error {
		return requests.CountForm(ctx, tx, board, limits.OriginOf(address))
	})
}

// used sets what all counts are at.
func used(t *testing.T, d *db.DB, n int) {
	t.Helper()
	domaintest.Exec(t, d, "UPDATE public_limit SET used = ?", n)
}

// at is a database whose clock stands.
func at(t *testing.T, now time.Time) *db.DB {
	t.Helper()
	d := dbtest.Open(t)
	d.SetClock(func() time.Time { return now })
	return d
}

func TestCount(t *testing.T) {
	t.Parallel()
	form := func(tx *db.Tx, target uint64, from limits.Origin) error {
		return requests.CountForm(ctx, tx, id.Board(target), from)
	}
	reply := func(tx *db.Tx, target uint64, from limits.Origin) error {
		return requests.CountReply(ctx, tx, id.Ticket(target), from)
	}
	for what, c := range map[string]struct {
		count   func(tx *db.Tx, target uint64, from limits.Origin) error
		address string // # is the caller
		before  int    // counted for all
		tries   int
		most    int
	}{
		"one address sends 20 forms":                        {form, "192.0.2.7", 0, 25, 20},
		"one address within IPv6 does":                      {form, "::ffff:192.0.2.7", 0, 25, 20},
		"the first 64 bits of IPv6 are one address":         {form, "2001:db8:1:1::#", 0, 25, 20},
		"the first 48 bits of IPv6 are a network, 60 forms": {form, "2001:db8:1:#::1", 0, 65, 60},
		"IPv4 has no network":                               {form, "::ffff:c000:#", 0, 65, 65},
		"a board takes a thousand":                          {form, "::ffff:c000:#", 995, 10, 5},
		"one address replies 30 times":                      {reply, "192.0.2.7", 0, 35, 30},
		"one network replies 60 times":                      {reply, "2001:db8:1:#::1", 0, 65, 60},
		"a ticket takes 60 replies":                         {reply, "::ffff:c000:#", 0, 65, 60},
		"callers of no known address share one budget":      {form, "?", 0, 25, 20},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			d := at(t, noon.Add(59*time.Minute))
			if c.before > 0 {
				counted(t, d, func(tx *db.Tx) error { return c.count(tx, 1, limits.OriginOf("203.0.113.1")) })
				used(t, d, c.before)
			}
			taken := 0
			for i := range c.tries {
				address := strings.ReplaceAll(c.address, "#", fmt.Sprintf("%x", i))
				switch wait := counted(t, d, func(tx *db.Tx) error { return c.count(tx, 1, limits.OriginOf(address)) }); {
				case wait == 0 && taken == i:
					taken++
				case wait != time.Minute:
					t.Errorf("the %dth waits %v", i, wait)
				}
			}
			if taken != c.most {
				t.Errorf("%d were taken", taken)
			}
		})
	}
}

func TestCountForm(t *testing.T) {
	t.Parallel()
	t.Run("a window ends on the hour, to the microsecond", func(t *testing.T) {
		t.Parallel()
		now := noon
		d := dbtest.Open(t)
		d.SetClock(func() time.Time { return now })
		form(t, d, 1, "192.0.2.7")
		used(t, d, 20)
		for _, c := range []struct{ since, want time.Duration }{{0, time.Hour}, {time.Hour - time.Microsecond,
			time.Microsecond}, {time.Hour, 0}} {
			now = noon.Add(c.since)
			if wait := form(t, d, 1, "192.0.2.7"); wait != c.want {
				t.Errorf("%v later it waits %v", c.since, wait)
			}
		}
	})
	t.Run("a limit that is reached leaves the others as they are, and no new rows", func(t *testing.T) {
		t.Parallel()
		d := at(t, noon)
		for range 25 {
			form(t, d, 1, "2001:db8:1:1::1")
		}
		domaintest.Counts(t, d, 3, "SELECT COUNT(*) FROM public_limit WHERE used = 20")
		used(t, d, 60)
		for i := range 5 {
			form(t, d, 1, fmt.Sprintf("2001:db8:1:a%x::1", i))
		}
		domaintest.Counts(t, d, 3, "SELECT COUNT(*) FROM public_limit")
	})
	for way, most := range map[string]int64{"2001:db8:1:1::%x": 20, "2001:db8:1:%x::1": 60} {
		t.Run(fmt.Sprintf("of eighty at once from %s exactly %d are taken", way, most), func(t *testing.T) {
			t.Parallel()
			d := at(t, noon)
			var taken atomic.Int64
			var group sync.WaitGroup
			for i := range 80 {
				group.Go(func() {
					if form(t, d, 1, fmt.Sprintf(way, i)) == 0 {
						taken.Add(1)
					}
				})
			}
			group.Wait()
			if taken.Load() != most {
				t.Errorf("%d were taken", taken.Load())
			}
		})
	}
}

func TestLookupLimits(t *testing.T) {
	t.Parallel()
	miss := func(t *testing.T, d *db.DB, address string, target requests.Target, trapped bool) {
		t.Helper()
		if err := d.InTx(ctx, func(tx *db.Tx) error {
			return requests.CountMiss(ctx, tx, limits.OriginOf(address), target, trapped)
		}); err != nil {
			t.Error(err)
		}
	}
	waits := func(t *testing.T, d *db.DB, address string, target requests.Target, now time.Time) time.Duration {
		t.Helper()
		err := requests.AllowLookup(ctx, d.Queries, limits.OriginOf(address), target, now)
		var refused requests.TooMany
		if err != nil && (!errors.As(err, &refused) || !refused.Lookup || refused.Wait <= 0) {
			t.Error(err)
		}
		return refused.Wait
	}

	t.Run("misses are free at first, then each doubles the wait, until a day without one", func(t *testing.T) {
		t.Parallel()
		const us = time.Microsecond
		d := at(t, noon)
		miss(t, d, "192.0.2.7", requests.ByCode, false)
		for _, c := range []struct {
			misses      int
			since, want time.Duration
		}{
			{19, 0, 0}, {20, 0, 2 * time.Second}, {20, 2*time.Second - us, us}, {20, 2 * time.Second, 0},
			{21, 0, 4 * time.Second}, {28, 0, 512 * time.Second}, {29, 0, 15 * time.Minute},
			{500, 15*time.Minute - us, us}, {500, 15 * time.Minute, 0},
		} {
			used(t, d, c.misses)
			if wait := waits(t, d, "192.0.2.7", requests.ByCode, noon.Add(c.since)); wait != c.want {
				t.Errorf("it waits %v, %v after %d misses", wait, c.since, c.misses)
			}
		}
		d.SetClock(func() time.Time { return noon.Add(24*time.Hour + us) })
		miss(t, d, "192.0.2.7", requests.ByCode, false)
		if wait := waits(t, d, "192.0.2.7", requests.ByCode, d.Now()); wait != 0 {
			t.Errorf("a day later it waits %v", wait)
		}
	})
	t.Run("a network of IPv6 has 60 free misses in all", func(t *testing.T) {
		t.Parallel()
		d := at(t, noon)
		for i := range 60 {
			if wait := waits(t, d, "2001:db8:1:ffff::1", requests.ByCode, noon); wait != 0 {
				t.Errorf("after %d it waits %v", i, wait)
			}
			miss(t, d, fmt.Sprintf("2001:db8:1:%x::1", i), requests.ByCode, false)
		}
		if wait := waits(t, d, "2001:db8:1:ffff::1", requests.ByCode, noon); wait != 2*time.Second {
			t.Errorf("it waits %v", wait)
		}
		if wait := waits(t, d, "2001:db8:2:1::1", requests.ByCode, noon); wait != 0 {
			t.Errorf("the network beside it waits %v", wait)
		}
	})
	t.Run("600 misses of all end lookups for the rest of the minute, of each kind apart", func(t *testing.T) {
		t.Parallel()
		for target, other := range map[requests.Target]requests.Target{requests.ByCode: requests.ByLink,
			requests.ByLink: requests.ByBoardLink, requests.ByBoardLink: requests.ByLink} {
			d := at(t, noon)
			miss(t, d, "192.0.2.7", target, false)
			for misses, want := range map[int]time.Duration{599: 0, 600: time.Second} {
				used(t, d, misses)
				if wait := waits(t, d, "192.0.2.8", target, noon.Add(59*time.Second)); wait != want {
					t.Errorf("after %d it waits %v", misses, wait)
				}
			}
			if wait := waits(t, d, "192.0.2.8", other, noon); wait != 0 {
				t.Errorf("the other kind waits %v", wait)
			}
			if wait := waits(t, d, "192.0.2.8", target, noon.Add(time.Minute)); wait != 0 {
				t.Errorf("in the next minute it waits %v", wait)
			}
		}
	})
	t.Run("wrong links of boards take nothing from the budget for requests", func(t *testing.T) {
		t.Parallel()
		d := at(t, noon)
		for range 30 {
			miss(t, d, "192.0.2.7", requests.ByBoardLink, false)
		}
		if wait := waits(t, d, "192.0.2.7", requests.ByBoardLink, noon); wait <= 0 {
			t.Error("30 wrong links of boards do not wait")
		}
		for _, target := range []requests.Target{requests.ByCode, requests.ByLink} {
			if wait := waits(t, d, "192.0.2.7", target, noon); wait != 0 {
				t.Errorf("target %d waits %v", target, wait)
			}
		}
	})
	t.Run("a canary costs its address and network ten misses, and all one", func(t *testing.T) {
		t.Parallel()
		d := at(t, noon)
		miss(t, d, "2001:db8:1:1::1", requests.ByCode, true)
		domaintest.Counts(t, d, 210, "SELECT SUM(used = 10) * 100 + SUM(used = 1) * 10 FROM public_limit")
	})
	t.Run("misses at once are all counted", func(t *testing.T) {
		t.Parallel()
		d := at(t, noon)
		var group sync.WaitGroup
		for i := range 40 {
			group.Go(func() { miss(t, d, fmt.Sprintf("2001:db8:1:%x::1", i%2), requests.Target(i%2), false) })
		}
		group.Wait()
		for name, want := range map[string]int{"address,2001:db8:1::/64": 20, "address,2001:db8:1:1::/64": 20,
			"network,2001:db8:1::/48": 40} {
			kind, of, _ := strings.Cut(name, ",")
			domaintest.Counts(t, d, want, "SELECT used FROM public_limit WHERE name = ?", limits.Name("miss", kind, of))
		}
	})
}

func TestMeter(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t)
	var meter requests.Meter
	store := func(now time.Time) { domaintest.Must(t, meter.Store(ctx, d.Queries, now)) }
	since := func(at time.Time) requests.Lookups {
		return domaintest.OK(requests.LookupsSince(ctx, d.Queries, at))(t)
	}
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			for _, what := range []requests.Lookup{requests.Hit, requests.Hit, requests.Miss, requests.Refused,
				requests.Trapped} {
				meter.Add(what)
			}
		})
	}
	group.Wait()
	all := requests.Lookups{Hits: 20, Misses: 20, Refused: 10, Canaries: 10}
	domaintest.Exec(t, d, "RENAME TABLE lookup_hour TO elsewhere")
	if err := meter.Store(ctx, d.Queries, noon); err == nil {
		t.Error("it is stored nowhere")
	}
	domaintest.Exec(t, d, "RENAME TABLE elsewhere TO lookup_hour")
	store(noon.Add(time.Hour - time.Microsecond)) // what could not be stored before
	store(noon)                                   // and not again
	if got := since(noon.Add(59 * time.Minute)); got != all || meter.Totals() != all {
		t.Errorf("%+v, %+v", got, meter.Totals())
	}
	meter.Add(requests.Miss)
	store(noon.Add(time.Hour))
	if got := since(noon.Add(time.Hour)); got != (requests.Lookups{Misses: 1}) {
		t.Errorf("%+v", got)
	}
	if got := since(noon); got != (requests.Lookups{Hits: 20, Misses: 21, Refused: 10, Canaries: 10}) {
		t.Errorf("%+v", got)
	}
}

func TestForget(t *testing.T) {
	t.Parallel()
	d := at(t, noon)
	form(t, d, 1, "192.0.2.7")
	var meter requests.Meter
	meter.Add(requests.Hit)
	domaintest.Must(t, meter.Store(ctx, d.Queries, noon))
	for _, c := range []struct {
		after time.Duration
		want  int64
	}{
		{48 * time.Hour, 0}, {48*time.Hour + time.Microsecond, 2}, {30 * 24 * time.Hour, 0},
		{30*24*time.Hour + time.Second, 1},
	} {
		if n, err := requests.Forget(ctx, d.Queries, noon.Add(c.after)); err != nil || n != c.want {
			t.Errorf("after %v %d are forgotten, %v", c.after, n, err)
		}
	}
}
