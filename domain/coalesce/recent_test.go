package coalesce

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestRecent(t *testing.T) {
	reads := 0
	read := func() (int, error) { reads++; return reads, nil }

	t.Run("a value is read once a second", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var r Recent[string, int]
			first, _ := r.Get("a", read)
			time.Sleep(recentFor - time.Nanosecond) //nolint:forbidigo // the clock of a bubble
			if again, _ := r.Get("a", read); again != first {
				t.Error("read again too soon")
			}
			time.Sleep(time.Nanosecond) //nolint:forbidigo // the clock of a bubble
			if later, _ := r.Get("a", read); later == first {
				t.Error("not read again after a second")
			}
		})
	})

	t.Run("a forgotten value is read again", func(t *testing.T) {
		var r Recent[string, int]
		first, _ := r.Get("a", read)
		r.Forget("a")
		if again, _ := r.Get("a", read); again == first {
			t.Error("not forgotten")
		}
	})

	for name, forget := range map[string]func(r *Recent[string, int]){
		"it":  func(r *Recent[string, int]) { r.Forget("a") },
		"all": (*Recent[string, int]).ForgetAll,
	} {
		t.Run("a value that was read before a call to forget "+name+" is not kept after it", func(t *testing.T) {
			var r Recent[string, int]
			old, _ := r.Get("a", func() (int, error) {
				value, err := read()
				forget(&r)
				return value, err
			})
			if now, _ := r.Get("a", read); now == old {
				t.Error("kept")
			}
		})
	}

	t.Run("an error is not kept", func(t *testing.T) {
		var r Recent[string, int]
		if _, err := r.Get("a", func() (int, error) { return 0, errors.New("no") }); err == nil {
			t.Error("no error")
		}
		if _, err := r.Get("a", read); err != nil {
			t.Error(err)
		}
	})

	t.Run("it does not grow for ever", func(t *testing.T) {
		var r Recent[int, int]
		for i := range 3 * recentMax {
			r.Get(i, read)
		}
		if len(r.values) > recentMax {
			t.Errorf("%d values are kept", len(r.values))
		}
	})
}
