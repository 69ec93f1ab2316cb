package web_test

import (
	"regexp"
	"testing"

	"github.com/counterfoil/counterfoil/views"
)

var queryName = regexp.MustCompile(`-- name: (\w+)`)

func TestReadsOfARun(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	run := e.largeRun(20)
	e.worker("web-1")
	e.exec("INSERT INTO migration_failure (run_id, fingerprint, message, task_id, errors, failed, first_at, last_at) "+
		"VALUES (?, UNHEX(?), 'It answers 503.', 1, 1, 1, NOW(6), NOW(6))", run, fingerprint)
	ana := e.ana()
	ana.get(views.RunPath(run)).is(t, 200) // what is kept for a moment is read
	t.Run("a page asks the database for a run and for who works on it once", func(t *testing.T) {
		e.watch.Take()
		ana.get(views.RunPath(run)).is(t, 200)
		sent, _ := e.watch.Take()
		asked := map[string]int{}
		for _, statement := range sent {
			if name := queryName.FindStringSubmatch(statement); name != nil {
				asked[name[1]]++
			}
		}
		// the database's figures need workers, too
		for name, most := range map[string]int{"RunByID": 1, "RunWithTime": 1, "CountersOf": 1, "LivingWorkers": 2} {
			if asked[name] == 0 || asked[name] > most {
				t.Errorf("%s is asked %d times, of %v", name, asked[name], asked)
			}
		}
	})
}
