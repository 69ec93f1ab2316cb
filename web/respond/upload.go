package respond

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/views"
)

// A file is streamed from the connection to its store, and is never whole in memory. It may take any time while data
// arrives.

const (
	// DefaultMaxUpload is the default of the largest file of a run in bytes.
	DefaultMaxUpload = 2 << 30
	// DefaultMaxAttachment is that of a ticket.
	DefaultMaxAttachment = 100 << 20
)

const (
	// stallLimit is the longest pause of an upload.
	stallLimit = time.Minute
	// lingering is how much more of a file that is too large is read, so that the response arrives: a browser that is
	// still sending shows none.
	lingering = 64 << 20
)

// HasFile reports whether a request is a form that may bring a file.
func HasFile(c echo.Context) bool {
	kind, _, _ := mime.ParseMediaType(c.Request().Header.Get(echo.HeaderContentType))
	return kind == "multipart/form-data"
}

// codeUploadTooLarge: the file is larger than the server takes. Split it, or raise COUNTERFOIL_MAX_UPLOAD.
const codeUploadTooLarge fault.Code = "File.TooLarge"

func uploadTooLarge(limit string) error {
	return fault.TooLarge.New(codeUploadTooLarge, "file",
		"The file is too large: it may have "+limit+
			". Split it, or ask the operator of this server to raise COUNTERFOIL_MAX_UPLOAD.")
}

// codeAttachmentTooLarge: the file is larger than the server takes for a ticket. Send a smaller one, or raise
// COUNTERFOIL_UPLOAD_MAX.
const codeAttachmentTooLarge fault.Code = "Attachment.TooLarge"

func attachmentTooLarge(limit string) error {
	return fault.TooLarge.New(codeAttachmentTooLarge, "file", "The file is too large: it may have "+limit+
		". Make it smaller, or ask the operator of this server to raise COUNTERFOIL_UPLOAD_MAX.")
}

// codeUploadMissing: the form has no file. Send one as its field “file”.
const codeUploadMissing fault.Code = "File.Missing"

// UploadMissing says that a form has no file.
func UploadMissing() error {
	return fault.Invalid.New(codeUploadMissing, "file", "Choose a file first.")
}

// codeUploadBroken: the file did not arrive whole or as it should. Send it again.
const codeUploadBroken fault.Code = "File.Broken"

func uploadBroken(why string) error {
	return fault.Invalid.New(codeUploadBroken, "file", why)
}

var (
	brokeOff   = uploadBroken("The upload was interrupted, so nothing was kept. Send the file again.")
	behindFile = uploadBroken("There is data after the file. Send the file as the last part, and once.")
	unreadable = uploadBroken("The form could not be read. Send it as multipart/form-data with the file as its last " +
		"part.")
	fieldsTooBig = uploadBroken("The fields before the file are too large: at most 512 KiB.")
)

// Upload is a form with a file that is being received.
type Upload struct {
	Fields url.Values
	Name   string // of the file, "" if there is none
	File   io.Reader
	OnEnd  func()    // called once the file was read to its end, if set
	Sum    hash.Hash // SHA-256 of the part of the file that was read

	// Context ends with the request, or when nothing arrives for a while.
	Context context.Context

	c       echo.Context
	done    context.CancelFunc
	parts   *multipart.Reader
	part    *multipart.Part
	limit   int64
	size    int64
	err     error // the error of reading
	watch   *time.Timer
	stopped chan struct{}

	tooLarge error // of a file above the limit
	many     bool  // there may be several files
	left     int64 // bytes of the fields
}

// Attachments starts to read a form with files of at most MaxAttachment each: after Receive and each file, Next goes on to
// the next one.
func (r *Responder) Attachments(c echo.Context) *Upload {
	form := UploadOf(c, r.MaxAttachment, attachmentTooLarge(views.Bytes(r.MaxAttachment)))
	form.many = true
	return form
}

// Attachment starts to read a form with one file of at most MaxAttachment: call Close of the form. It returns
// UploadMissing, or the error of reading.
func (r *Responder) Attachment(c echo.Context) (*Upload, error) {
	if !HasFile(c) {
		return nil, UploadMissing()
	}
	form := r.Attachments(c)
	err := form.Receive()
	if err == nil && form.File == nil {
		err = UploadMissing()
	}
	if err != nil {
		defer form.Close()
		return nil, form.Why(err)
	}
	return form, nil
}

// Upload starts to read a form with a file of at most MaxUpload: call its Receive, and Close in any case.
func (r *Responder) Upload(c echo.Context) *Upload {
	return UploadOf(c, r.MaxUpload, uploadTooLarge(views.Bytes(r.MaxUpload)))
}

