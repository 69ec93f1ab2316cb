package migrations

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
)

// Draft is what a run is made from, beside the values of its parameters.
type Draft struct {
	Dry        bool
	Canary     int       // above 0, after how many tasks it pauses and asks
	Upload     io.Reader // the file, nil without one
	UploadName string    // the name of the file, for operators
	// From is an earlier run of the same migration, 0 for none: missing values and the file are taken from it. So a
	// dry run is done for real, with its secrets.
	From id.Run
	// Also runs in the transaction that adds the run, with the run as it then is. It may be nil.
	Also func(ctx context.Context, tx *db.Tx, run Run) error
}

// RunsPerPage is how many runs a list shows at once.
const RunsPerPage = 50

// CodeActiveRun: a run of the same migration with the same parameters is not over. Use it, or cancel it first.
const CodeActiveRun fault.Code = "Run.Active"

// ActiveRun reports a run that is to be opened while one of the same migration with the same
// parameters is not over.
type ActiveRun struct{ Run id.Run }

func (e ActiveRun) Error() string {
	return fmt.Sprintf("Run %d does the same and has not ended. Continue with it, or stop it first.", e.Run)
}
func (e ActiveRun) Unwrap() error {
	return fault.Conflict.New(CodeActiveRun, "", e.Error())
}

// CodeNoPreview: the migration has no dry run. Run it without, perhaps with a canary.
const CodeNoPreview fault.Code = "Run.NoPreview"

func NoPreview(title string) error {
	return fault.Invalid.New(CodeNoPreview, "dry",
		fmt.Sprintf("“%s” has no dry run. Run it without “dry run”, perhaps with a canary.", title))
}

// CodeBadUpload: the run's file is missing, superfluous or has a bad name. Send the file that the migration
// asks for.
const CodeBadUpload fault.Code = "Run.BadUpload"

func BadUpload(why string) error {
	return fault.Invalid.New(CodeBadUpload, "upload", why)
}

// CodeNoFiles: the server has no place to store files. Set COUNTERFOIL_BLOBS and start it again.
const CodeNoFiles fault.Code = "Blob.NoStorage"

func NoFiles() error {
	return fault.Unavailable.New(CodeNoFiles, "",
		"There is no storage for files. Set COUNTERFOIL_BLOBS and restart Counterfoil.")
}

// CodeBadFrom: the earlier run is one of another migration. Name a run of the same one.
const CodeBadFrom fault.Code = "Run.OtherMigration"

func BadFrom(run id.Run) error {
	return fault.Invalid.New(CodeBadFrom, "from", fmt.Sprintf("Run %d is of another migration.", run))
}

// upload is a file of a run.
type upload struct {
	path, name string
	hash       []byte
	own        bool // stored for this run, not an earlier one's
}

// Check returns the parameters of a run as they would be stored. It returns UnknownMigration, fault.Several with all that
// is wrong, or what the migration's Check returns. Nothing is opened.
func (e *Engine) Check(ctx context.Context, name string, values Values) (Values, error) {
	m, err := e.Migration(name)
	if err != nil {
		return nil, err
	}
	return m.parse(ctx, values)
}

// OpenRun opens a run, which the first free worker fills. It returns UnknownMigration, fault.Several with all errors,
// NoPreview, BadUpload, NoFiles, BadFrom, RunNotFound, the result of the migration's Check, or ActiveRun. A refused
// run leaves nothing behind, nor does its file.
func (e *Engine) OpenRun(ctx context.Context, actor Actor, name string, values Values, draft Draft) (Run, error) {
	m, err := e.Migration(name)
	if err != nil {
		return Run{}, err
	}
	var file upload
	if draft.From != 0 {
		if values, file, err = e.earlier(ctx, m, values, draft.From); err != nil {
			return Run{}, err
		}
	}
	if values, err = m.check(ctx, values, draft, file); err != nil {
		return Run{}, err
	}
	if draft.Upload != nil {
		if file, err = e.keep(ctx, draft); err != nil {
			return Run{}, err
		}
	}
	run, err := e.open(ctx, actor, m, values, draft, file)
	if err != nil {
		e.discard(ctx, file, err)
		return Run{}, err
	}
	return run, nil
}

