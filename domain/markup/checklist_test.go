package markup

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const checklist = "Before the release:\n\n- [ ] Write *tests*\n- [x] Ask `ana`\n  1. [X] twice\n- plain\n\n```\n- [ ] code\n```\n\n> * [ ] quoted\n\n- [ ] Write *tests*\n"

func TestItems(t *testing.T) {
	var got []string
	for _, i := range Items(checklist) {
		got = append(got, fmt.Sprintf("%d %q %d/%d %t", i.Line, i.Text, i.Nth, i.Of, i.Checked))
		if c := checklist[i.mark-1 : i.mark+2]; c != "[ ]" && c != "[x]" && c != "[X]" {
			t.Errorf("the mark of %q is in %q", i.Text, c)
		}
	}
	want := []string{`2 "Write tests" 0/2 false`, `3 "Ask ana" 0/1 true`, `4 "twice" 0/1 true`, `11 "quoted" 0/1 false`,
		`13 "Write tests" 1/2 false`}
	if !slices.Equal(got, want) {
		t.Errorf("items\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if checked, all := CountItems(checklist); checked != 2 || all != 5 {
		t.Errorf("%d of %d are checked", checked, all)
	}
	for _, text := range []string{"", "[ ] no list", "- [] no box", "- a [ ] b", "<input type=\"checkbox\">\n- [ ]"} {
		if items := Items(text); len(items) != 0 {
			t.Errorf("%q has items: %v", text, items)
		}
	}
}

func TestApply(t *testing.T) {
	items := Items(checklist)
	tests := []struct {
		name string
		item Item
		now  string
		want string // "" for no item
	}{
		{"the text as it was seen", items[0], checklist, strings.Replace(checklist, "- [ ] W", "- [x] W", 1)},
		{"other lines above and below", items[3], "New\n\n" + checklist + "\nEnd",
			strings.Replace("New\n\n"+checklist+"\nEnd", "* [ ]", "* [x]", 1)},
		{"neighbours checked, renumbered and indented", items[1], "- [x] Write *tests*\n   1) [ ] Ask `ana`  \n",
			"- [x] Write *tests*\n   1) [x] Ask `ana`  \n"},
		{"it was checked meanwhile", items[0], strings.ReplaceAll(checklist, "[ ] W", "[x] W"),
			strings.ReplaceAll(checklist, "[ ] W", "[x] W")},
		{"it was changed", items[1], strings.Replace(checklist, "Ask", "Tell", 1), ""},
		{"it was deleted", items[1], "", ""},
		{"it is in a code block now", items[1], "```\n" + checklist + "```", ""},
		{"one of two was deleted: it may be this one", items[4], strings.Replace(checklist, "- [ ] Write *tests*\n", "", 1), ""},
		{"one more below, and it is where it was", items[0], checklist + "- [ ] Write *tests*\n",
			strings.Replace(checklist, "- [ ] W", "- [x] W", 1) + "- [ ] Write *tests*\n"},
		{"one more above: it may be either", items[0], "- [ ] Write *tests*\n" + checklist, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, _, ok := CheckOf(test.item, true).Apply(test.now)
			if ok != (test.want != "") || ok && got != test.want || !ok && got != test.now {
				t.Errorf("%t, %q", ok, got)
			}
		})
	}
}

func TestPrefix(t *testing.T) {
	for source, want := range map[string]string{
		"- [ ] nails\n":     "- [ ] NINJA-1 nails\n",
		"1. [x]nails":       "1. [x] NINJA-1 nails",
		"a\n\n> * [ ]\tb c": "a\n\n> * [ ] NINJA-1 \tb c",
	} {
		item := Items(source)[0]
		if got := item.Prefix(source, "NINJA-1"); got != want {
			t.Errorf("%q became %q", source, got)
		}
		if now := Items(want)[0]; !now.BeginsWithKey() || item.BeginsWithKey() || now.Checked != item.Checked {
			t.Errorf("%q has the item %+v", want, now)
		}
	}
}

