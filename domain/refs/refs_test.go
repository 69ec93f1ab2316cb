package refs_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/refs"
)

// env is a database with codes, of which a test may take some.
type env struct {
	*db.DB
	ctx      context.Context
	canaries refs.Canaries
}

func newEnv(t testing.TB) env {
	t.Helper()
	s := env{DB: dbtest.Open(t), ctx: context.Background()}
	var err error
	if s.canaries, err = refs.ReadCanaries(s.ctx, s.Queries); err != nil {
		t.Fatal(err)
	}
	return s
}

// mint mints codes in a lot of its own.
func (s env) mint(t testing.TB, run id.Run, length int, n uint64) id.Lot {
	t.Helper()
	var lot id.Lot
	for _, slice := range refs.Rounds(length, n, s.count(t, "ref_ledger")) {
		s.in(t, func(tx *db.Tx) (err error) {
			if lot, err = refs.OpenLot(s.ctx, tx, run, refs.FromMint, length); err != nil {
				return err
			}
			_, err = refs.Mint(s.ctx, tx, s.canaries, lot, slice)
			return err
		})
	}
	return lot
}

func (s env) in(t testing.TB, fn func(tx *db.Tx) error) {
	t.Helper()
	domaintest.Must(t, s.InTx(s.ctx, fn))
}

func (s env) count(t testing.TB, table string) uint64 {
	t.Helper()
	return uint64(domaintest.Number(t, s.DB, "SELECT COUNT(*) FROM "+table))
}

// checkBalance fails unless every code is in exactly one place and the counters say so.
func (s env) checkBalance(t testing.TB) {
	t.Helper()
	ledger, pool, issued, aside := s.count(t, "ref_ledger"), s.count(t, "ref_pool"), s.count(t, "ref_issue"),
		s.count(t, "ref_quarantine")
	if ledger != pool+issued+aside {
		t.Errorf("%d codes in the ledger, but %d in the pool, %d given out and %d in quarantine", ledger, pool, issued, aside)
	}
	for _, other := range []string{"ref_pool JOIN ref_issue USING (code)", "ref_pool JOIN ref_quarantine USING (code)",
		"ref_issue JOIN ref_quarantine USING (code)",
		"ref_pool LEFT JOIN ref_ledger USING (code) WHERE batch IS NULL"} {
		if n := s.count(t, other); n > 0 {
			t.Errorf("%d in %s", n, other)
		}
	}
	now := domaintest.OK(refs.ReadState(s.ctx, s.Queries, s.Now()))(t)
	if want := (refs.Counts{Minted: ledger, Issued: issued, Quarantined: aside, Available: pool}); now.Counts != want {
		t.Errorf("the counters say %+v, and it is %+v", now.Counts, want)
	}
}

func (s env) pop(k int) (codes []refs.Code, err error) {
	err = s.InTx(s.ctx, func(tx *db.Tx) error {
		codes, err = refs.PopTx(s.ctx, tx, refs.Use{Company: 1}, k)
		return err
	})
	return codes, err
}

