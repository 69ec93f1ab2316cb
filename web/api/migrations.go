package api

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/migrations/monitor"
	"github.com/counterfoil/counterfoil/views"
	"github.com/counterfoil/counterfoil/web/respond"
)

type migrationResource struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Upload      *string         `json:"upload"` // the file that a run is filled from; null if it takes none
	Dry         bool            `json:"dry"`    // can run without changing anything
	Params      []paramResource `json:"params"`
	Knobs       knobsResource   `json:"knobs"`
}

type paramResource struct {
	Name     string   `json:"name"`
	Label    string   `json:"label"`
	Help     string   `json:"help"`
	Kind     string   `json:"kind"`
	Required bool     `json:"required"`
	Default  *string  `json:"default"`
	Min      *int64   `json:"min,omitempty"`
	Max      *int64   `json:"max,omitempty"`
	Choices  []choice `json:"choices,omitempty"`
}

type choice struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

// span is a time span, in JSON a text such as "30s" or "1m30s".
type span time.Duration

func (s span) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(s).String()) }

type runResource struct {
	ID         id.Run            `json:"id"`
	Migration  string            `json:"migration"`
	Params     migrations.Values `json:"params"` // secrets masked
	Group      string            `json:"group"`  // the list that it is in: active, attention or finished
	State      migrations.State  `json:"state"`
	Reason     string            `json:"reason"`
	StateSince time.Time         `json:"state_since"`
	Dry        bool              `json:"dry"`
	CanaryLeft *uint32           `json:"canary_left"`
	Knobs      knobsResource     `json:"knobs"`
	Total      uint64            `json:"total"` // exact once filled
	Progress   progressResource  `json:"progress"`
	Rejected   uint64            `json:"rejected"`
	Upload     *string           `json:"upload"`
	Actor      string            `json:"actor"`
	CreatedAt  time.Time         `json:"created_at"`
	StartedAt  *time.Time        `json:"started_at"`
	FinishedAt *time.Time        `json:"finished_at"`
	PurgedAt   *time.Time        `json:"purged_at"` // null while its tasks are kept
	URL        string            `json:"url"`
}

type progressResource struct {
	Open       int64 `json:"open"`
	Processing int64 `json:"processing"`
	Waiting    int64 `json:"waiting"`
	Complete   int64 `json:"complete"`
	Failed     int64 `json:"failed"`
	Skipped    int64 `json:"skipped"`
	Errors     int64 `json:"errors"`
	Refused    int64 `json:"refused"`
	Reclaimed  int64 `json:"reclaimed"`
}

// liveRunResource is a run with its rate.
type liveRunResource struct {
	runResource
	PerSecond pace            `json:"per_second"`
	ETA       *eta            `json:"eta"` // null if unknown
	Workers   workersResource `json:"workers"`
}

type pace struct {
	Now        float64 `json:"now"`
	TenMinutes float64 `json:"ten_minutes"`
	Errors     float64 `json:"errors"`
}

type eta struct {
	Low  span `json:"low"`
	High span `json:"high"`
}

type workersResource struct {
	Idle   int `json:"idle"`
	Living int `json:"living"`
}

type failureResource struct {
	Fingerprint string    `json:"fingerprint"`
	Message     string    `json:"message"`
	Task        id.Task   `json:"task"`
	Errors      uint64    `json:"errors"`
	Failed      uint64    `json:"failed"`
	FirstAt     time.Time `json:"first_at"`
	LastAt      time.Time `json:"last_at"`
}

type rejectionResource struct {
	Line    uint64 `json:"line"`
	Reason  string `json:"reason"`
	Content string `json:"content"` // how it begins
}

func migrationOf(info migrations.Info) migrationResource {
	r := migrationResource{
		Name: info.Name, Title: info.Title, Description: info.Description, Dry: info.Dry, Params: []paramResource{},
		Knobs: knobsResource(info.Knobs),
	}
	if info.Upload != "" {
		r.Upload = &info.Upload
	}
	for _, param := range info.Params {
		r.Params = append(r.Params, paramOf(param))
	}
	return r
}

func paramOf(param migrations.ParamInfo) paramResource {
	r := paramResource{Name: param.Name, Label: param.Label, Help: param.Help, Kind: string(param.Kind),
		Required: param.Required}
	if param.Default != "" {
		r.Default = &param.Default
	}
	if param.Kind == migrations.Number && (param.Min != 0 || param.Max != 0) {
		r.Min, r.Max = &param.Min, &param.Max
	}
	for _, option := range param.Options {
		r.Choices = append(r.Choices, choice{option.Value, option.Label})
	}
	return r
}

