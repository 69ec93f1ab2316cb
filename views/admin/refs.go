package admin

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/views"
)

// RefsProps are the reference codes with their runs and forms.
type RefsProps struct {
	Page     views.Page
	Standing refs.State
	Minutes  []refs.Minute    // of the last hour and a bit
	Refill   *migrations.Run  // the last; nil if there was none
	Sweep    *migrations.Run  // that quarantines a lot; nil if none is under way
	Lookups  requests.Lookups // of the last day
	Lots     []refs.Lot
	More     bool
	Before   id.Lot // the list begins below it
	Mint     MintForm
	Policy   RefPolicyForm
}

// missesText is the number of failed lookups, and their share of all.
func missesText(l requests.Lookups) string {
	if l.Misses == 0 {
		return "0"
	}
	return fmt.Sprintf("%s (%s %%)", views.Thousands(l.Misses), Rate(100*float64(l.Misses)/float64(l.Misses+l.Hits)))
}

// canaryText says what lookups of canaries mean.
func canaryText(n int64) string {
	if n == 1 {
		return "A code that was never popped was looked up in the last day: a typing error, or someone is guessing codes."
	}
	return fmt.Sprintf("%s codes that were never popped were looked up in the last day: someone is guessing codes. The "+
		"log has the addresses.", views.Thousands(n))
}

// MintForm is the input of its form.
type MintForm struct {
	Codes, Length string
	Errors        views.Errors
}

// RefPolicyForm is the input of its form.
type RefPolicyForm struct {
	AtLeast, LowHours, HighHours string
	Errors                       views.Errors
}

// MintProps is the question whether to mint codes.
type MintProps struct {
	Page   views.Page
	Codes  uint64
	Length int
	Of     refs.LengthState
	Where  Where
}

// LotQuarantineProps is the question whether to put a lot in quarantine.
type LotQuarantineProps struct {
	Page   views.Page
	Lot    refs.Lot
	Errors views.Errors
}

// NewMintForm is the form before any input.
func NewMintForm() MintForm { return MintForm{Codes: "1000000", Length: strconv.Itoa(refs.Short)} }

// NewRefPolicyForm is the form before any input.
func NewRefPolicyForm(p refs.Policy) RefPolicyForm {
	return RefPolicyForm{AtLeast: views.Number(p.AtLeast), LowHours: strconv.Itoa(p.LowHours),
		HighHours: strconv.Itoa(p.HighHours)}
}

// codesText is a number of codes: 1 code, 2,000 codes.
func codesText(n uint64) string { return views.Counted(int64(n), "code", "codes") }

// lengthWord is the length of a code.
func lengthWord(length int) string {
	switch length {
	case refs.Short:
		return "five"
	case refs.Long:
		return "six"
	}
	return strconv.Itoa(length)
}

// runwayText is the number of hours for which the pool lasts.
func runwayText(s refs.State) string {
	d, ok := s.Runway()
	switch {
	case !ok:
		return none
	case d >= refs.Longest:
		return "over " + views.Thousands(int64(refs.Longest.Hours()))
	}
	return Rate(d.Hours())
}

// runsOutText is the day on which the codes of a length run out, and no more can be minted (refs.MostUsed).
func runsOutText(s refs.State, l refs.LengthState) string {
	d, ok := l.RunsOut(s.Rate)
	switch {
	case !ok:
		return none
	case d >= refs.Longest:
		return "in over " + views.Thousands(int64(refs.Longest/(365*24*time.Hour))) + " years"
	}
	return s.At.Add(d).UTC().Format("2 Jan 2006")
}

// shareText is a share in percent, never 0 for something.
func shareText(share float64) string {
	switch {
	case share <= 0:
		return "0 %"
	case share < .0001:
		return "< 0.01 %"
	}
	return strconv.FormatFloat(share*100, 'f', 2, 64) + " %"
}

// shareWidth is the width of a share's bar, in thousandths; a share above 0 is always visible.
func shareWidth(share float64) string {
	if share <= 0 {
		return "0"
	}
	return strconv.Itoa(min(barWidth, max(barSliver, int(math.Round(barWidth*share)))))
}

// empties is the number of pops in the last hour that found too few codes.
func (p RefsProps) empties() (n uint64) {
	for _, m := range p.Minutes {
		if m.At.After(p.Standing.At.Add(-time.Hour)) {
			n += m.Empties
		}
	}
	return n
}

// dry reports whether codes are wanted and none is left.
func (p RefsProps) dry() bool { return p.Standing.Policy.Wanted && p.Standing.Available == 0 }

// suspicious are the lots of the page with far more or fewer collisions than chance gives.
func (p RefsProps) suspicious() (list []refs.Lot) {
	for _, l := range p.Lots {
		if l.Suspicious() {
			list = append(list, l)
		}
	}
	return list
}

// collisions is the rate of collisions of the page's mints, beside that of chance.
func (p RefsProps) collisions() string {
	var drawn, collided uint64
	var expected float64
	for _, l := range p.Lots {
		if l.Source == refs.FromMint {
			drawn, collided, expected = drawn+l.Drawn, collided+l.Collided, expected+l.Expected
		}
	}
	if drawn == 0 {
		return ""
	}
	return fmt.Sprintf("Of %s drawn for the lots below, %s were there before; chance makes it %s.",
		codesText(drawn), shareText(float64(collided)/float64(drawn)), shareText(expected/float64(drawn)))
}

