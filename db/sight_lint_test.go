package db_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
)

// shows matches a statement that reads rows of boards: of the tables in boardRows.
var (
	shows    = regexp.MustCompile(`(?i)\b(?:FROM|JOIN|STRAIGHT_JOIN) (?:board|ticket|ticket_alias|ticket_origin|comment|deleted_comment|activity|assignee|notification|ticket_request|board_slug|label|ticket_label|ticket_relation|ticket_template)\b`)
	readOnly = regexp.MustCompile(`(?i)^[( ]*SELECT\b`)
	joined   = regexp.MustCompile(`LEFT JOIN board_access x ON x\.board_id = \w+\.id AND x\.account_id = `)
	sighted  = regexp.MustCompile(`x\.level IS NOT NULL OR \w+\.privacy <= `)

	// by the public link of a board
	linked = regexp.MustCompile(
		`FROM board_link l FORCE INDEX \(uq_board_link_hash\) (?:STRAIGHT_)?JOIN board b ON b\.id = l\.board_id `)
	opened = regexp.MustCompile(`WHERE l\.hash = (?:\?|sqlc\.arg\(hash\)) AND b\.archived_at IS NULL`)
)

// Each statement that shows rows of boards joins board_access for its reader, or board_link for whoever has the public
// link of the board, or is below one that does (dbtest.Below), or stands in unsighted with the reason.
func TestEachStatementShowsWhatItsReaderMaySee(t *testing.T) {
	t.Parallel()
	met, below := map[string]bool{}, map[string]bool{}
	lint := func(at, text string) {
		text = strings.TrimSpace(spaces.ReplaceAllString(sqlComment.ReplaceAllString(text, ""), " "))
		if !readOnly.MatchString(text) || !shows.MatchString(text) || joined.MatchString(text) && sighted.MatchString(text) ||
			linked.MatchString(text) && opened.MatchString(text) && !strings.Contains(text, " OR ") {
			return
		}
		if name, ok := strings.CutPrefix(at, "queries: "); ok && dbtest.Below[name] {
			below[name] = true
			return
		}
		met[at] = true
		if unsighted[at] == "" {
			t.Errorf("%s shows rows of boards to any reader. Join board_access, or name it in unsighted with the reason\n%s",
				at, text)
		}
	}
	for name, text := range allQueries(t) {
		lint("queries: "+name, text)
	}
	for _, s := range literals(t, "..") {
		if strings.HasPrefix(s.where, "db/") && !strings.Contains(s.where, "test/") {
			lint(s.where, s.text)
		}
	}
	for at := range unsighted {
		if !met[at] {
			t.Errorf("%s is excused and need not be", at)
		}
	}
	for name := range dbtest.Below {
		if !below[name] {
			t.Errorf("%s is in dbtest.Below and need not be", name)
		}
	}
}

// lists matches a statement that reads members: of the tables in which companies, groups and boards have them.
var (
	lists = regexp.MustCompile(`(?i)\b(?:FROM|JOIN|STRAIGHT_JOIN) (?:membership|people_group|people_group_member|board_member)\b`)
	// toGuest matches what a guest sees of them.
	toGuestOnly = regexp.MustCompile(`reach\) >= 0 OR .* FROM board_access mine JOIN board b .*WHERE mine\.account_id = `)
)

// Each statement that shows members to a reader shows a guest those on its boards, or stands in unguarded with the
// reason. What sqlc cannot write is in db/people.go.
func TestEachStatementShowsGuestsWhomTheyMaySee(t *testing.T) {
	t.Parallel()
	met := map[string]bool{}
	lint := func(at, text string) {
		text = strings.TrimSpace(spaces.ReplaceAllString(sqlComment.ReplaceAllString(text, ""), " "))
		if !readOnly.MatchString(text) || !lists.MatchString(text) || toGuestOnly.MatchString(text) {
			return
		}
		met[at] = true
		if unguarded[at] == "" {
			t.Errorf("%s shows members to any guest. Look for those on the guest's boards, or name it in unguarded with "+
				"the reason\n%s", at, text)
		}
	}
	for name, text := range allQueries(t) {
		lint("queries: "+name, text)
	}
	for _, s := range literals(t, "..") {
		if strings.HasPrefix(s.where, "db/") && !strings.Contains(s.where, "test/") {
			lint(s.where, s.text)
		}
	}
	for at := range unguarded {
		if !met[at] {
			t.Errorf("%s is excused and need not be", at)
		}
	}
}

