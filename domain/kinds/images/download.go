package images

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/boards"
	"github.com/counterfoil/counterfoil/domain/csvfile"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/images"
	"github.com/counterfoil/counterfoil/domain/kinds"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/outbound"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// Migration downloads the remote images of texts, and makes the texts show the stored copies.
func (m *Images) Migration() *migrations.Migration {
	return &migrations.Migration{
		Name:  "download-images",
		Title: "Download images",
		Description: "Fetches images that descriptions and comments show from other hosts, stores copies with nothing but the picture, and shows those in the texts. " +
			"Or fetches the addresses of a CSV file; a ticket's texts then show the copies where the file names its key.",
		Upload:         "a CSV file with a column url and, where texts are to show the copies, a column key such as NINJA-42",
		UploadOptional: true,
		Params: []migrations.Param{
			kinds.CompanyParam(true),
			{Name: "source", Label: "Addresses from", Kind: migrations.Choice, Default: fromTexts, Choices: imageOrigins},
			kinds.EncodingParam("Encoding of the file"),
			{Name: "max_kib", Label: "Largest file, in KiB", Kind: migrations.Number, Default: "20480", Min: 1, Max: 200 << 10},
			{Name: "max_pixels", Label: "Most pixels",
				Help: "Width times height, of all frames of an animation together. Each takes four to eight bytes of memory while one is converted, of a progressive JPEG up to three times as much.", Kind: migrations.Number, Default: "40000000", Min: 1, Max: 400_000_000},
			{Name: "timeout", Label: "Seconds for a download", Kind: migrations.Number, Default: "60", Min: 1, Max: 240},
		},
		Check:   m.checkImageRun,
		Fill:    m.fillImages,
		Process: m.downloadImage,
		Preview: m.previewImage,
		Label:   func(payload string) string { return migrations.PayloadFields(payload)["url"] },
		Knobs:   migrations.Knobs{Concurrency: 8, Block: 20, PerHost: 20},
	}
}

const (
	fromTexts = "texts"
	fromFile  = "file"
)

func imageOrigins(context.Context) ([]migrations.Option, error) {
	return []migrations.Option{{Value: fromTexts, Label: "Descriptions and comments"},
		{Value: fromFile, Label: "The CSV file"}}, nil
}

func (m *Images) checkImageRun(ctx context.Context, values migrations.Values) error {
	if m.files == nil {
		return migrations.NoFiles()
	}
	_, err := kinds.CompanyOf(ctx, m.db.Queries, values)
	return err
}

// imageJob is the payload of a task: an address and the text with it, if there is one.
type imageJob struct {
	URL     string     `json:"url"`             // as in the text or file
	Key     string     `json:"key,omitempty"`   // of the ticket; all its texts if Ticket is 0
	Board   id.Board   `json:"board,omitempty"` // of the key, in a task of a file: who sees the board sees the task
	Ticket  id.Ticket  `json:"ticket,omitempty"`
	Comment id.Comment `json:"comment,omitempty"` // 0 is the description
}

// address is the address to request.
func (j imageJob) address() string { return images.RequestOf(j.URL) }

// text names the text for users.
func (j imageJob) text() string {
	switch {
	case j.Comment != 0:
		return "a comment of " + j.Key
	case j.Ticket != 0:
		return "the description of " + j.Key
	}
	return "the texts of " + j.Key
}

func (m *Images) fillImages(ctx context.Context, into migrations.Filler) error {
	if into.Values()["source"] == fromFile {
		return m.fillImagesFromFile(ctx, into)
	}
	company, err := kinds.CompanyOf(ctx, m.bulk.Queries, into.Values())
	if err != nil {
		return err
	}
	at := imageCursorFrom(into.Cursor())
	if at.comments {
		return m.fillFromComments(ctx, into, company.ID, at)
	}
	if err := m.fillFromDescriptions(ctx, into, company.ID, at); err != nil {
		return err
	}
	return m.fillFromComments(ctx, into, company.ID, imageCursor{comments: true})
}

