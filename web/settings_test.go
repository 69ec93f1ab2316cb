package web_test

import (
	"testing"

	"github.com/counterfoil/counterfoil/views/admin"
	"github.com/counterfoil/counterfoil/web"
)

func TestServerSettings(t *testing.T) {
	t.Parallel()
	e := newEnv(t, func(cfg *web.Config) {
		cfg.Settings = []admin.Setting{{Name: "COUNTERFOIL_LOG", Value: "<b>json</b>", Given: true}, {Name: "COUNTERFOIL_URL"}}
	})
	a := e.ana().get("/admin/settings").is(t, 200)
	a.has(t, 1, "nav.server a[href='/admin/settings'][aria-current='page']")
	a.textHas(t, "#setting-COUNTERFOIL_LOG", "<b>json</b>")
	a.textHas(t, "#setting-COUNTERFOIL_LOG", "Environment")
	a.textHas(t, "#setting-COUNTERFOIL_URL", "not set")
	a.textHas(t, "#setting-COUNTERFOIL_URL", "Default")
}
