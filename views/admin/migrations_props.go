package admin

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

// MigrationsProps are the runs, the migrations and the workers.
type MigrationsProps struct {
	Page                        views.Page
	Active, Attention, Finished []migrations.Run
	ActiveMore, AttentionMore   bool // there are more
	FinishedMore                bool
	Older                       bool // Finished begins below one
	Kinds                       []migrations.Info
	Workers                     []migrations.Worker
	Alone                       []migrations.Run // active, without a living worker that has their migration
}

// NewRunProps is the form of a new run. Values are its input, by parameter.
type NewRunProps struct {
	Page      views.Page
	Migration migrations.Info
	Values    migrations.Values
	Dry       bool
	From      *migrations.Run // the run whose values and file it takes, or nil
	Where     Where
	MaxUpload int64 // bytes
	Errors    views.Errors
	Choices   map[migrations.Reference]Choice
	Mapping   bool // the columns of its file are on the page, too
	Typed     bool // references are typed: what the user does not see as a member cannot be chosen
}

// Choice is what a parameter can refer to.
type Choice struct {
	Options []migrations.Option
	Whole   bool   // there are no others, as far as the user sees
	None    string // why there are none
}

// Where names the database that a run works on.
type Where struct{ Host, Database string }

// StartRunProps is the question whether to start a run.
type StartRunProps struct {
	Page   views.Page
	Run    migrations.Run
	Params []RunParam
	Where  Where
	Living int // workers
	Board  *RunBoard
	Form   StartRunForm
}

// StartRunForm is its input. Knobs are by name, in the units of KnobFields.
type StartRunForm struct {
	Canary string
	Knobs  map[string]string
	Errors views.Errors
}

// RejectionsProps are rejected lines of a run's source.
type RejectionsProps struct {
	Page views.Page
	Run  migrations.Run
	List []migrations.Rejection
	More bool
}

// WorkersProps are the workers.
type WorkersProps struct {
	Page    views.Page
	Workers []migrations.Worker
}

// live is the interval at which the list refreshes itself, in milliseconds.
func (p MigrationsProps) live() string {
	if len(p.Active) > 0 || slices.ContainsFunc(p.Attention,
		func(r migrations.Run) bool { return r.State != migrations.Paused && r.State.IsActive() }) {
		return "2000"
	}
	return "10000"
}

// going reports whether a run of the page is not over.
func (p MigrationsProps) going() bool {
	return len(p.Active) > 0 || slices.ContainsFunc(p.Attention, func(r migrations.Run) bool { return r.State.IsActive() })
}

// empty reports whether there was never a run.
func (p MigrationsProps) empty() bool {
	return len(p.Active)+len(p.Attention)+len(p.Finished) == 0 && !p.Older
}

// living are the workers with a lease.
func living(workers []migrations.Worker) (list []migrations.Worker) {
	for _, w := range workers {
		if views.Lives(w) {
			list = append(list, w)
		}
	}
	return list
}

// workersInWords counts workers: 3 workers on 2 hosts.
func workersInWords(workers []migrations.Worker) string {
	hosts := map[string]bool{}
	for _, w := range workers {
		hosts[w.Host] = true
	}
	names := slices.Sorted(maps.Keys(hosts))
	const most = 4
	list := strings.Join(names[:min(most, len(names))], ", ")
	if len(names) > most {
		list += fmt.Sprintf(" and %d more", len(names)-most)
	}
	if len(workers) == 1 {
		return "1 worker on " + list
	}
	return fmt.Sprintf("%d workers on %s: %s", len(workers), views.Counted(int64(len(names)), "host", "hosts"), list)
}

// draining is the number of workers that claim no more.
func draining(workers []migrations.Worker) (n int) {
	for _, w := range workers {
		if w.State == migrations.WorkerDraining {
			n++
		}
	}
	return n
}

func inFlight(workers []migrations.Worker) (n int64) {
	for _, w := range workers {
		n += int64(w.InFlight)
	}
	return n
}

