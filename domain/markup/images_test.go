package markup_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/markup"
)

func TestImages(t *testing.T) {
	t.Parallel()
	const a, b = "https://a.example/1.png", "http://b.example/2.png"
	for rule, c := range map[string]struct {
		source string
		want   []string
	}{
		"in a line":                          {"x ![alt](" + a + ") y ![](" + b + ")", []string{a, b}},
		"with a title":                       {"![alt](" + a + ` "a title")` + "\n![alt](  " + b + "  'x'  )", []string{a, b}},
		"on the next line":                   {"![alt](\n" + a + "\n)", []string{a}},
		"in angle brackets":                  {"![alt](<" + a + ">)", []string{a}},
		"in a link":                          {"[![alt](" + a + ")](" + b + ")", []string{a}},
		"of a reference":                     {"![alt][r] ![r] ![r][]\n\n[r]: " + a + " 'x'", []string{a}},
		"of a reference in brackets":         {"![alt][r]\n\n[r]:\n  <" + a + ">", []string{a}},
		"a link is none":                     {"[alt](" + a + ") " + a + " <" + a + "> [r]\n\n[r]: " + a, nil},
		"in code there is none":              {"`![alt](" + a + ")`\n\n    ![alt](" + a + ")\n\n```\n![alt](" + a + ")\n```", nil},
		"in HTML there is none":              {"<img src=\"" + a + "\">\n\n<div>\n![alt](" + a + ")\n</div>", nil},
		"what is escaped is none":            {"\\![alt](" + a + ") !\\[alt](" + a + ")", []string(nil)},
		"one without an end is none":         {"![alt](" + a + "\n\n)", nil},
		"one without an address is none":     {"![alt]() ![alt](<>)", nil},
		"in a quote, a list and a table":     {"> - ![alt](" + a + ")\n\n|x|\n|-|\n|![alt](" + b + ")|", []string{a, b}},
		"behind tabs":                        {"-\t![alt](" + a + ")\n\n1.\t> ![alt](" + b + ")", []string{a, b}},
		"what is written otherwise is read":  {"![](https://a.example/?x=1&amp;y=\\_2&#38;z) ![](https://a.example/ä(b)c)", []string{"https://a.example/?x=1&y=_2&z", "https://a.example/%C3%A4(b)c"}},
		"one of ours, too":                   {"![alt](/acme/images/ab) ![](x.png)", []string{"/acme/images/ab", "x.png"}},
		"a text that is shown as typed, not": {strings.Repeat("[", 3000) + "![alt](" + a + ")", nil},
	} {
		var got []string
		for _, i := range markup.Images(c.source) {
			got = append(got, i.Address)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", rule, got, c.want)
		}
	}
	for address, want := range map[string]bool{
		a: true, b: true, "//c.example/x": true, "HTTPS://c.example/x": true,
		"/acme/images/x": false, "x//y": false, "data:image/png;base64,//": false, "ftp://x": false, "https://": false,
		"": false,
	} {
		if (markup.Image{Address: address}).Remote() != want {
			t.Errorf("%q is remote: %v", address, !want)
		}
	}
}

func TestReplaceImages(t *testing.T) {
	t.Parallel()
	const a, here = "https://a.example/1_x_.png", "/acme/images/0123"
	for source, want := range map[string]string{
		"![x](" + a + ") and " + a + " and [x](" + a + ") ![y]( <" + a + "> 'z')": "![x](" + here + ") and " + a +
			" and [x](" + a + ") ![y]( <" + here + "> 'z')",
		"![x][r] ![x](" + a + "?b)\n\n[r]: " + a: "![x][r] ![x](" + a + "?b)\n\n[r]: " +
			here,
		"![x](https://a.example/1&#95;x\\_.png)\r\n`![x](" + a + ")`": "![x](" + here + ")\r\n`![x](" + a + ")`",
		"nothing": "nothing",
	} {
		if got, _ := markup.ReplaceImages(source, a, here); got != want {
			t.Errorf("%q becomes %q, want %q", source, got, want)
		}
	}
}

// sources are the addresses of the images that HTML shows.
func sources(t *rapid.T, source string) (list []string) {
	shown := domaintest.OK(markup.Render(source, func(string) string { return "" }, func(string) string { return "" },
		func(address string) markup.Picture { return markup.Picture{Path: address} }))(t)
	for z := html.NewTokenizer(strings.NewReader(shown)); z.Next() != html.ErrorToken; {
		if token := z.Token(); token.Data == "img" {
			for _, attribute := range token.Attr {
				if attribute.Key == "src" {
					list = append(list, attribute.Val)
				}
			}
		}
	}
	return list
}