// runLinks makes links of runs. Like respond.Links it holds no request.
type runLinks struct{ base string }

func (l runLinks) run(r migrations.Run) runResource {
	resource := runResource{
		ID: r.ID, Migration: r.Name, Params: r.Values, Group: r.Listed, State: r.State, Reason: r.Reason,
		StateSince: r.StateSince, Dry: r.Dry, CanaryLeft: r.CanaryLeft,
		Knobs: knobsResource(r.Knobs), Total: r.Total, Rejected: r.Rejected, Actor: r.Actor, CreatedAt: r.CreatedAt,
		StartedAt: r.StartedAt, FinishedAt: r.FinishedAt, PurgedAt: r.PurgedAt,
		Progress: progressResource(r.Progress), URL: l.base + views.RunPath(r.ID),
	}
	if resource.Params == nil {
		resource.Params = migrations.Values{}
	}
	if r.Upload != "" {
		resource.Upload = &r.Upload
	}
	return resource
}

func (h *Handlers) runLinks(c echo.Context) runLinks { return runLinks{h.respond.Base(c)} }

func (h *Handlers) Migrations(c echo.Context) error {
	list, err := h.console.Migrations(c.Request().Context())
	if err != nil {
		return err
	}
	items := make([]migrationResource, len(list))
	for i, info := range list {
		items[i] = migrationOf(info)
	}
	return answer(c, http.StatusOK, listResource[migrationResource]{Items: items})
}

func (h *Handlers) Runs(c echo.Context) error {
	after, err := respond.Cursor[id.Run](c, "after")
	if err != nil {
		return badQuery("after", "what the page before gave as next")
	}
	group := c.QueryParam("group")
	if group == "" {
		group = migrations.ListActive
	}
	list, more, err := h.console.Runs(c.Request().Context(), group, after)
	if err != nil {
		return err
	}
	page := listResource[runResource]{Items: make([]runResource, len(list))}
	for i, r := range list {
		page.Items[i] = h.runLinks(c).run(r)
	}
	if more {
		next := strconv.FormatUint(uint64(list[len(list)-1].ID), 10)
		page.Next = &next
	}
	return answer(c, http.StatusOK, page)
}

// OpenRun opens a run: from JSON, or from a form with a file.
func (h *Handlers) OpenRun(c echo.Context) error {
	// Before the body is read: it may have gigabytes, and only an operator's is worth it.
	if _, err := h.console.Migration(c.Request().Context(), c.Param("name")); err != nil {
		return err
	}
	if respond.HasFile(c) {
		return h.openRunWithFile(c)
	}
	var in struct {
		Params map[string]any `json:"params"`
		Dry    bool           `json:"dry"`
		From   id.Run         `json:"from"`
	}
	body, err := bindJSON(c, &in)
	if err != nil {
		return err
	}
	values, err := valuesOf(in.Params)
	if err != nil {
		return err
	}
	links := h.runLinks(c)
	key, err := once(c, body, func(run migrations.Run) any { return links.run(run) })
	if err != nil {
		return err
	}
	run, err := h.console.OpenRun(c.Request().Context(), c.Param("name"), values,
		migrations.Draft{Dry: in.Dry, From: in.From}, key)
	return created(c, links.run(run), err)
}

// openRunWithFile reads the fields params (JSON), dry and from, and then the file.
func (h *Handlers) openRunWithFile(c echo.Context) error {
	form := h.respond.Upload(c)
	defer form.Close()
	if err := form.Receive(); err != nil {
		return err
	}
	values, draft, err := readFields(form)
	if err != nil {
		return err
	}
	links := h.runLinks(c)
	key, err := once(c, nil, func(run migrations.Run) any { return links.run(run) })
	if err != nil {
		return err
	}
	if key != nil {
		form.OnEnd = func() { // the same request is the same file, too
			key.Request = fmt.Appendf(key.Request, "%s\n%s\n%s", form.Fields.Encode(), form.Name,
				hex.EncodeToString(form.Sum.Sum(nil)))
		}
		if form.File == nil {
			form.OnEnd()
		}
	}
	run, err := h.console.OpenRun(form.Context, c.Param("name"), values, draft, key)
	return created(c, links.run(run), form.Why(err))
}

