package admin

import (
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/views"
)

// AuditProps is a page of the instance's audit list.
type AuditProps struct {
	Page    views.Page
	Entries []accounts.AuditEntry
	More    bool // there are older ones
}
