package main

import (
	"context"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestPool(t *testing.T) {
	server := domaintest.OK(open(context.Background(), underTest(), t.TempDir()))(t)
	defer stop(server)
	p := domaintest.OK(newPool(server.URL("")))(t)
	defer p.close()

	first := domaintest.OK(p.lend())(t)
	p.giveBack(first)
	p.returning.Wait()
	if again := domaintest.OK(p.lend())(t); again != first {
		t.Errorf("lent %s, not %s again", again, first)
	}
	p.giveBack(first)
	p.returning.Wait()

	used := domaintest.OK(p.lend())(t)
	domaintest.Must(t, p.execute("INSERT INTO "+used+".company (slug, name, created_at) VALUES ('a', 'A', NOW(6))"))
	p.giveBack(used)
	p.returning.Wait()
	wiped := domaintest.OK(p.lend())(t)
	if rows := domaintest.OK(p.strings("SELECT slug FROM " + wiped + ".company"))(t); wiped != used || len(rows) > 0 {
		t.Errorf("%s has the companies %q", wiped, rows)
	}

	domaintest.Must(t, p.execute("ALTER TABLE "+wiped+".company ADD COLUMN more INT"))
	p.giveBack(wiped)
	p.returning.Wait()
	if other := domaintest.OK(p.lend())(t); other == wiped {
		t.Errorf("lent %s, which was altered", other)
	}
	if p.counts.dropped != 1 {
		t.Errorf("%d were dropped", p.counts.dropped)
	}
}