func TestPop(t *testing.T) {
	t.Parallel()
	t.Run("twenty callers that pop until the pool is empty never get one code twice, and get all", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t)
		s.mint(t, 1, refs.Short, 3000)
		var mu sync.Mutex
		seen := map[refs.Code]int{}
		var group sync.WaitGroup
		for i := range 20 {
			group.Go(func() {
				for {
					codes, err := s.pop(1 + i%7)
					if errors.Is(err, refs.CodeEmpty) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					for _, code := range codes {
						seen[code]++
					}
					mu.Unlock()
				}
			})
		}
		group.Wait()
		for {
			codes, err := s.pop(1)
			if err != nil {
				break
			}
			seen[codes[0]]++
		}
		for code, n := range seen {
			if n > 1 {
				t.Errorf("%s was given out %d times", code, n)
			}
		}
		if len(seen) != 3000 {
			t.Errorf("%d of 3000 codes were given out", len(seen))
		}
		s.checkBalance(t)
	})
	t.Run("a rolled-back code is in the pool again", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t)
		s.mint(t, 1, refs.Short, 100)
		changed := errors.New("I changed my mind")
		err := s.InTx(s.ctx, func(tx *db.Tx) error {
			if _, err := refs.PopTx(s.ctx, tx, refs.Use{}, 40); err != nil {
				return err
			}
			return changed
		})
		if !errors.Is(err, changed) {
			t.Fatal(err)
		}
		if n := s.count(t, "ref_pool"); n != 100 {
			t.Errorf("%d codes are in the pool", n)
		}
		s.checkBalance(t)
	})
	t.Run("a thousand at once, of both lengths, are no neighbours in a row", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t)
		s.mint(t, 1, refs.Short, 6000)
		s.mint(t, 2, refs.Long, 6000)
		codes := domaintest.OK(s.pop(refs.MaxPop))(t)
		if slices.IsSorted(codes) {
			t.Error("they come in order")
		}
		slices.Sort(codes)
		if n := len(slices.Compact(codes)); n != refs.MaxPop {
			t.Errorf("%d different codes", n)
		}
		s.checkBalance(t)
	})
	t.Run("a few for one are from all over the pool", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t)
		s.mint(t, 1, refs.Short, 20_000)
		near := 0
		for range 50 {
			codes := domaintest.OK(s.pop(8))(t)
			first := map[string]bool{}
			for _, code := range codes {
				first[string(code[:2])] = true
			}
			near += len(codes) - len(first) // of 400, by chance about half a one
		}
		if near > 20 {
			t.Errorf("%d of 400 codes begin as another that came with them", near)
		}
	})
	t.Run("more than there are takes none", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t)
		s.mint(t, 1, refs.Short, 10)
		domaintest.Fails(s.pop(11))(t, refs.CodeEmpty)
		if codes, err := s.pop(10); err != nil || len(codes) != 10 {
			t.Errorf("got %v, %v", codes, err)
		}
		s.checkBalance(t)
	})
}

