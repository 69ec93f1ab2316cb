package markup_test

import (
	"testing"

	"github.com/counterfoil/counterfoil/domain/markup"
)

func TestPreview(t *testing.T) {
	for rule, c := range map[string]struct{ source, want string }{
		"marks are left out":                    {"**half a tin**, _or_ ~~all~~ `of it`", "half a tin, or all of it"},
		"blocks are in one line":                {"# Paint\n\n- red\n- [x] blue\n\n> really\nwet", "Paint red blue really wet"},
		"a link has its text, an image its alt": {"[the can](https://x.example/a) ![a lid](/b.png) https://y.example", "the can a lid https://y.example"},
		"code is kept":                          {"```go\na := *b\n```\n\n    indented", "a := *b indented"},
		"the cells of a table are apart":        {"|a|b|\n|-|-|\n|c|d|", "a b c d"},
		"HTML is left out":                      {"<b onclick=x>bold</b>\n\n<script>x</script>", "bold"},
		"escapes and entities are resolved":     {`2\*3 &amp; 4 ` + "`\\*&amp;`", `2*3 & 4 \*&amp;`},
		"plain words stay":                      {"2 * 3 < 7, @ana NINJA-1", "2 * 3 < 7, @ana NINJA-1"},
	} {
		t.Run(rule, func(t *testing.T) {
			if got := markup.Preview(c.source); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
