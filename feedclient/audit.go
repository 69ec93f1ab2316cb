package feedclient

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Range is the rows with ids from From to To that a reader at a cursor must have: their number, and the sums of their
// Sums and of their Items' Sums; V2 says whether the server has the latter. If Pending is not 0, so many more rows have
// changed since, and the range cannot be compared yet.
type Range struct {
	From       uint64 `json:"from"`
	To         uint64 `json:"to"`
	Count      int    `json:"count"`
	Checksum   uint64 `json:"-"`
	ChecksumV2 uint64 `json:"-"`
	V2         bool   `json:"-"`
	Pending    int    `json:"pending"`
}

// Sum is a row's part of the checksum of its range, at a position. Sums are added modulo 2^64.
func Sum(row, position uint64) uint64 { return sum(fmt.Appendf(nil, "%d:%d", row, position)) }

// Sum is the item's part of the second checksum of its range, which tells also states of a row at one position apart: 0
// if the item is deleted, or of a server that does not say its version.
func (i Item) Sum() uint64 {
	if i.Deleted || i.UpdatedAt.IsZero() {
		return 0
	}
	return sum(fmt.Appendf(nil, "%d:%d:%d:%s", i.ID, i.Position, i.Version, i.UpdatedAt.Format(time.RFC3339Nano)))
}

func sum(text []byte) uint64 {
	sum := sha256.Sum256(text)
	return binary.BigEndian.Uint64(sum[:8])
}

// Audit returns the rows that a reader of a feed must have at a cursor; board is the slug of the only board that it
// reads, "" for all. Ranges without rows are left out.
func (c *Client) Audit(ctx context.Context, feed, board, upto string) (list []Range, err error) {
	values := Query{Board: board}.values()
	values.Set("upto", upto)
	for {
		var page struct {
			Ranges []struct {
				Range
				Checksum   string `json:"checksum"`
				ChecksumV2 string `json:"checksum_v2"` // not of an older server
			}
			Next string // null at the end
		}
		if err := c.call(ctx, http.MethodGet, "/feeds/"+url.PathEscape(feed)+"/audit?"+values.Encode(), nil,
			&page); err != nil {
			return nil, err
		}
		for _, r := range page.Ranges {
			if r.Range.Checksum, err = strconv.ParseUint(r.Checksum, 16, 64); err != nil {
				return nil, fmt.Errorf("read the server's answer: %w", err)
			}
			if r.V2 = r.ChecksumV2 != ""; r.V2 {
				if r.Range.ChecksumV2, err = strconv.ParseUint(r.ChecksumV2, 16, 64); err != nil {
					return nil, fmt.Errorf("read the server's answer: %w", err)
				}
			}
			list = append(list, r.Range)
		}
		if page.Next == "" {
			return list, nil
		}
		values.Set("after", page.Next)
	}
}

// Proof is the result of an audit of a Store.
type Proof struct {
	Rows    int     // that are as they must be
	Differ  []Range // in which the Store does not match: something was lost
	Pending []Range // in which rows have changed since: audit again
	Strays  bool    // the Store has rows where the feed has none
}

// Whole reports whether the Store has exactly the feed's rows.
func (p Proof) Whole() bool { return len(p.Differ)+len(p.Pending) == 0 && !p.Strays }

// Prove compares a Store with the server's audit. Follow must have read it from the start, and must not change it
// meanwhile. It reads every row of it, some at once, and changes nothing.
func (c *Client) Prove(ctx context.Context, store Store) (proof Proof, err error) {
	place, err := store.Place(ctx)
	if err != nil {
		return Proof{}, fmt.Errorf("read the store: %w", err)
	}
	if !place.Whole {
		return Proof{}, errors.New("feedclient: the store has not come to the end of its feed yet: follow it until it has")
	}
	ranges, err := c.Audit(ctx, place.Feed, place.Board, place.Cursor)
	if err != nil {
		return Proof{}, err
	}
	kept := 0
	for _, r := range ranges {
		marks, err := store.Marks(ctx, r.rows())
		if err != nil {
			return Proof{}, fmt.Errorf("read the store: %w", err)
		}
		kept += len(marks)
		switch {
		case r.Pending > 0:
			proof.Pending = append(proof.Pending, r)
		case !r.matches(marks):
			proof.Differ = append(proof.Differ, r)
		default:
			proof.Rows += r.Count
		}
	}
	all, err := store.Before(ctx, place.Round+1, kept+1)
	if err != nil {
		return Proof{}, fmt.Errorf("read the store: %w", err)
	}
	proof.Strays = len(all) > kept
	return proof, nil
}

// matches compares by the second checksum if the server has it and the Store keeps Sums of all rows.
func (r Range) matches(marks map[uint64]Mark) bool {
	first, second, v2 := uint64(0), uint64(0), r.V2
	for _, mark := range marks {
		first += Sum(mark.ID, mark.Position)
		second += mark.Sum
		v2 = v2 && mark.Sum != 0
	}
	return len(marks) == r.Count && first == r.Checksum && (!v2 || second == r.ChecksumV2)
}

// rows are the ids of a range.
func (r Range) rows() []uint64 {
	list := make([]uint64, 0, r.To-r.From+1)
	for row := r.From; row <= r.To; row++ {
		list = append(list, row)
	}
	return list
}
