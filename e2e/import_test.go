package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
)

const jiraFile = `Summary,Issue key,Status,Assignee,Reporter,Created,Priority,Labels,Labels,Description,Comment,Comment
"Login fails, sometimes",OLD-123,In Progress,ana@example.com,Carla,12/Mar/24 9:41 AM,High,web,login,"h2. Steps
# open it",12/Mar/24 10:00 AM;carla;I see it,
<script>alert(1)</script>,OLD-124,Closed,,,13/Mar/24 9:41 AM,Low,,,,,
broken,row
`

// A file is imported without JavaScript: its columns are mapped, and its old keys open the tickets.
func TestImport(t *testing.T) {
	t.Parallel()
	a := start(t)
	a.setUpByCommand()
	b := a.tab(t)
	file := filepath.Join(t.TempDir(), "jira.csv")
	if err := os.WriteFile(file, []byte(jiraFile), 0o600); err != nil {
		t.Fatal(err)
	}
	mapping := func(b *tab) {
		b.open("/admin/migrations/import-tickets/new")
		b.fills("#run-p-company", "acme")
		b.fills("#run-p-board", "DEMO")
		b.fills("#run-p-author", email)
		b.chooseFile("#run-file", file)
		b.click("main form button.primary")
		b.sees("h1", "Map the columns")
	}
	mapping(b)
	b.look("mapping")
	b.accessible("the columns of a file")

	b = a.tab(t)
	b.noScript()
	mapping(b)
	b.chooses("#status-0", "Doing")
	b.click("#run-dry")
	b.click("main form button.primary")
	b.wait(`/\/runs\/\d+$/.test(location.pathname)`)
}

func (b *tab) chooseFile(selector, file string) {
	b.t.Helper()
	root := call(b, dom.GetDocument, dom.GetDocumentParams{}).Root
	input := call(b, dom.QuerySelector, dom.QuerySelectorParams{NodeID: root.NodeID, Selector: selector}).NodeID
	call(b, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: []string{file}, NodeID: input})
}

// look keeps pictures of the page where COUNTERFOIL_PICTURES says.
func (b *tab) look(name string) {
	folder := os.Getenv("COUNTERFOIL_PICTURES")
	if folder == "" {
		return
	}
	beyond := true
	for width, size := range map[string][2]int64{"1280": {1280, 900}, "390": {390, 844}} {
		b.size(size[0], size[1], false)
		shot := call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: &beyond, Format: "png"})
		b.must(os.WriteFile(filepath.Join(folder, name+"-"+width+".png"), shot.Data, 0o600))
	}
}
