package markup

import (
	"strings"
	"testing"
)

func TestRenderPublic(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"**Fins** and `code`":                                "<p><strong>Fins</strong> and <code>code</code></p>",
		"Ask @ana about NINJA-2":                             "<p>Ask @ana about NINJA-2</p>",
		"ana@example.com":                                    "<p>[address hidden]</p>",
		"<ana.b+c@mail.example.com>":                         "<p>[address hidden]</p>",
		"ana&#64;example.com":                                "<p>[address hidden]</p>",
		"`ana@example.com`":                                  "<p><code>[address hidden]</code></p>",
		"[Ana](mailto:ana@example.com)":                      "<p>Ana</p>",
		"[Ana](mailto:ana%40example.com)":                    "<p>Ana</p>",
		`[x](https://a.example/ "ana@example.com")`:          `<p><a href="https://a.example/" rel="nofollow noreferrer">x</a></p>`,
		"**ana**@example.com":                                "<p>[address hidden]</p>",
		"ana@exam*pl*e.com, bo":                              "<p>[address hidden]<em></em>, bo</p>",
		"ana@[example.com](https://a.example)":               `<p>[address hidden]<a href="https://a.example" rel="nofollow noreferrer"></a></p>`,
		"<b>*a*</b>na@example.com or `b`o@example.com":       "<p><em>[address hidden]</em> or <code>[address hidden]</code></p>",
		"ana\\@example.com":                                  "<p>[address hidden]</p>",
		"ana\u200b@exam\u00adple.com":                        "<p>[address hidden]</p>",
		"ana＠example．com":                                    "<p>[address hidden]</p>",
		"[x](https://a.example/?e=ana%2540example%252Ecom)":  `<p><a href="https://a.example/?e=[address hidden]" rel="nofollow noreferrer">x</a></p>`,
		"| a | b |\n|-|-|\n| ana | @example.com |":           "<table tabindex=\"0\">\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>ana</td>\n<td>@example.com</td>\n</tr>\n</tbody>\n</table>",
		"left-pad@1.3.0 and @app.route":                      "<p>left-pad@1.3.0 and @app.route</p>",
		"![A fin](/acme/images/1234)":                        "<p>Image: A fin</p>",
		"![](/acme/images/1234)":                             "<p>Image</p>",
		"![*A* fin](https://a.example/x.png)":                `<p><a href="https://a.example/x.png" rel="nofollow noreferrer">Image: A fin</a></p>`,
		"[![A fin](//a.example/x.png)](https://b.example)":   `<p><a href="https://b.example" rel="nofollow noreferrer">Image: A fin</a></p>`,
		"![[x](https://b.example)](https://a.example/x.png)": `<p><a href="https://a.example/x.png" rel="nofollow noreferrer">Image: x</a></p>`,
		"[a ticket](/acme/NINJA-2)":                          "<p>a ticket</p>",
		"[x](javascript:alert(1))":                           "<p>x</p>",
		"<script>alert(1)</script>":                          "",
		"![<b>](javascript:alert(1))":                        "<p>Image</p>",
	} {
		got, err := RenderPublic(source)
		if got = strings.TrimSpace(got); err != nil || got != want {
			t.Errorf("%s:\n%s %v\nwant\n%s", source, got, err, want)
		}
	}
	costly := strings.Repeat("[", maxBrackets+1) + "ana@example.com<script>"
	if got, err := RenderPublic(costly); err != nil || strings.Contains(got, "ana@") || strings.Contains(got, "<script") {
		t.Error(got, err)
	}
}
