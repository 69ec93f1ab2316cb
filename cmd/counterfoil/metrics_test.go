package main

import (
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/db/dbtest"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

var metricsURL = regexp.MustCompile(`msg="metrics are served" url=(\S+)`)

// metricsOf is what a server says at the address that its log has.
func metricsOf(t *testing.T, p *process) (url, body string) {
	t.Helper()
	p.says(t, "metrics are served")
	found := metricsURL.FindStringSubmatch(p.logged())
	if found == nil {
		t.Fatal(p.logged())
	}
	response := domaintest.OK(http.Get(found[1]))(t)
	defer response.Body.Close()
	return found[1], string(domaintest.OK(io.ReadAll(response.Body))(t))
}

// says waits for a text in the log of a process.
func (p *process) says(t *testing.T, text string) {
	t.Helper()
	domaintest.Until(t, "it says "+text, func() bool { return strings.Contains(p.logged(), text) }, p.logged)
}

func TestMetricsAddress(t *testing.T) {
	t.Parallel()
	i := onURL(t, dbtest.URL(t))
	with := func(address string) *process {
		other := &install{env: append([]string{"COUNTERFOIL_METRICS_ADDR=" + address}, i.env...), token: i.token}
		return other.serve(t)
	}

	t.Run("a server serves them there, and not beside its pages", func(t *testing.T) {
		t.Parallel()
		p := with("127.0.0.1:0")
		if _, body := metricsOf(t, p); !strings.Contains(body, "counterfoil_streams ") {
			t.Errorf("it says %.200q", body)
		}
		response := domaintest.OK(http.Get(p.url + "/metrics"))(t)
		defer response.Body.Close()
		body := string(domaintest.OK(io.ReadAll(response.Body))(t))
		if response.StatusCode != http.StatusNotFound || !strings.Contains(body, "COUNTERFOIL_METRICS_ADDR") {
			t.Errorf("the former path is answered %d %q", response.StatusCode, body)
		}
		domaintest.Must(t, p.stop(t))
	})

	t.Run("a taken port is a warning, and the next one is used and logged", func(t *testing.T) {
		t.Parallel()
		taken := domaintest.OK(net.Listen("tcp", freePort(t)))(t)
		defer taken.Close()
		p := with(taken.Addr().String())
		port := taken.Addr().(*net.TCPAddr).Port
		if url, body := metricsOf(t, p); !strings.Contains(url, ":"+strconv.Itoa(port+1)+"/") ||
			!strings.Contains(body, "counterfoil_streams ") || !strings.Contains(p.logged(), "level=WARN") {
			t.Errorf("metrics are at %s\n%s", url, p.logged())
		}
	})

	t.Run("without a free one of ten the server serves, without metrics", func(t *testing.T) {
		t.Parallel()
		first := tenTaken(t)
		p := with(first)
		p.says(t, "no port is free")
		if strings.Contains(p.logged(), "metrics are served") {
			t.Error(p.logged())
		}
		response := domaintest.OK(http.Get(p.url + "/healthz"))(t)
		response.Body.Close()
	})

	t.Run("off", func(t *testing.T) {
		t.Parallel()
		p := with("off")
		domaintest.Must(t, p.stop(t)) // all of its log has come
		if strings.Contains(p.logged(), "metrics") {
			t.Error(p.logged())
		}
	})

	t.Run("what is no address of this machine is refused", func(t *testing.T) {
		t.Parallel()
		for _, bad := range []string{"9464", "127.0.0.1:http-alt", "127.0.0.1:99999", "203.0.113.7:9464"} {
			other := &install{env: append([]string{"COUNTERFOIL_METRICS_ADDR=" + bad}, i.env...)}
			if code, out := other.command(t, "serve"); code != 1 || !strings.Contains(out, "COUNTERFOIL_METRICS_ADDR") {
				t.Errorf("%s: exit code %d, %s", bad, code, out)
			}
		}
	})
}

// tenTaken listens at ten ports in a row and returns the first address.
func tenTaken(t *testing.T) string {
	t.Helper()
	for range 100 {
		first := freePort(t)
		_, text, err := net.SplitHostPort(first)
		domaintest.Must(t, err)
		port := domaintest.OK(strconv.Atoi(text))(t)
		var all []net.Listener
		for n := range metricsPorts {
			if one, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port+n)); err == nil {
				all = append(all, one)
			}
		}
		release := func() {
			for _, one := range all {
				one.Close()
			}
		}
		if len(all) == metricsPorts {
			t.Cleanup(release)
			return first
		}
		release()
	}
	t.Fatal("no ten ports in a row are free")
	return ""
}