const (
	ofBoard = "its board was read in sight by the same request: dbtest.Below, which the tests of web check"
	ofFound = "for the server's index, and of tickets that FoundTickets has returned in sight"
	engine  = "no reader: the server filters what it sends to each"
	bulk    = "bulk work of an operator, which reports figures"
	outside = "for requesters, who hold a code or a link of the ticket"
)

// unsighted are the statements that take no sight, with their reasons.
var unsighted = map[string]string{
	"db/cards.go: a constant":              ofBoard,
	"db/ticket_order.go: entries":          ofBoard,
	"db/ticket_order.go: PlacesAmong":      "of the boards in sight that BoardsToSearch or BoardsInSight returns",
	"db/ticket_order.go: FirstInOrder":     "of the boards in sight that BoardsToSearch or BoardsInSight returns",
	"queries: TicketsAssignedTo":           "ids alone, of which PlacesAmong takes those on boards in sight",
	"queries: TicketsWithLabels":           "ids alone, of which PlacesAmong takes those on boards in sight",
	"db/webhook_ticket.go: TicketsMeeting": "of tickets that a page of a feed has in sight",
	"queries: SearchTickets":               ofFound,
	"queries: SearchLatestComments":        ofFound,
	"queries: SearchBoards":                engine,
	"queries: SearchTicketsOnBoard":        engine,
	"queries: SearchAliases":               engine,
	"queries: SearchComments":              engine,
	"queries: SearchChangedTickets":        engine,
	"queries: SearchChangedComments":       engine,
	"db/titles.go: TicketsByTitle":         "of the boards in sight that BoardsToSearch returns",
	"db/people.go: a constant":             "says whom a guest sees, and shows no row of a board",

	"queries: MemberBySlug":       "says whether the reader has an unread entry; UnreadOf counts those in sight",
	"queries: BoardHasAdmin":      "says whether a board has an admin",
	"queries: BoardAdmins":        "those to notify about a board",
	"queries: DueRecurrences":     "what is to be done, with the rights of each one's owner",
	"queries: BoardMembers":       "its board was read in sight, or is listed in settings for managers",
	"queries: PrivateBoards":      "managers see in settings that private boards exist, and who is on them",
	"queries: ReadersNamed":       engine,
	"queries: BoardsNamingReader": "its own condition is what the reader sees because boards name it",
	"queries: BoardNames":         "says whether GrantsOn must be read",
	"queries: GrantsOn":           "says what each reader sees",

	"queries: CountLabels":             "says how many labels a company has, to bound them",
	"queries: LabelsNamed":             "the labels of all boards, and of one that the request read in sight",
	"queries: LabelsByID":              "of labels that the request names, and refuses if they are of other boards",
	"queries: LockTicketsWhole":        "of tickets that the transaction read in sight",
	"queries: ChangesByOthers":         "of tickets that were read in sight",
	"queries: NewestActivity":          "a number alone",
	"queries: UndoneAmong":             "of entries that ActivitiesByID has read in sight",
	"db/activity_since.go: MovedSince": "of entries that ActivitiesByID has read in sight",
	"queries: ActivityDetails":         "of entries that the transaction added",
	"queries: ShownAs":                 "ids alone, of a label that the request read in sight",
	"queries: LabelledTickets":         "ids alone, to publish",
	"queries: CountLabelled":           "a number for an admin of the label",
	"queries: ServicesThatSee":         engine,
	"queries: LiveAliases":             engine,
	"queries: LiveBoards":              engine,
	"queries: LiveComments":            engine,
	"queries: LiveTickets":             engine,
	"queries: LiveRelated":             engine,
	"queries: LiveMentioned":           engine,
	"queries: LiveMentionedInComments": engine,
	"queries: SlugsNear":               "finds what a text mentions, which is shown to those who see it",
	"queries: ReadersOf":               engine,
	"queries: CompaniesOfBoards":       engine,
	"queries: CompaniesOfComments":     engine,
	"queries: CompaniesOfTickets":      engine,

	"queries: CompaniesOfBoardSights":   engine,
	"queries: CompaniesOfCommentSights": engine,
	"queries: CompaniesOfTicketSights":  engine,
	"queries: SnapshotNumbers":          "SnapshotComments of these tickets takes the sight",

	"queries: CommentsPublished": engine,
	"queries: LastBoard":         "shows no row",
	"queries: LastComment":       "shows no row",
	"queries: LastTicket":        "shows no row",

	"queries: BoardsAfter":            bulk,
	"queries: CommentsWithImages":     bulk,
	"queries: DescriptionsWithImages": bulk,
	"queries: DescriptionsOf":         bulk,
	"queries: TicketsToCount":         bulk,
	"queries: TicketsToIndex":         bulk,
	"queries: CommentsToIndex":        bulk,
	"queries: Misplaced":              bulk,
	"queries: Unfilled":               bulk,
	"queries: Whereabouts":            bulk,
	"queries: WaitingFor":             "only those who see both boards are notified",
	"queries: RelationRows":           "the writer sees both tickets, and what stands between others is only counted",
	"queries: RelatedBy":              "a cycle is refused whoever sees the tickets on its way",
	"queries: DeletedBefore":          bulk,
	"queries: OldNumbersOf":           bulk,
	"queries: TicketsNumbered":        bulk,
	"queries: TicketsOfOrigins":       bulk,
	"queries: SkippedNumbers":         bulk,
	"queries: LastTimes":              bulk,
	"queries: NumberTimes":            bulk,
	"queries: BoardOfParams":          "names the board of a run, for those who see it",
	"queries: KnownSlugs":             "says which slugs are taken, as the refusal of one does",

	"queries: OpenForm":             outside,
	"queries: PublicCommentsBefore": outside,
	"queries: RequestByForm":        outside,
	"queries: RequestTexts":         outside,
	"queries: TrackedByCode":        outside,
	"queries: TrackedByLink":        outside,

	"queries: BoardsOfWebhook":   "managers see in settings that private boards exist; it says what each says of the reader",
	"queries: WebhookByID":       "names the board of a webhook to managers, who see its title in settings",
	"queries: WebhooksAfter":     "as WebhookByID, to operators",
	"queries: WebhooksOfCompany": "as WebhookByID",
	"queries: AssignmentsOf":     "no reader: a run hands them over",
	"queries: CompanyFigures":    "counts the boards of a company for operators, who see figures",
}

