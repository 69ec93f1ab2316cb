package main

import (
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/views/admin"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	values := map[string]string{
		"DATABASE_URL":         "mysql://bo:hun@ter:2,/x@db.example/app",
		"COUNTERFOIL_REPLICAS": "mysql://bo:hunter2@one/app, mysql://bo@two/app",
		"COUNTERFOIL_TOKEN":    "hunter2", "COUNTERFOIL_ADDR": "0.0.0.0:80",
	}
	list := readEnvironment(func(name string) string { return values[name] }, nil, io.Discard, io.Discard).settings()
	for name, want := range map[string]string{
		"DATABASE_URL": hidden, "COUNTERFOIL_REPLICAS": "mysql://bo:" + hidden + "@one/app,mysql://bo@two/app",
		"COUNTERFOIL_TOKEN": hidden, "COUNTERFOIL_ADDR": "0.0.0.0:80", "COUNTERFOIL_LOG": "text",
	} {
		if i := slices.IndexFunc(list, func(s admin.Setting) bool { return s.Name == name }); i < 0 || list[i].Value != want {
			t.Errorf("%s: %+v, want %s", name, list, want)
		}
	}
	for url, want := range map[string]string{
		"mysql://bo:a@b@db:3306/app": "mysql://bo:" + hidden + "@db:3306/app", "mysql://bo@unix(/run/x)/app": "mysql://bo@unix(/run/x)/app",
		"mysql://bo:secret": hidden, "bo:secret@db": hidden, "": "",
	} {
		if got := withoutPasswords(url); got != want {
			t.Errorf("%s is shown as %s", url, got)
		}
	}
	every := strings.Fields(string(domaintest.OK(os.ReadFile("testdata/golden/environment.txt"))(t)))
	for _, name := range every {
		ours := strings.HasPrefix(name, "COUNTERFOIL_") || name == "DATABASE_URL"
		if ours && !slices.ContainsFunc(list, func(s admin.Setting) bool { return s.Name == name }) {
			t.Errorf("%s is not among the settings", name)
		}
	}
}