// UploadOf is Upload with a limit in bytes, and the error of a larger file.
func UploadOf(c echo.Context, limit int64, tooLarge error) *Upload {
	ctx, cancel := context.WithCancel(c.Request().Context())
	s := &Upload{
		Fields: url.Values{}, c: c, Context: ctx, done: cancel, limit: limit, tooLarge: tooLarge,
		Sum:     sha256.New(),
		stopped: make(chan struct{}),
	}
	s.watch = time.AfterFunc(stallLimit, func() { close(s.stopped); cancel() })
	return s
}

// Receive reads the fields up to the file, which is read from File then.
func (s *Upload) Receive() error {
	parts, err := s.c.Request().MultipartReader()
	if err != nil {
		return unreadable
	}
	s.parts, s.left = parts, MaxBody
	return s.next()
}

// Size is how many bytes the request has, -1 if that is unknown.
func (s *Upload) Size() int64 { return s.c.Request().ContentLength }

// Next goes on to the next file, once the one before was read to its end: File is nil if there is none.
func (s *Upload) Next() error {
	s.Name, s.File, s.part, s.size, s.err = "", nil, nil, 0, nil
	s.Sum.Reset()
	return s.next()
}

// next reads the fields up to a file.
func (s *Upload) next() error {
	for {
		s.extend()
		part, err := s.parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return s.broken(err)
		}
		if part.FormName() == "file" && part.FileName() != "" {
			if known := s.c.Request().ContentLength; !s.many && known > s.limit+MaxBody {
				return s.failed(s.tooLarge)
			}
			s.Name, s.part, s.File = part.FileName(), part, s.reader()
			return nil
		}
		var value bytes.Buffer
		n, err := io.Copy(&value, io.LimitReader(part, s.left+1))
		if err != nil {
			return s.broken(err)
		}
		if s.left -= n + int64(len(part.FormName())) + 64; s.left < 0 {
			return fieldsTooBig
		}
		if part.FormName() != "file" { // a browser sends an empty one if none was chosen
			s.Fields.Add(part.FormName(), value.String())
		}
	}
}

// reader is the file, with its byte order mark. It ends with an error if more follows.
func (s *Upload) reader() io.Reader { return readerFunc(s.read) }

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func (s *Upload) read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	s.extend()
	n, err := s.part.Read(p)
	s.size += int64(n)
	s.Sum.Write(p[:n])
	if s.size > s.limit {
		return 0, s.failed(s.tooLarge)
	}
	switch {
	case errors.Is(err, io.EOF):
		if failed := s.behind(); failed != nil {
			return n, failed
		}
		s.err = io.EOF
		if s.OnEnd != nil {
			s.OnEnd()
		}
		return n, io.EOF
	case err != nil:
		return n, s.broken(err)
	}
	return n, nil
}

// behind returns an error if something follows a file that is to be the last part.
func (s *Upload) behind() error {
	if s.many { // Next reads it
		return nil
	}
	_, err := s.parts.NextPart()
	switch {
	case err == nil:
		return s.failed(behindFile)
	case !errors.Is(err, io.EOF):
		return s.broken(err)
	}
	return nil
}

func (s *Upload) failed(err error) error {
	s.err = err
	return err
}

func (s *Upload) broken(err error) error {
	if s.err == nil {
		s.err = fmt.Errorf("%w (%w)", brokeOff, err)
	}
	return s.err
}

// extend moves the deadline for the next chunk.
func (s *Upload) extend() {
	s.watch.Reset(stallLimit)
	connection := http.NewResponseController(s.c.Response())
	_ = connection.SetReadDeadline(time.Now().Add(stallLimit)) // a recorder has none
	_ = connection.SetWriteDeadline(time.Now().Add(2 * stallLimit))
}

// Why returns the cause of an error of using the file: the error of reading it comes first.
func (s *Upload) Why(err error) error {
	select {
	case <-s.stopped:
		return context.DeadlineExceeded
	default:
	}
	if err != nil && s.err != nil && !errors.Is(s.err, io.EOF) {
		return s.err
	}
	return err
}

// Close reads the rest of the request, so that a client that is still sending gets the response, and stops the watch.
func (s *Upload) Close() {
	defer s.done()
	defer s.watch.Stop()
	left := s.limit - s.size
	if s.err != nil && errors.Is(s.err, s.tooLarge) {
		left = lingering
	}
	body := s.c.Request().Body
	piece := make([]byte, 32<<10)
	for left > 0 {
		s.extend()
		n, err := body.Read(piece)
		if left -= int64(n); err != nil {
			return
		}
	}
}

// MaxBody is the largest request body in bytes: a description with every byte escaped as \u00xx, and the rest.
const MaxBody = 512 << 10
