package workflows_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/app/apptest"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/domain/requests"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// withForm is an environment whose board NINJA takes requests, for which there are codes.
func withForm(t testing.TB, codes int) *env {
	t.Helper()
	e := newEnv(t)
	e.Board(t, "NINJA")
	e.Offer(t, "NINJA", true)
	stock(t, e.DB, codes)
	return e
}

// stock puts n codes into the pool. Which codes are canaries is the same in all tests.
func stock(t testing.TB, d *db.DB, n int) {
	t.Helper()
	domaintest.Exec(t, d, "UPDATE ref_policy SET canary_key = REPEAT('k', 16)")
	if n == 0 {
		return
	}
	canaries := domaintest.OK(refs.ReadCanaries(context.Background(), d.Queries))(t)
	apptest.InLot(t, d, func(ctx context.Context, tx *db.Tx, lot id.Lot) error {
		_, err := refs.Mint(ctx, tx, canaries, lot, refs.Slice{Length: refs.Short, To: refs.Space(refs.Short), Codes: n})
		return err
	})
}

// guesses are n codes that lead to nothing, canary says whether they are canaries.
func guesses(t testing.TB, e *env, n int, canary bool) (list []string) {
	t.Helper()
	canaries := domaintest.OK(refs.ReadCanaries(context.Background(), e.DB.Queries))(t)
	for i := 0; len(list) < n; i++ {
		code := fmt.Sprintf("%c%c%c%c%c", 'A'+i/26/26/26/26%26, 'A'+i/26/26/26%26, 'A'+i/26/26%26, 'A'+i/26%26, 'A'+i%26)
		if canaries.Is(refs.Code(code)) == canary && e.Count(t, "SELECT COUNT(*) FROM ref_ledger WHERE code = ?", code) == 0 {
			list = append(list, code)
		}
	}
	return list
}

// from returns a context in which a stranger calls from an address.
func from(address string) context.Context { return accounts.WithAddress(context.Background(), address) }

// address is one of many.
func address(i int) string { return fmt.Sprintf("10.%d.%d.%d", i>>16&255, i>>8&255, i&255) }

func submission(title string) requests.Submission {
	return requests.Submission{Company: "acme", Board: "NINJA", Nonce: requests.NewToken(), Title: title,
		Description: "Please", Email: "stranger@example.com"}
}

func (e *env) send(t testing.TB, sent requests.Submission) workflows.Receipt {
	t.Helper()
	return domaintest.OK(e.Workflows.Send(from("192.0.2.1"), sent))(t)
}

func is(t testing.TB, err error, code fault.Code) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Errorf("%v is no %s", err, code)
	}
}

