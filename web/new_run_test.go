package web_test

import (
	"net/http"
	"testing"
)

func TestNewRunSaysAllThatIsWrong(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	ana := e.ana()
	e.unchanged(t, func() {
		a := ana.uploadImport("", "p-company", "acme", "p-board", "NOPE", "p-author", "nobody@example.com", "p-encoding",
			"klingon").is(t, http.StatusUnprocessableEntity)
		for _, field := range []string{"p-board", "p-author", "p-encoding", "file"} {
			a.has(t, 1, "#run-"+field+"-error").has(t, 1, ".summary a[href='#run-"+field+"']")
		}
		a = ana.uploadImport("").is(t, http.StatusUnprocessableEntity)
		for _, field := range []string{"p-company", "p-board", "p-author", "file"} {
			a.has(t, 1, "#run-"+field+"-error")
		}
		a = ana.post("/admin/migrations/mint-refs/runs", "p-codes", "x", "p-length", "9")
		a.is(t, http.StatusUnprocessableEntity).has(t, 1, "#run-p-codes-error").has(t, 1, "#run-p-length-error")
	})
}