// unguarded are the statements that take no sight of members, with their reasons.
var unguarded = map[string]string{
	"queries: IssuersOfAccount":        "the reader's own account",
	"queries: IssuerRules":             "owners see all members",
	"db/people.go: a constant":         "says whom a guest sees, or all members to others",
	"db/people.go: membersOnOpenBoard": "says whom a guest sees",

	"queries: BearerByHash":       ownRow,
	"queries: MemberBySlug":       ownRow,
	"queries: CompaniesOfAccount": ownRow,
	"queries: RolesBeside":        "says what a manager may do",
	"queries: CompanyFigures":     "counts, for operators",
	"queries: OwnersOf":           "to operators",
	"queries: FirstOwners":        "says whether there is another owner",
	"queries: HandlesAmong":       "makes the handle of a new member another than theirs",
	"queries: GuestsAmong":        "says whose streams end",

	"queries: BoardsSeenByReader": ownRow,
	"queries: RunImages":          ownRow,
	"queries: RunSeen":            ownRow,
	"queries: RejectionsOf":       ownRow,
	"queries: TasksAmong":         ownRow,
	"queries: FailedAmong":        ownRow,
	"queries: TaskOf":             ownRow,
	"queries: WebhookAttempt":     ownRow,
	"queries: WebhookAttempts":    ownRow,
	"queries: ReadersThatSee":     engine,
	"queries: ReadersNamed":       engine,
	"queries: BoardsNamingReader": ownRow,
	"queries: BoardReaders":       engine,
	"queries: BoardMembersAfter":  onBoard,
	"queries: GroupsAfter":        noGuests,
	"queries: GroupMembersAfter":  noGuests,

	"queries: GroupByID":       noGuests,
	"queries: GroupsOfCompany": noGuests,
	"queries: GroupMembers":    noGuests,
	"queries: GroupAccounts":   noGuests,
	"queries: BoardsOfGroup":   noGuests,
	"queries: PrivateBoards":   noGuests,

	"queries: AccountsThatSee":   onBoard,
	"queries: BoardMembers":      onBoard,
	"queries: BoardHasAdmin":     onBoard,
	"queries: BoardAdmins":       onBoard,
	"queries: GrantsOn":          onBoard,
	"queries: AssigneesOf":       "the names of a ticket that was read in sight",
	"queries: TicketByKey":       "the names of a ticket in sight",
	"queries: LockMembers":       "locks, and shows its callers no more than MembersByAccount does",
	"queries: ReadersOf":         engine,
	"queries: AuthorWatches":     engine,
	"queries: Watchers":          engine,
	"queries: RequestWatchers":   engine,
	"queries: UndecidedManagers": engine,
}

const (
	ownRow   = "the caller's own membership"
	noGuests = "groups and settings are not for guests"
	onBoard  = "of a board that was read in sight: who is named there sees it"
)