// A text is a list of lines, each with a name of its own. Editors insert, delete, move and check lines while a user
// looks at an older text; then the user checks an item of that.
func TestChecksAgainstAModel(t *testing.T) {
	type line struct {
		name    string
		checked bool
	}
	write := func(lines []line) string {
		var b strings.Builder
		for _, l := range lines {
			fmt.Fprintf(&b, "- [%s] %s\n", map[bool]string{true: "x", false: " "}[l.checked], l.name)
		}
		return b.String()
	}
	rapid.Check(t, func(t *rapid.T) {
		var lines []line
		for i := range rapid.IntRange(1, 8).Draw(t, "lines") {
			lines = append(lines, line{fmt.Sprintf("item *%d*", i), rapid.Bool().Draw(t, "checked")})
		}
		seen := Items(write(lines))
		wanted := rapid.IntRange(0, len(seen)-1).Draw(t, "wanted")
		name, state := lines[wanted].name, rapid.Bool().Draw(t, "state")
		for i := range rapid.IntRange(0, 6).Draw(t, "edits") {
			at := rapid.IntRange(0, len(lines)).Draw(t, "at")
			switch kind := rapid.IntRange(0, 4).Draw(t, "edit"); {
			case kind == 0 || at == len(lines):
				lines = slices.Insert(lines, at, line{fmt.Sprintf("new %d", i), false})
			case kind == 1:
				lines = slices.Delete(lines, at, at+1)
			case kind == 2:
				moved := lines[at]
				lines = append(slices.Delete(lines, at, at+1), moved)
			case kind == 3:
				lines[at].name += "!"
			default:
				lines[at].checked = !lines[at].checked
			}
		}
		got, _, ok := CheckOf(seen[wanted], state).Apply(write(lines))
		at := slices.IndexFunc(lines, func(l line) bool { return l.name == name })
		if ok != (at >= 0) {
			t.Fatalf("%q was found: %t", name, ok)
		}
		if ok {
			lines[at].checked = state
		}
		if want := write(lines); got != want {
			t.Fatalf("%q\nwant\n%q", got, want)
		}
	})
}

func TestParseCheck(t *testing.T) {
	for _, item := range Items(checklist) {
		for _, wanted := range []bool{true, false} {
			check := CheckOf(item, wanted)
			if got, ok := ParseCheck(check.String()); !ok || got != check {
				t.Errorf("%q is read as %v", check.String(), got)
			}
		}
	}
	for _, s := range []string{"", "1", "1-2-3-4-5", "0-0123456789abcdef-0-1-2", "0-0123456789abcdef-1-1-1",
		"0-0123456789ABCDEF-0-1-1", "-1-0123456789abcdef-0-1-1", "0-0123456789abcdef-0-1-1 ", "00-0123456789abcdef-0-1-1",
		"0-0123456789abcdeg-0-1-1", "99999999999999999999-0123456789abcdef-0-1-1", "0-<script>-0-1-1"} {
		if check, ok := ParseCheck(s); ok {
			t.Errorf("%q is read as %v", s, check)
		}
	}
}

func TestCheckable(t *testing.T) {
	source := "- [ ] a \"<b>\" & @ana NINJA-1\n- [x] b\n\n<input disabled=\"\" type=\"checkbox\">\n"
	rendered, err := Render(source, func(key string) string { return "/" + key }, func(string) string { return "Ana" }, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := Checkable(rendered, source, button)
	want := "<ul>\n<li><0 a \"\" & @ana NINJA-1 false> a "
	if !ok || !strings.HasPrefix(got, want) || !strings.Contains(got, "<1 b true>") || strings.Contains(got, "<input") {
		t.Errorf("the boxes became %s", got)
	}
	if again, ok := Checkable("<p>nothing</p>", source, button); ok || again != "<p>nothing</p>" {
		t.Errorf("a text without boxes became %s", again)
	}
}

func button(n int, item Item) string { return fmt.Sprintf("<%d %s %t>", n, item.Text, item.Checked) }

// Checkable finds exactly the boxes that Render shows, in any text.
func TestCheckableBoxes(t *testing.T) {
	part := rapid.SampledFrom([]string{"- [ ] ", "1. [x] ", "* [X]\t", "[ ]", "[x]", "> ", "  ", "    ", "\n", "\n\n", "a", "*", "`",
		"```\n", "<b>", "<!--", "[a](b)", "- ", "|", "|-|", "[ ] [x]", "\t", "@ana", "NINJA-1", "<input disabled=\"\" type=\"checkbox\">"})
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(part, 0, 20).Draw(t, "parts"), "")
		rendered, err := Render(source, func(key string) string { return "/" + key }, func(string) string { return "Ana" }, nil)
		if err != nil {
			t.Fatal(err)
		}
		items := Items(source)
		n := 0
		_, _ = Checkable(rendered, source, func(int, Item) string { n++; return "" })
		if n != len(items) || n != strings.Count(rendered, "<input") {
			t.Fatalf("%d buttons, %d items in %s", n, len(items), rendered)
		}
		for _, item := range items {
			changed, _, ok := CheckOf(item, !item.Checked).Apply(source)
			if !ok || len(changed) != len(source) {
				t.Fatalf("%q is not found again, or the text is %q", item.Text, changed)
			}
			if again := Items(changed); len(again) != len(items) {
				t.Fatalf("%d items became %d: %q", len(items), len(again), changed)
			}
		}
	})
}
