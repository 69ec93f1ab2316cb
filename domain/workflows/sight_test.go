package workflows_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/access"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/bulkedits"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/webhooks"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// sightModel says who sees which board, as docs/access.md does.
type sightModel struct {
	rules   []sightRule
	private map[string]bool
	named   map[string]map[string]string // the role of a member or group on a board
	group   map[string]bool              // who is in the group
	on      []string                     // the board of each ticket, by its index
	keys    []tickets.Key                // that tickets have or had
	hooked  map[string]bool              // the private boards that the webhook has
}

const crew = "Crew"

// sightRule is a row of the table of docs/access.md.
type sightRule struct {
	board string          // one of the three kinds of boards below
	roles map[string]bool // in the company; all if there are none
	level access.Level    // unless the board says it
}

const (
	namingBoard  = "names the member, or a group of the member's"
	openBoard    = "is open"
	privateBoard = "is private"
)

// sightRules reads the table of docs/access.md, and the rule on viewers below it. Each row says to whom it applies, and
// to which level it leads, in words that are known here.
func sightRules(t *testing.T) (rules []sightRule) {
	t.Helper()
	text := string(domaintest.OK(os.ReadFile("../../docs/access.md"))(t))
	if !strings.Contains(text, "\nA viewer of the company is never more than a viewer, whatever a board says.") {
		t.Fatal("docs/access.md does not say what viewers are at most")
	}
	_, table, _ := strings.Cut(text, "| The board | The member | On the board |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(row, "| \n"), "|")
		if len(cells) != 3 {
			t.Fatalf("a row has %q", cells)
		}
		rule := sightRule{board: strings.TrimSpace(cells[0]), roles: map[string]bool{}}
		member, given := strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])
		for _, role := range accounts.Roles {
			if slices.Contains(strings.Fields(member), role) {
				rule.roles[role] = true
			}
		}
		word, _, _ := strings.Cut(given, ":")
		level := slices.Index(append([]string{"nothing"}, boards.Roles...), word)
		switch rule.board {
		case namingBoard:
			if level = 0; !strings.HasPrefix(given, "the highest role that it gives") {
				level = -1
			}
		case openBoard, privateBoard:
		default:
			level = -1
		}
		if level < 0 || (member == "") != (len(rule.roles) == 0) {
			t.Fatalf("the row is not understood: %s", row)
		}
		rule.level = access.Level(level)
		rules = append(rules, rule)
	}
	if len(rules) < len(accounts.Roles) {
		t.Fatalf("the table has %v", rules)
	}
	return rules
}

// level is what a member may do on a board: what the first row that applies says.
func (m *sightModel) level(who, role, board string) access.Level {
	named := access.None
	for name, on := range m.named[board] {
		if name == who || name == crew && m.group[who] {
			named = max(named, access.Level(slices.Index(boards.Roles, on)+1))
		}
	}
	for _, rule := range m.rules {
		applies := map[string]bool{namingBoard: named > access.None, openBoard: !m.private[board], privateBoard: m.private[board]}
		if !applies[rule.board] || len(rule.roles) > 0 && !rule.roles[role] {
			continue
		}
		level := rule.level
		if rule.board == namingBoard {
			level = named
		}
		if role == accounts.Viewer {
			level = min(level, access.View)
		}
		return level
	}
	panic("no row of docs/access.md applies to a " + role)
}

// meets reports whether a member sees another: a guest does if the other sees a board that names the guest.
func (m *sightModel) meets(cast map[string]reader, who, other string) bool {
	if cast[who].role != accounts.Guest || who == other {
		return true
	}
	for board := range m.named {
		if m.level(who, accounts.Guest, board) > access.None && m.level(other, cast[other].role, board) > access.None {
			return true
		}
	}
	return false
}

// managed reports whether somebody administers a board.
func (m *sightModel) managed(cast map[string]reader, board string) bool {
	for who, r := range cast {
		if m.level(who, r.role, board) == access.Manage {
			return true
		}
	}
	return false
}

// reader is a member who reads by all that shows rows of boards.
type reader struct {
	ctx  context.Context
	role string
}

// sightStage is a company with a cast of readers and boards, and the model of who sees what.
type sightStage struct {
	*env
	model   *sightModel
	cast    map[string]reader
	handles map[string]string // with an @
	slugs   []string
	list    []tickets.ID
	group   id.Group
	deleted map[string]tickets.Key // a deleted ticket of a board
	purged  map[string]tickets.Key // a number of a board that was a ticket's
}

