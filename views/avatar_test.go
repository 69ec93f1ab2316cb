package views

import (
	"testing"

	"github.com/counterfoil/counterfoil/domain/id"
)

func TestInitialsColor(t *testing.T) {
	t.Parallel()
	for first := range id.Account(40) {
		met := map[string]id.Account{}
		for account := first; account < first+11; account++ {
			name := initialsColor(account).String()
			if other, there := met[name]; there || name == "gray" {
				t.Errorf("accounts %d and %d are %s", other, account, name)
			}
			met[name] = account
		}
	}
}
