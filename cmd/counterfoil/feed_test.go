package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/feedclient"
)

func TestFeedCommand(t *testing.T) {
	t.Parallel()
	s := newServed(t)
	s.api.board(t, s.feed.URL, "NINJA")
	key := s.ticket("NINJA", "one")
	s.env = append(s.env, "COUNTERFOIL_TOKEN="+s.token, "COUNTERFOIL_URL=http://"+s.host)

	// tail runs tail until it has printed a line with the text, and returns that line.
	tail := func(t *testing.T, text string, args ...string) string {
		t.Helper()
		cmd := s.program(append([]string{"feed", "tail"}, args...)...)
		var said strings.Builder
		cmd.Stderr = &said
		out := domaintest.OK(cmd.StdoutPipe())(t)
		domaintest.Must(t, cmd.Start())
		found := ""
		for lines := bufio.NewScanner(out); found == "" && lines.Scan(); {
			if strings.Contains(lines.Text(), text) {
				found = lines.Text()
			}
		}
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil || found == "" || !strings.Contains(said.String(), "Continue with --from v1.") {
			t.Fatalf("tail %q: %v; found %q, said %q", args, err, found, said.String())
		}
		return found
	}
	t.Run("its help has no token in it", func(t *testing.T) {
		if _, out := s.command(t, "feed", "tail", "-h"); strings.Contains(out, s.token) ||
			!strings.Contains(out, "COUNTERFOIL_TOKEN") {
			t.Errorf("it says %q", out)
		}
	})
	t.Run("tail prints each change, with the cursor from which it goes on", func(t *testing.T) {
		if line := tail(t, key, "tickets", "--from", "start", "--board", "NINJA"); !strings.HasSuffix(line, "\t"+key+" one") {
			t.Errorf("%q", line)
		}
		var item struct {
			feedclient.Item
			Cursor string
		}
		if err := json.Unmarshal([]byte(tail(t, key, "tickets", "--from", "start", "--json")), &item); err != nil ||
			item.ID == 0 || item.Position == 0 {
			t.Fatalf("%+v, %v", item, err)
		}
		s.retitle(key, "two")
		if line := tail(t, key, "tickets", "--from", item.Cursor); !strings.Contains(line, "two") {
			t.Errorf("behind the cursor comes %q", line)
		}
	})
	t.Run("rows are published again", func(t *testing.T) {
		end := domaintest.OK(s.feed.Page(t.Context(), feedclient.Query{Feed: "tickets", Cursor: "end"}))(t)
		for _, args := range [][]string{{"--ids", "1, 1," + key}, {"--board", "NINJA"}} {
			if code, out := s.command(t, append([]string{"feed", "republish", "tickets", "--company", "acme"},
				args...)...); code != 0 {
				t.Fatal(out)
			}
		}
		if line := tail(t, key, "tickets", "--from", end.Cursor); !strings.Contains(line, "two") {
			t.Errorf("%q", line)
		}
		if code, out := s.command(t, "feed", "republish", "tickets", "--company", "acme", "--ids",
			"1,NINJA-999"); code != 1 || !strings.Contains(out, "NINJA-999") {
			t.Errorf("exit code %d\n%s", code, out)
		}
		if code, out := s.command(t, "feed", "republish", "all", "--all", "--rate", "2000"); code != 0 ||
			!strings.Contains(out, "was opened; it starts by itself") {
			t.Errorf("exit code %d\n%s", code, out)
		}
		for _, args := range [][]string{
			{"tickets"}, {"tickets", "--all", "--company", "acme"}, {"tickets", "--company", "acme", "--ids", "x"},
			{"tickets", "--company", "acme", "--ids", "1", "--board", "NINJA"},
			{"tickets", "--board", "NINJA"}, {"--all"},
		} {
			if code, out := s.command(t, append([]string{"feed", "republish"}, args...)...); code != 2 {
				t.Errorf("%q: exit code %d\n%s", args, code, out)
			}
		}
	})
	t.Run("consumers are listed, and a new epoch refuses their cursors", func(t *testing.T) {
		domaintest.OK(s.feed.Register(t.Context(), "comments", "mirror", "end"))(t)
		if code, out := s.command(t, "feed", "consumers"); code != 0 || !strings.Contains(out, "mirror") {
			t.Errorf("exit code %d\n%s", code, out)
		}
		if code, out := s.command(t, "feed", "new-epoch"); code != 0 {
			t.Errorf("exit code %d\n%s", code, out)
		}
		if code, out := s.command(t, "feed", "consumers", "--json"); code != 0 ||
			!strings.Contains(out, "of an earlier epoch") {
			t.Errorf("exit code %d\n%s", code, out)
		}
		if code, out := s.command(t, "feed", "tail", "tickets", "--from", "v1.1.tickets.1"); code != 1 ||
			!strings.Contains(out, "restored or replaced") {
			t.Errorf("exit code %d\n%s", code, out)
		}
		if code, out := s.command(t, "feed", "tail", "nothing"); code != 1 ||
			!strings.Contains(out, http.StatusText(http.StatusNotFound)) && !strings.Contains(out, "There is no feed") {
			t.Errorf("exit code %d\n%s", code, out)
		}
	})
}