func TestTheRequesterIsNoMember(t *testing.T) {
	t.Parallel()
	e := withForm(t, 1)
	requester := domaintest.OK(accounts.RequesterAccount(e.Ctx, e.DB.Queries))(t)
	t.Run("sign-in", func(t *testing.T) {
		for _, password := range []string{"", "x", "requester", "correct horse battery"} {
			_, err := e.Workflows.SignIn(from("192.0.2.9"), "Requester", password, workflows.Browser{})
			is(t, err, accounts.CodeWrongPassword)
		}
		e.Offer(t, "NINJA", true)
		domaintest.Exec(t, e.DB,
			"UPDATE account SET password_hash = (SELECT password_hash FROM (SELECT password_hash FROM account WHERE id = ?) x) WHERE id = ?", e.Actor.Account.ID, requester.ID)
		_, err := e.Workflows.SignIn(from("192.0.2.9"), "requester", "correct horse battery", workflows.Browser{})
		is(t, err, accounts.CodeWrongPassword)
	})
	t.Run("invitations", func(t *testing.T) {
		link, err := e.Workflows.Invite(e.Ctx, accounts.InvitationDraft{Role: accounts.Member, Days: 7}, nil)
		domaintest.Must(t, err)
		_, err = e.Workflows.JoinNew(e.Ctx, link, workflows.Newcomer{Name: "Requester", Email: "requester",
			Password: "correct horse battery"})
		is(t, err, accounts.CodeBadEmail)
		err = e.DB.InTx(e.Ctx, func(tx *db.Tx) error {
			_, err := accounts.Join(e.Ctx, tx, e.Actor.Company.ID, requester, accounts.Member)
			return err
		})
		is(t, err, accounts.CodeNotMember)
	})
	t.Run("new passwords", func(t *testing.T) {
		_, err := e.Workflows.MakeReset(e.Ctx, requester.ID, nil)
		is(t, err, accounts.CodeMemberNotFound)
		_, err = accounts.ByEmail(e.Ctx, e.DB.Queries, "requester")
		is(t, err, accounts.CodeNotMember)
	})
	t.Run("operators", func(t *testing.T) {
		is(t, e.Workflows.SetOperator(e.Ctx, requester.ID, true), accounts.CodeMemberNotFound)
		is(t, e.Workflows.ChangeRole(e.Ctx, requester.ID, accounts.Owner), accounts.CodeMemberNotFound)
	})
	t.Run("lists, searches, mentions and assignees", func(t *testing.T) {
		members, _, err := e.Workflows.Members(e.Ctx, 0)
		if err != nil || slices.ContainsFunc(members,
			func(p accounts.CompanyMember) bool { return p.Account.ID == requester.ID }) {
			t.Error(members, err)
		}
		found, err := e.Workflows.FindMembers(e.Ctx, "requester", false, 10)
		if err != nil || len(found) > 0 {
			t.Error(found, err)
		}
		_, err = e.Workflows.SetAssignees(e.Ctx, e.ours(t).Key, []string{"requester"})
		is(t, err, tickets.CodeNotAssignable)
	})
	t.Run("matches of an import", func(t *testing.T) {
		if _, err := accounts.ParseEmail("requester"); err == nil {
			t.Error("it is a form of address, by which people are matched")
		}
	})
	t.Run("it is made once", func(t *testing.T) {
		e.Offer(t, "DEMO", true)
		e.Counts(t, 2, "SELECT COUNT(*) FROM account")
	})
}

func (e *env) ours(t testing.TB) tickets.Ticket {
	t.Helper()
	return domaintest.OK(e.Workflows.OpenTicket(e.Ctx, "NINJA", tickets.Draft{Title: "Ours"}, nil))(t)
}

func TestSetForm(t *testing.T) {
	t.Parallel()
	t.Run("of concurrent edits of a form one changes it, and the others conflict", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.stopClock() // so that two changes have one time
		e.Board(t, "NINJA")
		for round := range 5 {
			seen := e.Form(t, "NINJA")
			var saved atomic.Int64
			var group sync.WaitGroup
			for i := range 6 {
				group.Go(func() {
					form := requests.Form{On: i%2 == 0, Intro: fmt.Sprint(round, i), Version: seen.Version}
					_, err := e.Workflows.SetForm(e.Ctx, "NINJA", form)
					var stale requests.StaleForm
					switch {
					case err == nil:
						saved.Add(1)
					case !errors.As(err, &stale) || stale.Current.Version == seen.Version || stale.Current.Intro == form.Intro:
						t.Error(err)
					}
				})
			}
			group.Wait()
			if n := saved.Load(); n != 1 {
				t.Errorf("%d were saved", n)
			}
		}
	})
	t.Run("equal settings can be saved again, also concurrently, and are audited once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.Board(t, "NINJA")
		var group sync.WaitGroup
		for range 6 {
			group.Go(func() {
				if _, err := e.Workflows.SetForm(e.Ctx, "NINJA", requests.Form{On: true, Intro: "Hello"}); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		e.Counts(t, 1, "SELECT COUNT(*) FROM audit WHERE kind = ?", accounts.AuditFormOn)
	})
	t.Run("it is on and codes are wanted, or neither", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.Board(t, "NINJA")
		domaintest.Exec(t, e.DB, "ALTER TABLE ref_policy RENAME TO ref_policy_elsewhere")
		if _, err := e.Workflows.SetForm(e.Ctx, "NINJA", requests.Form{On: true}); err == nil {
			t.Error("it is said to be on")
		}
		if form := e.Form(t, "NINJA"); form.On {
			t.Error("it is on, and its board gets no codes")
		}
	})
}

