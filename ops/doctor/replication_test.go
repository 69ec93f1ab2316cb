package doctor_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/ops/doctor"
	"github.com/counterfoil/counterfoil/ops/opstest"
)

// look returns the report of a server, also of one that only allows reading.
func look(t testing.TB, url string) doctor.Report {
	t.Helper()
	d := domaintest.OK(db.OpenToLook(url))(t)
	defer d.Close()
	return run(t, d, "")
}

func holds(t testing.TB, c doctor.Check, mark, value string) {
	t.Helper()
	if c.Mark != mark || !strings.Contains(c.Value, value) || (mark != doctor.OK) == (c.Why == "" || c.Fix == "") {
		t.Errorf("%+v; want %s with %s", c, mark, value)
	}
}

func TestReplicas(t *testing.T) {
	t.Parallel()
	primary, replica := opstest.Pair(t)
	r := dbtest.OpenAt(t, replica)
	domaintest.Until(t, "the replica follows", func() bool {
		status, err := db.Schema(replica)
		return err == nil && status.Version == status.Latest
	})

	t.Run("a replica that can be written to is a problem, and refused", func(t *testing.T) {
		holds(t, find(t, look(t, replica), "replica"), doctor.Problem, "of 127.0.0.1:")
		domaintest.Is(t, r.CheckPrimary(t.Context()), db.CodeReplica)
	})
	domaintest.Exec(t, r, "SET GLOBAL read_only = ON")
	t.Run("one that only allows reading opens no connection to write", func(t *testing.T) {
		var report doctor.Report
		domaintest.Until(t, "the replica has caught up", func() bool {
			report = look(t, replica)
			return strings.HasSuffix(find(t, report, "replica").Value, ", 0 s behind")
		})
		holds(t, find(t, report, "replica"), doctor.OK, "receiving on, applying on")
		holds(t, find(t, report, "writing"), doctor.Problem, "read_only = ON")
		d := domaintest.OK(db.Open(replica))(t)
		defer d.Close()
		_, err := d.Check(t.Context())
		domaintest.Is(t, err, fault.Unavailable)
		if said := fault.Message(err); !strings.Contains(said, "it only allows reading") {
			t.Error(said)
		}
		reader := domaintest.OK(db.OpenToRead(replica))(t)
		defer reader.Close()
		domaintest.OK(reader.Check(t.Context()))(t)
	})
	t.Run("the primary is no replica, and says what acknowledges its commits", func(t *testing.T) {
		p := dbtest.OpenAt(t, primary)
		domaintest.Must(t, p.CheckPrimary(t.Context()))
		domaintest.Until(t, "the replica acknowledges", func() bool {
			return strings.HasPrefix(find(t, look(t, primary), "semi-synchronous").Value, "1 replica")
		})
		report := look(t, primary)
		holds(t, find(t, report, "writing"), doctor.OK, "OFF")
		holds(t, find(t, report, "semi-synchronous"), doctor.Note, "status ON")
		holds(t, find(t, report, "semi-synchronous timeout"), doctor.Problem, "= 10000 ms")
		order, mark := "AFTER_COMMIT", doctor.Problem // the default of MariaDB
		if opstest.OnMySQL() {
			order, mark = "AFTER_SYNC", doctor.OK
		}
		holds(t, find(t, report, "semi-synchronous order"), mark, order)
	})
	t.Run("a replica that does not receive is a problem", func(t *testing.T) {
		stop := "STOP SLAVE IO_THREAD"
		if opstest.OnMySQL() {
			stop = "STOP REPLICA IO_THREAD"
		}
		domaintest.Exec(t, r, stop)
		holds(t, find(t, look(t, replica), "replica"), doctor.Problem, "receiving off, applying on")
		domaintest.Until(t, "the primary notices", func() bool {
			return find(t, look(t, primary), "semi-synchronous").Mark == doctor.Problem
		})
	})
}

// A server has the checks of what it is: those of a node of Galera only there.
func TestNode(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t)
	checks := []string{"Galera node", "Galera nodes", "Galera flow control", "Galera settings"}
	if !dbtest.OnGalera(t, d) {
		for _, c := range run(t, d, "").Checks {
			if strings.HasPrefix(c.Name, "Galera") {
				t.Errorf("%+v", c)
			}
		}
		return
	}
	report := run(t, d, "")
	for i, want := range []struct{ mark, value string }{
		{doctor.OK, "Primary, Synced"}, {doctor.Note, "wsrep_cluster_size = 1"}, {doctor.OK, "paused for 0 %"},
		{doctor.OK, "as they should be"},
	} {
		holds(t, find(t, report, checks[i]), want.mark, want.value)
	}
	if c := find(t, report, "commits"); !strings.Contains(c.Why, "memory of all nodes") {
		t.Errorf("%+v", c)
	}
	t.Run("one that its cluster has lost answers the doctor, and nobody else", func(t *testing.T) {
		t.Parallel()
		url := opstest.Private(t, maps.Clone(domaintest.OK(dbtest.NodeSettings())(t)))
		domaintest.Must(t, db.SchemaUp(url))
		admin := domaintest.OK(db.OpenToLook(url))(t)
		defer admin.Close()
		domaintest.Exec(t, admin, "SET GLOBAL wsrep_desync = ON")
		holds(t, find(t, look(t, url), "Galera node"), doctor.Note, "Primary, Donor/Desynced")
		domaintest.Exec(t, admin, "SET GLOBAL wsrep_desync = OFF")
		domaintest.Exec(t, admin, "SET GLOBAL wsrep_auto_increment_control = OFF")
		holds(t, find(t, look(t, url), "Galera settings"), doctor.Note, "wsrep_auto_increment_control = OFF")
		_, _ = admin.SQL.Exec("SET GLOBAL wsrep_cluster_address = 'gcomm://127.0.0.1:1'") // it fails when nobody is there
		holds(t, find(t, look(t, url), "Galera node"), doctor.Problem, "")
		other := domaintest.OK(db.Open(url))(t)
		defer other.Close()
		_, err := db.Read(other.Sequence(t.Context(), "tickets"))
		domaintest.Is(t, err, fault.Unavailable)
		if said := fault.Message(err); !strings.Contains(said, "has left its cluster") {
			t.Error(said)
		}
	})
}
