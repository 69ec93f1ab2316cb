package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/counterfoil/counterfoil/domain/fault"
)

const (
	codeTaken fault.Code = "Board.SlugConflict"
	codeLong  fault.Code = "Board.LongTitle"
)

func taken(slug string) error {
	return fault.Error{
		Kind: fault.Conflict, Code: codeTaken, Field: "slug", Cause: errDuplicate,
		Message: "There is a board " + slug + " already. Choose another slug.",
	}
}

func long() error {
	return fault.Error{Kind: fault.Invalid, Code: codeLong, Field: "title", Message: "Shorten the title."}
}

var errDuplicate = errors.New("1062")

// stale is an error with data of its own.
type stale struct{ version int }

func (e stale) Error() string { return fmt.Sprintf("It is at version %d.", e.version) }
func (e stale) Unwrap() error {
	return fault.Error{Kind: fault.Conflict, Code: "Board.Stale", Message: e.Error()}
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	for _, kind := range fault.Kinds {
		for _, err := range []error{error(kind), fault.Error{Kind: kind}} {
			wrapped := fmt.Errorf("open board: %w", fmt.Errorf("again: %w", err))
			if got := fault.KindOf(wrapped); got != kind {
				t.Errorf("the kind of a wrapped %v is %v", kind, got)
			}
			for _, other := range fault.Kinds {
				if errors.Is(wrapped, other) != (kind == other) {
					t.Errorf("%v is %v", kind, other)
				}
			}
		}
	}
	for _, err := range []error{nil, errors.New("disk"), fmt.Errorf("open: %w", errors.New("invalid"))} {
		if got := fault.KindOf(err); got != "" {
			t.Errorf("the kind of %v is %v", err, got)
		}
	}
}

func TestError(t *testing.T) {
	t.Parallel()
	for rule, err := range map[string]error{
		"the error itself":             taken("NINJA"),
		"wrapped":                      fmt.Errorf("open board: %w", taken("NINJA")),
		"wrapped twice":                fmt.Errorf("batch: %w", fmt.Errorf("open board: %w", taken("NINJA"))),
		"beside another":               fmt.Errorf("open board: %w", errors.Join(errors.New("roll back"), taken("NINJA"))),
		"one of two that were wrapped": fmt.Errorf("open board: %w, then %w", errors.New("roll back"), taken("NINJA")),
		"the first of several":         fmt.Errorf("open board: %w", fault.Join(nil, taken("NINJA"), long())),
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			if got := fault.Message(err); got != "There is a board NINJA already. Choose another slug." {
				t.Errorf("the message is %q", got)
			}
			if got := fault.CodeOf(err); got != codeTaken || !errors.Is(err, codeTaken) ||
				errors.Is(err, fault.Code("Board.NotFound")) {
				t.Errorf("the code is %q", got)
			}
			if got := fault.Field(err); got != "slug" {
				t.Errorf("the field is %q", got)
			}
			if got := fault.Cause(err); got == nil || got.Error() != "1062" || errors.Is(err, got) {
				t.Errorf("the cause is %v, and is for the log alone", got)
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
			if e, ok := fault.Of(err); ok {
				t.Errorf("there is a domain error: %v", e)
			}
			if got := fault.Message(err); got != "" {
				t.Errorf("there is a message for users: %q", got)
			}
			if fault.CodeOf(err) != "" || fault.Field(err) != "" || fault.Cause(err) != nil {
				t.Error("there is a code, a field or a cause")
			}
		})
	}
	t.Run("a type with data of its own", func(t *testing.T) {
		t.Parallel()
		err := fmt.Errorf("rename: %w", stale{3})
		if found := (stale{}); !errors.As(err, &found) || found.version != 3 {
			t.Error(found)
		}
		if !errors.Is(err, fault.Conflict) || fault.CodeOf(err) != "Board.Stale" ||
			fault.Message(err) != "It is at version 3." {
			t.Errorf("%+v", err)
		}
	})
}

func TestJoin(t *testing.T) {
	t.Parallel()
	if err := fault.Join(nil, nil); err != nil || fault.Each(err) != nil {
		t.Error(err)
	}
	if err := fault.Join(nil, long()); err != long() || len(fault.Each(err)) != 1 {
		t.Error(err)
	}
	all := fmt.Errorf("open board: %w", fault.Join(fault.Join(taken("NINJA"), long()), stale{3}))
	if each := fault.Each(all); len(each) != 3 || each[0] != taken("NINJA") || each[1] != long() ||
		each[2] != error(stale{3}) {
		t.Errorf("%v", each)
	}
	if !errors.Is(all, codeTaken) || !errors.Is(all, codeLong) || !errors.Is(all, fault.Invalid) {
		t.Error("it is not all that it has")
	}
	if got := fault.Join(long(),
		taken("X")).Error(); got != "title: Shorten the title. slug: There is a board X already. Choose another slug." {
		t.Error(got)
	}
	disk := errors.New("disk")
	if err := fault.Join(long(), disk, taken("X")); err != disk {
		t.Errorf("a server error is told alone: %v", err)
	}
}

func TestAt(t *testing.T) {
	t.Parallel()
	if err := fault.At("to", fmt.Errorf("read: %w", long())); fault.Field(err) != "to" || fault.CodeOf(err) != codeLong {
		t.Errorf("%+v", err)
	}
	if disk := errors.New("disk"); fault.At("to", disk) != disk || fault.At("to", nil) != nil {
		t.Error("other errors stay as they are")
	}
	for _, one := range fault.Each(fault.At("to", fault.Join(long(), taken("NINJA")))) {
		if fault.Field(one) != "to" {
			t.Errorf("%+v", one)
		}
	}
}
