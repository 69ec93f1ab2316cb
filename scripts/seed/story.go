package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The boards are in story.md: a heading for a board ("# SLUG Title", "(archived)" behind it for one that is), for
// each of its columns ("(at most 3)" for one that refuses more), for each ticket, and for each template ("### Template:
// NAME"), whose description follows. A line that begins with @ names its assignees, one that begins with ! its priority
// and in how many days it is due ("!high 3"), one that begins with = relations ("= blocks NINJA-8"); a heading of the
// fourth level names the author of the comment that follows.
//
//go:embed story.md
var story string

type board struct {
	slug, title string
	archived    bool
	limits      map[string]int
	tickets     []ticket
	templates   []ticket // title is their name
}

type ticket struct {
	column, title, description string
	assignees                  []string
	priority                   string
	due                        string // in days; "" for none
	labels                     []string
	relations                  [][2]string // kind, and key of the other
	comments                   []comment
}

type comment struct{ by, body string }

func (s seeder) run(owner []string) error {
	if len(owner) == 2 {
		if err := s.gather(owner[0], owner[1]); err != nil {
			return err
		}
	}
	return s.fillAll()
}

// fillAll fills the boards of the story.
func (s seeder) fillAll() error {
	for _, b := range read(story) {
		if err := s.fill(b); err != nil {
			return err
		}
		fmt.Printf("%s has %d tickets\n", b.slug, len(b.tickets))
	}
	return nil
}

var (
	archived = regexp.MustCompile(` \(archived\)$`)
	atMost   = regexp.MustCompile(` \(at most (\d+)\)$`)
)

// read parses story.md.
func read(text string) []board {
	var boards []board
	var column string
	var list *[]ticket // its last one is being read
	for line := range strings.Lines(text) {
		mark, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch mark {
		case "#":
			list = nil
			slug, title, _ := strings.Cut(archived.ReplaceAllString(rest, ""), " ")
			boards = append(boards, board{slug: slug, title: title, archived: archived.MatchString(rest),
				limits: map[string]int{}})
		case "##":
			column = atMost.ReplaceAllString(rest, "")
			if limit := atMost.FindStringSubmatch(rest); limit != nil {
				boards[len(boards)-1].limits[column], _ = strconv.Atoi(limit[1])
			}
		case "###":
			last := &boards[len(boards)-1]
			name, isTemplate := strings.CutPrefix(rest, "Template: ")
			if list = &last.tickets; isTemplate {
				list = &last.templates
			}
			*list = append(*list, ticket{column: column, title: name})
		default:
			if list != nil {
				(*list)[len(*list)-1].read(mark, rest, line)
			}
		}
	}
	return boards
}

func (t *ticket) read(mark, rest, line string) {
	switch n := len(t.comments); {
	case mark == "####":
		t.comments = append(t.comments, comment{by: rest})
	case n > 0:
		t.comments[n-1].body += line
	case strings.HasPrefix(mark, "@"):
		t.assignees = strings.Fields(strings.ReplaceAll(line, "@", ""))
	case strings.HasPrefix(mark, "!") && !strings.HasPrefix(mark, "!["):
		t.priority, t.due = mark[1:], rest
	case mark == "=":
		if kind, other, ok := strings.Cut(rest, " "); ok {
			t.relations = append(t.relations, [2]string{kind, other})
		}
	case mark == "+":
		t.labels = strings.Split(rest, ", ")
	default:
		t.description += line
	}
}

// seeder calls the API. people are the tokens of the members who joined, by handle.
type seeder struct {
	url, token string
	people     map[string]string
}

func (s seeder) fill(b board) error {
	var made struct {
		Columns []struct {
			ID   uint64
			Name string
		}
	}
	if err := s.call("POST", "/boards", map[string]any{"slug": b.slug, "title": b.title}, &made); err != nil {
		return err
	}
	columns := map[string]uint64{}
	for _, c := range made.Columns {
		columns[c.Name] = c.ID
	}
	for _, t := range b.tickets {
		if err := s.open(b, t, columns[t.column]); err != nil {
			return err
		}
	}
	for _, t := range b.templates {
		if err := s.call("POST", "/boards/"+b.slug+"/templates", map[string]any{"name": t.title, "labels": t.labels,
			"priority": t.priority, "description": strings.TrimSpace(t.description)}, nil); err != nil {
			return err
		}
	}
	for i, t := range b.tickets {
		for _, relation := range t.relations {
			path := fmt.Sprintf("/tickets/%s-%d/relations/%s/%s", b.slug, i+1, relation[0], relation[1])
			if err := s.call("PUT", path, nil, nil); err != nil {
				return err
			}
		}
	}
	for name, limit := range b.limits {
		if err := s.call("PATCH", fmt.Sprintf("/boards/%s/columns/%d", b.slug, columns[name]),
			map[string]any{"wip_limit": limit, "wip": "hard", "stale_days": 3}, nil); err != nil {
			return err
		}
	}
	if b.archived {
		return s.call("PUT", "/boards/"+b.slug+"/archive", nil, nil)
	}
	return nil
}

func (s seeder) open(b board, t ticket, column uint64) error {
	var made struct{ Key string }
	in := map[string]any{"title": t.title, "description": strings.TrimSpace(t.description), "column": column}
	if t.priority != "" {
		in["priority"] = t.priority
	}
	if len(t.labels) > 0 {
		in["labels"] = t.labels
	}
	if days, err := strconv.Atoi(t.due); err == nil {
		in["due"] = time.Now().AddDate(0, 0, days).Format(time.DateOnly)
	}
	if err := s.call("POST", "/boards/"+b.slug+"/tickets", in, &made); err != nil {
		return err
	}
	var assignees []string
	for _, handle := range t.assignees {
		if s.people[handle] != "" {
			assignees = append(assignees, handle)
		}
	}
	if len(assignees) > 0 {
		if err := s.call("PUT", "/tickets/"+made.Key+"/assignees", map[string]any{"assignees": assignees}, nil); err != nil {
			return err
		}
	}
	for _, c := range t.comments {
		as := s
		as.token = cmp.Or(s.people[c.by], s.token)
		if err := as.call("POST", "/tickets/"+made.Key+"/comments", map[string]any{"body": strings.TrimSpace(c.body)},
			nil); err != nil {
			return err
		}
	}
	return nil
}

func (s seeder) call(method, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	if in == nil {
		body = nil
	}
	request, err := http.NewRequest(method, s.url+"/api/v1"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		var problem struct{ Detail string }
		_ = json.NewDecoder(response.Body).Decode(&problem)
		return fmt.Errorf("%s %s: %s. %s", method, path, response.Status, problem.Detail)
	}
	if out == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(out)
}
