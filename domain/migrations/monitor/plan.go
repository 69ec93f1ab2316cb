package monitor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

// claimKeyBytes is the length of what a claim looks up in ix_claim: run_id (8), state (1) and id (8).
const claimKeyBytes = "17"

// PlanTimeout is how long the database may take to say how it would claim tasks, or to pause a run.
const PlanTimeout = 10 * time.Second

// PlanOfClaim asks the server how it would claim tasks, for ten seconds at most: by ix_claim, with all its
// columns, and without sorting, or not Good.
func PlanOfClaim(ctx context.Context, d *db.DB) ClaimPlan {
	plan, _ := PlanOf(ctx, d, 0)
	return plan
}

// PlanOf is PlanOfClaim for a run. It also returns why the plan is not known.
func PlanOf(ctx context.Context, d *db.DB, run id.Run) (ClaimPlan, error) {
	ctx, cancel := context.WithTimeout(ctx, PlanTimeout)
	defer cancel()
	lines, err := d.ExplainClaim(ctx, run)
	if err != nil {
		return ClaimPlan{Text: fmt.Sprintf("The server does not say how it would claim tasks: %v", err)}, err
	}
	return judgePlan(lines), nil
}

func judgePlan(lines []map[string]string) ClaimPlan {
	if len(lines) != 1 {
		return ClaimPlan{Known: true, Text: fmt.Sprintf("The plan of the claim has %d steps, not one.", len(lines))}
	}
	line := lines[0]
	extra := strings.ToLower(line["extra"])
	text := fmt.Sprintf("%s by %s (%s bytes)", line["type"], line["key"], line["key_len"])
	if line["extra"] != "" {
		text += ", " + line["extra"]
	}
	switch {
	case line["key"] != "ix_claim":
		text = "The server would claim tasks without the index ix_claim: " + text + "."
	case line["key_len"] != claimKeyBytes:
		text = fmt.Sprintf("The server would use %s bytes of the index ix_claim, not %s: %s.", line["key_len"], claimKeyBytes,
			text)
	case strings.Contains(extra, "filesort") || strings.Contains(extra, "temporary"):
		text = "The server would sort all open tasks for each claim: " + text + "."
	default:
		return ClaimPlan{Known: true, Good: true, Text: text}
	}
	return ClaimPlan{Known: true, Text: text}
}
