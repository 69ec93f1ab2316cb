package main

import (
	"slices"
	"strings"
	"testing"
)

func TestHandleOf(t *testing.T) {
	t.Parallel()
	page := `<table><tr><th>Name</th></tr>
		<tr><td>Jo <small class="mono">@jo-2</small></td><td><bdi>jo@acme.example</bdi></td></tr>
		<tr><td>O'Neill <small class="mono">@sam</small></td><td><bdi>o&#39;neill@acme.example</bdi></td></tr></table>`
	for email, want := range map[string]string{"jo@acme.example": "jo-2", "O'Neill@acme.example": "sam",
		"o@acme.example": ""} {
		if got := handleOf(page, email); got != want {
			t.Errorf("the handle of %s is %q, want %q", email, got, want)
		}
	}
}

func TestStoryIsOfItsCast(t *testing.T) {
	t.Parallel()
	boards := read(story)
	if len(boards) == 0 {
		t.Fatal("the story has no board")
	}
	for _, b := range boards {
		for _, ticket := range b.tickets {
			handles := slices.Clone(ticket.assignees)
			for _, c := range ticket.comments {
				handles = append(handles, c.by)
			}
			for _, handle := range handles {
				if !slices.ContainsFunc(cast, func(name string) bool { return strings.EqualFold(name, handle) }) {
					t.Errorf("%s in “%s” is not of the cast", handle, ticket.title)
				}
			}
		}
	}
}
