package markup_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/markup"
)

// link knows one board.
func link(key string) string {
	if strings.HasPrefix(key, "NINJA-") {
		return "/acme/" + key
	}
	return ""
}

// memberName knows only Ana, whose name is hostile.
func memberName(handle string) string {
	return map[string]string{"ana": `Ana "<b>" & co`, "ben-2": "Ben"}[handle]
}

const ana = `<span class="mention" title="Ana &#34;&lt;b&gt;&#34; &amp; co">@ana</span>`

func TestMentions(t *testing.T) {
	for rule, c := range map[string]struct {
		source, want string
		handles      []string
	}{
		"a handle is marked":                   {"Ask @ana.", `<p>Ask ` + ana + `.</p>`, []string{"ana"}},
		"so it is at both ends of a line":      {"@ana\n@ana", "<p>" + ana + "\n" + ana + "</p>", []string{"ana"}},
		"in capitals it is the same person":    {"@ANA", strings.Replace("<p>"+ana+"</p>", "@ana", "@ANA", 1), []string{"ana"}},
		"a hyphen belongs to a handle":         {"(@ben-2)", `<p>(<span class="mention" title="Ben">@ben-2</span>)</p>`, []string{"ben-2"}},
		"one at the end does not":              {"@ana- yes", `<p>` + ana + `- yes</p>`, []string{"ana"}},
		"nobody's handle is text":              {"@zoe", `<p>@zoe</p>`, []string{"zoe"}},
		"an address is none":                   {"x@ana.com", `<p><a href="mailto:x@ana.com">x@ana.com</a></p>`, nil},
		"nor is a word with an @ in it":        {"x@ana, é@ana, _@ana @ana@host @ana/x @anaé @ana_x", `<p>x@ana, é@ana, _@ana @ana@host @ana/x @anaé @ana_x</p>`, nil},
		"code keeps its text":                  {"`@ana`\n\n    @ana\n\n```\n@ana\n```", "<p><code>@ana</code></p>\n<pre tabindex=\"0\"><code>@ana\n</code></pre>\n<pre tabindex=\"0\"><code>@ana\n</code></pre>", nil},
		"so do links":                          {"[@ana](https://example.com) https://example.com/@ana", `<p><a href="https://example.com" rel="nofollow noreferrer">@ana</a> <a href="https://example.com/@ana" rel="nofollow noreferrer">https://example.com/@ana</a></p>`, nil},
		"a backslash takes the meaning away":   {`\@ana`, `<p>@ana</p>`, nil},
		"emphasis is no hindrance":             {"**@ana**", `<p><strong>` + ana + `</strong></p>`, []string{"ana"}},
		"keys and handles stand side by side":  {"NINJA-1 @ana NINJA-2", `<p><a href="/acme/NINJA-1" class="key">NINJA-1</a> ` + ana + ` <a href="/acme/NINJA-2" class="key">NINJA-2</a></p>`, []string{"ana"}},
		"nobody can forge the mark":            {`<span class="mention" title="x">@ana</span>`, `<p>` + ana + `</p>`, []string{"ana"}},
		"a table has people too":               {"|a|\n|-|\n|@ana|", "<table tabindex=\"0\">\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>" + ana + "</td>\n</tr>\n</tbody>\n</table>", []string{"ana"}},
		"more than a handle can have is none":  {"@" + strings.Repeat("a", 41), "<p>@" + strings.Repeat("a", 41) + "</p>", nil},
		"a text that is not parsed names none": {"@ana " + strings.Repeat("[", 65000), "", nil},
	} {
		t.Run(rule, func(t *testing.T) {
			got := domaintest.OK(markup.Render(c.source, link, memberName, nil))(t)
			if got = strings.TrimSpace(strings.ReplaceAll(got, "<!-- raw HTML omitted -->", "")); c.want != "" && got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if got := markup.Mentions(c.source); !slices.Equal(got, c.handles) {
				t.Errorf("it names %q, want %q", got, c.handles)
			}
		})
	}
	t.Run("possible handles include all handles", func(t *testing.T) {
		if got := markup.Handles("@ana `@ben-2` @ANA x@y"); !slices.Equal(got, []string{"ana", "ben-2"}) {
			t.Errorf("%q", got)
		}
	})
	t.Run("a thousand of them are looked at in no time, and not all", func(t *testing.T) {
		if got := markup.Mentions(lines(1000, func(i int) string { return fmt.Sprintf("@a%d", i) })); len(got) != 500 ||
			got[499] != "a499" {
			t.Errorf("%d", len(got))
		}
	})
}

