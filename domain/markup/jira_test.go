package markup_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/counterfoil/counterfoil/domain/markup"
)

func TestFromJira(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ jira, markdown string }{
		"headings":                      {"h1. Title\nh3. Below *it*", "# Title\n### Below **it**"},
		"emphasis":                      {"*bold*, _italic_, -gone-, +new+ and ??cited??.", "**bold**, _italic_, ~~gone~~, new and *cited*."},
		"no emphasis within words":      {"a*b*c 2*3 well-known-thing 1 - 2 - 3", "a*b*c 2*3 well-known-thing 1 - 2 - 3"},
		"links":                         {"[text|https://example.com/a?b=c] and [https://example.com]", "[text](https://example.com/a?b=c) and <https://example.com>"},
		"a link that is no address":     {"[x|javascript:alert(1)]", "[x|javascript:alert(1)]"},
		"people are names":              {"ask [~ana] or [~accountid:5b10a2]", "ask ana or 5b10a2"},
		"images":                        {"!https://example.com/a.png|width=300! and !shot 1.png|thumbnail!", "![](https://example.com/a.png) and `shot 1.png`"},
		"monospace is left alone":       {"{{*a* [b|c]}} and {{x`y}}", "`*a* [b|c]` and `` x`y ``"},
		"lists":                         {"before\n* a\n** b\n# c\n## d\nafter", "before\n\n- a\n  - b\n1. c\n   1. d\n\nafter"},
		"code stays as it is":           {"{code:java|title=x}\n*a* h1. b\n{code}\nafter", "````java\n*a* h1. b\n````\nafter"},
		"code within a line":            {"see {code}x = [1|2]{code} there", "see \n````\nx = [1|2]\n````\n there"},
		"code that is never closed":     {"{noformat}\nx", "````\nx\n````"},
		"quotes":                        {"{quote}\na\nb\n{quote}\nc\nbq. d", "> a\n> b\n\nc\n> d"},
		"a panel":                       {"{panel:title=Note|bgColor=#fff}\na\n{panel}", "> **Note**\n>\n> a"},
		"tables":                        {"||a||b||\n|1|[x|https://example.com]|\nafter", "| a | b |\n| --- | --- |\n| 1 | [x](https://example.com) |\n\nafter"},
		"colours are left out":          {"{color:red}hot{color}", "hot"},
		"rules":                         {"a\n----\nb", "a\n\n---\nb"},
		"HTML and Markdown stay text":   {"<script>alert(1)</script> # x", "<script>alert(1)</script> # x"},
		"line ends":                     {"a\r\nb\rc", "a\nb\nc"},
		"nothing":                       {"", ""},
		"a command line is not struck":  {"run -a --b -c", "run -a --b -c"},
		"a dash at the edge of a table": {"|a|b|\n|1|2|", "| a | b |\n| --- | --- |\n| 1 | 2 |"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := markup.FromJira(c.jira); strings.TrimSpace(got) != strings.TrimSpace(c.markdown) {
				t.Errorf("got\n%q, want\n%q", got, c.markdown)
			}
		})
	}
}

func FuzzFromJira(f *testing.F) {
	f.Add("h1. a\n* b\n||c||\n{code}x{code}{quote}[~y]")
	f.Fuzz(func(t *testing.T, source string) {
		if got := markup.FromJira(source); utf8.ValidString(source) && !utf8.ValidString(got) {
			t.Errorf("%q became %q", source, got)
		}
	})
}

func TestFromJira_takes_as_long_as_a_text_is(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"{code}", "{quote}", "{code:", "|[", "{{", "[a|", "*", "!a.", "-a ", "\n*", "(*a"} {
		markup.FromJira(strings.Repeat(part, 1<<20/len(part)))
	}
}