func TestSend(t *testing.T) {
	t.Parallel()
	t.Run("a form opens a ticket in the first column and gives it a code", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		receipt := e.send(t, submission("The door is stuck"))
		ticket, err := e.Workflows.Ticket(e.Ctx, tickets.Key{Board: "NINJA", Number: 1})
		domaintest.Must(t, err)
		board, _ := e.Workflows.Board(e.Ctx, "NINJA")
		if ticket.Title != "The door is stuck" || ticket.Description != "Please" || !ticket.FromRequester ||
			ticket.Author.Name != "Requester" || ticket.Column != board.Columns[0].ID {
			t.Errorf("%+v", ticket)
		}
		request, err := e.Workflows.RequestOf(e.Ctx, ticket)
		if err != nil || request.Code != receipt.Code || request.Email != "stranger@example.com" || !request.Linked {
			t.Error(request, err)
		}
		if n := e.Count(t, "SELECT COUNT(*) FROM ticket_request WHERE token_hash = ? AND token_hash <> ?",
			requests.HashToken(receipt.Token), receipt.Token); n != 1 {
			t.Error("the token is not kept by its hash")
		}
		if n := e.Count(t, "SELECT COUNT(*) FROM ref_issue WHERE code = ? AND ticket_id = ? AND company_id = ?", receipt.Code,
			ticket.ID, e.Actor.Company.ID); n != 1 {
			t.Error("nobody knows whom the code was given to")
		}
	})
	t.Run("the audit list has each turn on and off with its actor, and no changes of the text", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 0)
		for _, on := range []bool{true, false, false, true} {
			e.Offer(t, "NINJA", on)
		}
		list := domaintest.OK(accounts.Audit(e.Ctx, e.DB.Queries, e.Actor.Company.ID, 0, 10))(t)
		var kinds []string
		for _, entry := range list {
			if strings.HasPrefix(entry.Kind, "form-") && entry.Detail.Name == "NINJA" {
				kinds = append(kinds, entry.Kind)
			}
		}
		if want := []string{"form-on", "form-off", "form-on"}; !slices.Equal(kinds, want) {
			t.Error(kinds)
		}
	})
	t.Run("sent twice at the same time, a form opens one", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 50)
		sent := submission("Once")
		receipts := make([]workflows.Receipt, 10)
		var group sync.WaitGroup
		for i := range receipts {
			group.Go(func() {
				var err error
				if receipts[i], err = e.Workflows.Send(from("192.0.2.1"), sent); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if slices.ContainsFunc(receipts, func(r workflows.Receipt) bool { return r != receipts[0] }) {
			t.Error(receipts)
		}
		if n, left := e.Count(t, "SELECT COUNT(*) FROM ticket WHERE from_requester"),
			e.Count(t, "SELECT COUNT(*) FROM ref_pool"); n != 1 || left != 49 {
			t.Errorf("%d tickets, %d codes left", n, left)
		}
	})
	t.Run("another text in the same page is another request", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		sent := submission("One")
		first := e.send(t, sent)
		sent.Title = "Two"
		if second := e.send(t, sent); second.Code == first.Code || second.Token == first.Token {
			t.Error(first, second)
		}
	})
	t.Run("without a code nothing is opened, and the same form may be sent later", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 0)
		sent := submission("Later")
		_, err := e.Workflows.Send(from("192.0.2.1"), sent)
		if !errors.Is(err, fault.Unavailable) {
			t.Error(err)
		}
		e.Counts(t, 0, "SELECT COUNT(*) FROM ticket WHERE from_requester")
		stock(t, e.DB, 1)
		e.send(t, sent)
	})
}

