// Seed fills a running Counterfoil with boards that look lived in, through its API:
//
//	go run ./scripts/seed http://127.0.0.1:8080 TOKEN
//
// The boards are in story.md: a heading for a board ("# SLUG Title"), for each of its columns, and
// for each ticket, whose description follows.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
)

//go:embed story.md
var story string

type board struct {
	slug, title string
	tickets     []ticket
}

type ticket struct{ column, title, description string }

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: seed URL TOKEN   (counterfoil setup prints a token)")
		os.Exit(2)
	}
	s := seeder{strings.TrimSuffix(os.Args[1], "/"), os.Args[2]}
	for _, b := range read(story) {
		if err := s.fill(b); err != nil {
			fmt.Fprintln(os.Stderr, "seed:", err)
			os.Exit(1)
		}
		fmt.Printf("%s has %d tickets\n", b.slug, len(b.tickets))
	}
}

// read understands story.md.
func read(text string) []board {
	var boards []board
	var column string
	for line := range strings.Lines(text) {
		mark, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch mark {
		case "#":
			slug, title, _ := strings.Cut(rest, " ")
			boards = append(boards, board{slug: slug, title: title})
		case "##":
			column = rest
		case "###":
			last := &boards[len(boards)-1]
			last.tickets = append(last.tickets, ticket{column: column, title: rest})
		default:
			if len(boards) > 0 && len(boards[len(boards)-1].tickets) > 0 {
				list := boards[len(boards)-1].tickets
				list[len(list)-1].description += line
			}
		}
	}
	return boards
}

// seeder calls the API.
type seeder struct{ url, token string }

func (s seeder) fill(b board) error {
	var made struct {
		Columns []struct {
			ID   uint64
			Name string
		}
	}
	if err := s.post("/boards", map[string]any{"slug": b.slug, "title": b.title}, &made); err != nil {
		return err
	}
	columns := map[string]uint64{}
	for _, c := range made.Columns {
		columns[c.Name] = c.ID
	}
	for _, t := range b.tickets {
		in := map[string]any{"title": t.title, "description": strings.TrimSpace(t.description), "column": columns[t.column]}
		if err := s.post("/boards/"+b.slug+"/tickets", in, &struct{}{}); err != nil {
			return err
		}
	}
	return nil
}

func (s seeder) post(path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(http.MethodPost, s.url+"/api/v1"+path, bytes.NewReader(body))
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
	if response.StatusCode != http.StatusCreated {
		var problem struct{ Detail string }
		_ = json.NewDecoder(response.Body).Decode(&problem)
		return fmt.Errorf("POST %s: %s. %s", path, response.Status, problem.Detail)
	}
	return json.NewDecoder(response.Body).Decode(out)
}
