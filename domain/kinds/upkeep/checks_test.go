//go:build !soak

package upkeep_test

import "flag"

// Each check of a property here is some hundred statements. Outside `make soak` 25 are enough for a run; -rapid.checks
// says another number.
func init() {
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err)
	}
}