// check returns the values as they are stored, or all that is wrong, before a file is stored for nothing.
func (m *Migration) check(ctx context.Context, values Values, draft Draft, file upload) (Values, error) {
	values, err := m.parse(ctx, values)
	if err != nil && !errors.Is(err, fault.Invalid) {
		return nil, err
	}
	bad := fault.Several(fault.Each(err))
	switch given := draft.Upload != nil || file.path != ""; {
	case draft.Dry && m.Preview == nil:
		bad = append(bad, NoPreview(m.Title))
	case m.Upload == "" && draft.Upload != nil:
		bad = append(bad, BadUpload("This migration takes no file. Remove it."))
	case m.Upload != "" && !m.UploadOptional && !given:
		bad = append(bad, BadUpload("Choose a file: "+m.Upload+"."))
	}
	if len(bad) > 0 {
		return nil, fault.Join(bad...)
	}
	return values, nil
}

// earlier completes values with those of an earlier run, and returns its file.
func (e *Engine) earlier(ctx context.Context, m *Migration, given Values, from id.Run) (Values, upload, error) {
	row, err := e.Row(ctx, from)
	if err != nil {
		return nil, upload{}, err
	}
	if row.Name != m.Name {
		return nil, upload{}, BadFrom(from)
	}
	then, err := ClearValues(row.Params)
	if err != nil {
		return nil, upload{}, err
	}
	values := Values{}
	for _, p := range m.Params { // one that is gone since is left out
		if value, ok := then[p.Name]; ok {
			values[p.Name] = value
		}
	}
	for name, value := range given {
		if m.isSecret(name) && (value == "" || value == Masked) {
			continue // it could not be shown
		}
		values[name] = value
	}
	return values, upload{path: row.Upload, name: row.UploadName, hash: row.UploadHash}, nil
}

func (m *Migration) isSecret(name string) bool {
	for _, p := range m.Params {
		if p.Name == name {
			return p.Kind == Secret
		}
	}
	return false
}

// keep stores the file of a draft under an unguessable name.
func (e *Engine) keep(ctx context.Context, draft Draft) (upload, error) {
	if e.files == nil {
		return upload{}, NoFiles()
	}
	content := bufio.NewReader(draft.Upload)
	if _, err := content.Peek(1); errors.Is(err, io.EOF) {
		return upload{}, BadUpload("The file is empty. Choose another.")
	}
	sum := sha256.New()
	path := uploadsIn + strings.ToLower(rand.Text())
	err := e.files.Put(ctx, path, io.TeeReader(content, sum))
	if err != nil {
		return upload{}, fmt.Errorf("store upload: %w", err)
	}
	return upload{path: path, name: Cut(fileName(draft.UploadName), 255), hash: hashSum(sum), own: true}, nil
}

func hashSum(h hash.Hash) []byte { return h.Sum(nil) }

// fileName is what a file is called, without the folders that some browsers send.
func fileName(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, name)
	if name == "" {
		return "file"
	}
	return name
}