// briefly is the subject of a run, in a line.
func (p MigrationsProps) briefly(r migrations.Run) string {
	var parts []string
	shown, _ := changedParams(RunParams(r, p.kind(r.Name)), 4)
	for _, param := range shown {
		parts = append(parts, param.Label+" "+short(param.Value, 60))
	}
	return strings.Join(parts, " · ")
}

// kind is the migration of a run; zero if this program does not have it.
func (p MigrationsProps) kind(name string) migrations.Info {
	for _, kind := range p.Kinds {
		if kind.Name == name {
			return kind
		}
	}
	return migrations.Info{}
}

// short cuts a text to so many characters.
func short(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most-1]) + "…"
}

// figures are a run's numbers in a line.
func figures(r migrations.Run) string {
	switch r.State {
	case migrations.Open:
		return "not filled yet"
	case migrations.Filling:
		return views.Counted(int64(r.Total), "task", "tasks") + " so far"
	}
	if r.Total == 0 {
		return "no tasks"
	}
	return views.Thousands(r.Progress.Done()) + " of " + views.Thousands(int64(r.Total))
}

// asides are the numbers shown only if they are not zero.
func asides(r migrations.Run) (list []string) {
	for _, part := range []struct {
		n    int64
		word string
	}{{r.Progress.Failed, "failed"}, {r.Progress.Waiting, "waiting"}, {r.Progress.Skipped, "skipped"}} {
		if part.n > 0 {
			list = append(list, views.Thousands(part.n)+" "+part.word)
		}
	}
	return list
}

// runNumber is the name of a run in a text.
func runNumber(r id.Run) string { return "#" + views.Number(uint64(r)) }

// Living is the number of living workers.
func Living(workers []migrations.Worker) int { return len(living(workers)) }

// leaseText is the rest of a worker's lease, in words.
func leaseText(left time.Duration) string {
	if left <= 0 {
		return "ended"
	}
	return strconv.Itoa(int(left.Round(time.Second)/time.Second)) + " s"
}

// perSecond is a rate: 8.3, 1,240.
func perSecond(rate float64) string {
	if rate >= 100 {
		return views.Thousands(int64(rate + .5))
	}
	return strconv.FormatFloat(rate, 'f', 1, 64)
}

// workerWord is a worker's state with its look.
func workerWord(w migrations.Worker) (word, class string) {
	switch {
	case w.State == migrations.WorkerStopped:
		return "Stopped", "idle"
	case w.Left <= 0:
		return "Gone", "failed"
	case w.State == migrations.WorkerDraining && w.InFlight == 0:
		return "Drained", "held"
	case w.State == migrations.WorkerDraining:
		return "Draining", "held"
	}
	return "Working", "busy"
}

// WorkerWord is a worker's state in a word.
func WorkerWord(w migrations.Worker) string {
	word, _ := workerWord(w)
	return word
}

// paramName is the name of a parameter's field, distinct from all other fields.
func paramName(parameter string) string { return "p-" + parameter }

// ParamField is the name of a parameter's field in a form.
func ParamField(parameter string) string { return paramName(parameter) }

// value is the first value of a parameter's field.
func (p NewRunProps) value(param migrations.ParamInfo) string {
	if value, typed := p.Values[param.Name]; typed {
		return value
	}
	return param.Default
}

// asked are the parameters with a field in the form.
func (p NewRunProps) asked() []migrations.ParamInfo {
	if p.Migration.First == nil {
		return p.Migration.Params
	}
	return slices.DeleteFunc(slices.Clone(p.Migration.Params),
		func(param migrations.ParamInfo) bool { return !slices.Contains(p.Migration.First, param.Name) })
}

// fileHint describes the file and its largest size.
func (p NewRunProps) fileHint() string {
	first, size := utf8.DecodeRuneInString(p.Migration.Upload)
	return string(unicode.ToUpper(first)) + p.Migration.Upload[size:] + "; at most " + views.Bytes(p.MaxUpload) + "." +
		p.fileAgain()
}

func (p NewRunProps) fileAgain() string {
	if len(p.Errors) == 0 || p.Errors["file"] != "" || p.From != nil {
		return ""
	}
	return " Choose it again."
}

