package main

import (
	"os"
	"regexp"
	"strings"

	"github.com/counterfoil/counterfoil/views/admin"
)

// settings are the variables of the environment with the values that serve uses, for the page of the settings.
func (e environment) settings() []admin.Setting {
	mysqld := os.Getenv("COUNTERFOIL_MYSQLD") // the package of the private database reads it
	token := ""
	if e.token != "" {
		token = hidden
	}
	list := []admin.Setting{
		{Name: "DATABASE_URL", Value: withoutPasswords(e.databaseURL)},
		{Name: "COUNTERFOIL_ADDR", Value: e.addr},
		{Name: "COUNTERFOIL_URL", Value: e.url},
		{Name: "COUNTERFOIL_TRUSTED_PROXIES", Value: e.proxies},
		{Name: "COUNTERFOIL_DATA", Value: e.data},
		{Name: "COUNTERFOIL_BLOBS", Value: e.blobs},
		{Name: "COUNTERFOIL_SEARCH", Value: e.search},
		{Name: "COUNTERFOIL_KEY_FILE", Value: e.keyFile},
		{Name: "COUNTERFOIL_MYSQLD", Value: mysqld, Given: mysqld != ""},
		{Name: "COUNTERFOIL_REPLICAS", Value: withoutPasswords(e.replicas)},
		{Name: "COUNTERFOIL_LOG", Value: e.log},
		{Name: "COUNTERFOIL_METRICS_ADDR", Value: e.metricsAddr},
		{Name: "COUNTERFOIL_MAX_UPLOAD", Value: e.upload},
		{Name: "COUNTERFOIL_UPLOAD_MAX", Value: e.attachment},
		{Name: "COUNTERFOIL_API_RATE", Value: e.apiRate},
		{Name: "COUNTERFOIL_COMPANY_STREAMS", Value: e.companyStreams},
		{Name: "COUNTERFOIL_SESSION_IDLE_DAYS", Value: e.sessionIdle},
		{Name: "COUNTERFOIL_SECOND_FACTOR", Value: e.secondFactor},
		{Name: "COUNTERFOIL_AUDIT_DAYS", Value: e.auditDays},
		{Name: "COUNTERFOIL_BULK_EDITS", Value: e.bulkEdits},
		{Name: "COUNTERFOIL_BULK_TICKETS", Value: e.bulkTickets},
		{Name: webhookAllow, Value: e.webhookAllow},
		{Name: downloadAllow, Value: e.downloadAllow},
		{Name: pictureAllow, Value: e.pictureAllow},
		{Name: issuerAllow, Value: e.issuerAllow},
		{Name: oldAllow, Value: e.oldAllow},
		{Name: "COUNTERFOIL_OUTBOUND_DENY", Value: e.deny},
		{Name: "COUNTERFOIL_TOKEN", Value: token},
	}
	for i := range list {
		list[i].Given = list[i].Given || e.given[list[i].Name]
	}
	return list
}

// hidden is shown in place of a secret.
const hidden = "••••••"

// withAccount is the address of a database: before the host the user and, behind a colon, the password.
var withAccount = regexp.MustCompile(`^(\w+://[^:@/]*)(:.*)?@([^@]*)$`)

// withoutPasswords hides the passwords of addresses of databases, with commas between. What is none it hides whole.
func withoutPasswords(list string) string {
	if list == "" {
		return ""
	}
	parts := strings.Split(list, ",")
	for i, part := range parts {
		found := withAccount.FindStringSubmatch(strings.TrimSpace(part))
		if found == nil {
			return hidden
		}
		if parts[i] = found[1] + "@" + found[3]; found[2] != "" {
			parts[i] = found[1] + ":" + hidden + "@" + found[3]
		}
	}
	return strings.Join(parts, ",")
}