// discard removes the file of a run that was refused. If the database did not answer, the run may exist, and needs it.
func (e *Engine) discard(ctx context.Context, file upload, why error) {
	kind := fault.KindOf(why)
	if !file.own || kind == "" || kind == fault.Unavailable || kind == fault.Unknown {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := e.files.Delete(ctx, file.path); err != nil {
		e.log.Error("remove the upload of a run that was refused", "file", file.path, "error", err)
	}
}

// open adds the run. The unique index decides which of two is first.
func (e *Engine) open(
	ctx context.Context, actor Actor, m *Migration, values Values, draft Draft, file upload,
) (Run, error) {
	keys := [][]byte{m.sameKey(values, draft.Dry, file.hash)}
	if m.Behind {
		keys = append(keys, beside(keys[0]))
	}
	var run Run
	for _, key := range keys {
		err := e.db.InTx(ctx, func(tx *db.Tx) (err error) {
			run, err = e.add(ctx, tx, actor, m, key, values, draft, file)
			return err
		})
		switch {
		case err == nil:
			return run, nil
		case !db.IsDuplicate(err, "uq_migration_run_active"):
			return Run{}, fmt.Errorf("open run: %w", err)
		case m.Behind:
			if waiting, err := e.notBegun(ctx, keys); err != nil || waiting != 0 {
				return Run{}, cmp.Or[error](err, ActiveRun{waiting})
			}
		}
	}
	return Run{}, anotherRun(ctx, e.db.Queries, keys[0])
}

// notBegun is the active run with one of the keys that has done nothing so far, 0 if there is none.
func (e *Engine) notBegun(ctx context.Context, keys [][]byte) (id.Run, error) {
	for _, key := range keys {
		run, err := e.activeRun(ctx, key)
		if err != nil {
			return 0, err
		}
		if run == 0 {
			continue
		}
		if row, err := e.Row(ctx, run); err != nil || row.StartedAt == nil && State(row.State).IsActive() {
			return run, err
		}
	}
	return 0, nil
}

// activeRun is the active run that has the key, 0 if there is none.
func (e *Engine) activeRun(ctx context.Context, key []byte) (id.Run, error) {
	run, err := db.Read(e.db.ActiveRunOf(ctx, key))
	if err != nil && !db.IsNotFound(err) {
		return 0, fmt.Errorf("read the active run: %w", err)
	}
	return run, nil
}

// Before is the active run that this one waits for because of Migration.Behind, 0 if there is none.
func (e *Engine) Before(ctx context.Context, row db.MigrationRun) (id.Run, error) {
	if row.SameKey == nil {
		return 0, nil
	}
	first, err := e.activeRun(ctx, beside(row.SameKey))
	if err != nil || first > row.ID {
		return 0, err
	}
	return first, nil
}

// Place is the place of a run in a group of which so many may be active at once.
type Place struct {
	Group string
	Most  int
}

// CodeNoPlace: as many runs of a group are active as may be. Wait until one has ended.
const CodeNoPlace fault.Code = "Run.NoPlace"

func NoPlace(most int) error {
	return fault.Conflict.New(CodeNoPlace, "", fmt.Sprintf("%d such runs are active, as many as may be. Wait until one has ended.", most))
}

func (p Place) key(n int) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", p.Group, n))
	return sum[:]
}

// OpenAt is OpenIn for a run that takes a free place of a group, and pauses after the tasks of a canary above 0. The draft
// has no file. It also returns NoPlace.
func (e *Engine) OpenAt(
	ctx context.Context, tx *db.Tx, actor Actor, name string, values Values, draft Draft, place Place,
) (Run, error) {
	m, err := e.Migration(name)
	if err != nil {
		return Run{}, err
	}
	if values, err = m.each(ctx, values); err != nil {
		return Run{}, err
	}
	for n := range place.Most {
		run, err := e.add(ctx, tx, actor, m, place.key(n), values, draft, upload{})
		if db.IsDuplicate(err, "uq_migration_run_active") {
			continue
		}
		if err != nil {
			return Run{}, fmt.Errorf("open run: %w", err)
		}
		return run, nil
	}
	return Run{}, NoPlace(place.Most)
}

// OpenIn opens a run in the transaction of what makes it necessary, beside whatever runs there are: it keeps
// none from being opened, and waits for none. It looks at each parameter, but leaves Check out: that would not see what the transaction has done. It returns
// UnknownMigration or fault.Several.
func (e *Engine) OpenIn(ctx context.Context, tx *db.Tx, actor Actor, name string, values Values) (Run, error) {
	m, err := e.Migration(name)
	if err != nil {
		return Run{}, err
	}
	if values, err = m.each(ctx, values); err != nil {
		return Run{}, err
	}
	run, err := e.add(ctx, tx, actor, m, nil, values, Draft{}, upload{})
	if err != nil {
		return Run{}, fmt.Errorf("open run: %w", err)
	}
	return run, nil
}

