// Package home is what a member finds on the first page of a company: when they looked at it, and what others changed
// since. What changed is read from the feeds of tickets and comments.
package home

import (
	"context"
	"fmt"
	"time"

	"github.com/counterfoil/counterfoil/db"
)

const (
	// absence is how long a member does not look until a visit is over.
	absence = 30 * time.Minute
	// exactness is by how much the end of a visit may be too early.
	exactness = 10 * time.Second
)

// Visit is a member's visit of the home page. Since is when the visit before it ended, nil if it is the first.
type Visit struct {
	Since *time.Time
	Last  time.Time
}

// Look returns the visit that a look at a time is part of, and notes it.
func Look(ctx context.Context, q *db.Queries, by db.Sight, now time.Time) (Visit, error) {
	row, err := db.Read(q.HomeVisit(ctx, by.Reader, by.Company))
	if err != nil && !db.IsNotFound(err) {
		return Visit{}, fmt.Errorf("read visit: %w", err)
	}
	was := Visit{Since: row.SinceAt, Last: row.LastAt}
	visit := was.at(now)
	if err == nil && visit == was {
		return was, nil
	}
	return visit, save(ctx, q, by, visit)
}

// at is the visit that a look at a time is part of.
func (v Visit) at(now time.Time) Visit {
	switch {
	case v.Last.IsZero():
		return Visit{Last: now}
	case now.Sub(v.Last) > absence:
		return Visit{Since: &v.Last, Last: now}
	case now.Sub(v.Last) > exactness:
		return Visit{Since: v.Since, Last: now}
	}
	return v
}

// End has nothing be new to a member that was there at their last look: what changed since is not on their page.
func End(ctx context.Context, q *db.Queries, by db.Sight) error {
	row, err := db.Read(q.HomeVisit(ctx, by.Reader, by.Company))
	if db.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read visit: %w", err)
	}
	return save(ctx, q, by, Visit{Since: &row.LastAt, Last: row.LastAt})
}

func save(ctx context.Context, q *db.Queries, by db.Sight, v Visit) error {
	err := q.SaveHomeVisit(ctx, db.SaveHomeVisitParams{AccountID: by.Reader, CompanyID: by.Company, SinceAt: v.Since, LastAt: v.Last})
	if err != nil {
		return fmt.Errorf("save visit: %w", err)
	}
	return nil
}