func TestRender(t *testing.T) {
	for rule, c := range map[string]struct{ source, want string }{
		"a key is a link":                   {"See NINJA-42.", `<p>See <a href="/acme/NINJA-42" class="key">NINJA-42</a>.</p>`},
		"so are two":                        {"NINJA-1 NINJA-2", `<p><a href="/acme/NINJA-1" class="key">NINJA-1</a> <a href="/acme/NINJA-2" class="key">NINJA-2</a></p>`},
		"a word like a key is none":         {"UTF-8 and ISO-8859", `<p>UTF-8 and ISO-8859</p>`},
		"a part of a longer word is none":   {"X-NINJA-42 NINJA-42-B NINJA-0", `<p>X-NINJA-42 NINJA-42-B NINJA-0</p>`},
		"code keeps its keys":               {"`NINJA-42`", `<p><code>NINJA-42</code></p>`},
		"so do links":                       {"[NINJA-42](https://example.com)", `<p><a href="https://example.com" rel="nofollow noreferrer">NINJA-42</a></p>`},
		"emphasis is no hindrance":          {"**NINJA-42**", `<p><strong><a href="/acme/NINJA-42" class="key">NINJA-42</a></strong></p>`},
		"a task list keeps its boxes":       {"- [x] done", "<ul>\n<li><input checked=\"\" disabled=\"\" type=\"checkbox\" aria-label=\"done\"> done</li>\n</ul>"},
		"a fenced block keeps its language": {"```go\nx\n```", "<pre tabindex=\"0\"><code class=\"language-go\">x\n</code></pre>"},
		"raw HTML is dropped":               {"<script>alert(1)</script>", ""},
		"a script URL is dropped":           {"[x](javascript:alert(1))", "<p>x</p>"},
		"so is a data URL":                  {"![x](data:text/html;base64,PHNjcmlwdD4=)", `<p>x</p>`},
	} {
		t.Run(rule, func(t *testing.T) {
			got := domaintest.OK(markup.Render(c.source, link, memberName, nil))(t)
			if got = strings.TrimSpace(strings.ReplaceAll(got, "<!-- raw HTML omitted -->", "")); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestSpans(t *testing.T) {
	for line, want := range map[string][]markup.Span{
		"":                      nil,
		"no key":                {{Text: "no key"}},
		"NINJA-1":               {{Text: "NINJA-1", Path: "/acme/NINJA-1"}},
		"as NINJA-1, <NINJA-2>": {{Text: "as "}, {Text: "NINJA-1", Path: "/acme/NINJA-1"}, {Text: ", <"}, {Text: "NINJA-2", Path: "/acme/NINJA-2"}, {Text: ">"}},
		"UTF-8 X-NINJA-1":       {{Text: "UTF-8 X-NINJA-1"}},
	} {
		if got := markup.Spans(line, link); !slices.Equal(got, want) {
			t.Errorf("%q is %+v, want %+v", line, got, want)
		}
	}
}

func FuzzRender(f *testing.F) {
	for _, seed := range []string{
		"@ana", "NINJA-1@ana`@ana", "NINJA-42", "<img src=x onerror=alert(1)>", "[x](javascript:alert(1))",
		"<svg/onload=alert(1)>", "```\n</code><script>", "&#106;avascript:",
		"[a](<javascript:alert(1)>)", "<a href='java\nscript:x'>", "![](https://x/NINJA-1)",
		"|a|b|\n|-|-|\n|NINJA-3|<b onclick=x>|", "\x00\xff",
	} {
		f.Add(seed)
	}
	allowed := map[string]bool{"href": true, "src": true, "alt": true, "title": true, "class": true, "rel": true,
		"type": true, "checked": true,
		"disabled": true, "align": true, "start": true, "id": true, "cite": true, "dir": true, "lang": true, "datetime": true,
		"open":  true,
		"width": true, "height": true, "colspan": true, "rowspan": true, "summary": true, "valign": true, "headers": true,
		"scope": true, "abbr": true,
		"nowrap": true, "usemap": true, "ismap": true, "name": true, "value": true, "min": true, "max": true, "low": true,
		"high": true, "optimum": true,
		"shape": true, "coords": true, "span": true, "frame": true, "rules": true, "border": true, "cellpadding": true, "cellspacing": true, "axis": true, "itemid": true, "aria-label": true, "tabindex": true}
	f.Fuzz(func(t *testing.T, source string) {
		out := domaintest.OK(markup.Render(source, link, memberName, nil))(t)
		tokens := html.NewTokenizer(strings.NewReader(out))
		for tokens.Next() != html.ErrorToken {
			token := tokens.Token()
			switch token.Data {
			case "script", "style", "iframe", "object", "embed", "form", "link", "meta", "base", "svg", "math", "button",
				"template":
				if token.Type != html.TextToken {
					t.Fatalf("<%s> got through: %q", token.Data, out)
				}
			}
			for _, a := range token.Attr {
				if !allowed[a.Key] {
					t.Fatalf("attribute %s got through: %q", a.Key, out)
				}
				value := strings.ToLower(strings.TrimSpace(a.Val))
				if (a.Key == "href" || a.Key == "src" || a.Key == "cite") && strings.Contains(value, ":") &&
					!strings.HasPrefix(value, "http:") && !strings.HasPrefix(value, "https:") && !strings.HasPrefix(value, "mailto:") {
					if i := strings.IndexAny(value, "/?#"); i < 0 || i > strings.Index(value, ":") {
						t.Fatalf("scheme of %q got through: %q", a.Val, out)
					}
				}
			}
		}
	})
}

// lines are n lines, each with more of something than the one before.
func lines(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	return b.String()
}

// costly are texts of up to 64 kB that the parser alone needs seconds for, or megabytes of HTML.
var costly = map[string]string{
	"a wide table of short rows": "|" + strings.Repeat("a|", 300) + "\n|" + strings.Repeat("-|", 300) + "\n" +
		strings.Repeat("|a\n", 15000),
	"a table of empty rows": strings.Repeat("a|", 7000) + "\n" + strings.Repeat("-|", 7000) + "\n" +
		strings.Repeat("|\n", 15000),
	"a table in a quote": "> |" + strings.Repeat("a|", 300) + "\n> |" + strings.Repeat("-|", 300) + "\n" +
		strings.Repeat("> |a\n", 10000),
	"a table in a list": "1. |" + strings.Repeat("a|", 300) + "\n   |" + strings.Repeat("-|", 300) + "\n" +
		strings.Repeat("   |a\n", 10000),
	"quotes and lists":        strings.Repeat("> - ", 16000),
	"lists on one line":       strings.Repeat("1. ", 21000),
	"quotes":                  strings.Repeat(">", 65000),
	"a list ever deeper":      lines(250, func(i int) string { return strings.Repeat("  ", i) + "- a" }),
	"marks, then deep lines":  strings.Repeat("- ", 2000) + "\n" + strings.Repeat(strings.Repeat(" ", 4000)+"a\n", 14),
	"links that do not end":   strings.Repeat("[a](<b", 10000),
	"links without an end":    strings.Repeat("[a](", 16000),
	"emphasis without an end": strings.Repeat("*a_ ", 16000),
	"brackets":                strings.Repeat("[", 65000),
	"code without an end":     strings.Repeat("`a``b", 13000),
	"tags without an end":     strings.Repeat("<a ", 20000),
}

func TestRenderLimits(t *testing.T) {
	for name, source := range costly {
		t.Run(name+" is shown as it was typed", func(t *testing.T) {
			got := domaintest.OK(markup.Render(source, link, memberName, nil))(t)
			if want := `<pre tabindex="0">` + html.EscapeString(source) + "</pre>"; got != want {
				t.Errorf("got %d bytes that begin with %.80q", len(got), got)
			}
			if typed, err := markup.AsTyped(source); !typed || err != nil {
				t.Errorf("it is not said: %v, %v", typed, err)
			}
		})
	}
	t.Run("no text makes much more HTML than it has bytes", func(t *testing.T) {
		far := "http://x/" + strings.Repeat("b", 59000)
		long := func(string) string { return strings.Repeat(`"`, 255) } // of a name
		for rule, source := range map[string]string{
			"an address used many times": "[a]: " + far + "\n\n" + strings.Repeat("[a]", 1900),
			"a picture used many times":  "[a]: " + far + "\n\n" + strings.Repeat("![a]", 1900),
			"a title used many times": "[a]: x '" + strings.Repeat(`"`, 59000) + "'\n\n" +
				strings.Repeat("[a]", 1900),
			"a long name many times":               strings.Repeat("@a ", 21000),
			"a comment's address used many times":  "[a]: " + far[:1200] + "\n\n" + strings.Repeat("[a]", 450),
			"a person in each cell of many tables": strings.Repeat("|a|\n|-|\n|@a|\n\n", 4600),
		} {
			if got, err := markup.Render(source, link, long, nil); err != nil || len(got) > 10*len(source)+8192 {
				t.Errorf("%s: %d bytes make %d: %v", rule, len(source), len(got), err)
			}
		}
	})
	t.Run("keys, references and mentions of a usual number are links and marks", func(t *testing.T) {
		source := "[a]: https://example.com/a/rather/long/address\n\n" + strings.Repeat("[a] and @ana of NINJA-1. ", 60) +
			strings.Repeat("\nNINJA-2", 3000)
		got, err := markup.Render(source, func(key string) string { return "/" + strings.Repeat("c", 40) + "/" + key },
			memberName, nil)
		if err != nil || strings.Count(got, "<a ") != 3120 || strings.Count(got, "mention") != 60 {
			t.Errorf("%d links, %d people: %v", strings.Count(got, "<a "), strings.Count(got, "mention"), err)
		}
	})
	t.Run("a long text of the usual kind is Markdown", func(t *testing.T) {
		source := strings.Repeat(
			"# Heading\n\nSome *words* of [a link](https://example.com) and `code`.\n\n- one\n  - two\n    - three\n\n|a|b|\n|-|-|\n|1|2|\n\n> quote\n\n", 400)
		if got, err := markup.Render(source, link, memberName, nil); err != nil || strings.HasPrefix(got, "<pre") {
			t.Errorf("it is not: %v", err)
		}
	})
}

func BenchmarkRender(b *testing.B) {
	source := strings.Repeat("# Heading\n\nSome *words* of NINJA-1 and `code`.\n\n- one\n- two\n\n|a|b|\n|-|-|\n|1|2|\n\n",
		50)
	for b.Loop() {
		domaintest.OK(markup.Render(source, link, memberName, nil))(b)
	}
}

// A page's lookups before it renders must cover those of rendering.
func TestBoards(t *testing.T) {
	t.Parallel()
	part := rapid.SampledFrom([]string{"NINJA-42", "A1-7", "X", "x", "-", "_", "*", "**", "~~", "`", "[", "](/a)", "(",
		")", "/", "&amp;", "\\", "<", ">", "|", "\n", " ", "@ana", "http://a.b/", "ä", "9"})
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(part, 0, 12).Draw(t, "pieces"), "")
		known, keys := markup.Boards(source), markup.Keys(source)
		link := func(key string) string {
			if !slices.Contains(keys, key) {
				t.Fatalf("%q asks for %s, and %v are known", source, key, keys)
			}
			if slug, _, _ := strings.Cut(key, "-"); !slices.Contains(known, slug) {
				t.Fatalf("%q asks for %s, and %v are known", source, key, known)
			}
			return "/" + key
		}
		domaintest.OK(markup.Render(source, link, func(string) string { return "" }, nil))(t)
		markup.Spans(source, link)
	})
}
