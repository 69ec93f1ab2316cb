package workflows_test

import (
	"testing"

	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/domaintest"
)

// TestTokensOfTheCommandLine holds that a token has the scopes that are named, or all that its account holds, and that
// none is stored that the account does not hold.
func TestTokensOfTheCommandLine(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.As(t, "Vera", accounts.Viewer)
	e.As(t, "Mia", accounts.Member)
	e.Exec(t, "UPDATE account SET email = LOWER(CONCAT(name, '@example.com'))")
	e.Counts(t, 1, "SELECT COUNT(*) FROM audit WHERE company_id = 1 AND kind = ?", accounts.AuditTokenMade) // that of setup
	e.Exec(t, "DELETE FROM api_token")
	const stored = "SELECT COUNT(*) FROM api_token k JOIN account a ON a.id = k.account_id WHERE a.name = ? AND k.scopes = ?"
	for name, held := range map[string]string{
		"Ana": "boards:read boards:write tickets:read tickets:write audit:read refs:pop operate",
		"Mia": "boards:read boards:write tickets:read tickets:write", "Vera": "boards:read tickets:read",
	} {
		domaintest.OK(e.Workflows.OpenToken(t.Context(), "acme", name+"@example.com", nil, accounts.DefaultTokenDays))(t)
		e.Counts(t, 1, stored, name, held)
	}
	e.Counts(t, 4, "SELECT COUNT(*) FROM audit WHERE company_id = 1 AND kind = ?", accounts.AuditTokenMade)
	e.Counts(t, 3, "SELECT COUNT(*) FROM api_token WHERE expires_at = created_at + INTERVAL 90 DAY")
	for name, scope := range map[string]string{"Mia": "operate", "Vera": "tickets:write"} {
		domaintest.Fails(e.Workflows.OpenToken(t.Context(), "acme", name+"@example.com", []string{"boards:read", scope}, 7))(t,
			accounts.CodeBadScope)
	}
	e.Counts(t, 3, "SELECT COUNT(*) FROM api_token")
	domaintest.OK(e.Workflows.OpenToken(t.Context(), "acme", "mia@example.com", []string{"boards:read"}, 0))(t)
	e.Counts(t, 1, stored+" AND k.expires_at IS NULL", "Mia", "boards:read")
}