func TestMint(t *testing.T) {
	t.Parallel()
	t.Run("codes are even over all codes, without words and canaries", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t)
		s.mint(t, 1, refs.Short, 20_000)
		rows := domaintest.OK(s.SQL.Query("SELECT code FROM ref_pool"))(t)
		defer rows.Close()
		first := map[byte]int{}
		for rows.Next() {
			var code refs.Code
			domaintest.Must(t, rows.Scan(&code))
			if refs.Offensive(code) || s.canaries.Is(code) {
				t.Errorf("%s was minted", code)
			}
			first[code[0]]++
		}
		if len(first) != 57 {
			t.Errorf("codes begin with %d characters", len(first))
		}
		for c, n := range first {
			if n < 200 || n > 520 { // 351 by chance, with a deviation of 19
				t.Errorf("%d codes begin with %c", n, c)
			}
		}
		s.checkBalance(t)
	})
	t.Run("collisions are counted, and as many as chance makes", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t)
		tight := refs.Slice{Length: refs.Short, From: 1000, To: 21_000, Codes: 8000}
		for range 2 {
			s.in(t, func(tx *db.Tx) error {
				lot, err := refs.OpenLot(s.ctx, tx, 7, refs.FromMint, refs.Short)
				if err != nil {
					return err
				}
				_, err = refs.Mint(s.ctx, tx, s.canaries, lot, tight)
				return err
			})
		}
		lots, _, err := refs.Lots(s.ctx, s.Queries, 0)
		domaintest.Must(t, err)
		if lots[0].Added != 16_000 || lots[0].Collided < 3000 {
			t.Errorf("the lot is %+v", lots[0])
		}
		if !lots[0].Suspicious() {
			t.Error("thousands of collisions in an empty ledger rouse no suspicion")
		}
		s.checkBalance(t)
	})
	t.Run("collisions with concurrent mints raise no alarm, others do", func(t *testing.T) {
		t.Parallel()
		tight := refs.Slice{Length: refs.Short, From: 1000, To: 21_000, Codes: 4000}
		few := refs.Slice{Length: refs.Short, From: 100_000, To: 200_000, Codes: 50}
		for what, c := range map[string]struct {
			other      refs.Slice
			own        []refs.Slice
			suspicious bool
		}{
			"the other was in the same place":                     {tight, []refs.Slice{tight}, false},
			"it was elsewhere":                                    {few, []refs.Slice{tight}, false},
			"the other minted less than there were collisions of": {few, []refs.Slice{tight, tight}, true},
		} {
			t.Run(what, func(t *testing.T) {
				t.Parallel()
				s := newEnv(t)
				mint := func(run id.Run, slice refs.Slice) {
					s.in(t, func(tx *db.Tx) error {
						lot, err := refs.OpenLot(s.ctx, tx, run, refs.FromMint, refs.Short)
						if err != nil {
							return err
						}
						_, err = refs.Mint(s.ctx, tx, s.canaries, lot, slice)
						return err
					})
				}
				mint(1, c.other)
				for _, slice := range c.own {
					mint(2, slice)
				}
				lots, _, err := refs.Lots(s.ctx, s.Queries, 0)
				if err != nil || lots[0].Run != 2 || lots[0].Suspicious() != c.suspicious {
					t.Errorf("%+v, %v", lots, err)
				}
			})
		}
	})
	t.Run("as many as a refill may use can be minted, and some more", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t)
		part := refs.Slice{Length: refs.Short, From: 1000, To: 41_000}
		there := 0
		for _, codes := range []int{20_000, 13_000, 4000} { // up to 92.5 %
			part.Before, part.Codes = uint64(there)*refs.Space(refs.Short)/(part.To-part.From), codes
			s.in(t, func(tx *db.Tx) error {
				lot, err := refs.OpenLot(s.ctx, tx, 1, refs.FromMint, refs.Short)
				if err != nil {
					return err
				}
				m, err := refs.Mint(s.ctx, tx, s.canaries, lot, part)
				if err == nil && m.Added != uint64(codes) {
					t.Errorf("%d of %d", m.Added, codes)
				}
				return err
			})
			there += codes
		}
		if float64(there) < refs.MostUsed*float64(part.To-part.From) {
			t.Fatal("a refill may use more")
		}
		s.checkBalance(t)
	})
	t.Run("a part that is used up says so", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t)
		err := s.InTx(s.ctx, func(tx *db.Tx) error {
			lot, err := refs.OpenLot(s.ctx, tx, 1, refs.FromMint, refs.Short)
			if err != nil {
				return err
			}
			_, err = refs.Mint(s.ctx, tx, s.canaries, lot, refs.Slice{Length: refs.Short, From: 0, To: 100, Codes: 200})
			return err
		})
		if !errors.Is(err, refs.CodeUsedUp) {
			t.Errorf("got %v", err)
		}
	})
}

func TestRounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(1, 100_000_000).Draw(t, "n")
		existing := rapid.Uint64Range(0, 100_000_000).Draw(t, "existing")
		var codes, end uint64
		for _, slice := range refs.Rounds(refs.Short, n, existing) {
			if slice.From != end || slice.To <= slice.From || slice.Codes < 1 || slice.Codes > 10_000 {
				t.Fatalf("%+v behind %d", slice, end)
			}
			if slice.Before < existing {
				t.Fatalf("%+v begins with less than there is", slice)
			}
			if slice.Before-slice.Own != existing {
				t.Fatalf("%+v, and %d are not its own", slice, existing)
			}
			codes += uint64(slice.Codes)
			if end = slice.To; end == refs.Space(refs.Short) {
				end = 0 // the next round
			}
		}
		if codes != n || end != 0 {
			t.Fatalf("%d of %d codes, up to %d", codes, n, end)
		}
	})
}

func TestSample(t *testing.T) {
	t.Parallel()
	t.Run("a failed sample is stored the next time", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t)
		e := refs.New(s.DB)
		e.RecordPop(7, false, 3*time.Millisecond)
		e.RecordPop(0, true, time.Second)
		s.exec(t, s.SQL, "RENAME TABLE ref_sample TO away")
		if err := e.Sample(s.ctx); err == nil {
			t.Fatal("it was stored")
		}
		s.exec(t, s.SQL, "RENAME TABLE away TO ref_sample")
		e.RecordPop(2, false, time.Millisecond)
		for range 2 { // nothing twice
			domaintest.Must(t, e.Sample(s.ctx))
		}
		minutes, err := refs.Minutes(s.ctx, s.Queries, s.Now().Add(-time.Hour))
		if err != nil || len(minutes) != 1 || minutes[0].Popped != 9 || minutes[0].Empties != 1 ||
			minutes[0].P99 != 3*time.Millisecond {
			t.Errorf("%+v, %v", minutes, err)
		}
	})
}

