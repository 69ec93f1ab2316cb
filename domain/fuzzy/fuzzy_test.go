package fuzzy

import (
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	t.Parallel()
	names := []string{"My work", "Inbox", "Night launches", "Café Zürich", "Assign to Jo Okafor", "Move to Doing", "API tokens",
		"Straße", "日本語 board", "Settings"}
	for text, want := range map[string]string{
		"work":      "My work",
		"wo my":     "My work",
		"cafe zur":  "Café Zürich",
		"CAFÉ":      "Café Zürich",
		"assign jo": "Assign to Jo Okafor",
		"okafor":    "Assign to Jo Okafor",
		"doing":     "Move to Doing",
		"mov":       "Move to Doing",
		"inbx":      "Inbox",
		"nlau":      "",
		"stngs":     "Settings",
		"strass":    "Straße",
		"日本":        "日本語 board",
		"to":        "API tokens, Assign to Jo Okafor, Move to Doing",
		"":          "",
		"  ":        "",
		"\x00\xff":  "",
		"qqq":       "",
	} {
		var got []string
		for _, m := range Find(text, names) {
			got = append(got, names[m.Index])
		}
		slices.Sort(got)
		if strings.Join(got, ", ") != want {
			t.Errorf("%q finds %q, not %q", text, got, want)
		}
	}
	if got := Find("in", []string{"Mailing", "Inbox"}); len(got) != 2 || got[0] != (Match{1, true}) || got[1].Words {
		t.Errorf("a word that begins with it is not first: %v", got)
	}
	if got := Find("a", slices.Repeat([]string{strings.Repeat("a", 300)}, 1000)); len(got) != 1000 {
		t.Errorf("%d are found", len(got))
	}
}

func FuzzFind(f *testing.F) {
	f.Add("jo", "Jo Okafor")
	f.Add("\xff ", "é")
	f.Fuzz(func(t *testing.T, text, name string) {
		for _, m := range Find(text, []string{name, "", name}) {
			if m.Index < 0 || m.Index > 2 {
				t.Errorf("%q finds %d", text, m.Index)
			}
		}
		words := strings.Fields(fold(name))
		if len(words) > 0 && begins(words[:1], fold(name)) && len(Find(words[0], []string{name})) != 1 {
			t.Errorf("%q does not find %q", words[0], name)
		}
	})
}
