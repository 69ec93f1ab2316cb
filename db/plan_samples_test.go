package db_test

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/id"
)

var (
	newYear = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	middle  = ptr(int64(filledTickets / 2 * gap)) // of column 1
	hash7   = hash("7")

	fingerprint7 = []byte{0, 0, 0, 0, 0, 0, 0, 7}
	column1      = ptr(id.Column(1))
)

// session7 is the id of a session.
var session7 = hash("7")[:16]

func hash(s string) []byte { h := sha256.Sum256([]byte(s)); return h[:] }

func firstTickets(n int) (tickets []id.Ticket) {
	for i := range n {
		tickets = append(tickets, id.Ticket(i+1))
	}
	return tickets
}

// ptrs points to each of a list.
func ptrs[T any](list []T) (pointers []*T) {
	for i := range list {
		pointers = append(pointers, &list[i])
	}
	return pointers
}

// unpublished are the first n tickets that wait to be published.
func unpublished(n int) (rows []uint64) {
	for i := range n {
		rows = append(rows, uint64(unpublishedTicket+i))
	}
	return rows
}

var firstWindows = []db.CardRange{{ColumnID: 1, To: 2000 * gap, Most: 2000}, {ColumnID: 2, To: 2000 * gap, Most: 2000},
	{ColumnID: 3, To: 2000 * gap, Most: 2000}}

func firstBoards(n int) (boards []id.Board) {
	for i := range n {
		boards = append(boards, id.Board(i+1))
	}
	return boards
}

var company1 = id.Company(1)

// auditStretch is why an audit reads more than a page.
const auditStretch = "it is about each row of 10,000 ids, by its key"

// amongThousand is why a search of members reads more than a page.
const amongThousand = "it looks among a thousand, and ends there"

var (
	toAll   = db.Sight{Company: 1, Reader: 7}
	toGuest = db.Sight{Company: 1, Reader: 600, Reach: db.ReachNamed} // which a private board names
	// toGuestOnOpen is named on an open board, so it sees all members but guests.
	toGuestOnOpen = db.Sight{Company: 1, Reader: 601, Reach: db.ReachNamed}
)

// toGuests are samples of lists that are other statements for a guest.
var toGuests = map[string][]sample{
	"Members": {
		{args: with(toGuest, 0, 101)},
		{args: with(toGuestOnOpen, 100, 101), sorts: 1500, because: "a page of each role is sorted"},
		{args: with(toGuestOnOpen, 600, 101), sorts: 1500, because: "a page of each role is sorted"},
	},
	"MembersWithHandle": {
		{args: with(toGuest, "", "~", "viewer", 201)},
		{args: with(toGuestOnOpen, "p1", "p1~", "viewer", 8), sorts: 2000, because: amongThousand},
		{args: with(toGuestOnOpen, "", "~", "viewer", 201), reads: 8000, sorts: 8000, because: amongThousand},
	},
	"MembersByName": {
		{args: with(toGuest, "Person 6%", "% Person 6%", "viewer", 8), sorts: 2000, because: amongThousand},
		{args: with(toGuestOnOpen, "Person 1%", "% Person 1%", "viewer", 8), reads: 8000, sorts: 8000, because: amongThousand},
	},
}

