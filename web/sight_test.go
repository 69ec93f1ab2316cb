package web_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/accounts"
)

// rights say by docs/access.md which tickets a member sees.
type rights struct {
	roles   map[string]string          // in the company, by name
	private map[string]bool            // by board
	named   map[string]map[string]bool // members and groups, by board
	group   map[string]bool            // who is in the group
	on      []string                   // the board of each ticket
}

func (r rights) clone() rights {
	named := map[string]map[string]bool{}
	for slug, names := range r.named {
		named[slug] = maps.Clone(names)
	}
	return rights{maps.Clone(r.roles), maps.Clone(r.private), named, maps.Clone(r.group), slices.Clone(r.on)}
}

func (r rights) sees(who string, ticket int) bool {
	slug := r.on[ticket]
	if r.named[slug][who] || r.named[slug]["Pilots"] && r.group[who] {
		return true
	}
	return !r.private[slug] && r.roles[who] != accounts.Guest
}

// sightings say until when each reader may have seen each ticket: a change is in force from when it is sent on, and what
// it replaces until it is answered.
type sightings struct {
	mu    sync.Mutex
	now   rights
	until map[string][]time.Time // forever while it is seen
}

var forever = time.Now().AddDate(100, 0, 0)

func (s *sightings) change(next rights, do func() (done bool)) {
	s.mu.Lock()
	was := s.now
	for who := range s.until {
		for ticket := range next.on {
			if next.sees(who, ticket) {
				s.until[who][ticket] = forever
			}
		}
	}
	s.mu.Unlock()
	if !do() {
		next = was
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = next
	for who := range s.until {
		for ticket := range next.on {
			if !next.sees(who, ticket) && s.until[who][ticket].Equal(forever) {
				s.until[who][ticket] = time.Now()
			}
		}
	}
}

// saw reports whether a reader may have seen a ticket after a time.
func (s *sightings) saw(who string, ticket int, since time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.until[who][ticket].After(since)
}

var secretWord = regexp.MustCompile(`secret(\d+)z`)

// TestSightInParallel changes rights and roles at random while members read by each route of pages and API that answers
// GET, by the feeds, and by streams: none reads a word that it may not see, and at rest each reads what it may.
func TestSightInParallel(t *testing.T) {
	t.Parallel()
	e := newEnvWithRoles(t)
	e.startLive()
	e.exec("DELETE FROM people_group_member")
	slugs := []string{"ONE", "TWO", "TRE"}
	who := []string{"mia", "adam", "vera", "opal", "gus"}
	now := rights{roles: map[string]string{"gus": accounts.Guest}, private: map[string]bool{}, named: map[string]map[string]bool{},
		group: map[string]bool{}}
	var keys []string
	columns := map[string]uint64{}
	for _, slug := range slugs {
		columns[slug] = e.newBoard(slug).Columns[0].ID
		now.named[slug] = map[string]bool{}
		for range 3 {
			word := fmt.Sprintf("secret%dz", len(keys))
			keys = append(keys, e.newTickets(slug, columns[slug], word)...)
			now.on = append(now.on, slug)
			key := keys[len(keys)-1]
			e.program().post("/tickets/"+key+"/comments", object{"body": word + " @mia @adam @opal"}).is(t, 201)
			e.program().put("/tickets/"+key+"/assignees", object{"assignees": []string{"mia", "adam"}}).is(t, 200)
		}
	}
	now.on, now.named["ALL"] = append(now.on, "ALL"), map[string]bool{}
	keys = append(keys, e.newTickets("ALL", e.newBoard("ALL").Columns[0].ID, fmt.Sprintf("secret%dz", len(keys)))...)
	for _, name := range who {
		now.named["ALL"][name] = true
		e.ana().post("/acme/boards/ALL/members", "name", "@"+name, "role", "viewer").is(t, 303)
	}
	s := &sightings{now: now, until: map[string][]time.Time{}}
	for _, name := range who {
		s.until[name] = make([]time.Time, len(keys))
		for ticket := range keys {
			if now.sees(name, ticket) {
				s.until[name][ticket] = forever
			}
		}
	}

	stop := make(chan struct{})
	var readers sync.WaitGroup
	tokens := map[string]string{}
	streams := e.followSight(s, keys)
	for _, name := range who {
		tokens[name] = e.tokenOf(name, "acme", accounts.Scopes...)
		streams.open(name, tokens[name])
		paths := readingRoutes(slugs, keys)
		readers.Go(func() { e.readUntil(stop, s, name, tokens[name], paths) })
	}

	seed := rand.Uint64()
	t.Logf("the seed is %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	changes := 80
	if soak {
		changes = 2000
	}
	ana, pilots := e.ana(), e.count("SELECT id FROM people_group WHERE name = 'Pilots'")
	for n := range changes {
		e.changeRights(s, random, ana, slugs, keys, columns, pilots)
		if n%40 == 39 {
			streams.rest()
		}
	}
	close(stop)
	readers.Wait()

	for _, name := range who {
		program := &program{env: e, token: tokens[name]}
		for i, key := range keys {
			a := program.get("/tickets/" + key)
			for a.code == http.StatusMovedPermanently {
				a = program.get(strings.TrimPrefix(a.header.Get("Location"), "/api/v1"))
			}
			if sees := strings.Contains(a.body, fmt.Sprintf("secret%dz", i)); sees != s.now.sees(name, i) {
				t.Errorf("%s reads %s: %v", name, key, sees)
			}
		}
	}
}

// readingRoutes are the paths of all routes that answer GET, with the boards and keys of a test.
func readingRoutes(slugs, keys []string) (paths []string) {
	add := func(path string) {
		if !strings.Contains(path, "DEMO") {
			paths = append(paths, path)
			return
		}
		for i, key := range keys {
			number := regexp.MustCompile(`DEMO-\d+`)
			if number.MatchString(path) {
				paths = append(paths, number.ReplaceAllString(path, key))
			} else if i < len(slugs) {
				paths = append(paths, strings.ReplaceAll(path, "DEMO", slugs[i]))
			}
		}
	}
	for route, page := range pages {
		if path, ok := strings.CutPrefix(route, "GET "); ok && strings.HasPrefix(page.path, "/acme") && !strings.HasSuffix(path, "/live") {
			add(page.path)
		}
	}
	for route, call := range calls {
		if path, ok := strings.CutPrefix(route, "GET "); ok && !strings.HasSuffix(path, "/stream") {
			add("/api/v1" + call.path)
		}
	}
	paths = append(paths, "/acme/jump?q=secret", "/acme/jump?q=secret1z", "/api/v1/feeds/tickets?limit=1000", "/api/v1/feeds/comments?limit=1000")
	for _, slug := range slugs {
		paths = append(paths, "/api/v1/feeds/tickets/snapshot?board="+slug, "/api/v1/feeds/comments/snapshot?board="+slug)
	}
	slices.Sort(paths)
	return paths
}

// readUntil reads paths in a random order until stop is closed, and reports each word that the reader may not see.
func (e *env) readUntil(stop <-chan struct{}, s *sightings, who, token string, paths []string) {
	browser, program := e.signedIn(who), &program{env: e, token: token}
	for {
		rand.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
		for _, path := range paths {
			select {
			case <-stop:
				return
			default:
			}
			since := time.Now()
			var a *answer
			if call, ok := strings.CutPrefix(path, "/api/v1"); ok {
				a = program.get(call)
			} else {
				a = browser.get(path)
			}
			asked, _ := url.QueryUnescape(path)
			for _, word := range secretWord.FindAllStringSubmatch(a.body, -1) {
				var ticket int
				fmt.Sscan(word[1], &ticket)
				if !strings.Contains(asked, word[0]) && !s.saw(who, ticket, since) {
					e.t.Errorf("%s reads %s at %s", who, word[0], path)
				}
			}
		}
	}
}

// changeRights makes a change at random.
func (e *env) changeRights(
	s *sightings, random *rand.Rand, ana *browser, slugs, keys []string, columns map[string]uint64, pilots int64,
) {
	members := []string{"mia", "adam", "vera", "opal", "gus"}
	slug, name, ticket := slugs[random.IntN(len(slugs))], members[random.IntN(len(members))], random.IntN(len(keys)-1)
	next := s.now.clone()
	board := "/acme/boards/" + slug
	post := func(path string, pairs ...string) func() bool {
		return func() bool { return ana.post(path, pairs...).code == http.StatusSeeOther }
	}
	role := []string{"viewer", "member", "admin"}[random.IntN(3)]
	switch random.IntN(11) {
	case 0, 1:
		next.private[slug] = true
		s.change(next, post(board+"/privacy", "private", "yes"))
	case 2:
		next.private[slug] = false
		s.change(next, post(board+"/privacy", "private", "no"))
	case 3:
		next.named[slug][name] = true
		s.change(next, post(board+"/members", "name", "@"+name, "role", role))
	case 4:
		delete(next.named[slug], name)
		s.change(next, post(fmt.Sprintf("%s/members/account/%d/removal", board, e.idOf(name))))
	case 5:
		next.named[slug]["Pilots"] = true
		s.change(next, post(board+"/members", "name", "Pilots", "role", role))
	case 6:
		delete(next.named[slug], "Pilots")
		s.change(next, post(fmt.Sprintf("%s/members/group/%d/removal", board, pilots)))
	case 7:
		if next.group[name] = random.IntN(2) == 0; next.group[name] {
			s.change(next, post(fmt.Sprintf("/acme/groups/%d/members", pilots), "handle", "@"+name))
		} else {
			s.change(next, post(fmt.Sprintf("/acme/groups/%d/members/%d/removal", pilots, e.idOf(name))))
		}
	case 8, 9:
		next.roles[name] = []string{accounts.Guest, accounts.Viewer, accounts.Member, accounts.Admin}[random.IntN(4)]
		s.change(next, post(fmt.Sprintf("/acme/people/%d/role", e.idOf(name)), "role", next.roles[name]))
	case 10:
		next.on[ticket] = slug
		s.change(next, func() bool {
			return e.program().post("/tickets/"+keys[ticket]+"/position", object{"board": slug, "column": columns[slug], "after": nil}).code == http.StatusOK
		})
	}
}