func TestRate(t *testing.T) {
	t.Parallel()
	s, watch := watchedEnv(t)
	now := s.Now()
	popped := func(before time.Duration, n int) {
		for source := range 3 {
			domaintest.Exec(t, s.DB,
				"INSERT INTO ref_sample (at, source, popped, empties, p50_us, p99_us) VALUES (?, ?, ?, 0, 0, 0)",
				now.Add(-before).Truncate(time.Minute), source, n)
		}
	}
	popped(30*time.Minute, 10)
	popped(5*time.Hour, 400)
	popped(23*time.Hour, 38)
	popped(25*time.Hour, 1000)
	e := refs.New(s.DB)
	check := func(at time.Time, rate float64, reads int) {
		t.Helper()
		watch.Take()
		now := domaintest.OK(e.State(s.ctx, s.Queries, at))(t)
		sent, _ := watch.Take()
		n := 0
		for _, statement := range sent {
			n += strings.Count(statement, "-- name: RefsPopped")
		}
		if now.Rate != rate || n != reads {
			t.Errorf("%g an hour, read in %d statements; not %g in %d", now.Rate, n, rate, reads)
		}
	}
	check(now, 56, 2) // that of a day is higher
	popped(2*time.Minute, 30)
	popped(4*time.Hour, 240)
	check(now.Add(50*time.Second), 120, 1) // that of the last hour counts at once
	check(now.Add(61*time.Second), 120, 2)
	popped(3*time.Hour, 900)
	check(now.Add(2*time.Minute+10*time.Second), 3*(10+400+38+30+240+900)/24., 2)
	if plain, err := refs.ReadState(s.ctx, s.Queries, now); err != nil || plain.Rate != 3*(10+400+38+30+240+900)/24. {
		t.Errorf("%g, %v", plain.Rate, err)
	}
}

func TestRunsOut(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		minted, available uint64
		hours             float64
	}{
		"what can still be minted counts":   {minted: 500, available: 100, hours: 50},
		"beyond MostUsed nothing is minted": {minted: 900, available: 100, hours: 10},
		"however much was":                  {minted: 960, available: 0, hours: 0},
	} {
		of := refs.LengthState{Length: refs.Short, Space: 1000, Counts: refs.Counts{Minted: c.minted, Available: c.available}}
		if d, ok := of.RunsOut(10); !ok || d.Hours() != c.hours {
			t.Errorf("%s: %v, %v", what, d, ok)
		}
	}
	if _, ok := (refs.LengthState{Space: 1000}).RunsOut(0); ok {
		t.Error("they run out where none is given out")
	}
}