func readFields(form *respond.Upload) (migrations.Values, migrations.Draft, error) {
	draft := migrations.Draft{Upload: form.File, UploadName: form.Name}
	for name, values := range form.Fields {
		if len(values) != 1 || name != "params" && name != "dry" && name != "from" {
			return nil, draft, badJSON("there is no field "+name+"; send params, dry, from and file, each once", name)
		}
	}
	var params map[string]any
	if text := form.Fields.Get("params"); text != "" {
		if err := json.Unmarshal([]byte(text), &params); err != nil {
			return nil, draft, explain(err)
		}
	}
	switch form.Fields.Get("dry") {
	case "", "false":
	case "true":
		draft.Dry = true
	default:
		return nil, draft, badJSON("dry is true or false", "dry")
	}
	if text := form.Fields.Get("from"); text != "" {
		from, err := respond.RowID[id.Run](text, badJSON("from is the id of a run", "from"))
		if err != nil {
			return nil, draft, err
		}
		draft.From = from
	}
	values, err := valuesOf(params)
	return values, draft, err
}

// valuesOf are parameters from JSON: texts, numbers and truths.
func valuesOf(params map[string]any) (migrations.Values, error) {
	values := migrations.Values{}
	for name, value := range params {
		switch value := value.(type) {
		case nil: // as if it were missing
		case string:
			values[name] = value
		case bool:
			values[name] = strconv.FormatBool(value)
		case float64:
			if value != math.Trunc(value) || math.Abs(value) > 1<<53 {
				return nil, badJSON(name+" must be a whole number; send a large one as text", name)
			}
			values[name] = strconv.FormatInt(int64(value), 10)
		default:
			return nil, badJSON(name+" must be a text, a number, true or false", name)
		}
	}
	return values, nil
}

func liveRun(resource runResource, stats monitor.Statistics) liveRunResource {
	w := liveRunResource{runResource: resource, PerSecond: pace{stats.Now, stats.TenMinutes, stats.Errors},
		Workers: workersResource{stats.Idle, stats.Living}}
	if stats.ETA.Known {
		w.ETA = &eta{span(stats.ETA.Low.Round(time.Second)), span(stats.ETA.High.Round(time.Second))}
	}
	return w
}

// RunJSON is a run as the API shows it; base is the server's public URL.
func RunJSON(base string, r migrations.Run, stats monitor.Statistics) any {
	return liveRun(runLinks{base}.run(r), stats)
}

// RunsJSON are migrations and runs of them as the API shows them.
func RunsJSON(base string, kinds []migrations.Info, runs []migrations.Run) any {
	list := struct {
		Migrations []migrationResource `json:"migrations"`
		Runs       []runResource       `json:"runs"`
	}{[]migrationResource{}, []runResource{}}
	for _, kind := range kinds {
		list.Migrations = append(list.Migrations, migrationOf(kind))
	}
	for _, r := range runs {
		list.Runs = append(list.Runs, runLinks{base}.run(r))
	}
	return list
}

// FailuresJSON are the failures of a run as the API shows them.
func FailuresJSON(list []migrations.Failure) any { return failuresOf(list) }

// Run is a run with its rate.
func (h *Handlers) Run(c echo.Context) error {
	run, err := respond.PathRun(c)
	if err != nil {
		return err
	}
	r, err := h.console.Run(c.Request().Context(), run)
	if err != nil {
		return err
	}
	stats, err := h.console.RunStatistics(c.Request().Context(), run)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, liveRun(h.runLinks(c).run(r), stats))
}

// changeRun changes the run of the path, and responds with it.
func (h *Handlers) changeRun(c echo.Context, do func(ctx context.Context, run id.Run) (migrations.Run, error)) error {
	run, err := respond.PathRun(c)
	if err != nil {
		return err
	}
	r, err := do(c.Request().Context(), run)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, h.runLinks(c).run(r))
}

// bindOptionalJSON is bindJSON, but the body may be missing.
func bindOptionalJSON(c echo.Context, v any) error {
	if c.Request().ContentLength == 0 {
		return nil
	}
	_, err := bindJSON(c, v)
	return err
}

func (h *Handlers) StartRun(c echo.Context) error {
	var in struct {
		Canary int `json:"canary"`
	}
	if err := bindOptionalJSON(c, &in); err != nil {
		return err
	}
	return h.changeRun(c, func(ctx context.Context, run id.Run) (migrations.Run, error) {
		return h.console.StartRun(ctx, run, in.Canary, nil)
	})
}