// samples has a line for every query that reads, and for every method of Queries written by hand. The arguments find
// something in the filled database (filled_test.go). Lines are in the order of queries/.
var samples = map[string]sample{
	// account_avatar.sql
	"SetAvatar":    {args: with("0123456789abcdef", 7)},
	"StoreAvatar":  {args: with(db.StoreAvatarParams{AccountID: 7, ContentType: "image/png", Content: []byte("x"), Now: newYear})},
	"DeleteAvatar": {args: with(7)},
	"AvatarOf":     {args: with(7, hex.EncodeToString(hash7)[:16])},

	// account.sql
	"SetHandle":          {args: with(db.SetHandleParams{Handle: "other", CompanyID: 1, AccountID: 7})},
	"SetZone":            {args: with("Europe/Berlin", 7)},
	"SetDisplay":         {args: with(db.SetDisplayParams{Theme: "dark", ID: 7})},
	"SetEmail":           {args: with("other@example.com", 7)},
	"SetDeactivated":     {args: with(&newYear, 7)},
	"SetInactive":        {args: with(true, 7)},
	"AccountsAfter":      {args: with(100, 51)},
	"AccountsByEmail":    {args: with("p10%", 51)},
	"AccountsByName":     {args: with("Person 10%", 51)},
	"AccountByEmail":     {args: with("p7@example.com")},
	"AccountByID":        {args: with(7)},
	"HandlesAmong":       {args: with(1, []string{"p1", "p2"})},
	"MemberBySlug":       {args: with("c1", id.Account(7))},
	"CompaniesOfAccount": {args: with(1)},
	"RenameAccount":      {args: with("x", 7)},
	"SetPassword":        {args: with("x", 7)},
	"AskForPassword":     {args: with(&newYear, 7)},
	"KnowAccount":        {args: with(&newYear, 7)},
	"EndSessions":        {args: with(7)},
	"LockEpoch":          {args: with(7)},
	"Epochs":             {args: with([]id.Account{7, 8})},
	"SetOperator":        {args: with(true, 7)},
	"FirstOperators":     {args: with()},
	"MemberByID":         {args: with(db.MemberByIDParams{CompanyID: 1, AccountID: 7, Reader: 600, Reach: db.ReachNamed})},
	"FirstOwners":        {args: with(1)},
	"ChangeRole":         {args: with(db.ChangeRoleParams{Role: "admin", CompanyID: 1, AccountID: 7})},
	"DeleteMembership":   {args: with(1, 7)},
	"RolesBeside":        {args: with(7, 1)},

	// activity.sql
	"RecordOpened":     {args: with(db.RecordOpenedParams{BoardID: 1, After: 100, To: 150})},
	"RecordOfMany":     {args: with(db.RecordOfManyParams{AccountID: 1, Kind: "moved", Detail: "{}", CreatedAt: newYear, Tickets: firstTickets(200)}), reads: 2000, because: "a chunk is 200 tickets"},
	"ActivityOfTicket": {args: with(db.ActivityOfTicketParams{TicketID: busyTicket, BeforeID: 20400, Limit: 51})},
	"LastActivity":     {args: with(removedTicket, "deleted")},
	"LastLocations":    {args: with(busyTicket)},
	"LastEdits":        {args: with(busyTicket, 2)},
	"FirstEdits":       {args: with(busyTicket, 2)},
	"LastActions":      {args: with(int8(0), 1)},
	"ActivitiesByID":   {args: with(db.ActivitiesByIDParams{Reader: 7, Ids: []id.Activity{20400, 20401, 7}, CompanyID: 1})},
	"MarkAllUndone":    {args: with(&newYear, []id.Activity{20400, 20401, 7})},
	"UndoneAmong":      {args: with([]id.Activity{7, 8, 9})},
	"MovedSince":       {args: with([]db.HistoryPlace{{Ticket: busyTicket, Entry: 20400}, {Ticket: 8, Entry: 8}, {Ticket: 9, Entry: 9}})},
	"MarkUndone":       {args: with(&newYear, 20400)},
	"ChangeSince":      {args: with(busyTicket, 20400)},

	// assignee.sql
	"AssigneesOf":     {args: with(1, firstTickets(150))},
	"Unassign":        {args: with(7, []id.Account{1, 9})},
	"AssignmentsOf":   {args: with(db.AssignmentsOfParams{AccountID: 1, Limit: 50})},
	"AssignedTickets": {args: with(db.AssignedTicketsParams{AccountID: 1, BeforeID: 1000, CompanyID: 1, Limit: 101})},
	"SetCurrentOf":    {args: with(true, firstTickets(200)), reads: 2000, because: "a chunk is 200 tickets"},

	// label.sql
	"CreateLabel":     {args: with(db.CreateLabelParams{CompanyID: 1, Name: "New", CreatedAt: newYear})},
	"CountLabels":     {args: with(1), reads: 600, because: "a company has 500"},
	"LabelsShown":     {args: with([]id.Label{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})},
	"LabelsOn":        {args: with(db.LabelsOnParams{CompanyID: 1, BoardID: 6, Limit: 500}), reads: 600, because: "a company has 500"},
	"LabelsInSight":   {args: with(db.LabelsInSightParams{Reader: 7, CompanyID: 1, Limit: 500}), reads: 1000, because: "a company has 500, some with a board"},
	"EndedLabels":     {args: with(db.EndedLabelsParams{Reader: 7, CompanyID: 1, Since: &newYear, Limit: 100})},
	"LabelByID":       {args: with(db.LabelByIDParams{Reader: 7, ID: 5, CompanyID: 1})},
	"LabelsNamed":     {args: with(db.LabelsNamedParams{CompanyID: 1, BoardID: 6, Name: "Old 7", Limit: 10})},
	"LockLabels":      {args: with([]id.Label{1, 2, 3}, 1)},
	"LabelsByID":      {args: with([]id.Label{1, 2, 3}, 1)},
	"RenameLabel":     {args: with(db.RenameLabelParams{Name: "New", ID: 7})},
	"DropOldNames":    {args: with(7, "Old 7")},
	"KeepOldName":     {args: with(&newYear, 7)},
	"EndLabel":        {args: with(db.EndLabelParams{EndedAt: &newYear, LeadsTo: 8, ID: 7})},
	"ReviveLabel":     {args: with(501)},
	"ShownAs":         {args: with(7, 1000)},
	"ShowAs":          {args: with(8, []id.Label{501, 502})},
	"LabelsOfTickets": {args: with(firstTickets(150)), reads: 1000, because: "150 tickets with two labels each"},
	"LabelTicket":     {args: with(7, 8)},
	"UnlabelTicket":   {args: with(7, []id.Label{1, 9})},
	"TouchTicket":     {args: with(newYear, 7)},
	"LabelledTickets": {args: with(db.LabelledTicketsParams{LabelID: 1, After: 2000, Limit: 100})},
	"CountLabelled":   {args: with([]id.Label{1, 7}, 100)},

	"React":          {args: with(db.ReactParams{CommentID: 9, Kind: 1, AccountID: 499, Now: newYear})},
	"Unreact":        {args: with(db.UnreactParams{CommentID: 9, Kind: 1, AccountID: 9})},
	"OpenStays":      {args: with(db.OpenStaysParams{Now: newYear, BoardID: 1, After: 6000, To: 6050})},
	"EndStays":       {args: with(newYear, []id.Ticket{7, 8, 9})},
	"BeginStays":     {args: with(db.BeginStaysParams{Now: newYear.AddDate(1, 0, 0), AccountID: 1, Tickets: []id.Ticket{7, 8, 9}})},
	"EndStay":        {args: with(newYear, 7)},
	"MarkStaysKnown": {args: with(db.MarkStaysKnownParams{BoardID: 1, After: 100, To: 200})},
	"FoldColumn":     {args: with(7, 3)},
	"UnfoldColumn":   {args: with(7, 3)},
	"UnfoldForAll":   {args: with(3)},
	"Misplaced":      {args: with(db.MisplacedParams{BoardID: 1, After: 100, To: 200})},
	"UnmarkStays":    {args: with([]id.Ticket{7, 8, 9})},
	"Unfilled":       {args: with(db.UnfilledParams{BoardID: 1, After: 100, To: 200})},
	"Whereabouts":    {args: with([]id.Ticket{7, 8, 9}), reads: 2000, because: "the histories of tickets"},
	"ColumnsNamed":   {args: with([]id.Board{1, 2})},
	"StaysOf":        {args: with(7)},

	// backlink.sql
	"SlugsNear":       {args: with([]string{"B7", "B8"}, 1)},
	"DropBacklinks":   {args: with(8, 0)},
	"DropBacklinksOf": {args: with([]id.Ticket{8, 9})},
	"Backlinks":       {args: with(db.BacklinksParams{TicketID: 7, Reader: 1, Limit: 20})},
	"CountComment":    {args: with(1, 7)},
	"UncountComments": {args: with(db.UncountCommentsParams{BoardID: 1, After: 100, To: 200})},
	"CountComments":   {args: with([]id.Ticket{7, 8, 9})},
	"CommentsToIndex": {args: with(db.CommentsToIndexParams{TicketID: 7, Limit: 200})},
	"TicketsToIndex":  {args: with(db.TicketsToIndexParams{BoardID: 1, After: 100, To: 200})},

	// recurrence.sql
	"RecurrencesOf":      {args: with([]id.Ticket{7, 8, 9})},
	"AddRecurrence":      {args: with(db.AddRecurrenceParams{TicketID: 9000, AccountID: 1, Rule: "FREQ=DAILY", Opens: "due", TimeZone: "UTC", FirstAt: newYear, DueAt: &newYear, CreatedAt: newYear})},
	"AddOccurrence":      {args: with(db.AddOccurrenceParams{RecurrenceID: 7, OccursAt: newYear.AddDate(1, 0, 0), TicketID: 9000})},
	"DropOccurrences":    {args: with(7)},
	"DropRecurrence":     {args: with(6000)},
	"DueRecurrences":     {args: with(ptr(newYear.AddDate(0, 0, 30)), 100)},
	"ClaimRecurrence":    {args: with(db.ClaimRecurrenceParams{Later: &newYear, ID: 7, Now: &newYear})},
	"PostponeRecurrence": {args: with(db.PostponeRecurrenceParams{DueAt: &newYear, ID: 7, LastAt: newYear})},
	"Recur":              {args: with(db.RecurParams{TicketID: 9000, NowAt: newYear, ID: 7, SeenTicket: 7, LastAt: newYear})},
	"PauseRecurrence":    {args: with(db.PauseRecurrenceParams{State: "ended", ID: 7, LastAt: newYear})},
	"ClosedRecurrences":  {args: with(&newYear, []id.Ticket{7, 8, 9})},
	"CountReactions":     {args: with(7), reads: 600, because: "a company's members, each in six ways"},
	"SetReactions":       {args: with("1,0,0,0,0,0", 9)},
	"ReactionsTo":        {args: with([]id.Comment{7, 8, 9}, 2000), reads: 1000, because: "up to 2,000 of a page of comments"},

	// template.sql
	"CreateBulkEdit":          {args: with(db.CreateBulkEditParams{CompanyID: 1, BoardID: ptr(id.Board(6)), AccountID: 7, RunID: 9999, Edit: "{}", CreatedAt: newYear})},
	"BulkEditByID":            {args: with(db.BulkEditByIDParams{Reader: 7, ID: 7, CompanyID: 1})},
	"BulkEditOfRun":           {args: with(7)},
	"OwnBulkEdits":            {args: with(db.OwnBulkEditsParams{Reader: 7, CompanyID: 1, BeforeID: 1 << 40, Limit: 51})},
	"BoardBulkEdits":          {args: with(db.BoardBulkEditsParams{Reader: 7, BoardID: ptr(id.Board(6)), CompanyID: 1, BeforeID: 1 << 40, Limit: 51})},
	"LastUndoOf":              {args: with(1)},
	"CountBulkEdit":           {args: with(db.CountBulkEditParams{Changed: 1, ID: 7})},
	"TicketsOfBulkEdit":       {args: with(1, []id.Ticket{7, 8, 9})},
	"BulkEditItems":           {args: with(db.BulkEditItemsParams{CompanyID: 1, Reader: 7, BulkEditID: 1, Outcome: "changed", Limit: 401})},
	"CompanyBulkEdits":        {args: with(db.CompanyBulkEditsParams{CompanyID: 1, Reader: 7, BeforeID: 900, Limit: 51})},
	"ChangesOfBulkEdit":       {args: with(db.ChangesOfBulkEditParams{BulkEditID: 1, Limit: 51})},
	"TakeBulkEditNotice":      {args: with(7, 499)},
	"OldBulkEdits":            {args: with(newYear.AddDate(1, 0, 0))},
	"ForgetBulkEditItems":     {args: with(4999)},
	"ForgetBulkEditNotices":   {args: with(7)},
	"ForgetBulkEdit":          {args: with(4950)},
	"TicketsByIDs":            {args: with(db.TicketsByIDsParams{Reader: 7, Ids: []id.Ticket{7, 8, 9}, CompanyID: 1})},
	"LockTicketsWhole":        {args: with([]id.Ticket{7, 8, 9})},
	"ActivityDetails":         {args: with([]id.Activity{7, 8, 9})},
	"CreateSavedView":         {args: with(db.CreateSavedViewParams{CompanyID: 1, BoardID: ptr(id.Board(6)), AccountID: 6, Name: "New", Layout: "list", Now: newYear})},
	"SaveSavedView":           {args: with(db.SaveSavedViewParams{Name: "New", Layout: "list", Now: newYear, ID: 7, CompanyID: 1, Version: 1})},
	"DeleteSavedView":         {args: with(4999, 1)},
	"OwnSavedViews":           {args: with(db.OwnSavedViewsParams{Reader: 7, CompanyID: 1, Limit: 100})},
	"SharedSavedViews":        {args: with(db.SharedSavedViewsParams{Reader: 7, CompanyID: 1, Limit: 300})},
	"SavedViewByID":           {args: with(db.SavedViewByIDParams{Reader: 7, ID: 7, CompanyID: 1})},
	"PinnedViews":             {args: with(db.PinnedViewsParams{Reader: 7, CompanyID: 1, Limit: 12})},
	"CountOwnViews":           {args: with(7, 1)},
	"CountSharedViews":        {args: with(1, 300)},
	"CountPins":               {args: with(7, 1)},
	"PinView":                 {args: with(db.PinViewParams{AccountID: 7, CompanyID: 1, ViewID: 13, Now: newYear})},
	"UnpinView":               {args: with(db.UnpinViewParams{AccountID: 7, CompanyID: 1, ViewID: 12})},
	"ForgetPins":              {args: with(7, 1)},
	"PinnedBoards":            {args: with(db.PinnedBoardsParams{Reader: 7, CompanyID: 1, Limit: 20})},
	"PinBoard":                {args: with(db.PinBoardParams{AccountID: 7, BoardID: 200, Now: newYear})},
	"UnpinBoard":              {args: with(7, 12)},
	"HomeVisit":               {args: with(7, 1)},
	"SaveHomeVisit":           {args: with(db.SaveHomeVisitParams{AccountID: 7, CompanyID: 1, LastAt: newYear})},
	"NewestActivity":          {},
	"ChangedTickets":          {args: with(db.ChangedTicketsParams{Reader: 7, After: ptr(uint64(1000)), To: ptr(uint64(3000)), Boards: firstBoards(20), CompanyID: 1, Limit: 200})},
	"ChangesByOthers":         {args: with(db.ChangesByOthersParams{Tickets: firstTickets(200), Reader: 7, Limit: 2000})},
	"CommentsByOthers":        {args: with(db.CommentsByOthersParams{Reader: 7, After: ptr(uint64(1000)), To: ptr(uint64(3000)), Boards: firstBoards(20), CompanyID: 1, Limit: 200})},
	"CalendarAddresses":       {args: with(db.CalendarAddressesParams{AccountID: 7, CompanyID: 1, Limit: 50})},
	"CountCalendarAddresses":  {args: with(7, 1)},
	"SetCalendarAddress":      {args: with(db.SetCalendarAddressParams{AccountID: 7, CompanyID: 1, ViewID: 51, Hash: bytes.Repeat([]byte{7}, 32), Now: newYear})},
	"DropCalendarAddress":     {args: with(db.DropCalendarAddressParams{AccountID: 7, CompanyID: 1, ViewID: 50})},
	"ForgetCalendarAddresses": {args: with(7, 1)},
	"CalendarAddressByHash":   {args: with(hash("7"))},
	"CreateTemplate":          {args: with(db.CreateTemplateParams{BoardID: 6, Name: "New", Now: newYear})},
	"SaveTemplate":            {args: with(db.SaveTemplateParams{Name: "New", Now: newYear, ID: 7, BoardID: 6, Version: 1})},
	"DeleteTemplate":          {args: with(db.DeleteTemplateParams{Now: &newYear, ID: 1999, BoardID: 1999%290 + 7})},
	"RestoreTemplate":         {args: with(db.RestoreTemplateParams{ID: 2101, BoardID: 8, Since: &newYear})},
	"DeletedTemplates":        {args: with(db.DeletedTemplatesParams{BoardID: 8, Since: &newYear, Limit: 50})},
	"DeletedTemplate":         {args: with(2101, 8)},
	"PastTemplates":           {args: with(db.PastTemplatesParams{BoardID: 8, UpTo: &newYear, Limit: 50})},
	"ForgetTemplate":          {args: with(2000)},
	"Templates":               {args: with(6, 50)},
	"TemplateByID":            {args: with(7, 6)},
	"LabelsOfTemplate":        {args: with(1)},
	"AssigneesOfTemplate":     {args: with(1)},
	"LabelTemplate":           {args: with(7, 8)},
	"UnlabelTemplate":         {args: with(1)},
	"AssignTemplate":          {args: with(7, 8)},
	"UnassignTemplate":        {args: with(1)},

	// audit.sql
	"CreateAudit":           {args: with(db.CreateAuditParams{Kind: "signed-in", Detail: "{}", CreatedAt: newYear})},
	"AnySpread":             {args: with()},
	"NextSpread":            {args: with()},
	"CompaniesBefore":       {args: with(db.CompaniesBeforeParams{After: 1, At: newYear.AddDate(100, 0, 0), Limit: 500})},
	"AdvanceSpread":         {args: with(db.AdvanceSpreadParams{To: 500, AuditID: 4001})},
	"EndSpread":             {args: with(4001)},
	"AcquireSealer":         {args: with(db.AcquireSealerParams{Owner: 1, LeaseUs: 1})},
	"Sealer":                {args: with()},
	"BeginChainsAnew":       {args: with()},
	"UnsealAudit":           {args: with(500)},
	"DeleteAuditChain":      {args: with(7)},
	"UnsealedAudit":         {args: with(500)},
	"AuditChain":            {args: with(1)},
	"AuditChainsAfter":      {args: with(1, 100)},
	"SetAuditHead":          {args: with(db.SetAuditHeadParams{LastSeq: 1, LastMac: hash7, HeadMac: hash7, Chain: 1})},
	"SetAuditPurged":        {args: with(db.SetAuditPurgedParams{PurgedSeq: 1, PurgedMac: hash7, PurgeMac: hash7, Chain: 1})},
	"SealedAudit":           {args: with(db.SealedAuditParams{CompanyID: &company1, After: new(uint64), Limit: 500})},
	"DeleteAudit":           {args: with([]id.Audit{1, 2})},
	"SealAudit":             {args: with([]db.Seal{{ID: 5999, Seq: 1, MAC: hash7}})},
	"CopyAudit":             {args: with(4001, []id.Company{1, 2, 3})},
	"CreateAuditEverywhere": {args: with(db.CreateAuditEverywhereParams{Kind: "signed-in", Detail: "{}", CreatedAt: newYear, AccountID: 1})},
	"AuditPage":             {args: with(db.AuditPageParams{CompanyID: &company1, Before: 1000, Limit: 101})},

	// board.sql
	"BoardBySlug":        {args: with(db.BoardBySlugParams{Reader: 7, CompanyID: 1, Slug: "B7"})},
	"BoardByID":          {args: with(db.BoardByIDParams{Reader: 7, ID: 7, CompanyID: 1})},
	"TicketsAssignedTo":  {args: with(7, 2001), reads: 2100, because: "as many as it is told"},
	"TicketsWithLabels":  {args: with([]id.Label{1, 2}, 2001), reads: 2100, because: "as many as it is told"},
	"BoardsByID":         {args: with(db.BoardsByIDParams{Reader: 7, Ids: firstBoards(200), CompanyID: 1})},
	"BoardsOfCompany":    {args: with(db.BoardsOfCompanyParams{Reader: 7, CompanyID: 1})},
	"BoardSlugs":         {args: with(db.BoardSlugsParams{Reader: 7, CompanyID: 1, Slugs: []string{"B7", "B8"}})},
	"BoardNames":         {args: with(7)},
	"AccountsThatSee":    {args: with(1, []id.Account{7, 8})},
	"ReadersThatSee":     {args: with(1300)},
	"ReadersNamed":       {args: with(299)},
	"BoardsNamingReader": {args: with(1, 7), reads: 3500, because: "as many boards as name the account"},
	"BoardsSeenByReader": {args: with(1, 8)},
	"GrantsOn":           {args: with(1, []id.Account{7, 8})},
	"ColumnsOfBoards":    {args: with(firstBoards(300))},
	"LockColumns":        {args: with([]id.Column{1, 3})},
	"AppendRanks":        {args: with(db.AppendRanksParams{K: 1, Span: gap, ID: 1, BoardID: 1})},
	"ShiftCount":         {args: with(db.ShiftCountParams{N: 1, From: 1, To: 2})},
	"AddToCount":         {args: with(1, 1)},
	"RaiseLastRank":      {args: with(1, 1)},
	"LockBoardsShared":   {args: with([]id.Board{1, 4})},
	"EditBoard":          {args: with(db.EditBoardParams{Slug: "B7", Title: "x", Now: newYear, ID: 7, Version: 1})},
	"ArchiveBoard":       {args: with(db.ArchiveBoardParams{ArchivedAt: &newYear, Now: newYear, ID: 7, Version: 1})},
	"SaveColumn":         {args: with(db.SaveColumnParams{Name: "x", ID: 1})},
	"SetColumnPosition":  {args: with(9, 1)},
	"RemoveColumn":       {args: with(7)},
	"LockSpread":         {args: with(1)},
	"BeginSpread":        {args: with(db.BeginSpreadParams{Run: 1, SpreadFrom: 1, ID: 1})},
	"LastNumber":         {args: with(1)},
	"BeginColumnChange":  {args: with(db.BeginColumnChangeParams{Kind: "close", Run: 1, Account: 1, Since: &newYear, ID: 1})},
	"SaveColumnChange":   {args: with(db.SaveColumnChangeParams{Done: 1, ID: 1})},
	"EndColumnChange":    {args: with(1)},
	"AddIncoming":        {args: with(1, 1)},
	"SetSpread":          {args: with(1, 1)},
	"BoardsAfter":        {args: with(100, 500)},
	"RepublishBoards":    {args: with(firstBoards(20))},
	"BoardsInSight":      {args: with(db.BoardsInSightParams{Reader: 7, Ids: firstBoards(300), CompanyID: 1})},
	"BoardsToSearch":     {args: with(db.BoardsToSearchParams{Reader: 7, CompanyID: 1, Limit: 100})},
	"BoardReaders":       {args: with(db.BoardReadersParams{CompanyID: 1, BoardID: 1, Limit: 1000})},

	// access.sql
	"BoardHasAdmin":             {args: with(1)},
	"BoardAdmins":               {args: with(db.BoardAdminsParams{BoardID: 1, Limit: 1000})},
	"BoardMembersAfter":         {args: with(db.BoardMembersAfterParams{BoardID: 1, Kind: "account", MemberID: 100, LastKind: "group", Limit: 51})},
	"BoardMembers":              {args: with(1, 500), reads: 3100, because: "a board names 500, each with its name and membership", sorts: 3100},
	"PrivateBoards":             {args: with(1)},
	"CopyBoardMembers":          {args: with(1500, 1)},
	"DropBoardMember":           {args: with(db.DropBoardMemberParams{BoardID: 1, Kind: "group", MemberID: 1})},
	"DropBoardMemberEverywhere": {args: with(db.DropBoardMemberEverywhereParams{Kind: "account", MemberID: 7, CompanyID: 1})},
	"LinkOfBoard":               {args: with(7)},
	"DropBoardLink":             {args: with(7)},
	"PublicBoard":               {args: with(hash("1"))},
	"PublicTicket":              {args: with(hash("1"), 7)},
	"SetPrivacy":                {args: with(db.SetPrivacyParams{Privacy: 1, Now: newYear, ID: 1, Version: 1})},
	"ClearAccessTo":             {args: with(1)},
	"FillAccessTo":              {args: with(db.FillAccessToParams{BoardID: 9999})},
	"ClearAccessOf":             {args: with(8, 1)},
	"FillAccessOf":              {args: with(db.FillAccessOfParams{AccountID: 2000, MemberID: 2000, CompanyID: 1})},

	// group.sql
	"RenameGroup":       {args: with(db.RenameGroupParams{Name: "x", ID: 1, CompanyID: 1})},
	"GroupByID":         {args: with(1, 1)},
	"GroupsOfCompany":   {args: with(db.GroupsOfCompanyParams{Reader: 7, CompanyID: 1, Limit: 200}), reads: 4500, sorts: 4500, because: "there are at most 200 groups, with the counts of each"},
	"GroupsAfter":       {args: with(db.GroupsAfterParams{CompanyID: 1, After: 500, Limit: 51}), reads: 1100, sorts: 1100, because: "a company has at most 200 groups"},
	"GroupMembersAfter": {args: with(db.GroupMembersAfterParams{GroupID: 1, After: 100, Limit: 51})},
	"GroupMembers":      {args: with(1, 1000), reads: 3100, sorts: 3100, because: "a group of 500, each with its name and role"},
	"GroupAccounts":     {args: with(1, 1000)},
	"DropFromGroup":     {args: with(1, 8)},
	"DropFromGroups":    {args: with(8, 1)},
	"EmptyGroup":        {args: with(1500)},
	"DeleteGroup":       {args: with(1500, 1)},
	"BoardsOfGroup":     {args: with(1, 1000)},

	// comment.sql
	"CommentOfTicket":       {args: with(250, busyTicket)},
	"LockComment":           {args: with(250, busyTicket)},
	"EditComment":           {args: with(db.EditCommentParams{Body: "x", Now: newYear, ID: 250, Version: 1})},
	"DeleteComment":         {args: with(db.DeleteCommentParams{DeletedAt: &newYear, ID: 250})},
	"RestoreComment":        {args: with(db.RestoreCommentParams{Body: "x", Now: newYear, ID: 250})},
	"KeepDeletedText":       {args: with(db.KeepDeletedTextParams{CommentID: 250, TicketID: busyTicket, AccountID: 1, Body: "x", DeletedAt: newYear})},
	"LockDeletedText":       {args: with(600)},
	"DropDeletedText":       {args: with(600)},
	"ForgetDeletedTexts":    {args: with(newYear.Add(30 * time.Minute))},
	"OlderComments":         {args: with(db.OlderCommentsParams{TicketID: busyTicket, BeforeID: 450, Limit: 201})},
	"RepublishComments":     {args: with(busyTicket)},
	"RepublishCommentsOf":   {args: with(firstTickets(100))},
	"RepublishCommentRange": {args: with(db.RepublishCommentRangeParams{TicketID: busyTicket, AfterID: 250, ToID: 350})},
	"CommentCounts":         {args: with(firstTickets(100))},
	"CommentIDsAfter":       {args: with(db.CommentIDsAfterParams{TicketID: busyTicket, AfterID: 250, Limit: 100})},
	"RepublishCommentRows":  {args: with([]id.Comment{1, 2, 3})},
	"CommentsInSight":       {args: with(db.CommentsInSightParams{Reader: 7, Ids: []id.Comment{1, 2, 3}, CompanyID: 1})},
	"CommentsBefore":        {args: with(db.CommentsBeforeParams{TicketID: busyTicket, BeforeID: 250, Limit: 26})},
	"CommentsAfter":         {args: with(db.CommentsAfterParams{TicketID: busyTicket, AfterID: 250, Limit: 26})},

	// company.sql
	"InstallationExists":  {args: with()},
	"CompaniesAfter":      {args: with(0, 101)},
	"ListCompanies":       {args: with(0, 51)},
	"CompanyFigures":      {args: with(db.CompanyFiguresParams{CompanyID: 1}), reads: 3100, because: "it counts three times a thousand"},
	"OwnersOf":            {args: with(1)},
	"CompanyBySlug":       {args: with("c7")},
	"RenameCompany":       {args: with("x", 7)},
	"LockCompany":         {args: with(7)},
	"RequireSecondFactor": {args: with(db.RequireSecondFactorParams{Required: true, ID: 7})},
	"RequireIssuer":       {args: with(db.RequireIssuerParams{Required: true, ID: 1})},
	"FirstCompanies":      {args: with()},
	"LockInstallation":    {args: with()},

	// feed_pages.sql
	"SnapshotTickets":   {args: with(db.SnapshotTicketsParams{BoardID: 1, CompanyID: 1, After: 100, Limit: 500})},
	"SnapshotNumbers":   {args: with(db.SnapshotNumbersParams{BoardID: 1, After: 100, To: 1 << 60, Limit: 200})},
	"SnapshotComments":  {args: with(db.SnapshotCommentsParams{Tickets: firstTickets(200), BoardID: 1, CompanyID: 1, Limit: 100})},
	"PublishedTickets":  {args: with(db.PublishedTicketsParams{Webhook: 1, After: ptr(uint64(10000)), To: ptr(uint64(30000)), Limit: 500})},
	"PublishedComments": {args: with(db.PublishedCommentsParams{Webhook: 1, After: ptr(uint64(3000)), To: ptr(uint64(30000)), Limit: 200})},
	"PublishedBoards":   {args: with(db.PublishedBoardsParams{Webhook: 1, After: ptr(uint64(100)), To: ptr(uint64(30000)), Limit: 500})},

	// failover.sql
	"LastFailover":       {args: with()},
	"EndFailover":        {args: with(db.EndFailoverParams{Report: "{}", EndedAt: &newYear, ID: 1})},
	"SetFailoverMint":    {args: with(1, 1)},
	"CountEndedSessions": {args: with(1, 1)},
	"EndBrowserSessions": {args: with(500), reads: 2000, because: "it ends 500 sessions at a time"},
	"LastTimes":          {args: with()},
	"NumbersHandedOut":   {args: with(db.NumbersHandedOutParams{FailoverID: 1, After: 1, Limit: 50})},
	"NumberTimes":        {args: with(db.NumberTimesParams{BoardID: 1, Below: 20000, Limit: 250}), reads: 5000, because: "each ticket is looked up by its id in two tables"},
	"SkipNumbers":        {args: with(100, 1)},
	"SkippedNumbers":     {args: with(db.SkippedNumbersParams{FailoverID: 1, After: 0, Limit: 250})},
	"WebhookIDs":         {args: with(1, 250)},
	"FenceWebhooks":      {args: with(1, []id.Webhook{1, 2})},
	"FenceFill":          {args: with(1, 1)},
	"ProcessingTasks":    {args: with(db.ProcessingTasksParams{RunID: 1, After: 0, Limit: 250})},
	"FenceTasks":         {args: with([]id.Task{1, 2})},
	"AuditOfAll":         {args: with(1000, 250)},
	"LastAudit":          {args: with()},
	"CompanyIDs":         {args: with(1, 250)},
	// After is the last entry before a failover, while which nobody else writes any.
	"AuditedSince": {args: with(db.AuditedSinceParams{CompanyID: &company1, After: 1_900, Kind: "failed-over"})},

	// idempotency.sql
	"StoredResponse":  {args: with(1, hash7)},
	"DeleteResponse":  {args: with(db.DeleteResponseParams{TokenID: 1, KeyHash: hash7, Before: newYear.AddDate(1, 0, 0)})},
	"DeleteResponses": {args: with(newYear.AddDate(1, 0, 0))},

	// image.sql
	"SizeOfImages":           {args: with(), reads: 10100, because: "it counts 10,000"},
	"SaveImage":              {args: with(db.SaveImageParams{CompanyID: 1, Hash: hash7, ContentType: "image/png", CreatedAt: newYear})},
	"SaveImageSource":        {args: with(db.SaveImageSourceParams{CompanyID: 1, UrlHash: hash7, Url: "x", Hash: hash7, CreatedAt: newYear})},
	"ImageByHash":            {args: with(db.ImageByHashParams{CompanyID: 1, Hash: hash7, Reader: 1})},
	"ImageBySource":          {args: with(db.ImageBySourceParams{CompanyID: 1, UrlHash: hash("https://images.example/" + strings.ToUpper(hex.EncodeToString(hash7))), Since: newYear})},
	"DescriptionsWithImages": {args: with(db.DescriptionsWithImagesParams{After: 500, To: 1000, CompanyID: 1})},
	"QueuePicture":           {args: with(db.QueuePictureParams{TicketID: 7, UrlHash: hash("x"), Url: "x", CompanyID: 1, AccountID: 1, DueAt: &newYear, Now: newYear})},
	"BindPicture":            {args: with(db.BindPictureParams{TicketID: 7, UrlHash: hash("y"), Url: "y", CompanyID: 1, AccountID: 1, Hash: hash7, Now: newYear})},
	"PicturesShown":          {args: with(7, [][]byte{hash7, hash("x")})},
	"PicturesKnown":          {args: with(7, [][]byte{hash7, hash("x")})},
	"DuePictures":            {args: with([]id.Company{3, 0}, 40)},
	"ClaimPicture":           {args: with(db.ClaimPictureParams{LeaseUs: 1000, TicketID: 7, UrlHash: hash7, DueAt: &newYear})},
	"PostponePicture":        {args: with(db.PostponePictureParams{WaitUs: 1000, TicketID: 7, UrlHash: hash7})},
	"DropPicture":            {args: with(7, hash7)},
	"SaveRunImage":           {args: with(db.SaveRunImageParams{RunID: 2, CompanyID: 1, UrlHash: hash7, Url: "x", Hash: hash7, CreatedAt: newYear})},
	"RunImages":              {args: with(db.RunImagesParams{Reader: 7, Before: 2000, Limit: 101}), reads: 1200, because: "a page of 100, each with its image, company, membership and whether a ticket shows it"},
	"StorePicture":           {args: with(db.StorePictureParams{Hash: hash7, TicketID: 7, UrlHash: hash7})},
	"CommentsWithImages":     {args: with(db.CommentsWithImagesParams{After: 500, To: 1000, CompanyID: 1})},
	"LastTicket":             {args: with()},
	"LastComment":            {args: with()},

	// invitation.sql
	"LiveInvitations":     {args: with(1, newYear)},
	"InvitationByHash":    {args: with(hash7)},
	"InvitationByID":      {args: with(7, 1)},
	"UseInvitation":       {args: with(7, newYear)},
	"TakeReservation":     {args: with(7, 7)},
	"InvitationReserved":  {args: with(7, 1)},
	"GiveInvitationBack":  {args: with(7)},
	"DropReservationsOf":  {args: with(1, 1), reads: 6000, because: "as many uses as wait for the account"},
	"ReserveInvitation":   {args: with(db.ReserveInvitationParams{InvitationID: 7, AccountID: 7, CreatedAt: newYear})},
	"RevokeInvitation":    {args: with(&newYear, 7)},
	"RevokeInvitationsBy": {args: with(db.RevokeInvitationsByParams{Now: &newYear, CreatedBy: 7, CompanyID: 1})},

	// member.sql
	"MembersByHandle":  {args: with(db.MembersByHandleParams{CompanyID: 1, Handles: []string{"p7", "p8", "nobody"}, Reader: 600, Reach: db.ReachNamed})},
	"MembersByAccount": {args: with(db.MembersByAccountParams{CompanyID: 1, Accounts: []id.Account{7, 8}, Reader: 600, Reach: db.ReachNamed})},
	"LockMembers":      {args: with(1, []id.Account{7, 8})},
	"GuestsAmong":      {args: with([]id.Account{600, 601, 7})},

	// migration_attempt.sql
	"LastFailures": {args: with(db.LastFailuresParams{RunID: 1, After: 19000, Limit: 100})},
	"LastAttempt":  {args: with(1)},

	// migration_counter.sql
	"ProgressOf": {args: with(1)},
	"CountersOf": {args: with(1)},

	// migration_event.sql

	// migration_lease.sql
	"LeaseRenewed":   {args: with("keeper")},
	"ProgressOfRuns": {args: with([]id.Run{1, 2, 3})},

	// migration_event.sql
	"RunEventsOf": {args: with(db.RunEventsOfParams{RunID: 1, Before: 2000, Limit: 51})},

	// migration_rejection.sql
	"RejectionsOf": {args: with(db.RejectionsOfParams{Reader: 1, RunID: 1, After: 1000, Limit: 101})},

	// migration_purge.sql
	"RunsToPurge":        {args: with(db.RunsToPurgeParams{After: 1000, Before: ptr(time.Now().UTC()), Limit: 100})},
	"PurgeRun":           {args: with("{}", 1)},
	"PurgeRunCounters":   {args: with(3)},
	"PurgeRunRejections": {args: with(3)},
	"PurgeRunSamples":    {args: with(1, 1000)},
	"PurgeRunEvents":     {args: with(1, 1000)},
	"PurgeTaskAttempts":  {args: with([]id.Task{7, 8, 9})},
	"PurgeTaskFailures":  {args: with([]id.Task{7, 8, 9})},
	"PurgeTasks":         {args: with(1, []id.Task{7, 8, 9})},

	// migration_request.sql
	"NextRequest":    {args: with(500)},
	"AnyRequestOf":   {args: with(1)},
	"RunOfRequest":   {args: with(7)},
	"LockRequest":    {args: with(7)},
	"AdvanceRequest": {args: with(7, 7)},
	"EndRequest":     {args: with(7)},

	// migration_run.sql
	"LockRun":           {args: with(1)},
	"CountRunLock":      {args: with(1)},
	"RunByID":           {args: with(1)},
	"RunSeen":           {args: with(db.RunSeenParams{Opener: ptr(id.Account(1)), Reader: 1, ID: 1})},
	"BoardOfParams":     {args: with("B7", "c1")},
	"SetRunState":       {args: with(db.SetRunStateParams{ID: 1, State: "paused"})},
	"RunsIn":            {args: with(db.RunsInParams{State: "complete", Before: 2000, Limit: 51})},
	"RunWithTime":       {args: with(1)},
	"RunsByState":       {args: with([]string{"open", "paused", "running"})},
	"CountRejected":     {args: with(3, 8)},
	"SetThrottleReason": {args: with("Too much.", 8)},

	// migration_sample.sql
	"AddSample":   {args: with(1)},
	"LastSamples": {args: with(1, 180)},
	"ThinSamples": {args: with(db.ThinSamplesParams{RunID: 1, Since: time.Now().UTC().Add(-13 * time.Hour), Before: time.Now().UTC().Add(-6 * time.Hour), Limit: 1000})},

	// migration_upstream.sql
	"BlockedUpstreams": {args: with(1000)},
	"ExpiredUpstreams": {args: with(100)},
	"ForgetUpstreams":  {args: with([]string{"host30.example", "host31.example"})},

	// migration_worker.sql
	"LivingWorkers": {args: with()},

	"ActiveRunOf":   {args: with(hash7)},
	"SetRunListed":  {args: with("finished", 1)},
	"SetRunKnobs":   {args: with("{}", 1)},
	"RunsListed":    {args: with(db.RunsListedParams{Listed: "finished", Before: 2000, Limit: 51})},
	"ClaimFill":     {args: with(1, 4)},
	"ReleaseFill":   {args: with(4, 0)},
	"RecordFilled":  {args: with(db.RecordFilledParams{ID: 4, Tasks: 1})},
	"SetFillReason": {args: with(db.SetFillReasonParams{ID: 4})},
	"FillerOf":      {args: with(4)},

	// migration_task_lists.sql
	"TaskIDsIn":          {args: with(db.TaskIDsInParams{RunID: 1, State: "complete", After: 5000, Limit: 51})},
	"TasksAmong":         {args: with(db.TasksAmongParams{Reader: 1, Ids: []id.Task{7, 8, 9}, WorkerID: 9, Limit: 51})},
	"TaskOf":             {args: with(db.TaskOfParams{Reader: 1, ID: 7, RunID: 1})},
	"LockTasksByID":      {args: with([]id.Task{7, 8, 9}, 1)},
	"LockTasksIn":        {args: with(db.LockTasksInParams{RunID: 1, State: "failed", After: 17000, Limit: 1000})},
	"LockTasksOfFailure": {args: with(db.LockTasksOfFailureParams{RunID: 1, Fingerprint: fingerprint7, After: 17000, Limit: 1000})},
	"RetryTasks":         {args: with([]id.Task{16001, 16002, 16003})},
	"SkipTasks":          {args: with([]id.Task{16004, 16005, 16006})},
	"TaskIDsOfFailure":   {args: with(db.TaskIDsOfFailureParams{RunID: 1, Fingerprint: fingerprint7, After: 17000, Limit: 201})},
	"FailedAmong":        {args: with(db.FailedAmongParams{Reader: 1, Ids: []id.Task{16007, 16008, 16009}})},
	"AttemptsOf":         {args: with(16007, 100)},
	"FingerprintsOf":     {args: with(1, 1000)},
	"FailuresOf":         {args: with(1, 1000)},
	"SubtractFailures":   {args: with(db.SubtractFailuresParams{Tasks: 1, RunID: 1, Fingerprint: fingerprint7})},
	"FailureCount":       {args: with(1, fingerprint7)},

	// migration_worker_list.sql
	"WorkersIn":   {args: with("active", 200)},
	"LockWorker":  {args: with(7)},
	"DrainWorker": {args: with("draining", 7)},

	// Queries of workers and the keeper
	"LockOpenTasks":       {args: with(db.LockOpenTasksParams{RunID: 1, After: 1, Limit: 100})},
	"AnyTaskIn":           {args: with(1, "open")},
	"AnyTaskLeft":         {args: with(1)},
	"LostTasks":           {args: with(db.LostTasksParams{RunID: 1, After: 0, Limit: 500}), reads: 8000, because: "it looks at each task that is claimed, and at its worker; of those there are as many as workers hold"},
	"LockLostTasks":       {args: with([]id.Task{10015, 10016, 10017})},
	"LockDueTasks":        {args: with(1, 500)},
	"LockWaitingTasks":    {args: with(db.LockWaitingTasksParams{RunID: 1, After: 1, Limit: 500})},
	"ShiftDueTasks":       {args: with(-3_600_000_000, []id.Task{12001, 12002, 12003})},
	"OpenDueTasks":        {args: with([]id.Task{12001, 12002, 12003})},
	"RenewWorker":         {args: with(db.RenewWorkerParams{LeaseUs: 30_000_000, ID: 7, Epoch: 1})},
	"SignOffWorker":       {args: with(db.SignOffWorkerParams{ID: 7, Epoch: 1})},
	"Clock":               {args: with()},
	"WorkerCounts":        {args: with(7, 7)},
	"PresentStop":         {args: with()},
	"RemoveStop":          {args: with()},
	"HaltWorkers":         {args: with(10), reads: 40, because: "it changes so many workers, and their entries in the index of states"},
	"WorkerHalted":        {args: with(7)},
	"LockFreeRun":         {args: with(1)},
	"EndFill":             {args: with(1)},
	"HaltedTasks":         {args: with(db.HaltedTasksParams{RunID: 1, After: 0, Limit: 500}), reads: 8000, because: "as LostTasks"},
	"WorkerLeases":        {args: with(100)},
	"DeclareDead":         {args: with(db.DeclareDeadParams{ID: 17, Epoch: 1, BeatAt: newYear})},
	"WorkerNames":         {args: with([]id.Worker{7, 8, 9})},
	"ForgetWorkers":       {args: with(100)},
	"AcquireLease":        {args: with(db.AcquireLeaseParams{WorkerID: 1, LeaseUs: 10_000_000, Name: "keeper", Unrenewed: newYear})},
	"EndLease":            {args: with("keeper", 1)},
	"CountUnawareWorkers": {args: with(1, 1)},
	"StaleCounters":       {args: with(1, 500)},
	"LockCounters":        {args: with(1, []id.Worker{27, 28, 29})},
	"DropCounters":        {args: with(1, []id.Worker{27, 28, 29})},
	"RunsForWorkers":      {args: with()},
	"LockCanary":          {args: with(1)},
	"LockRunShared":       {args: with(1)},
	"UploadsAfter":        {args: with(100, 1000)},
	"TakeCanary":          {args: with(ptr(uint32(1)), 1)},
	"ReturnCanary":        {args: with(ptr(uint32(1)), 1)},

	// notification.sql
	"InboxWindow":   {args: with(db.InboxWindowParams{AccountID: 1, CompanyID: 1, BeforeID: 3100, Limit: 301}), reads: 1000, because: "a window is 300 entries, each with the newest of its ticket"},
	"NotifyAccount": {args: with(db.NotifyAccountParams{Kind: "sign-in", CreatedAt: newYear, AccountID: 7})},
	"NotifyMember":  {args: with(db.NotifyMemberParams{CompanyID: 1, AccountID: 7, ActorID: 7, Kind: "token", CreatedAt: newYear})},
	"InboxOf":       {args: with([]id.Notification{7, 8, 2500}, int8(0))},
	"UnreadOf":      {args: with(db.UnreadOfParams{AccountID: 1, CompanyID: 1})},
	"EntryTicket":   {args: with(db.EntryTicketParams{ID: 7, AccountID: 1, CompanyID: 1})},
	"ReadEntries":   {args: with(db.ReadEntriesParams{AccountID: 1, CompanyID: 1, To: 5000})},
	"ReadEntry":     {args: with(7, 1)},
	"ReadTicket":    {args: with(db.ReadTicketParams{TicketID: 7, AccountID: 1, To: 5000})},

	// origin.sql
	"KnownSlugs":       {args: with(1, []string{"B7", "JIRA"})},
	"TicketsOfOrigins": {args: with(1, []string{"JIRA-7", "JIRA-9", "NONE"})},
	"TicketsNumbered":  {args: with(db.TicketsNumberedParams{BoardID: 1, After: 100, To: 200})},

	// password_reset.sql
	"ResetByHash": {args: with(hash7)},
	"UseReset":    {args: with(db.UseResetParams{UsedAt: &newYear, ID: 7, Now: newYear})},
	"EndResetsOf": {args: with(&newYear, 7)},
	"EndResetsBy": {args: with(db.EndResetsByParams{Now: &newYear, CreatedBy: 7, CompanyID: 1})},

	// feed_audit.sql
	"AuditTickets":  {args: with(db.AuditTicketsParams{After: 100, To: 10100, CompanyID: 1}), reads: 31000, because: auditStretch},
	"AuditComments": {args: with(db.AuditCommentsParams{After: 0, To: 10000, CompanyID: 1}), reads: 31000, because: auditStretch},
	"AuditBoards":   {args: with(db.AuditBoardsParams{After: 0, To: 10000, CompanyID: 1}), reads: 11000, because: auditStretch},
	"LastBoard":     {args: with()},

	// feed_batch.sql
	"NewestBatch":   {args: with("tickets")},
	"OldBatches":    {args: with(db.OldBatchesParams{Feed: "tickets", Limit: 1000})},
	"ForgetBatches": {args: with("tickets", []uint64{10, 20, 30})},
	"BatchBefore":   {args: with("tickets", newYear.AddDate(100, 0, 0))},

	// feed_consumer.sql
	"ConsumerByName":  {args: with(db.ConsumerByNameParams{CompanyID: 1, Feed: "tickets", Name: "consumer7"})},
	"ConsumerByID":    {args: with(7)},
	"ConsumersOf":     {args: with(db.ConsumersOfParams{CompanyID: 1, After: 500, Limit: 101})},
	"AllConsumers":    {args: with(500, 101)},
	"AdvanceConsumer": {args: with(db.AdvanceConsumerParams{ID: 7, FromEpoch: 1700000000, FromPosition: 70, Epoch: 1700000000, Position: 80})},
	"SeekConsumer":    {args: with(db.SeekConsumerParams{ID: 7, Epoch: 1700000000, Position: 80})},
	"TouchConsumer":   {args: with(7)},
	"PauseConsumer":   {args: with(true, 7)},
	"DeleteConsumer":  {args: with(8)},

	// passkey.sql
	"PasskeysOf":          {args: with(7)},
	"PasskeyByCredential": {args: with(hash7)},
	"UsePasskey":          {args: with(db.UsePasskeyParams{Count: 9, Now: &newYear, ID: 7})},
	"MarkPasskeyCloned":   {args: with(&newYear, 7)},
	"RenamePasskey":       {args: with(db.RenamePasskeyParams{Name: "Laptop", ID: 7, AccountID: 7})},
	"DeletePasskey":       {args: with(7, 7)},
	"DeletePasskeysOf":    {args: with(7)},
	"ForgetChallenges":    {args: with(newYear.Add(10 * time.Minute))},

	// second_factor.sql
	"SecondFactors":       {args: with(1)},
	"UseTOTPStep":         {args: with(db.UseTOTPStepParams{Step: 60000000, AccountID: 7})},
	"DeleteTOTP":          {args: with(7)},
	"UseRecoveryCode":     {args: with(db.UseRecoveryCodeParams{Now: &newYear, AccountID: 1, Hash: hash7})},
	"DeleteRecoveryCodes": {args: with(1)},

	// issuer.sql
	"IssuerByID":         {args: with(7)},
	"IssuersOfCompany":   {args: with(company1, 20)},
	"IssuersOfSlug":      {args: with("c1", 20)},
	"IssuersOfOperators": {args: with(20)},
	"CompaniesOfIssuer":  {args: with(7, 200)},
	"SaveIssuer":         {args: with(db.SaveIssuerParams{Name: "New", ClientID: "x", GroupsClaim: "groups", ID: 7})},
	"SaveIssuerFor":      {args: with(db.SaveIssuerForParams{JoinByDomain: true, CompanyID: 1, IssuerID: 1})},
	"DeleteIssuer":       {args: with(1999)},
	"IssuerRules":        {args: with(db.IssuerRulesParams{CompanyID: 1, IssuerID: 1, Limit: 100})},
	"DeleteIssuerRule":   {args: with(db.DeleteIssuerRuleParams{ID: 7, CompanyID: 1, IssuerID: 1})},
	"IdentityAccount":    {args: with(1, []byte("s7"))},
	"UseIdentity":        {args: with(db.UseIdentityParams{UsedAt: &newYear, IssuerID: 1, Subject: []byte("s7")})},
	"IssuersOfAccount":   {args: with(7, 50)},
	"DeleteIdentity":     {args: with(7, 1)},
	"DomainsOfCompany":   {args: with(company1, 20)},
	"DomainByID":         {args: with(7, company1)},
	"HoldDomain":         {args: with(db.HoldDomainParams{CheckedAt: &newYear, DueAt: &newYear, ID: 7, CompanyID: 1})},
	"LoseDomain":         {args: with(&newYear, 7)},
	"DeleteDomain":       {args: with(7, company1)},
	"HeldDomain":         {args: with(sql.NullString{String: "d7.example", Valid: true})},
	"DueDomains":         {args: with(ptr(newYear.Add(20*time.Second)), 20)},
	"TakeDueDomain":      {args: with(db.TakeDueDomainParams{Next: &newYear, ID: 7, DueAt: &newYear})},

	// session_way.sql
	"SessionWays":       {args: with(session7, 7)},
	"DeleteSessionWays": {args: with(session7)},
	"DeleteSessionWay":  {args: with(session7, "password")},
	"ForgetSessionWays": {args: with(newYear.Add(10 * time.Minute))},

	// sequences.sql
	"AllocatePositions": {args: with(500, "tickets")},
	"Sequence":          {args: with("tickets")},
	"Sequences":         {args: with()},
	"NewEpoch":          {args: with()},
	"RaiseHorizon":      {args: with(200, "tickets")},
	"NoteDurable":       {args: with("tickets", 300)},
	"NoteAllDurable":    {args: with()},

	// ref_counter.sql
	"CountRefs":          {args: with()},
	"AddMinted":          {args: with(db.AddMintedParams{N: 1, Length: 5, Slot: 3})},
	"AddIssued":          {args: with(db.AddIssuedParams{N: 1, Length: 5, Slot: 3})},
	"AddIssuedUnguarded": {args: with(db.AddIssuedUnguardedParams{N: 1, Length: 5, Slot: 3})},
	"AddQuarantined":     {args: with(db.AddQuarantinedParams{N: 1, Length: 5, Slot: 3})},
	"GuardRefs":          {args: with(true)},
	"CorrectRefCounter":  {args: with(db.CorrectRefCounterParams{Minted: 1, Length: 5})},

	// ref_lot.sql
	"AddToLot":            {args: with(db.AddToLotParams{Codes: 1, Drawn: 1, ID: 7})},
	"Lot":                 {args: with(7)},
	"LotOfRun":            {args: with(7)},
	"Lots":                {args: with(1000, 21)},
	"QuarantineLot":       {args: with(db.QuarantineLotParams{Now: &newYear, SweepRun: 1, ID: 7})},
	"AddQuarantinedToLot": {args: with(1, 7)},

	// ref_policy.sql
	"RefPolicy":          {args: with()},
	"RefPolicyForUpdate": {args: with()},
	"RequestRefill":      {args: with()},
	"SetRefPolicy":       {args: with(db.SetRefPolicyParams{AtLeast: 1, LowHours: 1, HighHours: 2})},
	"SetRefill":          {args: with(7)},
	"SetSweep":           {args: with(7)},
	"MakeCanaryKey":      {args: with([]byte("0123456789abcdef"))},
	"BeginRefCount":      {args: with(&newYear)},
	"AbandonRefCount":    {args: with(&newYear, &newYear)},
	"EndRefCount":        {args: with(db.EndRefCountParams{Now: &newYear, CountedAt: &newYear, BeganAt: &newYear})},

	// ref_pool.sql
	"RefInLedger":     {args: with("088B8")},
	"RefIssueInSight": {args: with(db.RefIssueInSightParams{Reader: 1, CompanyID: 1, Code: "zzzzz"})},

	// ref_sample.sql
	"RefSamples":       {args: with(newYear.Add(4940 * time.Minute))},
	"RefsPopped":       {args: with(newYear.Add(1000*time.Minute), newYear.Add(2380*time.Minute)), reads: 4*1380 + 100, because: "a row a minute of a day for each process, of which there are few, once a minute; otherwise those of an hour"},
	"ForgetRefSamples": {args: with(newYear.Add(10 * time.Minute))},

	// multirow_refs.go
	"LedgerHas":      {args: with([]string{"088B8", "zzzzz"})},
	"LedgerFrom":     {args: with("088B8", "0A", 900, true)},
	"PooledFrom":     {args: with("13000", "14", 200, false)},
	"PooledOfLots":   {args: with("13000", 200)},
	"PooledOfLedger": {args: with("13000", "14", 200)},
	"CountCodes":     {args: with(db.InLedger, "088B8", 600, 6)},

	// session.sql
	"FindSession":    {args: with("s4900")},
	"BeginSession":   {args: with(db.BeginSessionParams{Token: "x", Data: []byte("x"), Expiry: newYear})},
	"UseSession":     {args: with(db.UseSessionParams{Expiry: newYear, UsedAt: &newYear, ID: 7, UsedBefore: &newYear})},
	"ConfirmSession": {args: with(&newYear, 7)},
	"SessionsOf":     {args: with(db.SessionsOfParams{AccountID: ptr(id.Account(7)), Epoch: 1, BeforeID: 5000, Limit: 21})},
	"EndSession":     {args: with(7, ptr(id.Account(7)))},
	"UpdateSession":  {args: with(db.UpdateSessionParams{Data: []byte("x"), Expiry: newYear, Token: "s7"})},
	"DeleteSession":  {args: with("s7")},
	"ForgetSessions": {args: with()},

	// sign_in_limit.sql
	"Limit":        {args: with(hash7)},
	"SetLimit":     {args: with(db.SetLimitParams{Failures: 1, LastAt: newYear, Name: hash7})},
	"RefundLimit":  {args: with(hash7)},
	"ForgetLimits": {args: with(false, newYear.Add(10*time.Minute))},
	"KeepLimit":    {args: with(newYear, hash7)},

	// secret.sql
	"SecretKey":                {args: with()},
	"LockSecretKey":            {args: with()},
	"ChangeSecretKey":          {args: with(db.ChangeSecretKeyParams{To: "b", Now: newYear, From: "a"})},
	"DeleteSecretKey":          {args: with()},
	"SealedSecret":             {args: with("webhook", 7)},
	"ResealSecret":             {args: with(db.ResealSecretParams{To: "b", Sealed: hash7, Kind: "webhook", OwnerID: 7, From: "a"})},
	"DeleteSealedSecret":       {args: with("webhook", 7)},
	"SealedSecretsOfKey":       {args: with("a", 100)},
	"SealedSecretsAfter":       {args: with(db.SealedSecretsAfterParams{Kind: "webhook", After: 700, Limit: 100})},
	"NextKeyOfSecrets":         {args: with("")},
	"NextKindOfSecrets":        {args: with("")},
	"ServerBeforeSealing":      {args: with()},
	"WebhookSecrets":           {args: with(7)},
	"WebhooksWithSecretsAfter": {args: with(700, 100)},
	"LockWebhookSecrets":       {args: with(7)},
	"EmptyWebhookSecrets":      {args: with(7)},
	"ReplaceWebhookSecret":     {args: with(db.ReplaceWebhookSecretParams{Now: newYear, ID: 7})},
	"StopWebhookWithoutSecret": {args: with(db.StopWebhookWithoutSecretParams{Reason: "x", ID: 7})},
	"SecretsOfGoneWebhooks":    {args: with(700, 100)},
	"EmptySealerSecret":        {args: with()},
	"DeleteSigningKey":         {args: with()},

	// signing_key.sql
	"SigningKey": {args: with()},

	// request.sql
	"FormOfBoard":          {args: with(7)},
	"SetForm":              {args: with(db.SetFormParams{Intro: "x", UpdatedAt: newYear, BoardID: 7, Seen: newYear})},
	"OpenForm":             {args: with("c1", "B7")},
	"RequestTexts":         {args: with(1)},
	"RequestByForm":        {args: with(hash7)},
	"RequestOfTicket":      {args: with(7)},
	"TrackedByCode":        {args: with("c0007")},
	"TrackedByLink":        {args: with(hash("7"), "c0007")},
	"RecordReply":          {args: with(db.RecordReplyParams{RepliedAt: &newYear, ReplyHash: make([]byte, 32), TicketID: 7})},
	"LockTicketRequest":    {args: with(7)},
	"SetRequestToken":      {args: with(db.SetRequestTokenParams{TokenHash: hash7, TicketID: 7})},
	"TouchRequest":         {args: with(&newYear, 7)},
	"PurgeRequests":        {args: with(firstTickets(20))},
	"PublicCommentsBefore": {args: with(db.PublicCommentsBeforeParams{TicketID: busyTicket, BeforeID: 250, Limit: 26})},
	"RequestWatch":         {args: with(7, 1)},
	"RequestWatchers":      {args: with(db.RequestWatchersParams{CompanyID: 1, TicketID: busyTicket, BoardID: 1, Limit: 100})},
	"UndecidedManagers":    {args: with(db.UndecidedManagersParams{CompanyID: 1, TicketID: busyTicket, BoardID: 1600, Limit: 100})},
	"PublicLimits":         {args: with([][]byte{hash7})},
	"ForgetPublicLimits":   {args: with(newYear.Add(10 * time.Minute))},
	"LookupsSince":         {args: with(newYear.Add((6000 - 30*24) * time.Hour))},
	"ForgetLookups":        {args: with(newYear.Add(10 * time.Hour))},

	// purge.sql
	"DeletedBefore":        {args: with(db.DeletedBeforeParams{BoardID: 1, Since: ptr(newYear), Before: ptr(newYear.AddDate(0, 0, 1).Add(5 * time.Minute)), AfterID: 0, Limit: 500})},
	"OldBoardsSeen":        {args: with(db.OldBoardsSeenParams{Reader: 7, Webhook: 1, Tickets: firstTickets(100), CompanyID: 1})},
	"OldNumbersOf":         {args: with(firstTickets(100))},
	"LockIncrementers":     {args: with([]id.Board{1, 3})},
	"CountPurged":          {args: with(1, 3)},
	"PurgeNotifications":   {args: with(firstTickets(20))},
	"PurgeActivity":        {args: with([]id.Ticket{removedTicket, removedTicket + 1})},
	"PurgeStays":           {args: with([]id.Ticket{600, 601})},
	"PurgeBacklinks":       {args: with([]id.Ticket{600, 601})},
	"PurgeOccurrences":     {args: with([]id.Ticket{600, 601})},
	"PurgeRuleOccurrences": {args: with([]id.Ticket{600, 601})},
	"PurgeRecurrences":     {args: with([]id.Ticket{6600, 6601})},
	"PurgeReactions":       {args: with([]id.Ticket{600, 601})},
	"PurgeDeletedTexts":    {args: with([]id.Ticket{600, 601})},
	"PurgeComments":        {args: with([]id.Ticket{26503})},
	"PurgeAssignees":       {args: with(firstTickets(20))},
	"PurgeTicketLabels":    {args: with(firstTickets(20))},
	"PurgeWatchers":        {args: with(firstTickets(20))},
	"PurgeAliases":         {args: with(firstTickets(20))},
	"PurgePictures":        {args: with(firstTickets(20))},
	"PurgeOrigins":         {args: with(firstTickets(20))},
	"PurgeTickets":         {args: with([]id.Ticket{26501, 26502})},
	"CommentsPublished":    {args: with(firstTickets(20))},
	"PassedByConsumers":    {args: with("tickets"), reads: 5100, because: "it looks at all consumers of a feed; of these there are as many as people register"},
	"PassedByWebhooks":     {args: with("tickets"), reads: 4100, because: "it looks at all webhooks of a feed; of these there are as many as people open"},
	"NumberPurged":         {args: with(db.NumberPurgedParams{CompanyID: 1, Slug: "B1", LocalID: 29000})},

	// ticket.sql
	"AllocateNumbers":    {args: with(1, 1)},
	"TicketByKey":        {args: with(db.TicketByKeyParams{CompanyID: 1, Slug: "B1", LocalID: 9, ExternalID: "B1-9", Reader: 1})},
	"LockTicket":         {args: with(7)},
	"TicketByID":         {args: with(db.TicketByIDParams{Reader: 7, ID: removedTicket, CompanyID: 1})},
	"DeletedTicketByKey": {args: with(db.DeletedTicketByKeyParams{CompanyID: 1, Slug: "B1", LocalID: removedTicket, ExternalID: "B1-9"})},
	"DeletedTickets":     {args: with(db.DeletedTicketsParams{BoardID: 1, Since: ptr(newYear), Before: ptr(newYear.AddDate(0, 0, 1).Add(5 * time.Minute)), BelowID: removedTicket + 300, Limit: 51})},
	"RestoreTicket":      {args: with(db.RestoreTicketParams{ColumnID: column1, NewRank: ptr(int64(1)), Now: newYear, ID: removedTicket})},
	"SetClosed":          {args: with(db.SetClosedParams{ClosedAt: &newYear, Now: &newYear, ID: 7})},
	"CardByNumber":       {args: with(1, 7)},
	"TicketsAfter":       {args: with(db.TicketsAfterParams{ColumnID: column1, FromRank: middle, Limit: 51})},
	"TicketsByID":        {args: with(firstTickets(200))},
	"CardBelow":          {args: with(db.CardBelowParams{ColumnID: column1, FromRank: middle})},
	"CardAbove":          {args: with(db.CardAboveParams{ColumnID: column1, FromRank: middle})},
	"MoveTicket":         {args: with(db.MoveTicketParams{BoardID: 1, LocalID: 7, ColumnID: column1, NewRank: ptr(int64(7*gap + 1)), MovedAt: newYear, ID: 7})},
	"RepublishTicket":    {args: with(7)},
	"RepublishTickets":   {args: with(firstTickets(100))},
	"TicketsInSight":     {args: with(db.TicketsInSightParams{Reader: 7, Ids: firstTickets(500), CompanyID: 1})},
	"SetRank":            {args: with(ptr(int64(7*gap+1)), 7)},
	// attachment.sql
	"CreateAttachment":     {args: with(db.CreateAttachmentParams{CompanyID: 1, TicketID: ptr(id.Ticket(9)), AccountID: 1, Hash: hash7, Name: "x", CreatedAt: newYear})},
	"AttachmentsOfTickets": {args: with(ptrs(firstTickets(150))), reads: 1000, because: "150 tickets, of which one has 200 attachments"},
	"AttachmentsInSight":   {args: with(db.AttachmentsInSightParams{Reader: 1, Ids: []id.Attachment{1, 2, 300}, CompanyID: 1})},
	"BindAttachments":      {args: with(db.BindAttachmentsParams{TicketID: ptr(id.Ticket(9)), Ids: []id.Attachment{50, 100}, CompanyID: 1, AccountID: 51})},
	"CountAttachments":     {args: with(db.CountAttachmentsParams{N: 1, Now: newYear, ID: 7})},
	"DeleteAttachment":     {args: with(db.DeleteAttachmentParams{Now: &newYear, ID: 7, TicketID: ptr(id.Ticket(7))})},
	"RestoreAttachment":    {args: with(10, ptr(id.Ticket(7)))},
	"AttachmentOfTicket":   {args: with(7, ptr(id.Ticket(7)))},
	"DeleteAttachmentsOf":  {args: with(&newYear, ptr(id.Comment(501)))},
	"RestoreAttachmentsOf": {args: with(ptr(id.Comment(510)), &newYear)},
	"StorageOf":            {args: with(1)},
	"TakeStorage":          {args: with(1, 7)},
	"ReleaseStorage":       {args: with(7, 1)},
	"SetQuota":             {args: with(1, 7)},
	"LargestStorages":      {args: with(12)},
	"StorageOfTickets":     {args: with(ptrs(firstTickets(20))), sorts: 700, reads: 700, because: "a ticket may have 200 attachments"},
	"PurgeAttachments":     {args: with(ptrs(firstTickets(20))), reads: 700, because: "as StorageOfTickets"},

	// stored_file.sql
	"StoreFile":         {args: with(db.StoreFileParams{Hash: hash7, Bytes: 7, ContentType: "text/plain", CreatedAt: newYear})},
	"StoredFilesAfter":  {args: with(hash7, 500)},
	"UsedFiles":         {args: with(db.UsedFilesParams{Hashes: [][]byte{hash7, hash("8")}, DeletedSince: &newYear, CreatedSince: newYear})},
	"KnownFiles":        {args: with([][]byte{hash7, hash("8")})},
	"StoredFile":        {args: with(hash7)},
	"LockFile":          {args: with(hash7)},
	"AttachmentsOfFile": {args: with(hash("1"), 500), reads: 1100, because: "a file may have many attachments, of which it reads the first"},
	"RemoveAttachments": {args: with([]id.Attachment{7, 8})},
	"RemoveFile":        {args: with(hash("new"))},
	"FilePlace":         {},
	"SetFilePlace":      {args: with("x")},

	"RelationsOfTickets":      {args: with(db.RelationsOfTicketsParams{Tickets: []id.Ticket{7, 8, 9}, CompanyID: 1})},
	"WaitingFor":              {args: with([]id.Ticket{7, 8, 9}), sorts: 1000, because: "of a ticket, it reads all that it blocks"},
	"LiveMentioned":           {args: with(db.LiveMentionedParams{After: ptr(uint64(100)), To: ptr(uint64(600)), Limit: 4000})},
	"LiveMentionedInComments": {args: with(db.LiveMentionedInCommentsParams{After: ptr(uint64(100)), To: ptr(uint64(600)), Limit: 4000})},
	"LiveRelated":             {args: with(db.LiveRelatedParams{After: ptr(uint64(100)), To: ptr(uint64(600)), Limit: 4000}), reads: 7000, because: "500 tickets, most with two relations and some with 200"},
	"RelationRows":            {args: with(7)},
	"RelatedBy":               {args: with([]id.Ticket{7, 8, 9}, 4)},
	"AddRelation":             {args: with(db.AddRelationParams{TicketID: 7, Kind: 7, OtherID: 4000})},
	"DropRelation":            {args: with(db.DropRelationParams{TicketID: 7, Kind: 7, OtherID: 8})},
	"PurgeRelations":          {args: with(firstTickets(20))},
	"PurgeRelationsTo":        {args: with(firstTickets(20))},
	"CountNoItems":            {args: with(7, 1)},
	"CountItems":              {args: with(db.CountItemsParams{ID: 7, Version: 1})},
	"TicketsToCount":          {args: with(db.TicketsToCountParams{BoardID: 1, After: 1000, To: 1100})},
	"SetProperties":           {args: with(db.SetPropertiesParams{Priority: 3, DueAt: &newYear, Now: newYear, ID: 7})},
	"EditTicket":              {args: with(db.EditTicketParams{Title: "x", Now: newYear, ID: 7, Version: 1})},
	"DeleteTicket":            {args: with(db.DeleteTicketParams{DeletedAt: &newYear, ID: 7})},
	"RanksAbove":              {args: with(db.RanksAboveParams{ColumnID: column1, FromRank: middle, Limit: 220})},
	"DescriptionsOf":          {args: with(db.DescriptionsOfParams{BoardID: 1, After: 1000, To: 1100})},
	"LockTickets":             {args: with(firstTickets(220))},
	"RanksBelow":              {args: with(db.RanksBelowParams{ColumnID: column1, FromRank: middle, Limit: 33})},
	"ColumnToSort":            {args: with(db.ColumnToSortParams{ColumnID: column1, Limit: 500}), reads: 600, because: "all tickets of a column, 500 at most"},
	"NumberOnBoard":           {args: with(100, 3)},
	"DropAlias":               {args: with(db.DropAliasParams{BoardID: 3, LocalID: 100, TicketID: 100})},
	"CloseTickets":            {args: with(db.CloseTicketsParams{Now: &newYear, Ids: firstTickets(200)})},
	"ReopenTickets":           {args: with(&newYear, firstTickets(200))},
	"MoveToFoot":              {args: with(db.MoveToFootParams{ToColumn: ptr(id.Column(5)), RankOffset: ptr(int64(gap)), MovedAt: newYear, Ids: firstTickets(200)})},
	"ColumnNumbers":           {args: with(db.ColumnNumbersParams{BoardID: 1, After: 1000, To: 1200, ColumnID: column1, Limit: 200})},
	"LockColumnTickets":       {args: with(firstTickets(200), column1)},

	// live.sql
	"LiveTickets":  {args: with(db.LiveTicketsParams{After: ptr(uint64(100)), To: ptr(uint64(5000)), Limit: 500}), reads: 6000, because: "a page is 500 tickets, each with its board, assignees and labels"},
	"LiveAliases":  {args: with(db.LiveAliasesParams{After: ptr(uint64(100)), To: ptr(uint64(600)), Limit: 4000})},
	"LiveComments": {args: with(db.LiveCommentsParams{After: ptr(uint64(100)), To: ptr(uint64(4000)), Limit: 500})},
	"ReadersOf":    {args: with([]id.Board{1, 2, 298, 299}), reads: 2100, sorts: 2100, because: "a board names 500, each with its membership"},
	"LiveBoards":   {args: with(db.LiveBoardsParams{After: ptr(uint64(100)), To: ptr(uint64(1400)), Limit: 500})},

	// service_account.sql
	"CreateServiceAccount": {args: with(db.CreateServiceAccountParams{AccountID: 7, CompanyID: 1, CreatedBy: 1, CreatedAt: newYear})},
	"ServiceAccounts":      {args: with(db.ServiceAccountsParams{CompanyID: 1, Before: 1900, Limit: 101}), reads: 600, because: "a page of 100, each with its account and company"},
	"AllServiceAccounts":   {args: with(2000, 101), reads: 600, because: "a page of 100, each with its account and company"},
	"ServicesThatSee":      {args: with(1), reads: 2500, because: "a company's service accounts, when a board is made private or open"},
	"ServiceAccount":       {args: with(701)},
	"LockServiceAccount":   {args: with(701)},
	"SpendRefs":            {args: with(5, 701)},
	"GrantRefs":            {args: with(db.GrantRefsParams{PerDay: 5, PerCall: 5, AccountID: 701})},
	"EndServiceAccount":    {args: with(&newYear, 701)},

	// token.sql
	"BearerByHash":   {args: with(hash7, &newYear)},
	"UseToken":       {args: with(db.UseTokenParams{Now: &newYear, ID: 7, Before: &newYear})},
	"TokensOf":       {args: with(db.TokensOfParams{AccountID: 7, CompanyID: 1, Before: 1000, Limit: 101})},
	"TokensOfOthers": {args: with(db.TokensOfOthersParams{CompanyID: 1, AccountID: 7, Before: 400, Limit: 101})},
	// The search index reads what it has of tickets, and which changed.
	"SearchCompanies":       {args: with(1, 500)},
	"SearchBoards":          {args: with(db.SearchBoardsParams{CompanyID: 1, Limit: 500})},
	"SearchTicketsOnBoard":  {args: with(db.SearchTicketsOnBoardParams{BoardID: 1, After: 100, Limit: 200})},
	"SearchTickets":         {args: with(firstTickets(200))},
	"SearchAliases":         {args: with(firstTickets(200))},
	"SearchComments":        {args: with(db.SearchCommentsParams{Tickets: firstTickets(20), Limit: 4000}), reads: 4500, because: "the comments of a part of an index are read at once"},
	"SearchLatestComments":  {args: with(busyTicket, 200)},
	"SearchFiles":           {args: with(ptrs(firstTickets(200)))},
	"SearchChangedTickets":  {args: with(db.SearchChangedTicketsParams{After: ptr(uint64(100)), To: ptr(uint64(5000)), Limit: 500})},
	"SearchChangedComments": {args: with(db.SearchChangedCommentsParams{After: ptr(uint64(100)), To: ptr(uint64(4000)), Limit: 500})},
	"SearchedBoards":        {args: with(db.SearchedBoardsParams{Reader: 7, CompanyID: 1, Limit: 10000}), reads: 5000, because: "whoever searches looks at all boards of the company that they see"},
	"SearchedColumns":       {args: with(db.SearchedColumnsParams{Reader: 7, CompanyID: 1, Name: "Column 1", Limit: 1000}), reads: 10000, because: "columns of a name are looked for on all boards of the company"},
	"FoundTickets":          {args: with(toAll, firstTickets(200), db.TicketsTitled("9"))},

	"LiveToken":    {args: with(7, 1)},
	"LiveTokensOf": {args: with(7, 1)},
	"RevokeToken":  {args: with(&newYear, 7)},

	"TokensOfAccount":       {args: with(db.TokensOfAccountParams{AccountID: 7, Before: 1000, Limit: 101})},
	"LiveTokenOfAccount":    {args: with(7, 7)},
	"RevokeTokensOfAccount": {args: with(&newYear, 7)},
	"ValidTokens":           {args: with([]id.Token{1, 2}, &newYear)},

	// watcher.sql
	"Watchers":      {args: with(db.WatchersParams{CompanyID: 1, TicketID: busyTicket, Limit: 1000})},
	"AuthorWatches": {args: with(db.AuthorWatchesParams{CompanyID: 1, TicketID: busyTicket, AccountID: 7})},

	// webhook.sql
	"WebhooksOfCompany":     {args: with(1, 50)},
	"WebhookByID":           {args: with(7, 1)},
	"WebhooksAfter":         {args: with(100, 101)},
	"StoppedWebhooks":       {args: with(6)},
	"CursorsOfWebhooks":     {args: with([]id.Webhook{7, 8, 9})},
	"BoardsOfWebhook":       {args: with(db.BoardsOfWebhookParams{Reader: 7, WebhookID: 1, Limit: 1000}), reads: 1000, because: "as many boards as were added to the webhook", sorts: 1600},
	"WebhooksOfBoard":       {args: with(1, 50)},
	"AddWebhookBoard":       {args: with(db.AddWebhookBoardParams{WebhookID: 7, BoardID: 9, AddedBy: 7, Now: newYear})},
	"DropWebhookBoard":      {args: with(7, 1)},
	"DropBoardFromWebhooks": {args: with(2)},
	"DeleteWebhookBoards":   {args: with(8)},
	"LockWebhook":           {args: with(7, 1)},
	"EditWebhook":           {args: with(db.EditWebhookParams{Url: "https://hooks.example/x", Feeds: "tickets", Now: newYear, ID: 7})},
	"SetWebhookState":       {args: with(db.SetWebhookStateParams{State: "off", Now: newYear, ID: 7})},
	"RotateWebhookSecret":   {args: with(db.RotateWebhookSecretParams{Ends: &newYear, Secret: hash7, Now: newYear, ID: 7})},
	"DeleteWebhookCursor":   {args: with(7, "tickets")},
	"DeleteWebhookCursors":  {args: with(7)},
	"DeleteWebhook":         {args: with(2001)},
	"DueWebhooks":           {args: with(db.DueWebhooksParams{After: 500, LeaseUs: 60_000_000, Limit: 101})},
	"LeaseWebhook":          {args: with(db.LeaseWebhookParams{LeaseUs: 60_000_000, ID: 7})},
	"LeasedWebhook":         {args: with(7, 0)},
	"WebhookSent":           {args: with(db.WebhookSentParams{LeaseUs: 60000000, ID: 7})},
	"RenewWebhook":          {args: with(db.RenewWebhookParams{LeaseUs: 60000000, ID: 7})},
	"WebhookFailed":         {args: with(db.WebhookFailedParams{WaitUs: 5000000, ID: 7})},
	"WebhooksOnAfter":       {args: with(500, 101)},
	"RefuseWebhook":         {args: with(db.RefuseWebhookParams{Reason: "x", Now: newYear, ID: 7, Version: 1})},
	"StopWebhook":           {args: with(db.StopWebhookParams{Reason: "x", ID: 7})},
	"StopFailingWebhook":    {args: with(db.StopFailingWebhookParams{Reason: "x", ID: 7, PatienceUs: 5000000})},
	"ReleaseWebhook":        {args: with(7, 0)},
	"MoveWebhookCursor":     {args: with(db.MoveWebhookCursorParams{Epoch: 1700000000, Position: 77, WebhookID: 7, Feed: "tickets"})},
	"TrackedTickets":        {args: with(1, firstTickets(100))},
	"UntrackTicket":         {args: with(1, 7)},
	"UntrackTickets":        {args: with(1, 1000)},
	"SetCompared":           {args: with(db.SetComparedParams{ComparedTo: new(id.Ticket(1000)), LeaseUs: 60000000, ID: 7})},
	"CompareAgain":          {args: with(7)},
	"TicketsMeeting":        {args: with(firstTickets(100), db.TicketsTitled("9"))},
	"TicketsToTrack":        {args: with(db.Sight{Company: 1, Webhook: 1}, 0, 1000, 2000, db.TicketsTitled("9"))},
	"WebhookAttempts":       {args: with(db.WebhookAttemptsParams{Reader: 7, WebhookID: 1, Before: 1500, Limit: 26})},
	"WebhookAttempt":        {args: with(db.WebhookAttemptParams{Reader: 7, ID: 7, WebhookID: 1})},
	"WebhookAttemptsBehind": {args: with(1)},
	"DeleteWebhookAttempts": {args: with(db.DeleteWebhookAttemptsParams{WebhookID: 1, To: 1000, Limit: 500})},
	"ForgetWebhookAttempts": {args: with(newYear, 500)},
	"CompaniesOfTickets":    {args: with(db.CompaniesOfTicketsParams{After: ptr(uint64(20000)), To: ptr(uint64(20300)), Limit: 200})},
	"CompaniesOfComments":   {args: with(db.CompaniesOfCommentsParams{After: ptr(uint64(2000)), To: ptr(uint64(2300)), Limit: 200})},
	"CompaniesOfBoards":     {args: with(db.CompaniesOfBoardsParams{After: ptr(uint64(200)), To: ptr(uint64(500)), Limit: 200})},

	// By hand
	"MembersByName":            {args: with(toAll, "Person 1%", "% Person 1%", "viewer", 8), reads: 3100, sorts: 3100, because: amongThousand},
	"SetRanks":                 {args: with([]db.Rank{{Ticket: 7, Rank: 7*gap + 1}, {Ticket: 8, Rank: 8*gap + 1}})},
	"CompaniesOfTicketSights":  {args: with(db.CompaniesOfTicketSightsParams{After: ptr(uint64(200)), To: ptr(uint64(500)), Limit: 200})},
	"CompaniesOfCommentSights": {args: with(db.CompaniesOfCommentSightsParams{After: ptr(uint64(200)), To: ptr(uint64(500)), Limit: 200})},
	"CompaniesOfBoardSights":   {args: with(db.CompaniesOfBoardSightsParams{After: ptr(uint64(200)), To: ptr(uint64(500)), Limit: 200})},
	"SightChanges":             {args: with("tickets", "ticket_sight", db.Sight{Company: 1, Reader: 15}, 10, 20000, 100)},
	"FeedBehind":               {args: with("tickets", "ticket", 100, 30000)},
	"BatchAges":                {args: with([]db.FeedPosition{{Feed: "tickets", Position: 15000}, {Feed: "comments", Position: 15000}, {Feed: "boards", Position: 90000}})},
	"TicketsByKeys":            {args: with(db.Sight{Company: 1, Reader: 7}, []db.TicketKey{{Slug: "B1", LocalID: 7}, {Slug: "OLD1", LocalID: 9}, {Slug: "B3", LocalID: 30}, {Slug: "JIRA", LocalID: 9}, {Slug: "NONE", LocalID: 1}})},
	"PositionsAgo":             {args: with("comments", []int{5_400_000, 3_600_000, 600_000})},
	"Unpublished":              {args: with([]string{"ticket", "ticket_sight", "comment"}, 500)},
	"PositionOf":               {args: with("ticket", 7)},
	"LockUnpublished":          {args: with("ticket", unpublished(500))},
	"WaitForUnpublished":       {args: with("ticket", unpublished(1)[0])},
	"Publish":                  {args: with("ticket", unpublished(500), 30000), reads: 2600, because: "it reads the list, and each row by its key to write it"},
	"ExistingNumbers":          {args: with([]db.Numbers{{Board: 1, Numbers: []uint64{7, 8, 29000}}, {Board: 3, Numbers: []uint64{7}}})},
	"MentionedTickets":         {args: with([]db.Numbers{{Board: 1, Numbers: []uint64{7, 8, 29000}}, {Board: 3, Numbers: []uint64{7}}})},
	"TicketsByTitle":           {args: with(db.TitleSearch{Boards: []db.TitleBoard{{ID: 1, After: 19000}, {ID: 2}}, Terms: []string{"ticket", "9"}, Limit: 10}), reads: 8500, sorts: 6000, because: "it looks at 2,000 titles of a board as it is told"},
	"RangeEnds":                {args: with(firstWindows), reads: 6000, because: "a window of 2,000 entries of the index for each of three columns"},
	"EndInOrder":               {args: with(1, db.OrderRange{Order: db.TicketOrder{By: db.TicketUpdated}}, 2000), reads: 2010, because: "a window of 2,000 entries of the index"},
	"FirstInOrder":             {args: with(db.OrderRange{Order: db.TicketOrder{By: db.TicketUpdated}}, firstBoards(300)), reads: 1000, because: "the ends of 300 boards in the index"},
	"EntriesInOrder":           {args: with(db.OrderRange{Order: db.TicketOrder{By: db.TicketUpdated}}, firstBoards(128), 16), reads: 3000, because: "16 entries of the index of each of 128 boards"},
	"PlacesAmong":              {args: with(db.OrderRange{Order: db.TicketOrder{By: db.TicketUpdated}}, firstBoards(300), firstTickets(900), db.TicketsTitled("9")), reads: 1000, because: "900 tickets as it is told"},
	"TicketsInOrder":           {args: with(1, db.OrderRange{Order: db.TicketOrder{By: db.TicketUpdated}}, db.TicketsTitled("9"), 51)},
	"PublicCards":              {args: with(db.PublicSight(hash("1")), []db.CardRange{{ColumnID: 1, After: 15000 * gap}, {ColumnID: 2}, {ColumnID: 3}}, 51)},
	"Members":                  {args: with(toAll, 250, 101)},
	"MembersWithHandle":        {args: with(toAll, "p1", "p1~", "viewer", 8)},
	"MatchingCards": {args: with(db.Sight{}, db.CardFilter{Where: everyCondition, Parents: true}, firstWindows, 51),
		reads: 6000, because: "a window of 2,000 cards for each of three columns"},
}