// fields are the names of the form's fields, from top to bottom.
func (p NewRunProps) fields() []string {
	var names []string
	for _, param := range p.asked() {
		names = append(names, paramName(param.Name))
	}
	return append(names, "dry", "file")
}

// hintOf is the hint below a parameter's field.
func hintOf(param migrations.ParamInfo) string {
	var parts []string
	if param.Help != "" {
		parts = append(parts, param.Help)
	}
	if param.Kind == migrations.Number && (param.Min != 0 || param.Max != 0) {
		parts = append(parts, views.Thousands(param.Min)+" to "+views.Thousands(param.Max)+".")
	}
	if param.Kind == migrations.Secret {
		parts = append(parts, "It is not shown again.")
	}
	if !param.Required && param.Kind != migrations.Flag && param.Default == "" && !strings.Contains(param.Help, "empty") {
		parts = append(parts, "Optional.")
	}
	return strings.Join(parts, " ")
}

// RefersTo reports whether a parameter of the form refers to that.
func (p NewRunProps) RefersTo(to migrations.Reference) bool {
	return slices.ContainsFunc(p.Migration.Params, func(param migrations.ParamInfo) bool { return param.Refers == to })
}

// parts are the parameters of the form that refer to something, and those before and after them.
func (p NewRunProps) parts() (before, choices, after []migrations.ParamInfo) {
	for _, param := range p.asked() {
		switch {
		case param.Refers != "":
			choices = append(choices, param)
		case choices == nil:
			before = append(before, param)
		default:
			after = append(after, param)
		}
	}
	return before, choices, after
}

// selects reports whether a parameter is chosen from a list.
func (p NewRunProps) selects(param migrations.ParamInfo) bool {
	return param.Refers != "" && p.Choices[param.Refers].Whole && !p.Typed
}

// chosen is the option of a parameter with its value. ok is false if there is none.
func (p NewRunProps) chosen(param migrations.ParamInfo) (option migrations.Option, ok bool) {
	return p.Choices[param.Refers].Option(p.value(param))
}

// Option is the option with a value.
func (c Choice) Option(value string) (option migrations.Option, ok bool) {
	i := slices.IndexFunc(c.Options, func(o migrations.Option) bool { return strings.EqualFold(o.Value, value) })
	if i < 0 {
		return option, false
	}
	return c.Options[i], true
}

// unchosen is the first option of a list: none is chosen.
func (p NewRunProps) unchosen(param migrations.ParamInfo) string {
	switch {
	case !param.Required && param.Refers == migrations.ToCompany:
		return "All companies"
	case !param.Required:
		return "All boards"
	case p.Choices[param.Refers].None != "":
		return p.Choices[param.Refers].None
	}
	return "Choose…"
}

// listHint is the hint of a list: the first sentence of a parameter's help says how to type it.
func listHint(param migrations.ParamInfo) string {
	_, hint, _ := strings.Cut(param.Help, ". ")
	return hint
}

// narrows makes the choice of a company show that company's boards and members.
func (p NewRunProps) narrows(param migrations.ParamInfo) templ.Attributes {
	if p.Mapping {
		return p.previews(param)
	}
	if param.Refers != migrations.ToCompany || !p.RefersTo(migrations.ToBoard) && !p.RefersTo(migrations.ToMember) {
		return nil
	}
	return templ.Attributes{"hx-get": views.NewRunPath(p.Migration.Name, 0), "hx-include": "#" + views.RunChoicesID,
		"hx-target": "#" + views.RunChoicesID, "hx-swap": "outerHTML", "hx-trigger": "change"}
}

// previews makes the choice of another company or board show its columns.
func (p NewRunProps) previews(param migrations.ParamInfo) templ.Attributes {
	if param.Refers != migrations.ToCompany && param.Refers != migrations.ToBoard {
		return nil
	}
	return templ.Attributes{"hx-post": views.RunMappingPath(p.From.ID), "hx-include": "#" + views.MappingID,
		"hx-vals": `{"` + ImportAgain + `":"true"}`, "hx-target": "#" + views.MappingID, "hx-select": "#" + views.MappingID,
		"hx-swap": "outerHTML", "hx-trigger": "change"}
}