func TestSendRefuses(t *testing.T) {
	t.Parallel()
	t.Run("a form's text is plain text", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 10)
		for _, text := range []string{"<script>alert(1)</script>", "Ноw аrе уоu", "pаypal.example", "@ana NINJA-1"} {
			sent := submission(text)
			sent.Description = text
			receipt := e.send(t, sent)
			if n := e.Count(t, "SELECT COUNT(*) FROM ticket t JOIN ticket_request r ON r.ticket_id = t.id WHERE r.code = ? AND t.title = ? AND t.description = ?", receipt.Code, text, text); n != 1 {
				t.Errorf("%q was changed", text)
			}
		}
		sent := submission("abc\u202e24-AJNIN") // it would read otherwise than it is
		_, err := e.Workflows.Send(from("192.0.2.1"), sent)
		is(t, err, tickets.CodeBadTitle)
		if n := e.Count(t, "SELECT COUNT(*) FROM notification WHERE kind <> 'request'"); n != 0 {
			t.Error("a stranger sends notifications by naming people")
		}
	})
	t.Run("what is wrong with each field is said at once", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 1)
		sent := submission("")
		sent.Description, sent.Email = "\x00", "a@b.example\r\nBcc: c@d.example"
		_, err := e.Workflows.Send(from("192.0.2.1"), sent)
		for _, code := range []fault.Code{tickets.CodeEmptyTitle, tickets.CodeBadDescription, accounts.CodeBadEmail} {
			is(t, err, code)
		}
	})
	t.Run("an address is optional, and kept without spaces and in lower case", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 3)
		for _, none := range []string{"", "  "} {
			sent := submission("No address")
			sent.Email = none
			e.send(t, sent)
		}
		sent := submission("Spaces around")
		sent.Email = " Stranger@example.com "
		e.send(t, sent)
		if n := e.Count(t, "SELECT COUNT(*) FROM ticket_request WHERE email = ''") +
			10*e.Count(t, "SELECT COUNT(*) FROM ticket_request WHERE email = 'stranger@example.com'"); n != 12 {
			t.Error("other addresses are kept than were typed")
		}
	})
	t.Run("a missing form gets the same answer, by the same statement", func(t *testing.T) {
		t.Parallel()
		d, watch := dbtest.NewWatched(t)
		e := &env{apptest.On(t, d)}
		for _, slug := range []string{"OFF", "PAST", "NINJA", "BARE"} {
			e.Board(t, slug)
		}
		for _, slug := range []string{"PAST", "NINJA"} {
			e.Offer(t, slug, true)
		}
		e.Offer(t, "OFF", false)
		domaintest.OK(e.Workflows.ArchiveBoard(e.Ctx, "PAST", true, nil))(t)
		watch.Take()
		domaintest.OK(e.Workflows.PublicForm(context.Background(), "acme", "NINJA"))(t)
		there, _ := watch.Take()
		for what, path := range map[string][2]string{
			"off": {"acme", "OFF"}, "never on": {"acme", "BARE"}, "archived": {"acme", "PAST"}, "no board": {"acme", "NONE"},
			"no company": {"nowhere", "NINJA"}, "no slug": {"acme", "' OR 1"},
		} {
			_, err := e.Workflows.PublicForm(context.Background(), path[0], path[1])
			if err != (requests.NoForm()) {
				t.Errorf("%s: %v", what, err)
			}
			if sent, _ := watch.Take(); !slices.Equal(sent, there) {
				t.Errorf("%s: %d statements, not %d", what, len(sent), len(there))
			}
			_, err = e.Workflows.Send(from("192.0.2.1"), requests.Submission{Company: path[0], Board: path[1],
				Nonce: requests.NewToken(), Title: "x"})
			is(t, err, requests.CodeNoForm)
			watch.Take()
		}
	})
	t.Run("a full column and a board that goes away meanwhile are said in a stranger's words", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 5)
		board, _ := e.Workflows.Board(e.Ctx, "NINJA")
		hard, one := boards.LimitHard, 1
		domaintest.OK(e.Workflows.EditColumn(e.Ctx, "NINJA", board.Columns[0].ID, boards.ColumnEdit{WIP: &hard, Limit: &one},
			nil))(t)
		e.send(t, submission("One"))
		_, err := e.Workflows.Send(from("192.0.2.1"), submission("Two"))
		is(t, err, requests.CodeNotNow)
		e.Counts(t, 4, "SELECT COUNT(*) FROM ref_pool")
	})
}

