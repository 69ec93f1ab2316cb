package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

const someTickets = "/boards/DEMO/tickets"

var asked = object{"title": "Paint the door", "description": "Red"}

func opened(e *env) int64 {
	return e.count("SELECT COUNT(*) FROM ticket WHERE title = 'Paint the door'")
}

// again fails unless the second answer is the first one.
func again(t *testing.T, first, second *answer) {
	t.Helper()
	if second.is(t, http.StatusCreated); second.body != first.body {
		t.Errorf("the first answer was\n%q, the second is\n%q", first.body, second.body)
	}
	if second.header.Get("Content-Type") != first.header.Get("Content-Type") ||
		second.header.Get("Idempotency-Replayed") != "true" || first.header.Get("Idempotency-Replayed") != "" {
		t.Errorf("the headers were %v and are %v", first.header, second.header)
	}
}

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	t.Run("the same request gets the first answer, whatever happened since", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		p := e.program().with("Idempotency-Key", "one")
		first := p.post(someTickets, asked).is(t, http.StatusCreated)
		e.unchanged(t, func() { again(t, first, p.post(someTickets, asked)) })
		e.program().patch("/tickets/DEMO-8", object{"title": "another", "version": 1}).is(t, 200)
		e.unchanged(t, func() { again(t, first, p.post(someTickets, asked)) })
		e.program().delete("/tickets/DEMO-8").is(t, 204)
		e.unchanged(t, func() { again(t, first, p.post(someTickets, asked)) })
		if keys := e.newTickets("DEMO", 1, "next"); keys[0] != "DEMO-9" {
			t.Errorf("a number was lost: the next is %s", keys[0])
		}
	})

	t.Run("so does the same board", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		p := e.program().with("Idempotency-Key", "one")
		first := p.post("/boards", object{"slug": "NINJA", "title": "x"}).is(t, 201)
		e.program().patch("/boards/NINJA", object{"title": "y", "version": 1}).is(t, 200)
		again(t, first, p.post("/boards", object{"slug": "NINJA", "title": "x"}))
	})

	t.Run("so does the same column, also where the board has changed since", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		p := e.program().with("Idempotency-Key", "one")
		first := p.post("/boards/DEMO/columns", object{"name": "Review", "version": 1}).is(t, 201)
		again(t, first, p.post("/boards/DEMO/columns", object{"name": "Review", "version": 1}))
		p.post("/boards/DEMO/columns", object{"name": "Another"}).problem(t, 422, "Idempotency-Key")
		e.counts(t, 1, "SELECT COUNT(*) FROM board_column WHERE name IN ('Review', 'Another')")
	})

	for _, path := range []string{someTickets, "/boards"} {
		t.Run("twenty at once do it once: POST "+path, func(t *testing.T) {
			t.Parallel()
			e := newEnv(t)
			p := e.program().with("Idempotency-Key", "one")
			wanted := object{"title": "Paint the door"}
			if path == "/boards" {
				wanted["slug"] = "NINJA"
			}
			answers := make([]*answer, 20)
			var group sync.WaitGroup
			for i := range answers {
				group.Go(func() { answers[i] = p.post(path, wanted) })
			}
			group.Wait()
			first := 0
			for _, a := range answers {
				if a.is(t, http.StatusCreated); a.body != answers[0].body {
					t.Errorf("%s differs from %s", a.body, answers[0].body)
				}
				if a.header.Get("Idempotency-Replayed") == "" {
					first++
				}
			}
			if first != 1 {
				t.Errorf("%d say that they were first", first)
			}
			if n := opened(e) + e.count("SELECT COUNT(*) FROM board WHERE slug = 'NINJA'"); n != 1 {
				t.Errorf("it was done %d times", n)
			}
			if n := e.count("SELECT max_ticket_id FROM board_ticket_incrementer ORDER BY board_id LIMIT 1"); path != "/boards" &&
				n != 8 {
				t.Errorf("the last number is %d", n)
			}
		})
	}

	t.Run("after a day it is new", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		p := e.program().with("Idempotency-Key", "one")
		first := p.post(someTickets, asked).is(t, 201)
		e.exec("UPDATE idempotency SET created_at = created_at - INTERVAL 1430 MINUTE")
		again(t, first, p.post(someTickets, asked))
		e.exec("UPDATE idempotency SET created_at = created_at - INTERVAL 20 MINUTE")
		second := p.post(someTickets, object{"title": "Paint the door", "description": "another body"}).is(t, 201)
		if second.header.Get("Idempotency-Replayed") != "" || opened(e) != 2 {
			t.Error("it was answered from memory")
		}
		again(t, second, p.post(someTickets, object{"title": "Paint the door", "description": "another body"}))
	})

	t.Run("twenty at once after a day do it once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		p := e.program().with("Idempotency-Key", "one")
		p.post(someTickets, asked).is(t, 201)
		e.exec("UPDATE idempotency SET created_at = created_at - INTERVAL 25 HOUR")
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() { p.post(someTickets, asked).is(t, 201) })
		}
		group.Wait()
		if n := opened(e); n != 2 {
			t.Errorf("%d tickets", n)
		}
	})

}

