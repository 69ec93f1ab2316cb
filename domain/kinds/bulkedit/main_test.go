package bulkedit_test

import (
	"os"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestMain(m *testing.M) { os.Exit(domaintest.RunWithoutLeaks(m)) }
