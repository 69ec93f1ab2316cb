package delivery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/images"
	"github.com/counterfoil/counterfoil/domain/outbound"
	"github.com/counterfoil/counterfoil/domain/wait"
)

const (
	picturesEvery     = 2 * time.Second
	picturesAtOnce    = 8                // are fetched by a process,
	picturesOfCompany = 2                // and of a company among them
	pictureLease      = 5 * time.Minute  // is longer than a fetch and a conversion take
	pictureAttempts   = 3                // then its text goes on showing a link
	spreadPictures    = 10 * time.Minute // those over a limit, so that they are not due together
	maxPicturePixels  = 25_000_000
)

// pictureLimits is Delivery.pictures. They are narrow: members type any address, and nobody watches.
var pictureLimits = outbound.Limits{Redirects: 3, Header: 10 * time.Second, Total: 20 * time.Second, Bytes: 10 << 20}

// WorkPictures fetches pictures that texts show from other hosts until ctx ends. Any number of processes may.
func (d *Delivery) WorkPictures(ctx context.Context) {
	if d.files == nil {
		return
	}
	f := newFetches(d)
	defer f.running.Wait()
	for ctx.Err() == nil {
		if _, err := f.begin(ctx); err != nil && ctx.Err() == nil {
			d.log.Warn("fetch pictures of texts", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(picturesEvery):
		case <-f.ended:
		}
	}
}

// FetchPictures does once what WorkPictures does, and returns how many pictures it fetched, of a company two at most.
func (d *Delivery) FetchPictures(ctx context.Context) (int, error) {
	f := newFetches(d)
	n, err := f.begin(ctx)
	f.running.Wait()
	return n, errors.Join(err, f.err)
}

// fetches are the pictures that a process fetches. None waits for another, and of a company there are few, so slow
// hosts of one company delay no other's.
type fetches struct {
	d       *Delivery
	running sync.WaitGroup
	ended   wait.Wakeup

	mu        sync.Mutex
	count     int
	ofCompany map[id.Company]int
	err       error // the first
}

func newFetches(d *Delivery) *fetches {
	return &fetches{d: d, ended: wait.NewWakeup(), ofCompany: map[id.Company]int{}}
}

// begin begins to fetch what is due, and returns how many pictures that are.
func (f *fetches) begin(ctx context.Context) (began int, err error) {
	for {
		room, busy := f.room()
		if room == 0 {
			return began, nil
		}
		list, err := images.DuePictures(ctx, f.d.bulk.Queries, busy, room)
		if err != nil || len(list) == 0 {
			return began, err
		}
		for _, due := range list {
			if !f.reserve(due.Company) {
				continue
			}
			ok, err := due.Claim(ctx, f.d.bulk.Queries, pictureLease)
			if err != nil || !ok {
				f.release(due.Company, nil)
			}
			if err != nil {
				return began, err
			}
			if ok { // else another process fetches it
				began++
				f.running.Go(func() { f.fetch(ctx, due) })
			}
		}
	}
}

func (f *fetches) fetch(ctx context.Context, due images.Due) {
	err := f.d.fetchDue(ctx, due)
	if err != nil && ctx.Err() == nil {
		f.d.log.Warn("fetch a picture of a text", "ticket", due.Ticket, "error", err)
	}
	f.release(due.Company, err)
}

// room returns how many fetches may begin, and the companies that have as many as they may.
func (f *fetches) room() (n int, busy []id.Company) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for company, n := range f.ofCompany {
		if n >= picturesOfCompany {
			busy = append(busy, company)
		}
	}
	return picturesAtOnce - f.count, busy
}

func (f *fetches) reserve(company id.Company) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ofCompany[company] >= picturesOfCompany {
		return false
	}
	f.count++
	f.ofCompany[company]++
	return true
}

func (f *fetches) release(company id.Company, err error) {
	f.mu.Lock()
	f.count--
	if f.ofCompany[company]--; f.ofCompany[company] == 0 {
		delete(f.ofCompany, company)
	}
	f.err = cmp.Or(f.err, err)
	f.mu.Unlock()
	f.ended.Wake()
}

// fetchDue fetches a picture that is claimed, unless a limit is reached.
func (d *Delivery) fetchDue(ctx context.Context, due images.Due) error {
	if due.Attempts >= pictureAttempts { // its process died each time
		return due.Drop(ctx, d.bulk.Queries)
	}
	var over time.Duration
	err := d.bulk.InTx(ctx, func(tx *db.Tx) (err error) {
		over, err = accounts.CountPicture(ctx, tx, due.Company, due.By)
		return err
	})
	if err != nil {
		return err
	}
	if over > 0 {
		return due.Postpone(ctx, d.bulk.Queries, over+rand.N(spreadPictures), due.Attempts)
	}
	image, err := d.fetchPicture(ctx, due.Request())
	if ctx.Err() != nil {
		return nil //nolint:nilerr // the lease runs out
	}
	if err == nil {
		return d.bulk.InTx(ctx, func(tx *db.Tx) error { return due.Store(ctx, tx, image) })
	}
	d.log.Debug("a picture of a text could not be fetched", "ticket", due.Ticket, "error", err)
	attempts := due.Attempts + 1
	if outbound.Final(err) || errors.Is(err, images.CodeUnfit) || attempts >= pictureAttempts {
		return due.Drop(ctx, d.bulk.Queries)
	}
	return due.Postpone(ctx, d.bulk.Queries, time.Duration(attempts*attempts)*time.Minute, attempts)
}

// fetchPicture fetches a picture and stores its files.
func (d *Delivery) fetchPicture(ctx context.Context, address string) (images.Image, error) {
	res, err := d.images.Get(ctx, address, images.Accept, d.pictures)
	if err != nil {
		return images.Image{}, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return images.Image{}, badAnswer(res.StatusCode)
	}
	if kind := res.Header.Get("Content-Type"); !images.MayBe(kind) {
		return images.Image{}, images.Unfit(fmt.Sprintf("It says that it is %.100q.", kind))
	}
	content, err := io.ReadAll(res.Body)
	if err != nil {
		return images.Image{}, err
	}
	picture, err := images.Convert(ctx, content,
		images.Limits{Pixels: maxPicturePixels, Thumbnail: images.ThumbnailWidth})
	if err != nil {
		return images.Image{}, err
	}
	return images.StoreFiles(ctx, d.files, picture)
}

// badAnswer reports an answer without a picture. It is images.Unfit if the next would be the same.
func badAnswer(status int) error {
	said := fmt.Sprintf("It answers %d %s.", status, http.StatusText(status))
	if status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout ||
		status == http.StatusTooEarly {
		return errors.New(said)
	}
	return images.Unfit(said)
}