// plainly is a call without a body.
func (h *Handlers) plainly(c echo.Context, do func(ctx context.Context, run id.Run) (migrations.Run, error)) error {
	if err := bindOptionalJSON(c, &struct{}{}); err != nil {
		return err
	}
	return h.changeRun(c, do)
}

func (h *Handlers) PauseRun(c echo.Context) error   { return h.plainly(c, h.console.PauseRun) }
func (h *Handlers) ResumeRun(c echo.Context) error  { return h.plainly(c, h.console.ResumeRun) }
func (h *Handlers) CancelRun(c echo.Context) error  { return h.plainly(c, h.console.CancelRun) }
func (h *Handlers) DismissRun(c echo.Context) error { return h.plainly(c, h.console.DismissRun) }

func (h *Handlers) Failures(c echo.Context) error {
	run, err := respond.PathRun(c)
	if err != nil {
		return err
	}
	list, err := h.console.RunFailures(c.Request().Context(), run)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, failuresOf(list))
}

func failuresOf(list []migrations.Failure) listResource[failureResource] {
	items := make([]failureResource, len(list))
	for i, f := range list {
		items[i] = failureResource(f)
	}
	return listResource[failureResource]{Items: items}
}

func (h *Handlers) Rejections(c echo.Context) error {
	run, err := respond.PathRun(c)
	if err != nil {
		return err
	}
	after, err := respond.Cursor[uint64](c, "after")
	if err != nil {
		return badQuery("after", "what the page before gave as next")
	}
	list, more, err := h.console.RunRejections(c.Request().Context(), run, after)
	if err != nil {
		return err
	}
	page := listResource[rejectionResource]{Items: make([]rejectionResource, len(list))}
	for i, r := range list {
		page.Items[i] = rejectionResource{Line: r.Line, Reason: r.Reason, Content: r.Content}
	}
	if more {
		next := strconv.FormatUint(list[len(list)-1].Number, 10)
		page.Next = &next
	}
	return answer(c, http.StatusOK, page)
}

// FailuresFile are the failed tasks, of the group that is named, or all.
func (h *Handlers) FailuresFile(c echo.Context) error {
	fingerprint := c.QueryParam("fingerprint")
	return h.respond.SheetFile(c, func(ctx context.Context, run id.Run) (*migrations.Sheet, error) {
		return h.console.FailureSheet(ctx, run, fingerprint)
	})
}

func (h *Handlers) RejectionsFile(c echo.Context) error {
	return h.respond.SheetFile(c, h.console.RejectionSheet)
}
func (h *Handlers) ReportFile(c echo.Context) error {
	return h.respond.SheetFile(c, h.console.ReportSheet)
}

// badWhich reports a call that names no tasks.
var badWhich = badJSON(
	`it says which tasks: {"task":7}, {"tasks":[7,8]}, {"fingerprint":"…"}, {"all":true} for all that are failed or {"waiting":true}, one of them`, "")

// changeTasks changes tasks of a run, and responds with their number.
func (h *Handlers) changeTasks(c echo.Context,
	do func(ctx context.Context, run id.Run, which migrations.Selection) (int64, error)) error {
	run, err := respond.PathRun(c)
	if err != nil {
		return err
	}
	var in struct {
		Task        *id.Task  `json:"task"`
		Tasks       []id.Task `json:"tasks"`
		Fingerprint *string   `json:"fingerprint"`
		All         bool      `json:"all"`
		Waiting     bool      `json:"waiting"`
	}
	if _, err := bindJSON(c, &in); err != nil {
		return err
	}
	which := migrations.Selection{Tasks: in.Tasks, All: in.All, Waiting: in.Waiting}
	named := min(len(in.Tasks), 1)
	if in.Task != nil {
		which.Task, named = *in.Task, named+1
	}
	if in.Fingerprint != nil {
		which.Fingerprint, named = strings.ToLower(*in.Fingerprint), named+1
	}
	if in.All {
		named++
	}
	if in.Waiting {
		named++
	}
	if named != 1 || in.Task != nil && *in.Task == 0 || in.Fingerprint != nil && *in.Fingerprint == "" {
		return badWhich
	}
	n, err := do(c.Request().Context(), run, which)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, struct {
		Tasks int64 `json:"tasks"`
	}{n})
}

func (h *Handlers) RetryTasks(c echo.Context) error { return h.changeTasks(c, h.console.RetryTasks) }
func (h *Handlers) SkipTasks(c echo.Context) error  { return h.changeTasks(c, h.console.SkipTasks) }
