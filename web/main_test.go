package web_test

import (
	"testing"

	"go.uber.org/goleak"
)

// The goroutine of search indexes ends with the program.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/blevesearch/bleve_index_api.AnalysisWorker"))
}