// newSightStage has two private boards, one of them sent to the webhook, so that each check has hidden words.
func newSightStage(t *testing.T, e *env) *sightStage {
	t.Helper()
	slugs := []string{"ONE", "TWO", "TRE"}
	cast := map[string]reader{
		"owner":  {e.Ctx, accounts.Owner},
		"adam":   {e.As(t, "Adam", accounts.Admin), accounts.Admin},
		"mia":    {e.As(t, "Mia", accounts.Member), accounts.Member},
		"max":    {e.As(t, "Max", accounts.Member), accounts.Member},
		"viktor": {e.As(t, "Viktor", accounts.Viewer), accounts.Viewer},
		"gil":    {e.As(t, "Gil", accounts.Guest), accounts.Guest},
		"gus":    {e.As(t, "Gus", accounts.Guest), accounts.Guest},
	}
	handles := map[string]string{}
	for who, r := range cast {
		handles[who] = "@" + accounts.ActorFrom(r.ctx).Handle
	}
	model := &sightModel{rules: sightRules(t), private: map[string]bool{}, named: map[string]map[string]string{},
		group: map[string]bool{}, hooked: map[string]bool{}}
	var list []tickets.ID
	for _, slug := range slugs {
		e.Board(t, slug)
		model.named[slug] = map[string]string{}
		for range 2 {
			draft := tickets.Draft{Title: fmt.Sprintf("secret%d", len(list)), Description: fmt.Sprintf("text secret%d", len(list))}
			opened := domaintest.OK(e.Workflows.OpenTicket(e.Ctx, slug, draft, nil))(t)
			key := opened.Key
			domaintest.OK(e.Workflows.Comment(e.Ctx, key, fmt.Sprintf("said secret%d @adam @mia @max @viktor", len(list)), nil))(t)
			list = append(list, domaintest.OK(e.Workflows.Ticket(e.Ctx, key))(t).ID)
			domaintest.OK(e.Workflows.SetAssignees(e.Ctx, key, []string{"adam", "mia", "max"}))(t)
			model.on, model.keys = append(model.on, slug), append(model.keys, key)
		}
	}
	group := domaintest.OK(e.Workflows.OpenGroup(e.Ctx, crew, nil))(t)
	e.Exec(t, `INSERT INTO webhook (id, company_id, url, note, feeds, secret, state, due_at, lease_ends, created_by, created_at, updated_at)
		SELECT 1, company_id, 'https://hooks.example/', '', 'tickets', '', 'off', NOW(6), NOW(6), account_id, NOW(6), NOW(6)
		FROM membership WHERE role = 'owner'`)

	domaintest.OK(e.Workflows.NameOnBoard(e.Ctx, "ONE", handles["mia"], "viewer"))(t)
	domaintest.OK(e.Workflows.NameOnBoard(e.Ctx, "TWO", crew, "member"))(t)
	domaintest.Must(t, e.Workflows.AddToGroup(e.Ctx, group.ID, handles["max"]))
	for slug, name := range map[string]string{"ONE": "mia", "TWO": crew} {
		domaintest.OK(e.Workflows.SetBoardPrivacy(e.Ctx, slug, true))(t)
		model.private[slug], model.named[slug]["owner"] = true, "admin"
		model.named[slug][name] = map[string]string{"ONE": "viewer", "TWO": "member"}[slug]
	}
	model.group["max"] = true
	domaintest.OK(e.Workflows.AddToWebhook(e.Ctx, "ONE", 1))(t)
	model.hooked["ONE"] = true
	domaintest.OK(e.Workflows.NameOnBoard(e.Ctx, "TRE", handles["gil"], "member"))(t)
	model.named["TRE"]["gil"] = "member"
	for _, slug := range slugs { // a view of each member, and a shared one, on each board, pinned by all
		for _, one := range []struct {
			name, who string
			shared    bool
		}{{"mine", "TRUE", false}, {"shared", "m.role = 'owner'", true}} {
			e.Exec(t, `INSERT INTO saved_view (company_id, board_id, account_id, name, layout, query, lanes, shared, created_at, updated_at)
				SELECT b.company_id, b.id, m.account_id, ?, 'list', '', '', ?, NOW(6), NOW(6)
				FROM board b JOIN membership m ON m.company_id = b.company_id WHERE b.slug = ? AND `+one.who,
				one.name+" of "+slug, one.shared, slug)
		}
	}
	e.Exec(t, `INSERT INTO pinned_view (account_id, company_id, view_id, pinned_at) SELECT m.account_id, v.company_id, v.id, NOW(6)
		FROM saved_view v JOIN membership m ON m.company_id = v.company_id WHERE v.shared OR v.account_id = m.account_id`)
	e.Exec(t, `INSERT INTO pinned_board (account_id, board_id, pinned_at) SELECT m.account_id, b.id, NOW(6)
		FROM board b JOIN membership m ON m.company_id = b.company_id`)
	for _, slug := range slugs { // a bulk edit of each member on each board, of all its tickets
		e.Exec(t, `INSERT INTO bulk_edit (company_id, board_id, account_id, run_id, dry, query, edit, created_at)
			SELECT b.company_id, b.id, m.account_id, 9000 + b.id * 100 + m.account_id, FALSE, ?, '{"kind":"close"}', NOW(6)
			FROM board b JOIN membership m ON m.company_id = b.company_id WHERE b.slug = ?`, "bulk of "+slug, slug)
	}
	e.Exec(t, `INSERT INTO migration_run (id, name, params, listed, state, state_since, knobs, actor, created_at)
		SELECT run_id, 'bulk-edit', '{}', 'finished', 'complete', NOW(6), '{}', 'x', NOW(6) FROM bulk_edit`)
	e.Exec(t, `INSERT INTO bulk_edit_item (bulk_edit_id, ticket_id, activity_id, outcome, reason, kind, detail)
		SELECT e.id, t.id, 0, 'refused', t.title, '', '{}' FROM bulk_edit e JOIN ticket t ON t.id > 0`)
	deleted, purged := map[string]tickets.Key{}, map[string]tickets.Key{}
	for _, slug := range slugs {
		gone := domaintest.OK(e.Workflows.OpenTicket(e.Ctx, slug, tickets.Draft{Title: "Deleted"}, nil))(t).Key
		domaintest.Must(t, e.Workflows.DeleteTicket(e.Ctx, gone))
		deleted[slug], purged[slug] = gone, tickets.Key{Board: slug, Number: gone.Number + 1}
		e.Exec(t, `UPDATE board_ticket_incrementer SET max_ticket_id = max_ticket_id + 1, purged = 1
			WHERE board_id = (SELECT id FROM board WHERE slug = ?)`, slug)
	}
	return &sightStage{e, model, cast, handles, slugs, list, group.ID, deleted, purged}
}

