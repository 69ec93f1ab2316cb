//go:build !soak

package workflows_test

import "flag"

// soak is true in `make soak`: the full numbers in place of a few.
const soak = false

// init has properties checked fewer times than rapid's 100; a flag of the command line goes before it.
func init() {
	if err := flag.Set("rapid.checks", "40"); err != nil {
		panic(err)
	}
}