func TestCodes(t *testing.T) {
	t.Parallel()
	t.Run("case makes two codes", func(t *testing.T) {
		t.Parallel()
		s := newEnv(t)
		s.in(t, func(tx *db.Tx) error {
			lot, err := refs.OpenLot(s.ctx, tx, 1, refs.FromFile, refs.Short)
			if err != nil {
				return err
			}
			added, err := refs.Load(s.ctx, tx, lot, refs.Short, []refs.Code{"ukrEP", "UkrEP", "ukrep"})
			if len(added) != 3 {
				t.Errorf("%v were added", added)
			}
			return err
		})
		codes, err := s.pop(3)
		if slices.Sort(codes); err != nil || !slices.Equal(codes, []refs.Code{"UkrEP", "ukrEP", "ukrep"}) {
			t.Errorf("got %v, %v", codes, err)
		}
		for _, code := range codes {
			if n := s.count(t, "ref_issue WHERE code = '"+string(code)+"'"); n != 1 {
				t.Errorf("%s: %d times", code, n)
			}
		}
		s.checkBalance(t)
	})
	t.Run("only letters and digits, five or six, make one", func(t *testing.T) {
		t.Parallel()
		for text, good := range map[string]bool{
			"ukrEP": true, " ukrEP\n": true, "ukrEP7": true, "0OlI1": true, "": false, "ukrE": false, "ukrEPab": false,
			"ukr-P": false, "ükrEP": false,
			"ukrE ": false, "ukr EP": false, "а1234": false, "<b>12": false, "ukrE\x00": false, "ukrEP%": false, "'; --": false,
		} {
			if code, err := refs.Parse(text); (err == nil) != good {
				t.Errorf("%q is %q, %v", text, code, err)
			}
		}
	})
	t.Run("words are found in any case and with digits for letters", func(t *testing.T) {
		t.Parallel()
		for code, bad := range map[refs.Code]bool{"fuck2": true, "xFuCk": true, "5hit9": true, "Sh1tt": true, "ukrEP": false,
			"NINJA": false, "2aN4L": true} {
			if refs.Offensive(code) != bad {
				t.Errorf("%s: %v", code, !bad)
			}
		}
	})
	t.Run("canaries are few, and others elsewhere", func(t *testing.T) {
		t.Parallel()
		one, two := newEnv(t), newEnv(t)
		var ones, both int
		rapid.Check(t, func(t *rapid.T) {
			for range 500 {
				code := refs.Code(rapid.StringMatching(`[2-9a-zA-Z]{5}`).Draw(t, "code"))
				if one.canaries.Is(code) {
					if ones++; two.canaries.Is(code) {
						both++
					}
				}
			}
		})
		if ones < 20 || ones > 120 || both > 3 { // 56 by chance
			t.Errorf("%d canaries in 50,000, %d of them of both", ones, both)
		}
		again := domaintest.OK(refs.ReadCanaries(one.ctx, one.Queries))(t)
		rapid.Check(t, func(t *rapid.T) {
			code := refs.Code(rapid.StringMatching(`[2-9a-zA-Z]{5}`).Draw(t, "code"))
			if again.Is(code) != one.canaries.Is(code) {
				t.Errorf("%s is a canary no more", code)
			}
		})
	})
}

func TestQuarantine(t *testing.T) {
	t.Parallel()
	s := newEnv(t)
	bad := s.mint(t, 1, refs.Short, 2000)
	s.mint(t, 2, refs.Short, 2000)
	s.in(t, func(tx *db.Tx) error { return refs.Quarantine(s.ctx, tx, bad, 3) })

	before, err := s.pop(500)
	domaintest.Must(t, err)
	s.in(t, func(tx *db.Tx) error { _, err := refs.Sweep(s.ctx, tx, refs.Parts(1)); return err })
	s.in(t, func(tx *db.Tx) error { return refs.Unguard(s.ctx, tx) })
	after, err := s.pop(1000)
	domaintest.Must(t, err)
	for _, code := range slices.Concat(before, after) {
		var lot id.Lot
		if err := s.SQL.QueryRow("SELECT b.lot_id FROM ref_ledger l JOIN ref_batch b ON b.id = l.batch WHERE l.code = ?",
			string(code)).Scan((*uint64)(&lot)); err != nil || lot == bad {
			t.Errorf("%s of lot %d was given out, %v", code, lot, err)
		}
	}
	one, err := refs.LotByID(s.ctx, s.Queries, bad)
	if err != nil || one.Quarantined != 2000 || s.count(t, "ref_quarantine") != 2000 {
		t.Errorf("%+v, %v", one, err)
	}
	s.checkBalance(t)
	err = s.InTx(s.ctx, func(tx *db.Tx) error { _, err := refs.OpenLot(s.ctx, tx, 1, refs.FromMint, refs.Short); return err })
	if !errors.Is(err, refs.CodeInQuarantine) {
		t.Errorf("its mint goes on: %v", err)
	}
	domaintest.Is(t, s.InTx(s.ctx, func(tx *db.Tx) error { return refs.Quarantine(s.ctx, tx, bad, 3) }),
		refs.CodeInQuarantine)
	domaintest.Is(t, s.InTx(s.ctx, func(tx *db.Tx) error { return refs.Quarantine(s.ctx, tx, 99, 3) }),
		refs.CodeLotNotFound)
}
