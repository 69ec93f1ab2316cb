package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
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
		b.chooses("#run-p-board", "DEMO")
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
	b.wait(`/\/runs\/\d+\/start$/.test(location.pathname)`)
}

// From a board's settings to imported tickets, and back to the board.
func TestImportFromTheBoard(t *testing.T) {
	t.Parallel()
	a := start(t)
	a.setUpByCommand()
	a.post("/admin/companies", "company", "Rivals", "slug", "rivals")
	file := filepath.Join(t.TempDir(), "jira.csv")
	if err := os.WriteFile(file, []byte(jiraFile), 0o600); err != nil {
		t.Fatal(err)
	}
	b := a.tab(t)
	b.open("/acme/boards/DEMO/settings")
	b.look("import-settings")
	b.click("#import")
	b.at("/admin/migrations/import-tickets/new")
	b.look("import-start")
	b.wait(`document.querySelector("#run-p-board").value === "DEMO"`)
	b.wait(`document.querySelector("#run-p-author").value === %s`, email)
	b.chooses("#run-p-company", "rivals") // which has no board: its boards are shown at once
	b.wait(`document.querySelector("#run-p-board").value === ""`)
	b.settled()
	b.chooses("#run-p-company", "acme")
	b.wait(`document.querySelector('#run-p-board option[value="DEMO"]')`)
	b.click("main form button.primary")
	b.wait(`document.querySelector("#run-p-board-error") && document.querySelector("#run-file-error")`)
	b.accessible("a new import with errors")
	b.look("import-errors")
	b.chooses("#run-p-board", "DEMO")
	b.chooseFile("#run-file", file)
	b.click("main form button.primary")

	b.sees("h1", "Map the columns")
	b.sees("main form button.primary", "Try 2 rows")
	b.look("import-mapping")
	b.click("#run-dry")
	b.wait(`document.querySelector("main form button.primary").innerText.trim() === "Import 2 tickets into First steps"`)
	b.click("main form button.primary")
	b.sees("h1", "Import 2 tickets into First steps?")
	b.look("import-confirm")
	b.click("main form button.primary")
	b.sees("#run-done", "2 rows went through")
	b.wait(`!document.querySelector("#run-details").open`)
	b.sees("#run-tasks td.what", "OLD-123 Login fails, sometimes")
	b.accessible("the run of an import")
	b.look("import-run")
	b.click("#run-tasks th a")
	b.sees("#dialog-title", "OLD-123 Login fails, sometimes")
	b.look("import-task")
	b.open(eval[string](b, "location.pathname"))
	b.click("#run-done a")
	b.at("/acme/boards/DEMO")
	b.sees("#main", "Login fails, sometimes")
}

func (b *tab) chooseFile(selector, file string) {
	b.t.Helper()
	input := call(b, runtime.Evaluate, runtime.EvaluateParams{Expression: fill(`document.querySelector(%s)`, []any{selector})})
	call(b, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: []string{file}, ObjectID: input.Result.ObjectID})
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