// check has each member read all there is: none gets a word of a board that the model refuses, and each gets what it
// grants.
func (e *sightStage) check(t testing.TB) {
	t.Helper()
	model, cast, handles, slugs, list := e.model, e.cast, e.handles, e.slugs, e.list
	e.Publish(t)
	for who, r := range cast {
		got := e.readAll(t, r.ctx, slugs, model.keys)
		for i := range list {
			word := fmt.Sprintf("secret%d", i)
			sees := model.level(who, r.role, model.on[i]) > access.None
			for route, text := range got {
				if strings.Contains(text, word) && !sees {
					t.Fatalf("%s reads %s of %s by %s:\n%s\n%s", who, word, model.on[i], route, text, model)
				}
			}
			for _, route := range []string{"tickets of a board", "ticket", "comments", "feed tickets", "feed comments", "jump"} {
				if sees && !strings.Contains(got[route], word) {
					t.Fatalf("%s does not read %s of %s by %s\n%s", who, word, model.on[i], route, model)
				}
			}
		}
		e.countsUnread(t, r.ctx, who)
		e.refersAndAudits(t, model, r, who)
		e.listsMembers(t, model, cast, handles, who)
		for _, slug := range slugs {
			board, err := e.Workflows.Board(r.ctx, slug)
			level := model.level(who, r.role, slug)
			if _, _, _, err := e.Workflows.DeletedTicket(r.ctx, e.deleted[slug]); (err == nil) != (level > access.None) {
				t.Fatalf("%s reads the deleted ticket %s: %v\n%s", who, e.deleted[slug], err, model)
			}
			if _, err := e.Workflows.Ticket(r.ctx, e.purged[slug]); errors.Is(err, tickets.CodePurged) != (level > access.None) {
				t.Fatalf("%s asks for the purged ticket %s: %v\n%s", who, e.purged[slug], err, model)
			}
			for _, route := range []string{"views", "pinned views", "view"} {
				for _, name := range []string{"mine of ", "shared of "} {
					if strings.Contains(got[route], name+slug) != (level > access.None) {
						t.Fatalf("%s reads %q by %s: %v\n%s", who, name+slug, route, level == access.None, model)
					}
				}
			}
			manages := r.role == accounts.Owner || r.role == accounts.Admin
			for route, lists := range map[string]bool{"bulk edits": true, "bulk edit": true, "everyone's bulk edits": manages} {
				if strings.Contains(got[route], "bulk of "+slug) != (lists && level > access.None) {
					t.Fatalf("%s reads the bulk edit of %s by %s: %v\n%s", who, slug, route, level == access.None, model)
				}
			}
			if level == access.None && strings.Contains(got["feed boards"], strconv.Quote(slug)) {
				t.Fatalf("%s reads %s by the feed of boards\n%s", who, slug, model)
			}
			if (err == nil) != (level > access.None) || err != nil && !errors.Is(err, fault.NotFound) {
				t.Fatalf("%s on %s: %v, want level %d\n%s", who, slug, err, level, model)
			}
			if now := access.On(accounts.ActorFrom(r.ctx), board.Grant); err == nil && now != level {
				t.Fatalf("%s has level %d on %s, want %d\n%s", who, now, slug, level, model)
			}
		}
	}
	e.sendsToWebhook(t, model)
	for who, r := range cast {
		e.republishes(t, model, r, who, list)
	}
}

