package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/outbound"
)

func TestWebhooksPicturesAndDownloadsHaveAListEach(t *testing.T) {
	t.Parallel()
	const old, download, webhook, picture, issuer, deny = "COUNTERFOIL_OUTBOUND_ALLOW", "COUNTERFOIL_DOWNLOAD_ALLOW",
		"COUNTERFOIL_WEBHOOK_ALLOW", "COUNTERFOIL_PICTURE_ALLOW", "COUNTERFOIL_ISSUER_ALLOW",
		"COUNTERFOIL_OUTBOUND_DENY"
	for name, c := range map[string]struct {
		values                        map[string]string
		downloads, webhooks, pictures string // hosts that are reached
		warning                       string
	}{
		"nothing":      {},
		"downloads":    {map[string]string{download: "10.0.0.1, 10.0.0.2"}, "10.0.0.1 10.0.0.2", "", "", ""},
		"webhooks":     {map[string]string{webhook: "10.0.0.1, 10.0.0.2"}, "", "10.0.0.1 10.0.0.2", "", ""},
		"pictures":     {map[string]string{picture: "10.0.0.1, 10.0.0.2"}, "", "", "10.0.0.1 10.0.0.2", ""},
		"issuers":      {map[string]string{issuer: "10.0.0.1, 10.0.0.2"}, "", "", "", ""},
		"the old name": {map[string]string{old: "10.0.0.1"}, "10.0.0.1", "", "", "counts for downloads alone"},
		"both names":   {map[string]string{old: "10.0.0.1", download: "10.0.0.2"}, "10.0.0.2", "", "", "is ignored"},
		"what is denied": {map[string]string{download: "10.0.0.0/8", webhook: "10.0.0.0/8", picture: "10.0.0.0/8", deny: "10.0.0.1"},
			"10.0.0.2", "10.0.0.2", "10.0.0.2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			env := readEnvironment(func(name string) string { return c.values[name] }, nil, nil, &log)
			r := domaintest.OK(env.reach())(t)
			reached := func(purpose outbound.Purpose, allow outbound.List) string {
				var hosts []string
				client := outbound.New(outbound.Options{Purpose: purpose, Allow: allow, Deny: r.deny})
				for _, host := range []string{"10.0.0.1", "10.0.0.2"} {
					if _, err := client.Check("https://" + host + "/"); err == nil {
						hosts = append(hosts, host)
					}
				}
				return strings.Join(hosts, " ")
			}
			if got := reached(outbound.Downloads, r.downloads); got != c.downloads {
				t.Errorf("downloads reach %q", got)
			}
			if got := reached(outbound.Webhooks, r.webhooks); got != c.webhooks {
				t.Errorf("webhooks reach %q", got)
			}
			if got := reached(outbound.Pictures, r.pictures); got != c.pictures {
				t.Errorf("pictures reach %q", got)
			}
			if got := reached(outbound.Issuers, r.issuers); got != strings.ReplaceAll(c.values[issuer], ",", "") {
				t.Errorf("issuers reach %q", got)
			}
			env.warnOfOldAllow()
			if got := log.String(); (got == "") != (c.warning == "") || !strings.Contains(got, c.warning) {
				t.Errorf("the log has %q", got)
			}
		})
	}
}
