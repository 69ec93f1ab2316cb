package delivery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/images"
	"github.com/counterfoil/counterfoil/domain/outbound"
	"github.com/counterfoil/counterfoil/domain/wait"
)

const (
	picturesEvery    = 2 * time.Second
	picturesAtOnce   = 8                // are fetched by a process
	duePictures      = 40               // are read at once
	pictureLease     = 5 * time.Minute  // is longer than a fetch and a conversion take
	pictureAttempts  = 3                // then its text goes on showing a link
	spreadPictures   = 10 * time.Minute // those over a limit, so that they are not due together
	maxPicturePixels = 25_000_000
)

// pictureLimits is Delivery.pictures. They are narrow: members type any address, and nobody watches.
var pictureLimits = outbound.Limits{Redirects: 3, Header: 10 * time.Second, Total: 20 * time.Second, Bytes: 10 << 20}

// WorkPictures fetches pictures that texts show from other hosts until ctx ends. Any number of processes may.
func (d *Delivery) WorkPictures(ctx context.Context) {
	if d.files == nil {
		return
	}
	wait.Every(ctx, picturesEvery, func(ctx context.Context) {
		for more := true; more && ctx.Err() == nil; {
			n, err := d.FetchPictures(ctx)
			if err != nil && ctx.Err() == nil {
				d.log.Warn("fetch pictures of texts", "error", err)
			}
			more = n > 0 && err == nil
		}
	})
}

// FetchPictures does once what WorkPictures does, and returns how many pictures were due.
func (d *Delivery) FetchPictures(ctx context.Context) (int, error) {
	list, err := images.DuePictures(ctx, d.bulk.Queries, duePictures)
	if err != nil {
		return 0, err
	}
	var fetches errgroup.Group
	fetches.SetLimit(picturesAtOnce)
	for _, due := range list {
		fetches.Go(func() error { return d.fetchDue(ctx, due) })
	}
	return len(list), fetches.Wait()
}

// fetchDue fetches a picture, unless another process does or a limit is reached.
func (d *Delivery) fetchDue(ctx context.Context, due images.Due) error {
	ok, err := due.Claim(ctx, d.bulk.Queries, pictureLease)
	if err != nil || !ok {
		return err
	}
	var over time.Duration
	err = d.bulk.InTx(ctx, func(tx *db.Tx) (err error) {
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
	res, err := d.outbound.Get(ctx, address, images.Accept, d.pictures)
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
