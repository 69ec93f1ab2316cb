package admin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/counterfoil/counterfoil/domain/feeds"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/refs"
	"github.com/counterfoil/counterfoil/views"
)

// OverviewProps is the state of the server at a glance.
type OverviewProps struct {
	Page                      views.Page
	Active, Attention, Alone  []migrations.Run // Alone are those whose migration no running worker knows
	ActiveMore, AttentionMore bool
	Workers                   []migrations.Worker
	Feeds                     []feeds.State
	Consumers                 []feeds.Consumer
	Codes                     refs.State
	Refill                    *migrations.Run // the last of the codes; nil if there was none
	Stopped                   []id.Webhook    // one more than StoppedShown: there are others
	StoppedShown              int
	Companies                 int // more than CompaniesCounted: there are others
	CompaniesCounted          int
	Forwarded                 bool   // lately a peer that is no trusted proxy sent X-Forwarded-For
	Engine                    string // of the database
	Schema, Latest            uint   // version of the schema, and the newest that this program knows
	Where                     Where
	Version                   string // of this program
	Findings                  []Finding
}

// part is a part of the server: its page, its state, and what there is to know about it.
type part struct {
	name, path string
	look       stateLook
	facts      []string
	links      []partLink // to what needs attention
}

type partLink struct{ text, path string }

// parts are the rows of the overview.
func (p OverviewProps) parts() []part {
	parts := []part{p.migrations(), p.workers(), p.feeds(), p.consumers(), p.webhooks(), p.codes(), p.companies(),
		p.database()}
	if disk, ok := diskPart(p.Findings); ok {
		parts = append(parts, disk)
	}
	if len(p.Findings) > 0 {
		parts = append(parts, doctorPart(p.Findings))
	}
	if p.Forwarded {
		parts = append(parts, part{name: "Proxy", path: views.AdminPath, look: held("Not trusted"),
			facts: []string{"X-Forwarded-For came from an address that is not in COUNTERFOIL_TRUSTED_PROXIES; the log names it"}})
	}
	return parts
}

// troubled are the parts that need attention.
func troubled(parts []part) (names []string) {
	for _, part := range parts {
		if part.look.class == "failed" || part.look.class == "held" {
			names = append(names, part.name)
		}
	}
	return names
}

// verdict answers whether everything is well.
func verdict(parts []part) (stateLook, string) {
	names := troubled(parts)
	if len(names) == 0 {
		return stateLook{"All is well", "circle-check", "done"}, ""
	}
	return stateLook{"Needs attention", "triangle-alert", "failed"}, strings.Join(names, ", ")
}

func idle(word string) stateLook { return stateLook{word, "circle-dashed", "idle"} }
func well(word string) stateLook { return stateLook{word, "circle-check", "done"} }
func busy(word string) stateLook { return stateLook{word, "play", "busy"} }
func held(word string) stateLook { return stateLook{word, "pause", "held"} }
func bad(word string) stateLook  { return stateLook{word, "triangle-alert", "failed"} }

// atLeast is a number that is counted up to a limit.
func atLeast(n int, more bool) string {
	if more {
		return views.Thousands(int64(n)) + "+"
	}
	return views.Thousands(int64(n))
}

func (p OverviewProps) migrations() part {
	row := part{name: "Migrations", path: views.MigrationsPath, look: idle("Idle")}
	states := map[string]int{}
	for _, r := range p.Active {
		states[lookOf(r).word]++
	}
	if len(p.Active) > 0 {
		row.look = busy("Active")
		var each []string
		for word, n := range states {
			each = append(each, fmt.Sprintf("%d %s", n, strings.ToLower(word)))
		}
		slices.Sort(each)
		row.facts = append(row.facts, atLeast(len(p.Active), p.ActiveMore)+" active: "+strings.Join(each, ", "))
	}
	if slices.ContainsFunc(p.Active, func(r migrations.Run) bool { return r.State == migrations.Throttled }) {
		row.look = stateLook{"Throttled", "gauge", "held"}
	}
	if len(p.Alone) > 0 {
		row.look = bad("No worker")
		row.facts = append(row.facts, "no running worker knows "+views.Counted(int64(len(p.Alone)), "run", "runs"))
	}
	if len(p.Attention) > 0 {
		row.look = bad("Needs attention")
		row.facts = append(row.facts, atLeast(len(p.Attention), p.AttentionMore)+" finished with failures or stopped")
	}
	for _, r := range slices.Concat(p.Attention, p.Active) {
		if len(row.links) < 3 {
			row.links = append(row.links, partLink{fmt.Sprintf("%s #%d", r.Title, r.ID), views.RunPath(r.ID)})
		}
	}
	if len(row.facts) == 0 {
		row.facts = append(row.facts, "no active runs")
	}
	return row
}