// add adds a run. While it is active no other can have the key, which may be nil.
func (e *Engine) add(
	ctx context.Context, tx *db.Tx, actor Actor, m *Migration, key []byte, values Values, draft Draft, file upload,
) (Run, error) {
	params, err := m.store(values)
	if err != nil {
		return Run{}, err
	}
	changed := m.Knobs.OrDefaults()
	if m.AdjustKnobs != nil {
		m.AdjustKnobs(values, &changed)
	}
	knobs, err := json.Marshal(changed)
	if err != nil {
		return Run{}, err
	}
	var canary *uint32
	if draft.Canary > 0 {
		n := uint32(draft.Canary)
		canary = &n
	}
	company, board, err := named(ctx, tx, values)
	if err != nil {
		return Run{}, err
	}
	n, err := tx.OpenRun(ctx, db.OpenRunParams{
		CompanyID: company, BoardID: board, Name: m.Name, Params: params, SameKey: key, ActiveKey: key, Listed: ListActive, Dry: draft.Dry, CanaryLeft: canary, Knobs: string(knobs),
		Upload: file.path, UploadName: file.name, UploadHash: file.hash, AccountID: actor.Account, Actor: actor.Name,
	})
	if err != nil {
		return Run{}, err
	}
	row, err := tx.RunByID(ctx, id.Run(n))
	if err != nil {
		return Run{}, err
	}
	run, err := e.RunFrom(row, db.ProgressOfRow{})
	if err != nil {
		return Run{}, err
	}
	if draft.Also != nil {
		if err := draft.Also(ctx, tx, run); err != nil {
			return Run{}, err
		}
	}
	if err := e.recordControl(ctx, tx, actor, "open", row, ""); err != nil {
		return Run{}, err
	}
	return run, LogEvent(ctx, tx, run.ID, actor, string(Open), describe(m, values, draft.Dry, file))
}

// named returns the company and the board that values name, nil if they name none.
func named(ctx context.Context, tx *db.Tx, values Values) (company *id.Company, board *id.Board, err error) {
	slug, prefix := strings.ToLower(values["company"]), strings.ToUpper(values["board"])
	if !isSlug(slug) {
		return nil, nil, nil
	}
	if !isSlug(prefix) {
		prefix = ""
	}
	rows, err := tx.BoardOfParams(ctx, prefix, slug)
	if err != nil || len(rows) == 0 {
		return nil, nil, err
	}
	if found := id.Board(rows[0].BoardID); found != 0 {
		board = &found
	}
	return &rows[0].CompanyID, board, nil
}

