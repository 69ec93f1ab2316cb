package migrations

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

// planAnswers is how long the database may take to say how it would claim tasks, or to pause a run.
const planAnswers = 10 * time.Second

// PlanOfClaim asks the server how it would claim tasks, for ten seconds at most: by ix_claim, with all its
// columns, and without sorting, or not Good.
func PlanOfClaim(ctx context.Context, d *db.DB) ClaimPlan {
	plan, _ := planOfClaim(ctx, d, 0)
	return plan
}

// planOfClaim also returns why the plan is not known.
func planOfClaim(ctx context.Context, d *db.DB, run id.Run) (ClaimPlan, error) {
	ctx, cancel := context.WithTimeout(ctx, planAnswers)
	defer cancel()
	lines, err := d.ExplainClaim(ctx, run)
	if err != nil {
		return ClaimPlan{Says: fmt.Sprintf("The server does not say how it would claim tasks: %v", err)}, err
	}
	return judgePlan(lines), nil
}

func judgePlan(lines []map[string]string) ClaimPlan {
	if len(lines) != 1 {
		return ClaimPlan{Known: true, Says: fmt.Sprintf("The plan of the claim has %d steps, not one.", len(lines))}
	}
	line := lines[0]
	extra := strings.ToLower(line["extra"])
	says := fmt.Sprintf("%s by %s (%s bytes)", line["type"], line["key"], line["key_len"])
	if line["extra"] != "" {
		says += ", " + line["extra"]
	}
	switch {
	case line["key"] != "ix_claim":
		says = "The server would claim tasks without the index ix_claim: " + says + "."
	case line["key_len"] != claimKeyBytes:
		says = fmt.Sprintf("The server would use %s bytes of the index ix_claim, not %s: %s.", line["key_len"], claimKeyBytes, says)
	case strings.Contains(extra, "filesort") || strings.Contains(extra, "temporary"):
		says = "The server would sort all open tasks for each claim: " + says + "."
	default:
		return ClaimPlan{Known: true, Good: true, Says: says}
	}
	return ClaimPlan{Known: true, Says: says}
}

// checkPlan reports whether tasks may be claimed: where the server would go over all tasks for each claim,
// the run is paused instead, with the reason.
func (d *dispatcher) checkPlan() bool {
	if d.planned {
		return true
	}
	run := d.run.Load()
	plan, err := planOfClaim(d.writing, d.w.e.db, run.ID)
	switch {
	case plan.Good:
		d.planned = true
		return true
	case transient(err): // that is no answer
		d.log("ask how tasks would be claimed", "error", err)
		d.idleAfter(time.Now())
		return false
	case !plan.Known && d.failures == 0 && !strings.Contains(plan.Says, "ix_claim"):
		d.failures++ // it is asked once more
		d.idleAfter(time.Now())
		return false
	}
	d.log("refuse to claim tasks", "why", plan.Says)
	ctx, cancel := context.WithTimeout(d.writing, planAnswers)
	defer cancel()
	err = d.w.e.move(ctx, *run, move{
		Action: "pause", From: []State{Running}, To: Pausing, Actor: Keeper,
		Reason: "Tasks cannot be claimed: " + plan.Says + " See `counterfoil doctor`; then resume.",
	})
	if err != nil {
		d.log("pause a run whose tasks cannot be claimed", "error", err)
	}
	d.idleAfter(time.Now())
	return false
}