func TestIdempotencyKeysApart(t *testing.T) {
	t.Parallel()
	t.Run("keys do not get into each other's way when they come at once", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		var group sync.WaitGroup
		var keys sync.Map
		for i := range 40 {
			group.Go(func() {
				var made ticket
				e.program().with("Idempotency-Key", fmt.Sprint(i/2)).
					post(someTickets, object{"title": "Paint the door", "description": fmt.Sprint(i / 2)}).is(t, 201).read(t, &made)
				if made.Description != fmt.Sprint(i/2) {
					t.Errorf("%d got the answer of %s", i/2, made.Description)
				}
				keys.Store(made.Key, true)
			})
		}
		group.Wait()
		n := 0
		keys.Range(func(any, any) bool { n++; return true })
		if n != 20 || opened(e) != 20 {
			t.Errorf("%d keys, %d tickets", n, opened(e))
		}
	})
	t.Run("another request with the key is refused", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.newBoard("NINJA")
		p := e.program().with("Idempotency-Key", "one")
		p.post(someTickets, asked).is(t, 201)
		e.unchanged(t, func() {
			p.post(someTickets, object{"title": "another"}).problem(t, 422, "Idempotency-Key")
			p.post(someTickets, `{"title":"Paint the door", "description":"Red"}`).problem(t, 422, "Idempotency-Key") // other bytes
			p.post("/boards/NINJA/tickets", asked).problem(t, 422, "Idempotency-Key")
		})
	})
	t.Run("a refused request may be corrected under its key", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		p := e.program().with("Idempotency-Key", "one")
		p.post(someTickets, object{"title": ""}).problem(t, 422, "title")
		p.post(someTickets, object{"title": "x", "column": 4711}).problem(t, 422, "column")
		p.post("/boards/NOPE/tickets", asked).problem(t, 404, "")
		p.post(someTickets, asked).is(t, 201)
	})
	t.Run("another token's key is another key", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.program().with("Idempotency-Key", "one").post(someTickets, asked).is(t, 201)
		other := &program{env: e, token: e.tokenOf("ana", "acme", accounts.Scopes...)}
		if a := other.with("Idempotency-Key", "one").post(someTickets, asked).
			is(t, 201); a.header.Get("Idempotency-Replayed") != "" || opened(e) != 2 {
			t.Errorf("%d tickets", opened(e))
		}
		other.with("Idempotency-Key", "two").post(someTickets, object{"title": "mine"}).is(t, 201)
		e.program().with("Idempotency-Key", "two").post(someTickets, object{"title": "theirs"}).is(t, 201)
	})
	t.Run("a bad key is refused", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.unchanged(t, func() {
			for _, key := range []string{"", strings.Repeat("a", 256), "schlüssel", "\xff", "a\tb", "a\x00b", "\x7f"} {
				e.program().with("Idempotency-Key", key).post(someTickets, asked).problem(t, 422, "Idempotency-Key")
				e.program().with("Idempotency-Key", key).post("/boards", object{"slug": "NINJA", "title": "x"}).
					problem(t, 422, "Idempotency-Key")
			}
			e.program().with("Idempotency-Key", "a", "Idempotency-Key", "b").post(someTickets, asked).problem(t, 422,
				"Idempotency-Key")
		})
		for _, key := range []string{strings.Repeat("a", 255), " ", "!~", hostile} {
			e.program().with("Idempotency-Key", key).post(someTickets, asked).is(t, 201)
		}
	})
	t.Run("keys that differ in case are two", func(t *testing.T) {
		t.Parallel()
		e := newEnv(t)
		e.program().with("Idempotency-Key", "one").post(someTickets, asked).is(t, 201)
		e.program().with("Idempotency-Key", "ONE").post(someTickets, asked).is(t, 201)
		if n := opened(e); n != 2 {
			t.Errorf("%d tickets", n)
		}
	})
}
