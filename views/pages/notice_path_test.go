package pages

import (
	"testing"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/tickets"
	"github.com/counterfoil/counterfoil/views"
)

// The engine of migrations and the inbox name the notices of runs alike: each leads to its run.
func TestNoticeOfRunLeadsToIt(t *testing.T) {
	t.Parallel()
	for _, why := range []string{migrations.NoticePaused, migrations.NoticeStopped, migrations.NoticeFailed} {
		n := tickets.Notification{Why: why, Title: migrations.NoticeDetail(12, "import-tickets")}
		if got, want := views.NotificationPath("acme", n), views.RunPath(12); got != want || !n.Notice() {
			t.Errorf("%s leads to %s, a notice: %v; want %s", why, got, n.Notice(), want)
		}
	}
	for _, why := range []string{migrations.NoticeBulkPaused, migrations.NoticeBulkStopped, migrations.NoticeBulkFailed} {
		n := tickets.Notification{Why: why, Title: migrations.NoticeDetail(12, migrations.BulkEdits)}
		if got, want := views.NotificationPath("acme", n), views.BulkEditOfRunPath("acme", 12); got != want || !n.Notice() {
			t.Errorf("%s leads to %s, a notice: %v; want %s", why, got, n.Notice(), want)
		}
	}
	sign := tickets.Notification{Why: tickets.NoticeSignIn, Title: "Run 12: a browser"}
	if got := views.NotificationPath("acme", sign); got != views.AccountPath {
		t.Errorf("a sign-in leads to %s", got)
	}
}