// TestSight changes rights, boards and tickets at random, and has each member read all there is: none gets a word of a
// board that the model refuses, and each gets what it grants.
func TestSight(t *testing.T) {
	t.Parallel()
	e := newSightStage(t, newEnv(t))
	model, cast, handles, slugs, list := e.model, e.cast, e.handles, e.slugs, e.list
	e.check(t)
	seed := rand.Uint64()
	t.Logf("the seed is %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	names := slices.Sorted(maps.Keys(cast))
	rounds := 10
	if soak {
		rounds = 1000
	}
	for range rounds {
		for range 1 + random.IntN(6) {
			who, slug := pick(random, names), pick(random, slugs)
			level := model.level(who, cast[who].role, slug)
			ctx := cast[who].ctx
			switch random.IntN(7) {
			case 0:
				private := random.IntN(4) > 0
				_, err := e.Workflows.SetBoardPrivacy(ctx, slug, private)
				if may(t, err, level, boards.CodeNotManager) && private && !model.private[slug] {
					model.named[slug][who] = "admin"
				}
				if err == nil && model.private[slug] != private {
					model.private[slug], model.hooked[slug] = private, false
				}
			case 1:
				name := pick(random, append(slices.Clone(names), crew))
				role := pick(random, boards.Roles)
				entered := name
				if name != crew {
					entered = handles[name]
				}
				was, knows := maps.Clone(model.named[slug]), name != crew && model.meets(cast, who, name)
				model.named[slug][name] = role
				_, err := e.Workflows.NameOnBoard(ctx, slug, entered, role)
				switch unknown := name == crew && cast[who].role == accounts.Guest || name != crew && !knows; {
				case unknown && level == access.Manage:
					domaintest.Is(t, err, workflows.CodeUnknownName)
					model.named[slug] = was
				case !model.keeps(t, err, cast, slug, level):
					model.named[slug] = was
				}
			case 2:
				name := pick(random, append(slices.Clone(names), crew))
				kind, member := boards.KindGroup, uint64(e.group)
				if name != crew {
					kind, member = boards.KindAccount, uint64(accounts.ActorFrom(cast[name].ctx).Account.ID)
				}
				was := maps.Clone(model.named[slug])
				_, there := was[name]
				delete(model.named[slug], name)
				_, err := e.Workflows.DropFromBoard(ctx, slug, kind, member)
				if noGroup := name == crew && cast[who].role == accounts.Guest; (!there || noGroup) && level == access.Manage {
					domaintest.Is(t, err, boards.CodeMemberNotFound)
					model.named[slug] = was
				} else if !model.keeps(t, err, cast, slug, level) {
					model.named[slug] = was
				}
			case 3:
				name := pick(random, names)
				account := accounts.ActorFrom(cast[name].ctx).Account.ID
				if model.group[name] {
					domaintest.Must(t, e.Workflows.DropFromGroup(e.Ctx, e.group, account))
				} else {
					domaintest.Must(t, e.Workflows.AddToGroup(e.Ctx, e.group, handles[name]))
				}
				model.group[name] = !model.group[name]
			case 4:
				i := random.IntN(len(list))
				e.moveAs(t, model, cast[who], who, i, list[i], slug)
			case 6:
				e.hooksAs(t, model, ctx, slug, level)
			case 5:
				taken := domaintest.OK(e.Workflows.PrivateBoards(e.Ctx))(t)
				for _, b := range taken {
					if !b.Managed {
						domaintest.OK(e.Workflows.TakeOverBoard(e.Ctx, b.ID))(t)
						model.named[b.Slug]["owner"] = "admin"
					}
				}
			}
		}
		e.check(t)
	}
}

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

func (m *sightModel) String() string {
	return fmt.Sprintf("private %v, named %v, in the group %v, tickets on %v, boards of the webhook %v",
		m.private, m.named, m.group, m.on, m.hooked)
}

// hooksAs adds a board to the webhook, or removes it.
func (e *env) hooksAs(t *testing.T, model *sightModel, ctx context.Context, slug string, level access.Level) {
	t.Helper()
	do := e.Workflows.AddToWebhook
	if model.hooked[slug] {
		do = e.Workflows.DropFromWebhook
	}
	_, err := do(ctx, slug, 1)
	if accounts.ActorFrom(ctx).Role == accounts.Guest && level == access.Manage {
		domaintest.Is(t, err, accounts.CodeNotForGuests)
	} else if level == access.Manage && !model.private[slug] {
		domaintest.Is(t, err, workflows.CodeBoardIsOpen)
	} else if may(t, err, level, boards.CodeNotManager) {
		model.hooked[slug] = !model.hooked[slug]
	}
}

// sendsToWebhook checks that the webhook is sent the words of open boards, those of its private boards that are published
// after it got them, and no others.
func (e *env) sendsToWebhook(t testing.TB, model *sightModel) {
	t.Helper()
	company := accounts.ActorFrom(e.Ctx).Company.ID
	scope := workflows.WebhookScope(webhooks.Webhook{ID: 1, Company: company}, "")
	e.Exec(t, "UPDATE ticket SET feed_sync_id = NULL")
	e.Exec(t, "UPDATE comment SET feed_sync_id = NULL")
	e.Publish(t)
	for _, feed := range []string{"tickets", "comments"} {
		start := domaintest.OK(e.Workflows.Feeds().Start(e.Ctx, feed))(t)
		page := domaintest.OK(e.Workflows.Feeds().Read(e.Ctx, start, feeds.MaxLimit, scope))(t)
		text := string(domaintest.OK(json.Marshal(page.Items))(t))
		for i, slug := range model.on {
			word := fmt.Sprintf("secret%d", i)
			if want := !model.private[slug] || model.hooked[slug]; strings.Contains(text, word) != want {
				t.Fatalf("%s of %s is sent to the webhook by %s: %v\n%s\n%s", word, slug, feed, !want, text, model)
			}
		}
	}
}

// may reports whether a change by an actor of a level succeeded, and fails if it must not have, or must have.
func may(t domaintest.T, err error, level access.Level, refused fault.Code) bool {
	t.Helper()
	switch {
	case errors.Is(err, accounts.CodeReadOnly) && level < access.Write: // a viewer of the company, whatever the board
	case level == access.None:
		domaintest.Is(t, err, fault.NotFound)
	case level < access.Manage:
		domaintest.Is(t, err, refused)
	case level == access.Manage:
		domaintest.Must(t, err)
	}
	return err == nil
}

// keeps is may for a change that the model has already: a board keeps an admin.
func (m *sightModel) keeps(
	t domaintest.T, err error, cast map[string]reader, slug string, level access.Level,
) bool {
	t.Helper()
	if level == access.Manage && !m.managed(cast, slug) && err != nil {
		domaintest.Is(t, err, boards.CodeLastAdmin)
		return false
	}
	return may(t, err, level, boards.CodeNotManager)
}

// moveAs moves a ticket to another board, which takes the right to write on both.
func (e *env) moveAs(
	t *testing.T, model *sightModel, r reader, who string, i int, ticket tickets.ID, slug string,
) {
	from := model.on[i]
	number := domaintest.Number(t, e.DB, "SELECT local_id FROM ticket WHERE id = ?", uint64(ticket))
	column := domaintest.Number(t, e.DB,
		"SELECT MIN(c.id) FROM board_column c JOIN board b ON b.id = c.board_id WHERE b.slug = ?", slug)
	intent := tickets.Intent{Board: slug, Column: id.Column(column), AtEnd: true}
	moved, _, err := e.Workflows.MoveTicket(r.ctx, tickets.Key{Board: from, Number: uint64(number)}, intent)
	if model.level(who, r.role, from) >= access.Write && model.level(who, r.role, slug) >= access.Write {
		domaintest.Must(t, err)
		model.on[i] = slug
		if key := moved.Ticket.Key; !slices.Contains(model.keys, key) {
			model.keys = append(model.keys, key)
		}
	} else if err == nil {
		t.Fatalf("%s moved a ticket from %s to %s\n%s", who, from, slug, model)
	}
}

// countsUnread checks that a reader is told of as many unread entries as the inbox shows.
func (e *env) countsUnread(t testing.TB, ctx context.Context, who string) {
	t.Helper()
	actor := accounts.ActorFrom(ctx)
	entered := domaintest.OK(e.Workflows.Enter(ctx, actor.Company.Slug, actor.Account.ID, actor.Account.Epoch))(t)
	shown := 0
	list, _, err := e.Workflows.Inbox(ctx, 0)
	domaintest.Must(t, err)
	for _, group := range list {
		shown += group.New
	}
	if n := domaintest.OK(e.Workflows.Unread(ctx))(t); n != shown || entered.Unread != shown {
		t.Fatalf("%s has %d unread entries, or %d, and is shown %d", who, n, entered.Unread, shown)
	}
}

// refersAndAudits checks that a text is linked to the boards that its reader sees, and that an audit counts the rows of
// these alone, and those of the practice board.
func (e *env) refersAndAudits(t testing.TB, model *sightModel, r reader, who string) {
	t.Helper()
	boards, rows := 1, 0
	refs := domaintest.OK(e.Workflows.References(r.ctx, 0, "ONE-1 TWO-1 TRE-1"))(t)
	for slug := range model.named {
		sees := model.level(who, r.role, slug) > access.None
		if refs.Boards[slug] != sees {
			t.Fatalf("a text of %s is linked to %s: %v\n%s", who, slug, refs.Boards[slug], model)
		}
		if sees {
			boards++
		}
	}
	for _, slug := range model.on {
		if model.level(who, r.role, slug) > access.None {
			rows++
		}
	}
	practice := e.Count(t, "SELECT COUNT(*) FROM ticket t JOIN board b ON b.id = t.board_id WHERE b.slug = 'DEMO'")
	if r.role == accounts.Guest { // the practice board is open
		boards, practice = boards-1, 0
	}
	if list := domaintest.OK(e.Workflows.Boards(r.ctx))(t); len(list) != boards {
		t.Fatalf("%s is shown %d boards, want %d\n%s", who, len(list), boards, model)
	}
	for feed, want := range map[string]int{"boards": boards, "tickets": rows + practice, "comments": rows} {
		count := 0
		for _, part := range domaintest.OK(e.Workflows.FeedAudit(r.ctx, feed, "", "", 0))(t).Ranges {
			count += part.Count
		}
		if count != want {
			t.Fatalf("an audit of %s for %s counts %d rows, want %d\n%s", feed, who, count, want, model)
		}
	}
}

// listsMembers checks that each list of members has those that a reader sees, and no others, and that groups are not for
// guests.
func (e *env) listsMembers(
	t testing.TB, model *sightModel, cast map[string]reader, handles map[string]string, who string,
) {
	t.Helper()
	ctx := cast[who].ctx
	var want, all []string // handles
	ids := map[string]id.Account{}
	for other, handle := range handles {
		handle = strings.TrimPrefix(handle, "@")
		ids[handle] = accounts.ActorFrom(cast[other].ctx).Account.ID
		all = append(all, handle)
		if model.meets(cast, who, other) {
			want = append(want, handle)
		}
	}
	slices.Sort(want)
	is := func(list string, got []string) {
		t.Helper()
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Fatalf("%s gets %v by %s, want %v\n%s", who, got, list, want, model)
		}
	}
	of := func(list []accounts.NamedMember) (got []string) {
		for _, one := range list {
			got = append(got, one.Handle)
		}
		return got
	}
	members, _, err := e.Workflows.Members(ctx, 0)
	domaintest.Must(t, err)
	var listed, pages, found, byName, known []string
	for _, one := range members {
		listed = append(listed, one.Handle)
	}
	is("the list of members", listed)
	for _, handle := range all {
		if _, _, err := e.Workflows.Member(ctx, ids[handle]); err == nil {
			pages = append(pages, handle)
		} else {
			domaintest.Is(t, err, accounts.CodeMemberNotFound)
		}
		for _, one := range domaintest.OK(e.Workflows.FindMembers(ctx, "@"+handle, false, 50))(t) {
			if one.Handle == handle {
				found = append(found, handle)
			}
		}
	}
	is("pages of members", pages)
	is("a search by handle", found)
	for other := range cast {
		name := accounts.ActorFrom(cast[other].ctx).Account.Name
		for _, one := range domaintest.OK(e.Workflows.FindMembers(ctx, strings.ToUpper(name), false, 50))(t) {
			if one.Name == name {
				byName = append(byName, one.Handle)
			}
		}
	}
	is("a search by name", byName)
	is("members to filter by", of(domaintest.OK(e.Workflows.Colleagues(ctx))(t)))
	is("members to assign", of(domaintest.OK(e.Workflows.MembersAmong(ctx, slices.Collect(maps.Values(ids))))(t)))
	refs := domaintest.OK(e.Workflows.References(ctx, 0, "@"+strings.Join(all, " @")))(t)
	for handle := range refs.Names {
		known = append(known, handle)
	}
	is("mentions in a text", known)
	suggested, groups, err := e.Workflows.NameSuggestions(ctx)
	domaintest.Must(t, err)
	is("names for a board", of(suggested))
	_, err = e.Workflows.Groups(ctx)
	if guest := cast[who].role == accounts.Guest; guest {
		domaintest.Is(t, err, accounts.CodeNotForGuests)
	} else if domaintest.Must(t, err); len(groups) != 1 {
		t.Fatalf("%s is suggested %v", who, groups)
	}
}

