package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/counterfoil/counterfoil/domain/fault"
)

// slugTaken is a domain error as entities have them.
type slugTaken struct{ slug string }

func (e slugTaken) Error() string {
	return "There is a board " + e.slug + " already. Choose another slug."
}
func (slugTaken) Unwrap() error { return fault.Conflict }
func (slugTaken) Field() string { return "slug" }

var kinds = []error{fault.Invalid, fault.NotFound, fault.Conflict, fault.Forbidden, fault.RateLimited, fault.Unavailable}

func TestKind(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		if got := fault.Kind(fmt.Errorf("open board: %w", fmt.Errorf("again: %w", kind))); got != kind {
			t.Errorf("the kind of a wrapped %v is %v", kind, got)
		}
		for _, other := range kinds {
			if errors.Is(kind, other) != (kind == other) {
				t.Errorf("%v is %v", kind, other)
			}
		}
	}
	for _, err := range []error{nil, errors.New("disk"), fmt.Errorf("open: %w", errors.New("invalid"))} {
		if got := fault.Kind(err); got != nil {
			t.Errorf("the kind of %v is %v", err, got)
		}
	}
}

func TestDomain(t *testing.T) {
	t.Parallel()
	taken := slugTaken{"NINJA"}
	for rule, err := range map[string]error{
		"the error itself":             taken,
		"wrapped":                      fmt.Errorf("open board: %w", taken),
		"wrapped twice":                fmt.Errorf("batch: %w", fmt.Errorf("open board: %w", taken)),
		"beside another":               fmt.Errorf("open board: %w", errors.Join(errors.New("roll back"), taken)),
		"one of two that were wrapped": fmt.Errorf("open board: %w, then %w", errors.New("roll back"), taken),
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			if got := fault.Domain(err); got != error(taken) {
				t.Errorf("the domain error is %v", got)
			}
			if got := fault.Message(err); got != "There is a board NINJA already. Choose another slug." {
				t.Errorf("the message is %q", got)
			}
			if got := fault.Name(err); got != "fault_test.slugTaken" {
				t.Errorf("the name is %q", got)
			}
			if got := fault.Field(err); got != "slug" {
				t.Errorf("the field is %q", got)
			}
		})
	}
	for rule, err := range map[string]error{
		"none":          nil,
		"a fault":       errors.New("secret of the database"),
		"a wrapped one": fmt.Errorf("read: %w", errors.New("secret of the database")),
		"a bare kind":   fault.Invalid,
		"two faults":    errors.Join(errors.New("a"), errors.New("b")),
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			if got := fault.Domain(err); got != nil {
				t.Errorf("there is a domain error: %v", got)
			}
			if got := fault.Message(err); got != "" {
				t.Errorf("there is a message for people: %q", got)
			}
			if fault.Name(err) != "" || fault.Field(err) != "" {
				t.Error("there is a name or a field")
			}
		})
	}
}
