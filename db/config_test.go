package db_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
)

func TestConfig(t *testing.T) {
	for url, want := range map[string]struct{ user, password, net, addr, name string }{
		"mysql://ana:secret@db.example.com:3307/tickets": {"ana", "secret", "tcp", "db.example.com:3307", "tickets"},
		"mysql://ana:secret@db.example.com/tickets":      {"ana", "secret", "tcp", "db.example.com:3306", "tickets"},
		"mysql://ana:p%40ss%2Fw%3Ard@10.0.0.1/tickets":   {"ana", "p@ss/w:rd", "tcp", "10.0.0.1:3306", "tickets"},
		"mysql://ana:a@b@host/tickets":                   {"ana", "a@b", "tcp", "host:3306", "tickets"},
		"mysql://root@unix(/run/x/db.sock)/tickets":      {"root", "", "unix", "/run/x/db.sock", "tickets"},
		"mysql://root@[::1]:3306/tickets":                {"root", "", "tcp", "[::1]:3306", "tickets"},
		"mysql://root@[::1]/tickets":                     {"root", "", "tcp", "[::1]:3306", "tickets"},
	} {
		t.Run(url, func(t *testing.T) {
			cfg := domaintest.OK(db.Config(url))(t)
			if cfg.User != want.user || cfg.Passwd != want.password || cfg.Net != want.net || cfg.Addr != want.addr ||
				cfg.DBName != want.name {
				t.Errorf("%s %s %s %s %s", cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.DBName)
			}
		})
	}
	for _, url := range []string{"", "postgres://ana:hush@host/x", "ana:hush@tcp(host)/x", "mysql://ana:hush@host",
		"mysql://ana:hush@/x", "mysql://ana:hu%zzsh@host/x", "mysql://ana:hush@host/x?timeout=5s",
		"mysql://ana:hush@host/x?tls=true&readTimeout=1s", "mysql://ana:hush@host/x?tls=yes"} {
		t.Run("refused: "+url, func(t *testing.T) {
			_, err := db.Config(url)
			if !errors.Is(err, db.CodeBadURL) {
				t.Fatalf("got %v", err)
			}
			if strings.Contains(err.Error(), "hu") && strings.Contains(err.Error(), "sh@") {
				t.Errorf("the message shows the password: %s", err)
			}
			if fault.Message(err) == "" {
				t.Error("it has no message for people")
			}
		})
	}

	t.Run("an unknown option is named, and so are those that there are", func(t *testing.T) {
		for url, want := range map[string][]string{
			"mysql://ana@host/x?readTimeout=1s": {`"readTimeout"`, "tls"},
			"mysql://ana@host/x?tls=yes":        {"tls", "true, false, skip-verify or preferred"},
		} {
			_, err := db.Config(url)
			for _, word := range want {
				if err == nil || !strings.Contains(err.Error(), word) {
					t.Errorf("%s: %v", url, err)
				}
			}
		}
	})
}