// isSlug reports whether a text has only characters that slugs of companies and boards have.
func isSlug(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// anotherRun names the active run that has the key.
func anotherRun(ctx context.Context, q *db.Queries, key []byte) error {
	run, err := db.Read(q.ActiveRunOf(ctx, key))
	if err != nil && !db.IsNotFound(err) {
		return fmt.Errorf("read the active run: %w", err)
	}
	return ActiveRun{run} // if it was over just now, trying again helps
}

// describe says for the log what a run was opened with, without its secrets.
func describe(m *Migration, values Values, dry bool, file upload) string {
	var parts []string
	if dry {
		parts = append(parts, "dry run")
	}
	for _, p := range m.Params {
		value := values[p.Name]
		if p.Kind == Secret && value != "" {
			value = Masked
		}
		if value != "" {
			parts = append(parts, p.Name+" = "+Cut(value, 100))
		}
	}
	if file.name != "" {
		parts = append(parts, "file = "+file.name)
	}
	return strings.Join(parts, ", ")
}

// Run returns a run with its secrets masked, or RunNotFound.
func (e *Engine) Run(ctx context.Context, run id.Run) (Run, error) {
	row, err := e.Row(ctx, run)
	if err != nil {
		return Run{}, err
	}
	list, err := e.runsFrom(ctx, []db.MigrationRun{row})
	if err != nil {
		return Run{}, err
	}
	return list[0], nil
}

// Row reads a run as it is stored, or returns RunNotFound.
func (e *Engine) Row(ctx context.Context, run id.Run) (db.MigrationRun, error) {
	row, err := db.Read(e.db.RunByID(ctx, run))
	if db.IsNotFound(err) {
		return row, RunNotFound(run)
	}
	if err != nil {
		return row, fmt.Errorf("read run: %w", err)
	}
	return row, nil
}

// CodeBadList: there is no such group of runs. Choose one that the message names.
const CodeBadList fault.Code = "Run.BadGroup"

func BadList(list string) error {
	return fault.Invalid.New(CodeBadList, "",
		fmt.Sprintf("There is no list “%s” of runs. Choose one of: %s.", list, strings.Join(Lists, ", ")))
}

// Runs returns a page of a list of runs, newest first: those older than before, or the newest if that is 0. It returns
// BadList.
func (e *Engine) Runs(ctx context.Context, listed string, before id.Run) (list []Run, more bool, err error) {
	if listed != ListActive && listed != ListAttention && listed != ListFinished {
		return nil, false, BadList(listed)
	}
	if before == 0 {
		before = math.MaxInt64
	}
	rows, err := db.Read(e.db.RunsListed(ctx, db.RunsListedParams{Listed: listed, Before: before, Limit: RunsPerPage + 1}))
	if err != nil {
		return nil, false, fmt.Errorf("read runs: %w", err)
	}
	rows, more = page(rows, RunsPerPage)
	list, err = e.runsFrom(ctx, rows)
	return list, more, err
}

// page cuts what was asked for with one more.
func page[T any](rows []T, limit int) ([]T, bool) {
	if len(rows) > limit {
		return rows[:limit], true
	}
	return rows, false
}

// runsFrom makes runs of rows, with their progress, which is read for all at once.
func (e *Engine) runsFrom(ctx context.Context, rows []db.MigrationRun) ([]Run, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	progress, err := e.ProgressOfAll(ctx, rows)
	if err != nil {
		return nil, fmt.Errorf("read progress: %w", err)
	}
	list := make([]Run, len(rows))
	for i, row := range rows {
		if list[i], err = e.RunFrom(row, progress[row.ID]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// ProgressOfAll is the progress of runs; runs without any are left out.
func (e *Engine) ProgressOfAll(ctx context.Context, rows []db.MigrationRun) (map[id.Run]db.ProgressOfRow, error) {
	progress := make(map[id.Run]db.ProgressOfRow, len(rows))
	for some := range slices.Chunk(rows, MaxPerStatement) {
		ids := make([]id.Run, len(some))
		for i, row := range some {
			ids[i] = row.ID
		}
		counted, err := db.Read(e.db.ProgressOfRuns(ctx, ids))
		if err != nil {
			return nil, err
		}
		for _, c := range counted {
			progress[c.RunID] = db.ProgressOfRow{
				Processing: c.Processing, Waiting: c.Waiting, Complete: c.Complete, Failed: c.Failed, Skipped: c.Skipped,
				Errors: c.Errors, Refused: c.Refused, Reclaimed: c.Reclaimed,
			}
		}
	}
	return progress, nil
}

// RunFrom makes a run of its row, its secrets masked.
func (e *Engine) RunFrom(row db.MigrationRun, progress db.ProgressOfRow) (Run, error) {
	values, err := shownValues(row.Params)
	if err != nil {
		return Run{}, fmt.Errorf("run %d: %w", row.ID, err)
	}
	knobs, err := readKnobs(row.Knobs)
	if err != nil {
		return Run{}, fmt.Errorf("run %d: %w", row.ID, err)
	}
	run := Run{
		ID: row.ID, Name: row.Name, Title: row.Name, Listed: row.Listed, Values: values, State: State(row.State),
		Reason: row.Reason, StateSince: row.StateSince,
		Version: row.Version, Dry: row.Dry, CanaryLeft: row.CanaryLeft, Knobs: knobs, Total: row.Total,
		Rejected: row.Rejected, Upload: row.UploadName,
		Actor: row.Actor, Progress: ProgressOf(row.Total, progress), CreatedAt: row.CreatedAt, StartedAt: row.StartedAt,
		FinishedAt: row.FinishedAt, PurgedAt: row.PurgedAt,
	}
	if m, ok := e.registry[row.Name]; ok {
		run.Known = true
		if m.Title != "" {
			run.Title = m.Title
		}
	}
	return run, nil
}

// WorkingRun makes a run of its row for a worker: with its secrets.
func (e *Engine) WorkingRun(row db.MigrationRun) (Run, error) {
	run, err := e.RunFrom(row, db.ProgressOfRow{})
	if err != nil {
		return Run{}, err
	}
	s, err := readStoredParams(row.Params)
	if err != nil {
		return Run{}, err
	}
	maps.Copy(run.Values, s.Secret)
	run.secrets = s.secrets()
	return run, nil
}