func (p OverviewProps) workers() part {
	row := part{name: "Workers", path: views.WorkersPath}
	alive := living(p.Workers)
	if len(alive) == 0 {
		row.look = bad("None")
		row.facts = []string{"no worker is running: start counterfoil serve or work"}
		return row
	}
	row.look = well("Running")
	row.facts = []string{workersInWords(alive)}
	switch n := draining(alive); {
	case n == len(alive):
		row.look = held("Drained")
		row.facts = append(row.facts, "no new tasks are claimed")
	case n > 0:
		row.facts = append(row.facts, fmt.Sprintf("%d drained", n))
	}
	if versions := versionsOf(alive); versions != "" {
		row.facts = append(row.facts, versions)
	}
	return row
}

// versionsOf are the versions of workers, "" if they are unknown.
func versionsOf(workers []migrations.Worker) string {
	var versions []string
	for _, w := range workers {
		if v := short(w.Version, 24); v != "" && !slices.Contains(versions, v) {
			versions = append(versions, v)
		}
	}
	slices.Sort(versions)
	switch len(versions) {
	case 0:
		return ""
	case 1:
		return "version " + versions[0]
	}
	return "versions " + strings.Join(versions, ", ")
}

func (p OverviewProps) feeds() part {
	row := part{name: "Feeds", path: views.FeedsPath, look: well("Publishing")}
	waiting := FeedsProps{States: p.Feeds}.stuck()
	for _, s := range waiting {
		row.facts = append(row.facts, s.Name+" unpublished for "+waited(s))
	}
	if len(waiting) > 0 {
		row.look = bad("Not publishing")
		return row
	}
	for _, s := range p.Feeds {
		row.facts = append(row.facts, s.Name+" at "+views.Thousands(int64(s.Head)))
	}
	return row
}

func (p OverviewProps) consumers() part {
	row := part{name: "Consumers", path: views.FeedsPath + "#consumers-head", look: well("Up to date")}
	behind := 0
	for _, c := range p.Consumers {
		if c.LagRows > 0 {
			behind++
		}
		switch c.State {
		case feeds.StateOK, feeds.StatePaused:
		default:
			row.look = bad(lagLook(c.State).word)
			if len(row.links) < 3 {
				row.links = append(row.links, partLink{c.Name, views.ConsumerPath(c.ID)})
			}
		}
	}
	switch {
	case len(p.Consumers) == 0:
		row.look, row.facts = idle("None"), []string{"no program has registered"}
	case behind > 0 && row.look.class == "done":
		row.look = busy("Reading")
	}
	if len(p.Consumers) > 0 {
		row.facts = []string{fmt.Sprintf("%s of %s behind", views.Thousands(int64(behind)),
			views.Thousands(int64(len(p.Consumers))))}
	}
	return row
}

func (p OverviewProps) webhooks() part {
	row := part{name: "Webhooks", path: views.AnyWebhooksPath, look: well("None stopped")}
	if len(p.Stopped) == 0 {
		return row
	}
	shown := p.Stopped[:min(len(p.Stopped), p.StoppedShown)]
	row.look = bad("Stopped")
	row.facts = []string{atLeast(len(shown), len(p.Stopped) > len(shown)) + " stopped"}
	for _, w := range shown {
		row.links = append(row.links, partLink{"Webhook " + views.Number(uint64(w)), views.AnyWebhookPath(w)})
	}
	return row
}

func (p OverviewProps) codes() part {
	row := part{name: "Codes", path: views.RefsPath}
	codes := RefsProps{Standing: p.Codes, Refill: p.Refill}
	row.look, _ = codes.refillLook()
	row.facts = []string{codesText(p.Codes.Available) + " available"}
	if hours := runwayText(p.Codes); hours != none {
		row.facts = append(row.facts, "last for "+hours+" h")
	}
	if row.look.class == "busy" {
		row.facts = append(row.facts, "minting")
	}
	if codes.dry() {
		row.look = bad("None left")
	}
	if p.Codes.Recount.Lost > 0 {
		row.look = bad("Tables disagree")
		row.facts = append(row.facts, RecountVerdict(p.Codes.Recount))
	}
	return row
}

func (p OverviewProps) companies() part {
	n := min(p.Companies, p.CompaniesCounted)
	return part{name: "Companies", path: views.CompaniesPath,
		facts: []string{atLeast(n, p.Companies > n)}}
}

func (p OverviewProps) database() part {
	row := part{name: "Database", look: well("Connected"),
		facts: []string{p.Engine, p.Where.Database + " on " + p.Where.Host, fmt.Sprintf("schema %d", p.Schema)}}
	switch {
	case p.Schema > p.Latest:
		row.look = held("Newer schema")
		row.facts = append(row.facts, fmt.Sprintf("this server knows %d: update it", p.Latest))
	case p.Schema < p.Latest:
		row.look = bad("Older schema")
		row.facts = append(row.facts, fmt.Sprintf("this server needs %d: run counterfoil schema up", p.Latest))
	}
	return row
}