func TestSendLimits(t *testing.T) {
	t.Parallel()
	t.Run("an address, a network and a board take so much and no more, also on another server", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 200)
		e.stopClock()
		other := app.New(e.DB, apptest.WithKeys)
		t.Cleanup(func() { other.Close(context.Background()) })
		servers := []*app.App{e.App, other}
		taken := func(addresses func(i int) string, most int) (n int) {
			for i := range most {
				_, err := servers[i%2].Workflows.Send(from(addresses(i)), submission(fmt.Sprint(i)))
				if err == nil {
					n++
					continue
				}
				var many requests.TooMany
				if !errors.As(err, &many) || many.Wait <= 0 || many.Wait > time.Hour {
					t.Fatal(err)
				}
			}
			return n
		}
		same := func(int) string { return "192.0.2.7" }
		nearby := func(i int) string { return fmt.Sprintf("2001:db8:2:2::%x", i) }
		network := func(i int) string { return fmt.Sprintf("2001:db8:1:%x::1", i) }
		if n := taken(same, 30); n != 20 {
			t.Errorf("one address sent %d", n)
		}
		if n := taken(nearby, 30); n != 20 {
			t.Errorf("who has many addresses of IPv6 sent %d", n)
		}
		if n := taken(network, 80); n != 60 {
			t.Errorf("one network sent %d", n)
		}
		if n := taken(func(int) string { return "2001:db8:3:1::1" }, 5); n != 5 {
			t.Errorf("the network beside it sent %d", n)
		}
		counts := e.Count(t, "SELECT COUNT(*) FROM public_limit")
		if n := taken(func(i int) string { return network(1000 + i) }, 30); n != 0 {
			t.Errorf("a network that had sent all it may sent %d more", n)
		}
		e.limit(t, 1000)
		if n := taken(func(i int) string { return address(i) }, 30); n != 0 {
			t.Errorf("a board that had a thousand took %d more", n)
		}
		e.Counts(t, counts, "SELECT COUNT(*) FROM public_limit")
	})
	t.Run("requests over an address's limit do not count against its network or the board", func(t *testing.T) {
		t.Parallel()
		e := withForm(t, 30)
		e.stopClock()
		for i := range 40 {
			_, err := e.Workflows.Send(from("2001:db8:1:1::1"), submission(fmt.Sprint(i)))
			if err != nil {
				is(t, err, requests.CodeTooMany)
			}
		}
		rows := domaintest.OK(e.DB.SQL.Query("SELECT used FROM public_limit"))(t)
		defer rows.Close()
		var counts []int
		for rows.Next() {
			var n int
			domaintest.Must(t, rows.Scan(&n))
			counts = append(counts, n)
		}
		if want := []int{20, 20, 20}; rows.Err() != nil || !slices.Equal(counts, want) {
			t.Error(counts, rows.Err())
		}
	})
}

// stopClock has all that happens happen within one minute.
func (e *env) stopClock() {
	at := time.Now().Truncate(time.Hour).Add(30 * time.Minute)
	e.DB.SetClock(func() time.Time { return at })
}

// limit has everyone have used the limits so far.
func (e *env) limit(t testing.TB, used int) {
	t.Helper()
	domaintest.Exec(t, e.DB, "UPDATE public_limit SET used = ?", used)
}

// Ten thousand requesters send ten thousand requests to ten boards: each opens one ticket, each has a code of its own,
// and no code is lost.
func TestManyRequests(t *testing.T) {
	t.Parallel()
	const slugs, senders = 10, 16
	members := 2000
	if soak {
		members = 10_000
	}
	e := withForm(t, members)
	for n := range slugs {
		slug := fmt.Sprintf("FORM%d", n)
		e.Board(t, slug)
		e.Offer(t, slug, true)
	}
	var next atomic.Int64
	var mu sync.Mutex
	codes := map[string]bool{}
	var group sync.WaitGroup
	for range senders {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < members; i = int(next.Add(1)) - 1 {
				sent := submission(fmt.Sprint("Request ", i))
				sent.Board = fmt.Sprintf("FORM%d", i%slugs)
				receipt, err := e.Workflows.Send(from(address(i/10)), sent)
				if err != nil {
					t.Error(i, err)
					return
				}
				mu.Lock()
				if codes[receipt.Code] {
					t.Error(receipt.Code, "was given out twice")
				}
				codes[receipt.Code] = true
				mu.Unlock()
			}
		})
	}
	group.Wait()
	for query, want := range map[string]int{
		"SELECT COUNT(*) FROM ticket WHERE from_requester": members, "SELECT COUNT(*) FROM ticket_request": members,
		"SELECT COUNT(*) FROM ref_issue": members, "SELECT COUNT(*) FROM ref_pool": 0,
		"SELECT COUNT(*) FROM ticket_request r JOIN ref_issue i ON i.code = r.code AND i.ticket_id = r.ticket_id":                            members,
		"SELECT COALESCE(SUM(max_ticket_id), 0) FROM board_ticket_incrementer i JOIN board b ON b.id = i.board_id WHERE b.slug LIKE 'FORM%'": members,
	} {
		e.Counts(t, want, query)
	}
}
