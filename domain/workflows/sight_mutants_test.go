package workflows_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// sighted are the statements that take a sight, by a text that each alone has.
func sighted(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{
		"TicketsByKeys": "COALESCE(own.id, old.ticket_id, o.ticket_id) AS ticket_id",
		"SightChanges":  "n.account_id = ? AND b.company_id = ?, x.level",
	}
	name := regexp.MustCompile(`(?m)^-- name: (\w+) :\w+$`)
	for _, file := range domaintest.OK(filepath.Glob("../../queries/*.sql"))(t) {
		text := string(domaintest.OK(os.ReadFile(file))(t))
		at := name.FindAllStringSubmatchIndex(text, -1)
		for i, one := range at {
			end := len(text)
			if i+1 < len(at) {
				end = at[i+1][0]
			}
			if strings.Contains(text[one[0]:end], ".privacy <= ") {
				all[text[one[2]:one[3]]] = text[one[0]:one[1]] + "\n"
			}
		}
	}
	if len(all) < 40 {
		t.Fatalf("%d statements take a sight", len(all))
	}
	return all
}

// withoutSight is a statement that shows the rows of all boards.
func withoutSight(statement string) string {
	return strings.ReplaceAll(statement, ".privacy <= ", ".privacy <= 9 + ")
}

// caught is a test that ends at its first failure, and keeps it.
type caught struct {
	testing.TB
	why string
}

func (c *caught) Errorf(format string, args ...any) { c.Fatalf(format, args...) }
func (c *caught) Fatal(args ...any)                 { c.Fatalf("%s", fmt.Sprint(args...)) }
func (c *caught) Fatalf(format string, args ...any) {
	c.why = fmt.Sprintf(format, args...)
	panic(c)
}

// catches reports whether a check fails.
func catches(t testing.TB, check func(testing.TB)) (found bool) {
	c := &caught{TB: t}
	defer func() {
		if r := recover(); r != nil {
			if r != any(c) {
				panic(r)
			}
			found = true
		}
	}()
	check(c)
	return false
}

// TestSightFindsEachMutant has one statement after the other show the rows of all boards, as without its join: the check of
// TestSight fails each time, else it proves nothing of that statement.
func TestSightFindsEachMutant(t *testing.T) {
	t.Parallel()
	d, watch := dbtest.NewWatched(t)
	e := newSightStage(t, &env{apptest.On(t, d)})
	e.check(t)
	for name, text := range sighted(t) {
		var sent atomic.Bool
		watch.Rewrite(func(statement string) string {
			if !strings.Contains(statement, text) {
				return statement
			}
			sent.Store(true)
			return withoutSight(statement)
		})
		if found := catches(t, e.check); found != (foundElsewhere[name] == "") {
			t.Errorf("%s without its join: found %v (sent: %v), and elsewhere by %q", name, found, sent.Load(), foundElsewhere[name])
		}
	}
	watch.Rewrite(nil)
	e.check(t)
}

const (
	byOperators = "TestOperatorsSeePayloadsOfTheirBoards in web"
	byWebhooks  = "TestWebhooksOfAPrivateBoard in web"
	byMembers   = "TestBoardMembersPage in web"
	byFeeds     = "TestFeedsFollowSight in web"
	guarded     = "TestFilledTables in db: here another statement of the same request hides it, or none is sent"
)

// foundElsewhere are the statements that the check does not send, or only beside another that takes the sight of the same
// board, each with the test that finds it.
var foundElsewhere = map[string]string{
	"RunSeen":            byOperators,
	"BoardBulkEdits":     guarded,
	"SearchedBoards":     guarded,
	"SearchedColumns":    "TestSearchHidesPrivateBoards in web",
	"TicketsByIDs":       "TestBulkEdit in domain/kinds/bulkedit",
	"FailedAmong":        byOperators,
	"TaskOf":             byOperators,
	"TasksAmong":         byOperators,
	"RejectionsOf":       byOperators,
	"WebhookAttempt":     byWebhooks,
	"WebhookAttempts":    byWebhooks,
	"AccountsThatSee":    byMembers,
	"LastActions":        byMembers,
	"EntryTicket":        "TestPrivateBoardsInSettings in web",
	"GroupsOfCompany":    "TestGroupsCountBoardsInSight in web",
	"ImageByHash":        "TestRemotePictures in web",
	"ReadersThatSee":     byFeeds,
	"BoardsSeenByReader": byFeeds,
	"SightChanges":       byFeeds,
	"ServicesThatSee":    "TestServiceAccountReadsFeeds in web",
	"RefIssueInSight":    "TestRefBudget in web",
	"RunImages":          "TestImagesOfRuns in web",
	"LabelsInSight":      "TestManageLabels in web",
	"LabelByID":          "TestManageLabels in web",
	"RelationsOfTickets": "TestRelations in web",
	"Backlinks":          "TestBacklinks",
	"AttachmentsInSight": "TestAttachmentsInSight in web",

	"ActivitiesByID":     guarded,
	"BoardByID":          guarded,
	"BoardsByID":         guarded,
	"DeletedTicketByKey": guarded,
	"EndedLabels":        guarded,
	"InboxOf":            guarded,
	"ChangedTickets":     guarded,
	"CommentsByOthers":   guarded,
	"PinnedBoards":       guarded,
	"InboxWindow":        guarded,
	"SnapshotComments":   guarded,
	"SnapshotTickets":    guarded,
	"TicketByID":         guarded,
	"OldBoardsSeen":      "TestMovesBetweenHiddenBoards",
}
