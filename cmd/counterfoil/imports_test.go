package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/counterfoil/counterfoil/"

var (
	leaves = []string{"domain/id", "domain/coalesce", "domain/markup", "domain/outbound", "domain/blobs", "domain/fault",
		"domain/wait", "domain/csvfile", "domain/lease", "domain/limits", "domain/color", "domain/query",
		"domain/fuzzy", "domain/search"}
	entities = []string{"domain/boards", "domain/tickets", "domain/accounts", "domain/feeds", "domain/refs",
		"domain/requests", "=domain/migrations", "domain/images", "domain/webhooks", "domain/live", "domain/labels", "domain/files",
		"domain/recurrence", "domain/savedviews", "domain/bulkedits", "domain/home"}

	// measures are the statistics of runs for operators.
	measures = []string{"domain/migrations/monitor"}

	// sealing encrypts what entities and the packages above them must read back.
	sealing = []string{"domain/secrets"}

	// shared are the leaves that the packages of web need.
	shared = []string{"domain/color", "domain/id", "domain/markup", "domain/fault", "domain/wait", "domain/access", "domain/query",
		"domain/fuzzy", "domain/search"}
)

// allowed are the imports of each package, as docs/architecture.md draws them. A name stands for itself and the
// packages below it, "=name" for itself alone. cmd may import everything.
var allowed = map[string][]string{
	"web": slices.Concat([]string{"web", "domain/workflows", "domain/console", "views", "static"}, entities,
		measures, shared),
	"web/pages": slices.Concat([]string{"web/respond", "web/streams", "domain/workflows", "=views", "views/pages",
		"static"}, entities, shared),
	"web/admin": slices.Concat([]string{"web/respond", "domain/workflows", "domain/console", "=views",
		"views/admin", "static"}, entities, measures, shared),
	"web/public": slices.Concat([]string{"web/respond", "domain/workflows", "=views", "views/public"}, entities,
		shared),
	"web/api": slices.Concat([]string{"web/respond", "web/streams", "domain/workflows", "domain/console",
		"domain/limits", "=views"}, entities, measures, shared),
	"web/respond": slices.Concat([]string{"web/streams", "domain/workflows", "=views", "views/pages", "static"},
		entities, shared),
	"web/streams":      {"domain/workflows", "domain/accounts", "domain/fault", "domain/id", "domain/wait"},
	"views":            slices.Concat([]string{"domain/id", "domain/color", "static", "domain/fault", "domain/markup", "domain/access", "domain/query"}, entities),
	"views/pages":      slices.Concat([]string{"=views", "domain/id", "domain/color", "domain/fault", "domain/access", "domain/query", "domain/search"}, entities),
	"views/admin":      slices.Concat([]string{"=views", "domain/id", "domain/fault"}, entities, measures),
	"views/public":     slices.Concat([]string{"=views", "domain/id", "domain/fault"}, entities),
	"domain/access":    {"domain/accounts", "db"},
	"domain/secrets":   append([]string{"db"}, leaves...),
	"domain/workflows": slices.Concat(entities, leaves, sealing, []string{"domain/access", "db"}),
	"domain/console":   slices.Concat([]string{"domain/workflows", "db"}, entities, measures, leaves),
	"domain/kinds":     slices.Concat([]string{"domain/workflows", "domain/kinds", "domain/access", "db"}, entities, leaves),
	"domain/delivery":  slices.Concat([]string{"domain/workflows", "db"}, entities, leaves, sealing),
	"domain/app":       {"domain", "db"}, // it wires the packages together
	"ops":              {"domain", "db", "ops"},
	"db":               {"domain/id", "domain/fault", "domain/wait", "db"},
	"static":           {},
	"feedclient":       {},
	"e2e":              {"db", "domain", "web", "views", "static", "ops"}, // tests only
	"scripts":          {},
	"scripts/keydocs":  {"views"},
	"scripts/seed":     {"db", "ops/seed"},
	"scripts/cluster":  {"db/dbtest/cluster"},
}

