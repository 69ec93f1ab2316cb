package access_test

import (
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/access"
	"github.com/counterfoil/counterfoil/domain/accounts"
)

func TestOn(t *testing.T) {
	t.Parallel()
	const none, view, write, manage = access.None, access.View, access.Write, access.Manage
	for role, levels := range map[string]struct {
		open, private access.Level    // of a board that does not name the actor
		named         [4]access.Level // of one that does, by the level that it gives
	}{
		accounts.Owner:  {manage, none, [4]access.Level{none, view, write, manage}},
		accounts.Admin:  {manage, none, [4]access.Level{none, view, write, manage}},
		accounts.Member: {write, none, [4]access.Level{none, view, write, manage}},
		accounts.Viewer: {view, none, [4]access.Level{none, view, view, view}},
		accounts.Guest:  {none, none, [4]access.Level{none, view, write, manage}},
		"":              {none, none, [4]access.Level{none, view, write, manage}},
	} {
		actor := accounts.Actor{Role: role}
		if got := access.On(actor, db.Grant{}); got != levels.open {
			t.Errorf("%s on an open board: %d, want %d", role, got, levels.open)
		}
		for level, want := range levels.named {
			if level == 0 {
				want = levels.private
			}
			if got := access.On(actor, db.Grant{Private: true, Level: level}); got != want {
				t.Errorf("%s with level %d on a private board: %d, want %d", role, level, got, want)
			}
			if got := access.On(actor, db.Grant{Level: level}); level > 0 && got != want {
				t.Errorf("%s with level %d on an open board: %d, want %d", role, level, got, want)
			}
		}
	}
}
