package refs

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

const (
	// firstRound is the size of the first round of a mint into an empty pool.
	firstRound = 100_000
	// sliceCodes is the most codes of a slice: one transaction adds them.
	sliceCodes = 10_000
	// MaxMint is how many codes can be minted at once.
	MaxMint = 100_000_000
	// maxPasses is how often a slice is drawn from again for codes that existed. At MostUsed, each pass leaves nine in
	// ten missing: so many leave one in a billion.
	maxPasses = 300
)

// Slice is the codes of a length with the numbers from From to before To, and how many to draw there. Before is how
// many codes of the length exist when its round begins, unless others mint; Own of them are of earlier rounds of the
// same mint.
type Slice struct {
	Length int    `json:"length"`
	Before uint64 `json:"before"`
	Own    uint64 `json:"own"`
	From   uint64 `json:"from"`
	To     uint64 `json:"to"`
	Codes  int    `json:"codes"`
}

// Rounds returns the slices in which n codes of a length are minted beside the existing ones. Each round goes over all
// codes in order, so that inserts are sequential, and adds as many as exist, so that the pool is even wherever a mint
// stops: the minted part is at most twice as dense as the rest.
func Rounds(length int, n, existing uint64) (slices []Slice) {
	space, first := Space(length), existing
	for n > 0 {
		round := min(n, max(existing, firstRound))
		parts := (round + sliceCodes - 1) / sliceCodes
		for i := range parts {
			slices = append(slices, Slice{
				Length: length, Before: existing, Own: existing - first, From: share(space, i, parts), To: share(space, i+1, parts),
				Codes: int(share(round, i+1, parts) - share(round, i, parts)),
			})
		}
		existing, n = existing+round, n-round
	}
	return slices
}

// share is n * i / parts, rounded down. n is below 2^36 and parts below 2^20.
func share(n, i, parts uint64) uint64 { return n * i / parts }

// MintResult is the result of a slice.
type MintResult struct {
	Added    uint64
	Drawn    uint64 // codes that were tried
	Blocked  uint64 // left out for their words, or as canaries
	Collided uint64 // that there were already
	Expected float64
}

// Mint draws codes of a slice at random and adds the new ones to the ledger and the pool, until it has as many as the
// slice asks for. It returns UsedUp if too few are left.
func Mint(ctx context.Context, tx *db.Tx, canaries Canaries, lot id.Lot, slice Slice) (MintResult, error) {
	minted, err := mint(ctx, tx, canaries, lot, slice)
	if err != nil {
		return minted, fmt.Errorf("mint reference codes: %w", err)
	}
	return minted, nil
}

func mint(ctx context.Context, tx *db.Tx, canaries Canaries, lot id.Lot, slice Slice) (m MintResult, err error) {
	batch, err := tx.OpenBatch(ctx, lot)
	if err != nil {
		return m, err
	}
	dice := bufio.NewReaderSize(rand.Reader, 1<<16)
	var seen []uint64
	for pass := 0; m.Added < uint64(slice.Codes); pass++ {
		if pass == maxPasses {
			return m, UsedUp(slice.Length)
		}
		numbers := slice.draw(dice, slice.Codes-int(m.Added), seen)
		seen = slices.Concat(seen, numbers)
		slices.Sort(seen)
		codes, drawn := make([]string, 0, len(numbers)), len(numbers)
		for _, number := range numbers {
			if code := nth(number, slice.Length); !Offensive(Code(code)) && !canaries.Is(Code(code)) {
				codes = append(codes, code)
			}
		}
		m.Drawn += uint64(drawn)
		m.Blocked += uint64(drawn - len(codes))
		if len(codes) == 0 {
			continue
		}
		add := tx.MintRefs
		if pass == 0 && slice.dense() {
			add = tx.MintRefRange
		}
		added, err := add(ctx, uint32(batch), codes)
		if err != nil {
			return m, err
		}
		m.Added += uint64(added)
		m.Collided += uint64(len(codes)) - uint64(added)
		m.Expected += float64(drawn) * float64(slice.Before) / float64(Space(slice.Length)) // no blocked one is in the ledger
	}
	if err := m.expectOthers(ctx, tx, lot, slice); err != nil {
		return m, err
	}
	return m, countMinted(ctx, tx, lot, slice.Length, m)
}

// expectOthers adds the expected collisions with codes that others minted since the mint began. How many of those are
// in the slice is unknown, because their mints go over all codes in orders of their own: the actual number counts as
// expected, unless none and all of them would make far less and far more.
func (m *MintResult) expectOthers(ctx context.Context, tx *db.Tx, lot id.Lot, slice Slice) error {
	own, err := tx.Lot(ctx, lot)
	if err != nil {
		return err
	}
	counts, err := CountByLength(ctx, tx.Queries)
	if err != nil {
		return err
	}
	known := own.Codes + slice.Before - min(slice.Before, slice.Own)
	for _, of := range counts {
		if of.Length != slice.Length || of.Minted <= known {
			continue
		}
		none := m.Expected
		all := none + float64(m.Drawn)*float64(of.Minted-known)/float64(slice.To-slice.From)
		m.Expected = min(max(float64(m.Collided), none-chance(none)), all+chance(all))
	}
	return nil
}

// chance bounds the deviation of collisions from the expected number, but for one mint in millions.
func chance(expected float64) float64 { return 6*math.Sqrt(expected) + 0.02*expected + 20 }

// dense reports whether the slice has few enough codes, with those to add, to read them all.
func (s Slice) dense() bool {
	there := float64(s.Before) * float64(s.To-s.From) / float64(Space(s.Length))
	return there <= 8*float64(s.Codes)
}

// draw returns the numbers of up to n codes of the slice in order, at random and without those in seen, which are in
// order.
func (s Slice) draw(dice *bufio.Reader, n int, seen []uint64) []uint64 {
	width := s.To - s.From
	limit := ^uint64(0) - ^uint64(0)%width // above it some numbers would be more frequent
	numbers := make([]uint64, 0, n)
	var bytes [8]byte
	for range n {
		_, _ = io.ReadFull(dice, bytes[:]) // never fails
		if number := binary.LittleEndian.Uint64(bytes[:]); number < limit {
			numbers = append(numbers, s.From+number%width)
		}
	}
	slices.Sort(numbers)
	return slices.DeleteFunc(slices.Compact(numbers), func(number uint64) bool {
		_, found := slices.BinarySearch(seen, number)
		return found
	})
}

// countMinted adds to the lot and the counters: last, because other mints wait for these rows. It returns InQuarantine
// if the lot was quarantined meanwhile; from here on its quarantine waits for the transaction.
func countMinted(ctx context.Context, tx *db.Tx, lot id.Lot, length int, m MintResult) error {
	n, err := tx.AddToLot(ctx, db.AddToLotParams{ID: lot, Codes: m.Added, Drawn: m.Drawn, Blocked: m.Blocked,
		Collided: m.Collided, Expected: uint64(math.Round(1000 * m.Expected))})
	if err != nil {
		return err
	}
	if n == 0 {
		return InQuarantine(lot)
	}
	return one(tx.AddMinted(ctx, db.AddMintedParams{N: int64(m.Added), Length: uint8(length), Slot: uint8(lot % slots)}))
}
