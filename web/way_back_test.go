package web_test

import (
	"fmt"
	"testing"
)

func TestWayBackKeepsTheFilter(t *testing.T) {
	t.Parallel()
	_, ana, _, _ := newEnvWithTalk(t)
	const crumb = ".crumbs a[href='%s']"
	for from, want := range map[string]string{
		"": "/acme/boards/DEMO",
		"http://example.com/acme/boards/DEMO?q=door&who=me&state=open": "/acme/boards/DEMO?q=door+assignee%3Ame+status%3Aopen",
		"http://example.com/acme/boards/DEMO?q=door&evil=1":            "/acme/boards/DEMO?q=door",
		"http://example.com/acme/boards/OTHER?q=door":                  "/acme/boards/DEMO",
		"http://elsewhere.example/acme/boards/DEMO?q=door":             "/acme/boards/DEMO",
		"http://example.com/acme/boards/DEMO?q=%zz":                    "/acme/boards/DEMO",
		"%": "/acme/boards/DEMO",
	} {
		ana.with("Referer", from).get("/acme/DEMO-1").is(t, 200).has(t, 1, fmt.Sprintf(crumb, want))
	}
}

func TestDeletedTicketsInSettings(t *testing.T) {
	t.Parallel()
	_, ana, _, vera := newEnvWithTalk(t)
	for _, who := range []*browser{ana, vera} {
		page := who.get("/acme/boards/DEMO/settings").is(t, 200)
		path := page.page().Find("[aria-labelledby=deleted-name] a").AttrOr("href", "")
		who.get(path).is(t, 200).textIs(t, "h1", "Deleted tickets")
	}
}