// refillLook is the state of the refills, in a word and a sentence.
func (p RefsProps) refillLook() (stateLook, string) {
	s := p.Standing
	badly := p.Refill != nil && p.Refill.FinishedAt != nil &&
		(p.Refill.State != migrations.Complete || p.Refill.Progress.Failed+p.Refill.Progress.Skipped > 0)
	switch {
	case s.Policy.Paused:
		return stateLook{"Paused", "pause", "held"}, "The pool is not refilled, however low it is."
	case p.refillHeld() && p.Refill.State == migrations.Throttled:
		return stateLook{"On hold", "gauge", "held"},
			"Its run is throttled: it continues when its throttle ends or when it is resumed. No other starts."
	case p.refillHeld():
		return stateLook{"On hold", "triangle-alert", "failed"},
			"Resume or stop its run: no other starts before that."
	case p.Refill != nil && p.Refill.FinishedAt == nil:
		return stateLook{"Running", "play", "busy"}, "A run mints the missing codes."
	case !s.Policy.Wanted:
		return stateLook{"Not needed yet", "circle-dashed", "idle"},
			"No code was popped yet. From the first pop on, the pool is refilled automatically."
	case s.Refill() == 0:
		return stateLook{"Enough", "circle-check", "done"}, "No refill is due."
	case badly:
		return stateLook{"Waiting", "triangle-alert", "failed"},
			"Codes are low, and the last refill did not complete. The next starts an hour after it; mint some below to have them now."
	}
	return stateLook{"Due", "list-plus", "busy"},
		codesText(s.Refill()) + " are missing. A serve or work process mints them within seconds."
}

// refillHeld reports whether a refill is neither over nor minting, so that no other starts.
func (p RefsProps) refillHeld() bool {
	return !p.Standing.Policy.Paused && p.Refill != nil &&
		slices.Contains([]migrations.State{migrations.Pausing, migrations.Paused, migrations.Throttled}, p.Refill.State)
}

// keptText says when and how far the pool is refilled.
func keptText(p refs.Policy) string {
	return fmt.Sprintf("Below %s, or what lasts %s at the recent rate, codes are minted for %s, and at least up to %s.",
		codesText(p.AtLeast), views.Counted(int64(p.LowHours), "hour", "hours"),
		views.Counted(int64(p.HighHours), "hour", "hours"), views.Thousands(int64(2*p.AtLeast)))
}

// RecountVerdict is the result of the last complete count.
func RecountVerdict(r refs.Recount) string {
	switch {
	case r.Lost > 0:
		return "the tables disagree about " + codesText(r.Lost) + ", run counterfoil verify"
	case r.Off > 0:
		return "the counters were off by " + views.Thousands(int64(r.Off)) + ", and were corrected"
	}
	return "the counters are right"
}

// sourceWord is the source of a lot's codes.
func sourceWord(l refs.Lot) string {
	if l.Source == refs.FromFile {
		return "Loaded"
	}
	return "Minted"
}

// suspectText says what a suspicious lot means, and what to do.
func suspectText(l refs.Lot) string {
	return fmt.Sprintf("Lot %d met %s that were there before, and chance makes it %s: the random numbers or the ledger "+
		"are broken. Pause refills, run counterfoil verify, and put the lot in quarantine.",
		l.ID, codesText(l.Collided), views.Thousands(int64(math.Round(l.Expected))))
}

// sweptText is the progress of a quarantine.
func sweptText(l refs.Lot) string { return views.Thousands(int64(l.Quarantined)) + " taken out" }

// pops is the pops of the last hour, by the minute, ready to be drawn as a run's chart is.
type pops struct {
	codes, took band // per minute, and the p99 in milliseconds
	from, to    time.Time
	last        refs.Minute // the last with pops
	popped      uint64
}

// popsOf draws the sixty minutes before this one, which is not over.
func popsOf(minutes []refs.Minute, now time.Time) pops {
	to := now.UTC().Truncate(time.Minute)
	c := pops{from: to.Add(-time.Hour), to: to}
	by := map[time.Time]refs.Minute{}
	for _, m := range minutes {
		by[m.At.UTC()] = m
		if m.Popped > 0 {
			c.last = m
		}
	}
	codes, took := make([]point, 0, 60), [][]point{nil}
	for i := range 60 {
		m, x := by[c.from.Add(time.Duration(i)*time.Minute)], float64(i)*1000/59
		codes = append(codes, point{x, float64(m.Popped)})
		c.popped += m.Popped
		stretch := &took[len(took)-1]
		switch {
		case m.Popped > 0:
			*stretch = append(*stretch, point{x, float64(m.P99.Microseconds()) / 1000})
		case len(*stretch) > 0:
			took = append(took, nil)
		}
	}
	if len(took[len(took)-1]) == 0 {
		took = took[:len(took)-1]
	}
	c.codes, c.took = bandOf([][]point{codes}), bandOf(took)
	return c
}

// words describe the chart to screen readers.
func (c pops) words() string {
	return fmt.Sprintf("Codes popped per minute from %s to %s UTC: %s in the last minute, %s at most, %s in all. The p99 "+
		"of the wait was %s ms in the slowest minute.",
		clockTime(c.from), clockTime(c.to), Rate(c.codes.now), Rate(c.codes.most), views.Thousands(int64(c.popped)),
		Rate(c.took.most))
}

// tookText is the p99 of the last minute with pops.
func tookText(d time.Duration, in refs.Minute) string {
	if in.Popped == 0 {
		return none
	}
	return Spell(d)
}

func lengthValue(length int) string { return strconv.Itoa(length) }

// loadRefs is the migration that loads codes from a file.
const loadRefs = "load-refs"

// mintedShare is the effect of a mint on the space.
func mintedShare(props MintProps) string {
	after := props.Of
	after.Minted += props.Codes
	return fmt.Sprintf("Of all codes of %s characters %s are used now, and %s then.", lengthWord(props.Length),
		shareText(props.Of.Share()), shareText(after.Share()))
}
