package markup_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/markup"
)

func TestAttachmentsInTexts(t *testing.T) {
	t.Parallel()
	files := func(address string) markup.Picture {
		switch address {
		case "attachment:1":
			return markup.Picture{Path: "/acme/attachments/1/image", Small: "/acme/attachments/1/small"}
		case "attachment:2":
			return markup.Picture{Path: "/acme/attachments/2", File: true, Title: "PDF, 1 KB"}
		}
		return markup.Picture{}
	}
	none := func(string) string { return "" }
	for source, want := range map[string]string{
		"![shot](attachment:1)":               `<a href="/acme/attachments/1/image" title="The whole image" class="picture"><img src="/acme/attachments/1/small" alt="shot"></a>`,
		"[plan](attachment:2)":                `<a href="/acme/attachments/2" title="PDF, 1 KB" class="file">plan</a>`,
		"![plan](attachment:2)":               `<a href="/acme/attachments/2" title="PDF, 1 KB" class="file">plan</a>`,
		"[shot](attachment:1)":                `<a href="/acme/attachments/1/image">shot</a>`,
		"[other](attachment:3)":               `other`,
		"![other](attachment:3)":              `other`,
		"[x](attachment:02)":                  `x`,
		"[x](attachment:2/../../admin)":       `x`,
		"[x](ATTACHMENT:2)":                   `x`,
		"`[plan](attachment:2)`":              `<code>[plan](attachment:2)</code>`,
		"[![shot](attachment:1)](/elsewhere)": `<a href="/elsewhere"><img src="/acme/attachments/1/small" alt="shot"></a>`,
	} {
		html := domaintest.OK(markup.Render(source, none, none, files))(t)
		if got := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(html), "<p>"), "</p>"); got != want {
			t.Errorf("%s is\n%s, not\n%s", source, got, want)
		}
		// Whoever sees no files is shown their names.
		if html := domaintest.OK(markup.Render(source, none, none, nil))(t); strings.Contains(html, `"attachment`) || strings.Contains(html, "/attachments") {
			t.Errorf("%s is %s to a stranger", source, html)
		}
	}
	got := markup.Attachments("![a](attachment:7) and attachment:8, attachment:7, attachment:0 attachment:99999999999999999999")
	if !slices.Equal(got, []uint64{7, 8, 999999999999999999}) {
		t.Errorf("%d", got)
	}
	for name, want := range map[string]string{"a.png": "a.png", "[a]_*`<b>\\": "\\[a\\]\\_\\*\\`\\<b>\\\\"} {
		if got := markup.Escape(name); got != want {
			t.Errorf("%q is escaped as %q", name, got)
		}
	}
}