// textsPerRead is how many texts of any company a query of filling reads.
const textsPerRead = 500

func (m *Images) fillFromDescriptions(
	ctx context.Context, into migrations.Filler, company id.Company, at imageCursor,
) error {
	last, err := db.Read(m.bulk.Queries.LastTicket(ctx))
	if err != nil {
		return fmt.Errorf("look for the last ticket: %w", err)
	}
	for after := at.before(); after < uint64(last); after += textsPerRead {
		rows, err := db.Read(m.bulk.Queries.DescriptionsWithImages(ctx, db.DescriptionsWithImagesParams{
			After: id.Ticket(after), To: id.Ticket(after + textsPerRead), CompanyID: company,
		}))
		if err != nil {
			return fmt.Errorf("look for images in descriptions: %w", err)
		}
		for _, row := range rows {
			job := imageJob{Key: tickets.Key{Board: row.Slug, Number: row.LocalID}.String(), Ticket: row.ID}
			if err := m.addImages(ctx, into, row.Description, job, imageCursor{id: uint64(row.ID)}, at); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *Images) fillFromComments(
	ctx context.Context, into migrations.Filler, company id.Company, at imageCursor,
) error {
	last, err := db.Read(m.bulk.Queries.LastComment(ctx))
	if err != nil {
		return fmt.Errorf("look for the last comment: %w", err)
	}
	for after := at.before(); after < uint64(last); after += textsPerRead {
		rows, err := db.Read(m.bulk.Queries.CommentsWithImages(ctx, db.CommentsWithImagesParams{
			After: id.Comment(after), To: id.Comment(after + textsPerRead), CompanyID: company,
		}))
		if err != nil {
			return fmt.Errorf("look for images in comments: %w", err)
		}
		for _, row := range rows {
			job := imageJob{Key: tickets.Key{Board: row.Slug, Number: row.LocalID}.String(), Ticket: row.TicketID,
				Comment: row.ID}
			if err := m.addImages(ctx, into, row.Body, job, imageCursor{comments: true, id: uint64(row.ID)}, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// imagesPerText is how many images of one text a run fetches. Each changes the text, and its history keeps both
// versions: up to 128 KiB each time.
const imagesPerText = 200

// addImages adds a task for each remote image of a text that has no copy here, and that filling has not reached yet.
func (m *Images) addImages(
	ctx context.Context, into migrations.Filler, text string, job imageJob, here, at imageCursor,
) error {
	list := remoteImages(text)
	copies, err := images.Copies(ctx, m.bulk.Queries, job.Ticket, list)
	if err != nil {
		return err
	}
	for i, address := range list[:min(len(list), imagesPerText+1)] {
		if here.done = i + 1; here.id == at.id && here.comments == at.comments && here.done <= at.done {
			continue
		}
		if _, stored := copies[address]; stored {
			continue
		}
		if i == imagesPerText {
			reason := fmt.Sprintf(
				"There are %d images from other hosts in %s. At most %d per text are fetched in one run; repeat it for the others.",
				len(list), job.text(), imagesPerText)
			return into.Reject(ctx, migrations.Rejection{Reason: reason, Cursor: here.String()})
		}
		job.URL = address
		payload, err := json.Marshal(job)
		if err != nil {
			return err
		}
		if err := into.Add(ctx, migrations.NewTask{Payload: string(payload), Cursor: here.String()}); err != nil {
			return err
		}
	}
	return nil
}

// remoteImages are the addresses of a text's images on other hosts, each once.
func remoteImages(text string) []string {
	var list []string
	for _, image := range markup.Images(text) {
		if image.Remote() && !slices.Contains(list, image.Address) {
			list = append(list, image.Address)
		}
	}
	return list
}

// imageCursor is the cursor of filling: descriptions come before comments, each by their ids; done counts the images
// of the last text that have tasks.
type imageCursor struct {
	comments bool
	id       uint64
	done     int
}

// before is the id to read after: the last text may have more images.
func (c imageCursor) before() uint64 { return c.id - min(c.id, 1) }

func (c imageCursor) String() string {
	kind := "t"
	if c.comments {
		kind = "c"
	}
	return fmt.Sprintf("%s:%d:%d", kind, c.id, c.done)
}

var imageCursorForm = regexp.MustCompile(`^([tc]):([0-9]{1,19}):([0-9]{1,9})$`)

func imageCursorFrom(s string) imageCursor {
	parts := imageCursorForm.FindStringSubmatch(s)
	if parts == nil {
		return imageCursor{}
	}
	c := imageCursor{comments: parts[1] == "c"}
	c.id, _ = strconv.ParseUint(parts[2], 10, 64) // digits that fit
	c.done, _ = strconv.Atoi(parts[3])
	return c
}

func (m *Images) fillImagesFromFile(ctx context.Context, into migrations.Filler) error {
	company, err := kinds.CompanyOf(ctx, m.bulk.Queries, into.Values())
	if err != nil {
		return err
	}
	boardOf := m.boardsOf(ctx, company.ID)
	return migrations.FillCSV(ctx, into, kinds.CSVOptions(into.Values()),
		func(file *csvfile.File) (func(csvfile.Row) (string, error), error) {
			column := func(name string) int {
				return slices.IndexFunc(file.Columns, func(c string) bool { return strings.EqualFold(strings.TrimSpace(c), name) })
			}
			address, key := column("url"), column("key")
			if address < 0 {
				return nil, csvfile.BadFile("The file has no column url. Its columns are: " + strings.Join(file.Columns, ", ") + ".")
			}
			return func(row csvfile.Row) (string, error) {
				field := func(i int) string {
					if i < 0 || i >= len(row.Fields) {
						return ""
					}
					return strings.TrimSpace(row.Fields[i])
				}
				return m.imageRow(field(address), field(key), boardOf)
			}, nil
		})
}

// keptBoards is how many boards are remembered while a file is read.
const keptBoards = 1000

// boardsOf returns a function that finds the board of a slug in a company, 0 if it has none.
func (m *Images) boardsOf(ctx context.Context, company id.Company) func(slug string) (id.Board, error) {
	known := map[string]id.Board{}
	return func(slug string) (id.Board, error) {
		if board, ok := known[slug]; ok {
			return board, nil
		}
		board, err := boards.BySlug(ctx, m.bulk.Queries, db.SightOfAll(company), slug)
		if err != nil && !errors.Is(err, fault.NotFound) {
			return 0, migrations.RowUnknown{Err: err}
		}
		if len(known) < keptBoards {
			known[slug] = board.ID
		}
		return board.ID, nil
	}
}

// imageRow returns the payload for a row of a file, or what is wrong with it.
func (m *Images) imageRow(address, key string, boardOf func(slug string) (id.Board, error)) (string, error) {
	job := imageJob{URL: address}
	if address == "" {
		return "", errors.New("The column url is empty.") //nolint:staticcheck // a sentence for operators
	}
	if _, err := m.outbound.Check(job.address()); err != nil {
		return "", hostsOnly{err}
	}
	if key != "" {
		parsed, err := tickets.ParseKey(key)
		if err != nil {
			return "", err
		}
		job.Key = parsed.String()
		if job.Board, err = boardOf(parsed.Board); err != nil {
			return "", err
		}
	}
	payload, err := json.Marshal(job)
	return string(payload), err
}

// freshImage is how long a downloaded image is used for other texts with its address.
const freshImage = 24 * time.Hour

// previewImage says what would be downloaded. It asks only the database.
func (m *Images) previewImage(ctx context.Context, work *migrations.Work) (string, error) {
	job, company, err := m.imageJobOf(ctx, work)
	if err != nil {
		return "", err
	}
	u, err := m.outbound.Check(job.address())
	if err != nil {
		return "", migrations.Permanent{Err: hostsOnly{err}}
	}
	doing := "Would fetch an image from " + u.Hostname()
	if image, err := images.BySource(ctx, m.bulk.Queries, company.ID, job.address(),
		m.bulk.Now().Add(-freshImage)); err == nil {
		doing = "Would use " + image.Path(company.Slug) + ", fetched before"
	}
	if job.Key == "" {
		return doing + ".", nil
	}
	return doing + " and show it in " + job.text() + ".", nil
}

func (m *Images) imageJobOf(
	ctx context.Context, work *migrations.Work,
) (job imageJob, company accounts.Company, err error) {
	if err := json.Unmarshal([]byte(work.Task.Payload), &job); err != nil {
		return job, company, migrations.Permanent{Err: fmt.Errorf("the task cannot be read: %w", err)}
	}
	company, err = kinds.CompanyOf(ctx, m.bulk.Queries, work.Values)
	if errors.Is(err, migrations.CodeBadParam) {
		err = migrations.Permanent{Err: err}
	}
	return job, company, err
}

// downloadImage fetches, converts and stores one image. A repetition stores the same files again.
func (m *Images) downloadImage(ctx context.Context, work *migrations.Work) error {
	if m.files == nil {
		return migrations.NoFiles()
	}
	job, company, err := m.imageJobOf(ctx, work)
	if err != nil {
		return err
	}
	texts, err := m.textsOf(ctx, company.ID, job)
	if err != nil {
		return err
	}
	image, err := m.keptImage(ctx, company.ID, job.address())
	if err != nil {
		return err
	}
	fetched := image == nil
	if fetched {
		if image, err = m.fetchImage(ctx, work, job.address()); err != nil {
			return hostsOnly{err}
		}
		image.Company, image.Everyone = company.ID, job.Key == ""
	}
	by, err := m.actorOf(ctx, work, company.ID)
	if err != nil {
		return err
	}
	path := image.Path(company.Slug)
	stored := fmt.Sprintf("%s has %d × %d pixels, %d bytes", path, image.Width, image.Height, image.Bytes)
	work.Note(stored + ".")
	work.Locks(uint64(texts[0].Ticket))
	work.Commit(func(ctx context.Context, tx *db.Tx) error {
		if fetched {
			if err := images.Keep(ctx, tx, *image, job.address()); err != nil {
				return err
			}
			if err := images.RecordRun(ctx, tx, work.Task.Run, *image, job.address()); err != nil {
				return err
			}
		}
		hint, err := m.showImage(ctx, tx, company, texts, job, *image, by)
		if err != nil {
			return err
		}
		if hint != "" {
			hint = "; " + hint
		}
		work.Note(stored + hint + ".")
		return nil
	})
	return nil
}

// textsOf are the texts to change: the job's own or, for a ticket named in a file, all with the address.
func (m *Images) textsOf(ctx context.Context, company id.Company, job imageJob) ([]imageJob, error) {
	if job.Ticket != 0 || job.Key == "" {
		return []imageJob{job}, nil
	}
	key, err := tickets.ParseKey(job.Key)
	if err != nil {
		return nil, migrations.Permanent{Err: err}
	}
	ticket, err := tickets.ByKey(ctx, m.bulk.Queries, db.SightOfAll(company), key)
	if errors.Is(err, fault.NotFound) {
		return nil, migrations.Permanent{Err: err}
	}
	if err != nil {
		return nil, err
	}
	job.Ticket = ticket.ID
	texts := []imageJob{job}
	for page := (tickets.Comments{Newer: true}); page.Newer; {
		if page, err = tickets.CommentsAfter(ctx, m.bulk.Queries, ticket.ID, job.Comment, textsPerRead); err != nil {
			return nil, err
		}
		for _, c := range page.List {
			if job.Comment = c.ID; !c.FromRequester && slices.Contains(remoteImages(c.Body), job.URL) {
				texts = append(texts, job)
			}
		}
	}
	return texts, nil
}

// keptImage returns the image that the address gave recently, if its file still exists, or nil.
func (m *Images) keptImage(ctx context.Context, company id.Company, address string) (*images.Image, error) {
	image, err := images.BySource(ctx, m.bulk.Queries, company, address, m.bulk.Now().Add(-freshImage))
	if errors.Is(err, images.CodeNotFound) {
		return nil, nil //nolint:nilnil // the caller asks whether there is one
	}
	if err != nil {
		return nil, err
	}
	file, err := m.files.Open(ctx, image.Hash.Blob())
	if err != nil {
		return nil, nil //nolint:nilnil,nilerr // it is fetched again
	}
	return &image, file.Close()
}

// fetchImage downloads an image and stores it with its small copy.
func (m *Images) fetchImage(ctx context.Context, work *migrations.Work, address string) (*images.Image, error) {
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(work.Values[name], 10, 64) // was checked
		return n
	}
	u, err := m.outbound.Check(address)
	if err != nil {
		return nil, migrations.Permanent{Err: err}
	}
	if err := work.Await(ctx, u.Hostname()); err != nil {
		return nil, err
	}
	total := time.Duration(number("timeout")) * time.Second
	content, err := m.fetch(ctx, address, outbound.Limits{Bytes: number("max_kib") << 10, Total: total,
		Header: min(total, 20*time.Second), Await: work.Await})
	if err != nil {
		return nil, err
	}
	picture, err := images.Convert(ctx, content,
		images.Limits{Pixels: number("max_pixels"), Thumbnail: images.ThumbnailWidth})
	if errors.Is(err, images.CodeUnfit) {
		return nil, migrations.Permanent{Err: fmt.Errorf("%.300q: %w", address, err)}
	}
	if err != nil {
		return nil, err
	}
	return m.storeImage(ctx, picture)
}

// fetch requests an address. Its errors say whether and when to retry.
func (m *Images) fetch(ctx context.Context, address string, limits outbound.Limits) ([]byte, error) {
	res, err := m.outbound.Get(ctx, address, images.Accept, limits)
	if err != nil {
		return nil, whenToTry(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, statusError(res, address, m.bulk.Now())
	}
	if kind := res.Header.Get("Content-Type"); !images.MayBe(kind) {
		return nil, migrations.Permanent{Err: fmt.Errorf("%.300q is no image: it says that it is %.100q.", address, kind)}
	}
	content, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, whenToTry(err)
	}
	return content, nil
}

func whenToTry(err error) error {
	if outbound.Final(err) {
		return migrations.Permanent{Err: err}
	}
	return err
}

// badStatus reports an answer that is no image because of its status.
type badStatus struct {
	address string
	status  int
	body    string
}

func (e badStatus) Error() string {
	return fmt.Sprintf("%.300q answers %d %s.", e.address, e.status, http.StatusText(e.status))
}

// Detail is how the answer begins, "" of one on a private network.
func (e badStatus) Detail() string { return e.body }

// tooManyRequests is how long to wait after a 429 that does not say how long.
const tooManyRequests = 30 * time.Second

func statusError(res *http.Response, address string, now time.Time) error {
	host := res.Request.URL.Hostname()
	var body []byte
	if !outbound.FromPrivate(res) {
		body, _ = io.ReadAll(io.LimitReader(res.Body, 500)) // as far as it can be read
	}
	err := badStatus{address, res.StatusCode, strings.ToValidUTF8(string(body), "\uFFFD")}
	after, given := outbound.RetryAfter(res, now)
	reason := fmt.Sprintf("it answers %d %s", res.StatusCode, http.StatusText(res.StatusCode))
	switch s := res.StatusCode; {
	case s == http.StatusTooManyRequests && !given:
		return migrations.Later{After: tooManyRequests, Host: host, Reason: reason}
	case given && (s == http.StatusTooManyRequests || s == http.StatusServiceUnavailable):
		return migrations.Later{After: max(after, time.Second), Host: host, Reason: reason}
	case s == http.StatusRequestTimeout, s == http.StatusTooEarly, s >= 500:
		return err
	}
	return migrations.Permanent{Err: err}
}

func (m *Images) storeImage(ctx context.Context, picture images.Picture) (*images.Image, error) {
	image, err := images.StoreFiles(ctx, m.files, picture)
	return &image, err
}

// actorOf is the user as whom a run changes texts: the operator who opened it, or for the command line the company's
// first owner.
func (m *Images) actorOf(ctx context.Context, work *migrations.Work, company id.Company) (tickets.User, error) {
	run, err := db.Read(m.bulk.Queries.RunByID(ctx, work.Task.Run))
	if err != nil {
		return tickets.User{}, fmt.Errorf("read run: %w", err)
	}
	if run.AccountID != nil {
		return tickets.User{ID: *run.AccountID}, nil
	}
	owner, err := accounts.FirstOwner(ctx, m.bulk.Queries, company)
	return tickets.User{ID: owner}, err
}

// showImage replaces the address in the current texts, and nothing else. A text that cannot be changed any more shows
// the image by its old address, which is noted, and is no error.
func (m *Images) showImage(
	ctx context.Context, tx *db.Tx, company accounts.Company, texts []imageJob, job imageJob, image images.Image,
	by tickets.User,
) (hint string, err error) {
	if job.Key == "" {
		return "", nil
	}
	seen, err := tickets.ByID(ctx, tx.Queries, db.SightOfAll(company.ID), texts[0].Ticket)
	if err == nil {
		seen, err = tickets.Lock(ctx, tx, seen)
	}
	if errors.Is(err, fault.NotFound) {
		return "the ticket " + job.Key + " is gone", nil
	}
	if err != nil {
		return "", err
	}
	shown := images.Shown{Company: company.ID, Ticket: seen.ID, By: by.ID, Address: job.URL}
	if err := shown.Bind(ctx, tx, image.Hash); err != nil {
		return "", err
	}
	err = boards.Live(ctx, tx, seen.Board)
	if errors.Is(err, boards.CodeArchived) {
		return "the board of " + job.Key + " is archived, so its texts stay as they are, and show it", nil
	}
	if err != nil {
		return "", err
	}
	return m.replaceIn(ctx, tx, seen, texts, job, image.Path(company.Slug), by)
}

// replaceIn replaces the address in the texts of a ticket that is locked.
func (m *Images) replaceIn(
	ctx context.Context, tx *db.Tx, seen tickets.Ticket, texts []imageJob, job imageJob, path string, by tickets.User,
) (hint string, err error) {
	shown := 0
	for _, text := range texts {
		changed, err := showIn(ctx, tx, seen, text, path, by)
		switch {
		case errors.Is(err, fault.NotFound):
			continue
		case errors.Is(err, fault.Invalid): // too long with the new address
			return text.text() + " cannot show it: " + fault.Message(err), nil
		case err != nil:
			return "", err
		case changed:
			shown++
		}
	}
	if shown == 0 {
		return job.text() + " does not show it any more", nil
	}
	return job.text() + " shows it", nil
}

// showIn changes one text, of a ticket that is locked.
func showIn(
	ctx context.Context, tx *db.Tx, ticket tickets.Ticket, text imageJob, path string, by tickets.User,
) (bool, error) {
	change := func(old string) string {
		changed, _ := markup.ReplaceImages(old, text.URL, path)
		return changed
	}
	if text.Comment != 0 {
		return tickets.RewriteComment(ctx, tx, ticket.ID, text.Comment, change)
	}
	description := change(ticket.Description)
	if description == ticket.Description {
		return false, nil
	}
	_, err := tickets.Save(ctx, tx, ticket, tickets.Edit{Description: &description, Version: ticket.Version}, by)
	return err == nil, err
}
