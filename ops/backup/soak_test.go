//go:build soak

package backup_test

// soak is true in `make soak`: the full numbers in place of a few.
const soak = true
