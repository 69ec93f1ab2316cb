package web_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestMetricsOfFeeds(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	now := time.Now().Truncate(time.Second)
	e.db.SetClock(func() time.Time { return now })
	before := e.metrics()
	if strings.Contains(before, "counterfoil_feed_oldest_unpublished_seconds{") {
		t.Error("a process that does not publish says how long something waits")
	}
	domaintest.OK(e.workflows.Feeds.RunOnce(context.Background(), "boards"))(t)
	domaintest.OK(e.db.SQL.ExecContext(t.Context(),
		`INSERT INTO feed_consumer (company_id, feed, name, epoch, position, began, created_by, created_at, seen_at)
		SELECT (SELECT MIN(id) FROM company), name, 'warehouse', epoch, 0, 0, (SELECT MIN(id) FROM account), NOW(6), NOW(6) FROM sequences WHERE name = 'boards'`))(t)
	now = now.Add(2*time.Second - time.Microsecond)
	if body := e.metrics(); strings.Contains(body, "counterfoil_feed_consumer_lag_positions{") {
		t.Error("each answer asks the database anew")
	}
	now = now.Add(time.Microsecond)
	body := e.metrics()
	for _, want := range []string{
		`counterfoil_feed_position{feed="boards"} 1`,
		`counterfoil_feed_position{feed="tickets"} 0`,
		`counterfoil_feed_horizon{feed="tickets"} 0`,
		`counterfoil_feed_newest_publish_timestamp_seconds{feed="boards"} `,
		`counterfoil_feed_oldest_unpublished_seconds{feed="boards"} 0`,
		`counterfoil_feed_consumer_lag_positions{consumer="1",feed="boards"} 1`,
		`counterfoil_feed_consumer_lag_seconds{consumer="1",feed="boards"} `,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
	e.exec("UPDATE feed_consumer SET epoch = epoch - 1")
	now = now.Add(2 * time.Second)
	body = e.metrics()
	if !strings.Contains(body, `counterfoil_feed_consumer_lag_positions{consumer="1",feed="boards"} 1`) ||
		strings.Contains(body, `counterfoil_feed_consumer_lag_seconds{consumer="1",feed="boards"} 0`+"\n") {
		t.Error("a consumer of an earlier epoch is not behind by the whole feed")
	}
	e.exec("UPDATE feed_consumer f JOIN sequences s ON s.name = f.feed SET f.epoch = s.epoch, f.position = 2")
	now = now.Add(2 * time.Second)
	body = e.metrics()
	if !strings.Contains(body, `counterfoil_feed_consumer_lag_positions{consumer="1",feed="boards"} 0`) {
		t.Error("a consumer ahead of the feed is behind it")
	}
	e.exec("UPDATE feed_consumer SET position = 1")
	now = now.Add(2 * time.Second)
	if body := e.metrics(); !strings.Contains(body, `counterfoil_feed_consumer_lag_positions{consumer="1",feed="boards"} 0`) {
		t.Error("a consumer who has read all is behind")
	}
	for _, name := range []string{"acme", "warehouse"} {
		if strings.Contains(body, name) {
			t.Errorf("it tells everyone of %q", name)
		}
	}
}