// republishes checks that a reader has those rows published again that it sees, and no others.
func (e *env) republishes(t testing.TB, model *sightModel, r reader, who string, list []tickets.ID) {
	t.Helper()
	switch r.role {
	case accounts.Viewer:
		return
	case accounts.Guest:
		_, _, err := e.Workflows.RepublishRows(r.ctx, "tickets", feeds.Selection{IDs: []uint64{uint64(list[0])}})
		domaintest.Is(t, err, accounts.CodeNotForGuests)
		return
	}
	var want int64
	rows := map[string]feeds.Selection{}
	add := func(feed string, row uint64) {
		rows[feed] = feeds.Selection{IDs: append(rows[feed].IDs, row)}
	}
	for i, ticket := range list {
		add("tickets", uint64(ticket))
		add("comments", uint64(domaintest.Number(t, e.DB, "SELECT id FROM comment WHERE ticket_id = ?", uint64(ticket))))
		if model.level(who, r.role, model.on[i]) > access.None {
			want++
		}
	}
	e.Publish(t)
	for _, feed := range []string{"tickets", "comments"} { // one comment of each ticket
		if n, _, err := e.Workflows.RepublishRows(r.ctx, feed, rows[feed]); err != nil || n != want {
			t.Fatalf("%s has %d %s published again, %v, want %d\n%s", who, n, feed, err, want, model)
		}
	}
	for i, ticket := range list {
		number := domaintest.Number(t, e.DB, "SELECT local_id FROM ticket WHERE id = ?", uint64(ticket))
		key := feeds.Selection{Keys: []string{fmt.Sprintf("%s-%d", model.on[i], number)}}
		_, _, err := e.Workflows.RepublishRows(r.ctx, "tickets", key)
		sees := model.level(who, r.role, model.on[i]) > access.None
		if sees && err != nil || !sees && !errors.Is(err, tickets.CodeUnknownKey) {
			t.Fatalf("%s has %v published again: %v\n%s", who, key.Keys, err, model)
		}
	}
	boards := feeds.Selection{}
	want = 0
	for slug := range model.named {
		boards.IDs = append(boards.IDs, uint64(domaintest.Number(t, e.DB, "SELECT id FROM board WHERE slug = ?", slug)))
		if model.level(who, r.role, slug) > access.None {
			want++
		}
	}
	if n, _, err := e.Workflows.RepublishRows(r.ctx, "boards", boards); err != nil || n != want {
		t.Fatalf("%s has %d boards published again, %v, want %d\n%s", who, n, err, want, model)
	}
}

