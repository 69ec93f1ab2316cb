package db_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// unbounded are the statements that lock rows and neither have a LIMIT nor name each row by a unique index, by their
// location, with what bounds the rows.
var unbounded = map[string]string{
	"queries: CopyBoardMembers":      "a board names at most boards.MaxMembers",
	"queries: UnassignTemplate":      "a ticket has 20 assignees at most, and so has a template",
	"queries: UnlabelTemplate":       "a ticket has 50 labels at most, and so has a template",
	"queries: NewEpoch":              "there is a row for each feed",
	"queries: NoteAllDurable":        "as NewEpoch",
	"queries: SetInactive":           "an account is in few companies",
	"queries: GuardRefs":             "there are 32 counters",
	"queries: DeleteWebhookCursors":  "a webhook has one for each feed",
	"queries: DeleteWebhookBoards":   "a webhook has at most the private boards of its company",
	"queries: DropBoardFromWebhooks": "a company has at most webhooks.Max",
	"queries: SetCurrentOf":          "a ticket has at most tickets.MaxAssignees; of a chunk of tickets",
	"queries: PurgeTicketLabels":     "a ticket has at most labels.MaxOnTicket, but for merged ones, of the tasks of a claim",
	"queries: PurgeRelations":        "a ticket has at most tickets.MaxRelations",
	"queries: PurgeRelationsTo":      "a ticket has at most tickets.MaxRelations",
	"queries: DeleteAttachmentsOf":   "a ticket has at most tickets.MaxAttachments",
	"queries: RestoreAttachmentsOf":  "as DeleteAttachmentsOf",
	"queries: PurgeAttachments":      "as DeleteAttachmentsOf, and those that were deleted, of the tasks of a claim",
	"queries: DropOldNames":          "a label has each old name once",
	"queries: PurgeAssignees":        "as SetCurrentOf, of the tasks of a claim",
	"queries: RevokeInvitationsBy":   "a company has at most accounts.MaxInvitations",
	"queries: EndResetsOf":           "the links that admins made for one account and that were not used",
	"queries: EndResetsBy":           "the links that one account made and that were not used",
	"queries: LiveTokensOf":          "the tokens of one account that are not revoked",
	"queries: RevokeTokensOfAccount": "as LiveTokensOf",
	"queries: CreateAuditEverywhere": "the companies of one account",
	"queries: ClearAccessTo":         "the members of one company that a board names",
	"queries: FillAccessTo":          "as ClearAccessTo",
	"queries: FillAccessOf":          "the boards of a company that name one account",
	"queries: EmptyGroup":            "a group has at most accounts.MaxGroupMembers",
	"queries: RepublishCommentRange": "the caller's range has at most a hundred comments",
	"queries: RepublishCommentsOf":   "the caller's tickets have at most a hundred comments together",
	// What hangs on one ticket grows only by what users write there, so it is bounded by hand, and not by us.
	"queries: RepublishComments":  "the comments of one ticket, whose key or deletion they show: they change with it",
	"queries: PurgeComments":      "what hangs on the tickets of a claim goes with them, for whoever reads the feed",
	"queries: PurgeDeletedTexts":  "as PurgeComments",
	"queries: PurgeActivity":      "as PurgeComments",
	"queries: PurgeNotifications": "as PurgeComments",
	"queries: PurgeWatchers":      "as PurgeComments",
	"queries: PurgeRunCounters":   "a run has one for each worker that worked on it since the keeper last added them up",
	"queries: PurgeRunRejections": "a run has at most migrations.MaxRejections",
	"queries: PurgeTaskAttempts":  "the attempts of a chunk of tasks, of which each has a few",
	"queries: PurgeTaskFailures":  "as PurgeTaskAttempts",
	"queries: UnfoldForAll":       "the members of a company, once in the life of a column",
	"queries: PurgeStays":         "a ticket has one for each move",
	"queries: DropBacklinks":      "a text has at most a hundred",
	"queries: DropBacklinksOf":    "as PurgeComments",
	"queries: PurgeBacklinks":     "as PurgeComments",
	"queries: UncountComments":    "the caller's range has at most a hundred tickets",
	"queries: PurgeOccurrences":   "a ticket is one of each rule",
	"queries: DropOccurrences":    "a rule has at most recurrence.MaxCount",
	"queries: EndStays":           "as PurgeStays, of a chunk of tickets",
	"queries: OpenStays":          "the caller's tickets",
	"queries: BeginStays":         "as OpenStays",
	"queries: MarkStaysKnown":     "the caller's range has at most a hundred tickets",
	"queries: PurgeAliases":       "a ticket has one for each board that it was on",
	"queries: PurgeOrigins":       "a ticket has one for each key that it was imported from",
	"queries: PurgePictures":      "a ticket has as many as texts of it showed, of which a save adds a hundred",

	"db/private/start.go: renewEpoch":          "as NewEpoch",
	"db/schema_lock.go: lockCluster":           "the table has one row",
	"db/schema_lock.go: take":                  "the table has one row",
	"db/multirow_feeds.go: LockUnpublished":    "the caller's rows",
	"db/multirow_feeds.go: WaitForUnpublished": "one row",
	"db/multirow_feeds.go: Publish":            "the caller's rows",
	"db/multirow_feeds.go: publishInParts":     "the caller's rows",
	"db/multirow_migrations.go: LockTasks":     "the caller's tasks",
	"db/multirow_migrations.go: end":           "the caller's tasks",
	"db/multirow_refs.go: a constant":          "it has a LIMIT within parentheses",
	"db/multirow_refs.go: MintRefRange":        "codes of a batch of the caller's",

	"ops/backup/restore.go: load": "the rows that the schema brings",
}