// The images found are those shown, and only they are replaced.
func TestImagesAreThoseOfRender(t *testing.T) {
	t.Parallel()
	part := rapid.SampledFrom([]string{
		"![a](https://a.example/1)", "![a](https://a.example/2 'x')", "[![](<https://a.example/1>)](https://a.example/1)",
		"![r]", "![q][r]", "\n\n[r]: https://a.example/2\n\n",
		"https://a.example/1", "`", "```\n", "\n", "\n\n", "> ", "- ", "\t", "    ", "1. ", "![", "](", ")", "[", "]", "<",
		">", "\\", "*", "|", "|-|\n", "ä", "![a](https://a.example/1&amp;b)",
	})
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(part, 0, 14).Draw(t, "pieces"), "")
		want := sources(t, source)
		found := map[string]bool{}
		for _, i := range markup.Images(source) {
			found[i.Address] = true
		}
		for _, address := range want {
			// Behind a tab that counts as several spaces an address cannot be found; then it stays as it is.
			if !found[address] && strings.HasPrefix(address, "https://") && !strings.Contains(source, "\t") {
				t.Fatalf("%q shows %s, which is not found", source, address)
			}
		}
		for address := range found {
			if !slices.Contains(want, address) && strings.HasPrefix(address, "https://") {
				t.Fatalf("%q does not show %s", source, address)
			}
		}
		const address, here = "https://a.example/1", "/acme/images/0123"
		changed, n := markup.ReplaceImages(source, address, here)
		for i, s := range want {
			if s == address && n > 0 && !strings.Contains(source, "\t") {
				want[i] = here
			}
		}
		if got := sources(t, changed); !strings.Contains(source, "\t") && !slices.Equal(got, want) {
			t.Fatalf("%q becomes %q, which shows %q, not %q", source, changed, got, want)
		}
		if len(changed) != len(source)+n*(len(here)-len(address)) {
			t.Fatalf("%q becomes %q", source, changed)
		}
	})
}

func TestRender_smallCopies(t *testing.T) {
	t.Parallel()
	pictures := func(address string) markup.Picture {
		switch address {
		case "/a.png", "https://a.example/kept":
			return markup.Picture{Path: "/a.png", Small: "/small.png"}
		case "https://a.example/tiny":
			return markup.Picture{Path: "/tiny.png"}
		}
		return markup.Picture{}
	}
	for name, c := range map[string]struct{ source, want string }{
		"a stored image leads to the whole one":    {"![cat](/a.png)", `<p><a href="/a.png" title="The whole image" class="picture"><img src="/small.png" alt="cat"></a></p>`},
		"also by a reference, and without a name":  {"![][a]\n\n[a]: /a.png", `<p><a href="/a.png" title="The whole image" class="picture"><img src="/small.png" alt=""></a></p>`},
		"one within a link leads where that leads": {"[see ![cat](/a.png)](/x)", `<p><a href="/x">see <img src="/small.png" alt="cat"></a></p>`},
		"another image is shown as it is":          {"![cat](/b.png)", `<p><img src="/b.png" alt="cat"></p>`},
		"one of another host by its copy":          {"![cat](https://a.example/kept)", `<p><a href="/a.png" title="The whole image" class="picture"><img src="/small.png" alt="cat"></a></p>`},
		"a small one without a link":               {"![cat](https://a.example/tiny 'x')", `<p><img src="/tiny.png" alt="cat" title="x"></p>`},
		"without a copy it is a link":              {"![a **cat**](https://a.example/none 'x')", `<p><a href="https://a.example/none" title="x" rel="nofollow noreferrer">a cat</a></p>`},
		"in a link it is its text":                 {"[![cat &lt;b&gt;](https://a.example/none)](/x)", `<p><a href="/x">cat &lt;b&gt;</a></p>`},
		"without a text it has the host's name":    {"![](//a.example/none)", `<p><a href="//a.example/none" rel="nofollow noreferrer">image of a.example</a></p>`},
		"a link in its text is text":               {"![a [b](/c) <https://d.example>](https://a.example/none)", `<p><a href="https://a.example/none" rel="nofollow noreferrer">a b https://d.example</a></p>`},
		"other schemes are no image":               {"![cat](data:image/png;base64,AAAA) ![dog](ftp://a.example/x)", `<p>cat dog</p>`},
		"and code is code":                         {"`![cat](/a.png)`", `<p><code>![cat](/a.png)</code></p>`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := markup.Render(c.source, func(string) string { return "" }, func(string) string { return "" }, pictures)
			if err != nil || strings.TrimSpace(got) != c.want {
				t.Errorf("%v\n got %s\nwant %s", err, got, c.want)
			}
		})
	}
}

// Whatever a text is, no browser asks another host for its images.
func TestRender_showsNoImageOfAnotherHost(t *testing.T) {
	t.Parallel()
	none := func(string) string { return "" }
	address := rapid.StringOf(rapid.SampledFrom([]rune(`htps:/\\.a@%09?#&;[]<x> ` + "\t\n")))
	rapid.Check(t, func(t *rapid.T) {
		source := "![a](" + address.Draw(t, "address") + ")\n\n![b](<" + address.Draw(t, "other") + ">)\n\n![c][d]\n\n[d]: " +
			address.Draw(t, "defined")
		shown := domaintest.OK(markup.Render(source, none, none, nil))(t)
		base := domaintest.OK(url.Parse("https://here.example/acme/A-1"))(t)
		for z := html.NewTokenizer(strings.NewReader(shown)); z.Next() != html.ErrorToken; {
			token := z.Token()
			for _, attribute := range token.Attr {
				if token.Data != "img" || attribute.Key != "src" {
					continue
				}
				// Browsers take a backslash for a slash, and leave tabs and ends of lines out.
				read := strings.NewReplacer(`\`, "/", "\t", "", "\n", "", "\r", "").Replace(strings.TrimSpace(attribute.Val))
				if to, err := base.Parse(read); err != nil || to.Host != base.Host || to.Scheme != "https" {
					t.Fatalf("%q shows %q of %q: %v", source, attribute.Val, shown, err)
				}
			}
		}
	})
}