// readAll reads by all use cases that show rows of boards, and returns what each gave.
func (e *env) readAll(
	t domaintest.T, ctx context.Context, slugs []string, keys []tickets.Key,
) map[string]string {
	t.Helper()
	got := map[string]string{}
	add := func(route string, value any, err error) {
		if err != nil && !errors.Is(err, fault.NotFound) && !errors.Is(err, fault.Forbidden) {
			t.Fatalf("%s: %v", route, err)
		}
		text, marshalled := json.Marshal(value)
		domaintest.Must(t, marshalled)
		got[route] += string(text)
		if err != nil {
			got[route] += err.Error()
		}
	}
	list, err := e.Workflows.Boards(ctx)
	add("boards", list, err)
	for _, slug := range slugs {
		_, page, _, err := e.Workflows.TicketsOf(ctx, slug, workflows.TicketList{Limit: 100})
		add("tickets of a board", page, err)
		board, err := e.Workflows.Board(ctx, slug)
		for _, column := range board.Columns {
			_, cards, err := e.Workflows.Column(ctx, slug, column.ID, nil, workflows.BoardFilter{})
			add("cards", cards, err)
		}
		add("board", board, err)
	}
	for _, key := range keys {
		e.readTicket(ctx, key, add)
	}
	for i := range 6 {
		jump, err := e.Workflows.JumpTo(ctx, "", fmt.Sprintf("secret%d", i))
		add("jump", jump, err)
	}
	inbox, _, err := e.Workflows.Inbox(ctx, 0)
	add("inbox", inbox, err)
	for entry := range uint64(12) {
		one, err := e.Workflows.InboxEntry(ctx, id.Notification(entry+1))
		add("inbox entry", one, err)
	}
	work, _, err := e.Workflows.Work(ctx, 0)
	add("work", work, err)
	home, err := e.Workflows.Home(ctx, keys)
	add("home", home, err)
	for _, text := range []string{"", "board:" + slugs[0]} {
		all, err := e.Workflows.ListBoard(ctx, workflows.AllBoards, workflows.TicketList{Query: text, Limit: 100})
		add("all tickets", all, err)
	}
	views, err := e.Workflows.SavedViews(ctx)
	add("views", views, err)
	pins, err := e.Workflows.PinnedViews(ctx)
	add("pinned views", pins, err)
	for view := range uint64(30) {
		one, err := e.Workflows.SavedView(ctx, id.SavedView(view+1))
		add("view", one, err)
	}
	edits, _, err := e.Workflows.BulkEdits(ctx, 0)
	add("bulk edits", edits, err)
	for before, more := id.BulkEdit(0), true; more; more = before != 0 {
		edits, before, err = e.Workflows.CompanyBulkEdits(ctx, before)
		add("everyone's bulk edits", edits, err)
	}
	for edit := range uint64(100) {
		one, err := e.Workflows.BulkEdit(ctx, id.BulkEdit(edit+1))
		add("bulk edit", one, err)
		if err == nil {
			items, _, err := e.Workflows.BulkEditItems(ctx, one, bulkedits.Refused, 0)
			add("items of a bulk edit", items, err)
			reasons, err := e.Workflows.BulkEditReasons(ctx, bulkedits.BulkEdit{ID: one.ID, Refused: 1})
			add("reasons of a bulk edit", reasons, err)
		}
	}
	for _, feed := range []string{"tickets", "comments", "boards"} {
		page, err := e.Workflows.FeedPage(ctx, "https://x.example", workflows.FeedQuery{Feed: feed, Limit: feeds.MaxLimit})
		add("feed "+feed, page.Items, err)
	}
	return got
}

// readTicket reads all of a ticket that a key leads to.
func (e *env) readTicket(ctx context.Context, key tickets.Key, add func(route string, value any, err error)) {
	ticket, err := e.Workflows.Ticket(ctx, key)
	add("ticket", ticket, err)
	_, comments, err := e.Workflows.CommentsAfter(ctx, key, 0, 100)
	add("comments", comments, err)
	deleted, _, _, err := e.Workflows.DeletedTicket(ctx, key)
	add("deleted ticket", deleted, err)
}