func init() {
	for _, entity := range entities {
		allowed[strings.TrimPrefix(entity, "=")] = slices.Concat([]string{"db"}, leaves, sealing)
	}
	allowed["domain/tickets"] = append(allowed["domain/tickets"], "domain/labels", "domain/files", "domain/recurrence") // a ticket has them
	allowed["domain/bulkedits"] = append(allowed["domain/bulkedits"], "domain/tickets", "=domain/migrations")           // of tickets, by a run
	allowed["domain/home"] = append(allowed["domain/home"], "domain/tickets", "domain/feeds")                           // their changes
	allowed["domain/files"] = append(allowed["domain/files"], "domain/images")                                          // some are pictures
	allowed["domain/migrations/monitor"] = append([]string{"=domain/migrations", "db"}, leaves...)
	allowed["domain/migrations/migrationstest"] = append([]string{"domain/domaintest"},
		allowed["domain/migrations/monitor"]...)
	allowed["domain/migrations/worker"] = append([]string{"=domain/migrations", "domain/migrations/monitor", "db"},
		leaves...)
	for _, leaf := range leaves {
		allowed[leaf] = []string{"domain/id", "domain/fault"}
	}
	allowed["domain/outbound/outboundtest"] = []string{"domain/outbound"}
	allowed["domain/id"], allowed["domain/fault"], allowed["domain/domaintest"] = nil, nil, []string{"domain/wait",
		"domain/id", "db"}
}

// within reports whether pkg is name or below it.
func within(pkg, name string) bool { return pkg == name || strings.HasPrefix(pkg, name+"/") }

// rule returns what pkg may import. The longest name wins, so that domain/workflows is not domain.
func rule(pkg string) (may []string, known bool) {
	best := ""
	for name, imports := range allowed {
		if within(pkg, name) && len(name) > len(best) {
			best, may, known = name, imports, true
		}
	}
	return may, known
}

func TestImports(t *testing.T) {
	t.Parallel()
	t.Run("no arrow but those of the design", func(t *testing.T) {
		for pkg, list := range imports(t, `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`) {
			check(t, pkg, list, nil)
		}
	})
	t.Run("tests may import db/dbtest, domain/domaintest, domain/app and its apptest as well, receivers of what is sent out, the client, and what makes and examines data and files", func(t *testing.T) {
		for pkg, list := range imports(t,
			`{{.ImportPath}}{{range .TestImports}} {{.}}{{end}}{{range .XTestImports}} {{.}}{{end}}`) {
			check(t, pkg, list, []string{"db", "domain/domaintest", "domain/outbound", "domain/app",
				"domain/migrations/migrationstest", "feedclient", "ops/seed", "ops/verify", "domain/blobs", pkg})
		}
	})
	t.Run("the rule knows a wrong arrow when it sees one", func(t *testing.T) {
		for pkg, wrong := range map[string]string{"web": "db", "web/pages": "web/admin", "web/admin": "web",
			"web/public": "domain/console", "web/api": "web/pages", "web/respond": "web/pages", "web/streams": "web/respond",
			"views/pages": "views/admin", "views/admin": "web", "domain/workflows": "domain/console",
			"domain/console": "domain/kinds", "domain/delivery": "domain/app", "domain/boards": "domain/tickets",
			"domain/migrations": "domain/migrations/worker", "domain/migrations/monitor": "domain/migrations/worker",
			"domain/kinds": "domain/migrations/monitor", "domain/secrets": "domain/webhooks", "domain/markup": "domain/wait", "domain/id": "domain/fault",
			"domain/fault": "domain/id", "db": "domain/boards", "views": "domain/workflows"} {
			if may, _ := rule(pkg); permitted(wrong, may) {
				t.Errorf("%s may import %s", pkg, wrong)
			}
		}
	})
}

// imports returns the packages of the module with those of ours that each imports.
func imports(t *testing.T, format string) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", format, module+"...").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	found := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		names := strings.Fields(line)
		pkg := strings.TrimPrefix(names[0], module)
		for _, name := range names[1:] {
			if ours, ok := strings.CutPrefix(name, module); ok {
				found[pkg] = append(found[pkg], ours)
			}
		}
	}
	if len(found) == 0 {
		t.Fatal("go list found no package that imports another of ours")
	}
	return found
}

func check(t *testing.T, pkg string, imported, also []string) {
	t.Helper()
	if within(pkg, "cmd") {
		return
	}
	may, known := rule(pkg)
	if !known {
		t.Errorf("%s has no place in the layout; see docs/architecture.md", pkg)
	}
	for _, name := range imported {
		if !permitted(name, append(may, also...)) {
			t.Errorf("%s must not import %s", pkg, name)
		}
	}
}

func permitted(name string, may []string) bool {
	return slices.ContainsFunc(may, func(allowed string) bool {
		if alone, ok := strings.CutPrefix(allowed, "="); ok {
			return name == alone
		}
		return within(name, allowed)
	})
}
