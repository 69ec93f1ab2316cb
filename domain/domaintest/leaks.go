package domaintest

import (
	"fmt"
	"net/http"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// RunWithoutLeaks runs the tests of a package that has more to do in TestMain than goleak.VerifyTestMain lets it, and
// returns their exit code: 1 also if they pass and leave goroutines.
func RunWithoutLeaks(m *testing.M) int {
	code := m.Run()
	if code != 0 {
		return code
	}
	http.DefaultClient.CloseIdleConnections()
	// The goroutine of search indexes ends with the program.
	if err := goleak.Find(goleak.IgnoreTopFunction("github.com/blevesearch/bleve_index_api.AnalysisWorker")); err != nil {
		fmt.Fprintln(os.Stderr, "goleak:", err)
		return 1
	}
	return 0
}
