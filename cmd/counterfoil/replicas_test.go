package main

import (
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestReplicas(t *testing.T) {
	t.Parallel()
	replicas := domaintest.OK(
		environment{replicas: " mysql://u:p%2Cq@db2/counterfoil, mysql://u@db3:3307/counterfoil,mysql://u@unix(/run/db.sock)/c,"}.openReplicas())(t)
	defer closeReplicas(replicas)
	var names []string
	for _, r := range replicas {
		names = append(names, r.Name)
	}
	if got := strings.Join(names, " "); got != "db2 db3:3307 /run/db.sock" {
		t.Errorf("names %q", got)
	}
	for _, bad := range []string{"db2", "mysql://u:secret@db2", "mysql://u@db2/c,mysql://u:secret,rest@db2/c",
		"mysql://u:secret%zz@db2/c"} {
		_, err := environment{replicas: bad}.openReplicas()
		if err == nil {
			t.Errorf("%s is taken", bad)
		} else if said := err.Error(); strings.Contains(said, "secret") || !strings.Contains(said, "COUNTERFOIL_REPLICAS") {
			t.Errorf("%s: %s", bad, said)
		}
	}
}