var (
	locks    = regexp.MustCompile(`^(UPDATE|DELETE FROM|REPLACE) |^INSERT .*\bSELECT\b|\bFOR UPDATE\b|\bLOCK IN SHARE MODE\b`)
	limited  = regexp.MustCompile(`(?i) LIMIT (\?|\d+|%d|\{\w*\})( FOR UPDATE( SKIP LOCKED)?)?$`)
	ofTable  = regexp.MustCompile(`(?i)^(?:UPDATE|DELETE FROM|.*? FROM) (\w+)`)
	where    = regexp.MustCompile(`(?i) WHERE (.*)$`)
	equality = regexp.MustCompile(`(?i)(?:\w+\.)?(\w+) (?:=|IN) `)
	either   = regexp.MustCompile(`(?i) OR `)
)

// No statement may lock any number of rows: others would wait for all of them, and a server may end itself when its
// memory is full of locks.
func TestEachStatementLocksABoundedNumberOfRows(t *testing.T) {
	t.Parallel()
	unique := uniqueIndexes(t)
	met := map[string]bool{}
	lint := func(at, text string) {
		text = strings.TrimSpace(spaces.ReplaceAllString(strings.ReplaceAll(sqlComment.ReplaceAllString(text, ""), "`", ""), " "))
		text = strings.TrimSuffix(text, ";")
		if !locks.MatchString(text) || limited.MatchString(text) || namesRows(text, unique) {
			return
		}
		met[at] = true
		if unbounded[at] == "" {
			t.Errorf("%s may lock any number of rows. Add a LIMIT, or name it in unbounded with what bounds them\n%s", at, text)
		}
	}
	for name, text := range allQueries(t) {
		lint("queries: "+name, text)
	}
	for _, s := range slices.Concat(literals(t, ".."), literals(t, "../ops/backup"), literals(t, "../ops/hold"), literals(t, "../ops/verify")) {
		if !strings.Contains(s.where, "test/") {
			lint(s.where, s.text)
		}
	}
	for at := range unbounded {
		if !met[at] {
			t.Errorf("%s is excused and need not be", at)
		}
	}
}

// namesRows reports whether a statement compares all columns of a unique index of its table with values.
func namesRows(text string, unique map[string][][]string) bool {
	table, conditions := ofTable.FindStringSubmatch(text), where.FindStringSubmatch(text)
	if table == nil || conditions == nil {
		return false
	}
	all := sqlcPlaceholder.ReplaceAllString(conditions[1], "?")
	for parentheses.MatchString(all) {
		all = parentheses.ReplaceAllString(all, "") // none of them widens what is around it
	}
	if either.MatchString(all) {
		return false
	}
	var compared []string
	for _, found := range equality.FindAllStringSubmatch(all+" ", -1) {
		compared = append(compared, strings.ToLower(found[1]))
	}
	return slices.ContainsFunc(unique[strings.ToLower(table[1])], func(columns []string) bool {
		return !slices.ContainsFunc(columns, func(column string) bool { return !slices.Contains(compared, column) })
	})
}

// uniqueIndexes are the columns of each unique index, by table.
func uniqueIndexes(t *testing.T) map[string][][]string {
	t.Helper()
	rows := domaintest.OK(dbtest.Open(t).SQL.QueryContext(t.Context(), `SELECT LOWER(table_name), GROUP_CONCAT(LOWER(column_name) ORDER BY seq_in_index)
		FROM information_schema.statistics WHERE table_schema = DATABASE() AND non_unique = 0 GROUP BY table_name, index_name`))(t)
	defer rows.Close()
	unique := map[string][][]string{}
	for rows.Next() {
		var table, columns string
		domaintest.Must(t, rows.Scan(&table, &columns))
		unique[table] = append(unique[table], strings.Split(columns, ","))
	}
	domaintest.Must(t, rows.Err())
	return unique
}
