package lease

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestOwn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(t *testing.T, o *Lease){
		"it counts from when it was asked for": func(t *testing.T, o *Lease) {
			sent := time.Now()
			<-time.After(3 * time.Second) // the database took its time
			o.Begin(sent, 10*time.Second)
			if left := o.Left(); left != 7*time.Second || !o.Valid() {
				t.Errorf("%v left", left)
			}
		},
		"it ends on time": func(t *testing.T, o *Lease) {
			o.Begin(time.Now(), 10*time.Second)
			<-time.After(10*time.Second - 1)
			if !o.Valid() {
				t.Error("it ended early")
			}
			<-time.After(1)
			if o.Valid() || o.Left() > 0 {
				t.Error("it did not end")
			}
		},
		"a renewal prolongs it": func(t *testing.T, o *Lease) {
			o.Begin(time.Now(), 10*time.Second)
			<-time.After(9 * time.Second)
			if !o.Renew(time.Now(), 5*time.Second) || o.Left() != 5*time.Second {
				t.Errorf("%v left", o.Left())
			}
		},
		"one that is over is not renewed, whenever that was sent": func(t *testing.T, o *Lease) {
			o.Begin(time.Now(), 10*time.Second)
			<-time.After(9 * time.Second)
			sent := time.Now()
			<-time.After(2 * time.Second)
			if o.Renew(sent, 10*time.Second) || o.Valid() {
				t.Error("it was renewed")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { test(t, New()) })
		})
	}
}