// everyCondition has all conditions of a query.
var everyCondition = db.TicketsWithAll(
	db.TicketsWithAny(db.TicketsTitled("9"), db.TicketsNumbered(9), db.TicketsAssigned([]uint64{1}), db.TicketsAssigned(nil)),
	db.TicketsWithNone(db.TicketsIn(db.TicketAuthor, []uint64{999}), db.TicketsIn(db.TicketBoard, []uint64{999}),
		db.TicketsIn(db.TicketColumnID, []uint64{999}), db.TicketsLabelled([]uint64{999}), db.TicketsBelow(db.Sight{}, []uint64{999}),
		db.TicketsFromRequesters(), db.TicketsOfPriority(7, 9), db.TicketsWithin(db.TicketClosed, &db.DayBound{Moment: late}, nil)),
	db.TicketsWithAny(db.TicketsLabelled(nil), db.TicketsBelow(db.Sight{}, nil), db.TicketsBlocked(db.Sight{}), db.TicketsThatAreClosed(),
		db.TicketsDescribed(), db.TicketsCounting(db.TicketAttachments), db.TicketsCounting(db.TicketComments),
		db.TicketsCounting(db.TicketItems), db.TicketsWithin(db.TicketDue, &db.DayBound{Day: late, Moment: late}, nil),
		db.TicketsWithin(db.TicketStart, nil, nil), db.TicketsWithin(db.TicketCreated, nil, &db.DayBound{Moment: late}),
		db.TicketsWithin(db.TicketUpdated, nil, &db.DayBound{Moment: late})))

var late = time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
