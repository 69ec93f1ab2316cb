package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/db/private"
	"github.com/counterfoil/counterfoil/domain/accounts"
	"github.com/counterfoil/counterfoil/domain/app"
	"github.com/counterfoil/counterfoil/domain/blobs"
	"github.com/counterfoil/counterfoil/domain/bulkedits"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/files"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/secrets"
	"github.com/counterfoil/counterfoil/web/streams"
)

// environment is the program's surroundings.
type environment struct {
	databaseURL, replicas, addr, url, token, proxies, data, blobs, search, upload, attachment       string
	webhookAllow, pictureAllow, issuerAllow, downloadAllow, oldAllow, deny, apiRate, log, auditDays string
	metricsAddr, companyStreams, keyFile, sessionIdle, secondFactor, bulkEdits, bulkTickets         string

	given map[string]bool // the variables that are set

	patience   time.Duration           // of a command that waits for a worker
	migrations []*migrations.Migration // beside the built-in ones

	stdin          io.Reader
	stdout, stderr io.Writer
	terminal       bool // stderr is one
}

func readEnvironment(getenv func(string) string, stdin io.Reader, stdout, stderr io.Writer) environment {
	read, given := getenv, map[string]bool{}
	getenv = func(name string) string {
		value := read(name)
		given[name] = value != ""
		return value
	}
	or := func(name, otherwise string) string {
		if value := getenv(name); value != "" {
			return value
		}
		return otherwise
	}
	data := or("COUNTERFOIL_DATA", "./data")
	return environment{
		databaseURL:    getenv("DATABASE_URL"),
		replicas:       getenv("COUNTERFOIL_REPLICAS"),
		addr:           or("COUNTERFOIL_ADDR", "127.0.0.1:8080"),
		url:            getenv("COUNTERFOIL_URL"),
		token:          getenv("COUNTERFOIL_TOKEN"),
		proxies:        getenv("COUNTERFOIL_TRUSTED_PROXIES"),
		data:           data,
		blobs:          or("COUNTERFOIL_BLOBS", filepath.Join(data, "blobs")),
		search:         or("COUNTERFOIL_SEARCH", filepath.Join(data, "search")),
		upload:         or("COUNTERFOIL_MAX_UPLOAD", "2GB"),
		attachment:     or("COUNTERFOIL_UPLOAD_MAX", "100MB"),
		webhookAllow:   getenv(webhookAllow),
		pictureAllow:   getenv(pictureAllow),
		issuerAllow:    getenv(issuerAllow),
		downloadAllow:  getenv(downloadAllow),
		oldAllow:       getenv(oldAllow),
		apiRate:        or("COUNTERFOIL_API_RATE", "1200"),
		deny:           getenv("COUNTERFOIL_OUTBOUND_DENY"),
		log:            or("COUNTERFOIL_LOG", "text"),
		companyStreams: or("COUNTERFOIL_COMPANY_STREAMS", strconv.Itoa(streams.DefaultOfCompany)),
		metricsAddr:    or("COUNTERFOIL_METRICS_ADDR", "127.0.0.1:9464"),
		auditDays:      or("COUNTERFOIL_AUDIT_DAYS", "0"),
		bulkEdits:      or("COUNTERFOIL_BULK_EDITS", strconv.Itoa(bulkedits.DefaultLimits.Active)),
		bulkTickets:    or("COUNTERFOIL_BULK_TICKETS", strconv.Itoa(bulkedits.DefaultLimits.Tickets)),
		sessionIdle:    or("COUNTERFOIL_SESSION_IDLE_DAYS", "14"),
		secondFactor:   or("COUNTERFOIL_SECOND_FACTOR", "off"),
		keyFile:        or("COUNTERFOIL_KEY_FILE", filepath.Join(data, "key")),
		given:          given,
		patience:       15 * time.Second,
		stdin:          stdin, stdout: stdout, stderr: stderr,
	}
}

// codeBadSetting: an environment variable has a value that cannot be used. Set it to what the message says.
const codeBadSetting fault.Code = "Setting.Invalid"

func badSetting(name, value, want string) error {
	return fault.Invalid.New(codeBadSetting, "", fmt.Sprintf("%s is %q; set it to %s.", name, value, want))
}

// badEntry is badSetting of an entry of a list.
func badEntry(name, entry, want string) error {
	return fault.Invalid.New(codeBadSetting, "", fmt.Sprintf("%s has the entry %q; set it to %s.", name, entry, want))
}

func (e environment) logger() *slog.Logger {
	if e.log == "json" {
		return slog.New(slog.NewJSONHandler(e.stderr, nil))
	}
	return slog.New(slog.NewTextHandler(e.stderr, nil))
}

// publicURL reads COUNTERFOIL_URL; it is nil if there is none.
func (e environment) publicURL() (*url.URL, error) {
	if e.url == "" {
		return nil, nil
	}
	u, err := url.Parse(strings.TrimSuffix(e.url, "/"))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.Path != "" || u.RawQuery != "" ||
		u.User != nil {
		return nil, badSetting("COUNTERFOIL_URL", e.url,
			"the address that users open, such as https://tickets.example.com, without a path")
	}
	return u, nil
}

// trustedProxies reads COUNTERFOIL_TRUSTED_PROXIES: addresses or networks, with commas between.
func (e environment) trustedProxies() ([]*net.IPNet, error) {
	var networks []*net.IPNet
	for part := range strings.SplitSeq(e.proxies, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		if ip := net.ParseIP(part); ip != nil {
			bits := 8 * net.IPv6len
			if v4 := ip.To4(); v4 != nil {
				ip, bits = v4, 8*net.IPv4len
			}
			networks = append(networks, &net.IPNet{IP: ip, Mask: net.CIDRMask(bits, bits)})
			continue
		}
		_, network, err := net.ParseCIDR(part)
		if err != nil {
			return nil, badSetting("COUNTERFOIL_TRUSTED_PROXIES", part,
				"addresses or networks such as 10.0.0.0/8, separated by commas")
		}
		networks = append(networks, network)
	}
	return networks, nil
}

// base is the public address if it is known, without a slash at its end.
func (e environment) base() string {
	if e.url != "" {
		return strings.TrimSuffix(e.url, "/")
	}
	return "http://" + e.addr
}

// maxUpload reads COUNTERFOIL_MAX_UPLOAD: bytes, or a size such as 500MB.
func (e environment) maxUpload() (int64, error) {
	return parseSize("COUNTERFOIL_MAX_UPLOAD", e.upload)
}

// maxAttachment reads COUNTERFOIL_UPLOAD_MAX.
func (e environment) maxAttachment() (int64, error) {
	return parseSize("COUNTERFOIL_UPLOAD_MAX", e.attachment)
}

func parseSize(name, value string) (int64, error) {
	n, ok := files.ParseSize(value)
	if !ok || n < 1 {
		return 0, badSetting(name, value, "the size of the largest file, such as 500MB or 2GB")
	}
	return n, nil
}

// streamsOfCompany reads COUNTERFOIL_COMPANY_STREAMS.
func (e environment) streamsOfCompany() (int, error) {
	n, err := strconv.Atoi(e.companyStreams)
	if err != nil || n < 1 || n > streams.DefaultMost {
		return 0, badSetting("COUNTERFOIL_COMPANY_STREAMS", e.companyStreams, fmt.Sprintf("the pages and programs of a "+
			"company that may wait for changes at once on a server, 1 to %d", streams.DefaultMost))
	}
	return n, nil
}

// bulkLimits reads COUNTERFOIL_BULK_EDITS and COUNTERFOIL_BULK_TICKETS.
func (e environment) bulkLimits() (limits bulkedits.Limits, err error) {
	if limits.Active, err = strconv.Atoi(e.bulkEdits); err != nil || limits.Active < 1 || limits.Active > 100 {
		return limits, badSetting("COUNTERFOIL_BULK_EDITS", e.bulkEdits,
			"the bulk edits that a company may have under way at once, 1 to 100")
	}
	if limits.Tickets, err = strconv.Atoi(e.bulkTickets); err != nil || limits.Tickets < 1 || limits.Tickets > 100_000 {
		return limits, badSetting("COUNTERFOIL_BULK_TICKETS", e.bulkTickets,
			"the tickets that a bulk edit may change, 1 to 100000")
	}
	return limits, nil
}

// operatorPolicy reads COUNTERFOIL_SECOND_FACTOR: what /admin asks of a session.
func (e environment) operatorPolicy() (accounts.Policy, error) {
	switch e.secondFactor {
	case "off":
		return accounts.Policy{}, nil
	case "operators":
		return accounts.Policy{SecondFactor: true}, nil
	}
	return accounts.Policy{}, badSetting("COUNTERFOIL_SECOND_FACTOR", e.secondFactor,
		"operators, so that /admin opens with a second factor only, or off")
}

// callsPerMinute reads COUNTERFOIL_API_RATE; it is 0 for off.
func (e environment) callsPerMinute() (int, error) {
	if e.apiRate == "off" {
		return 0, nil
	}
	n, err := strconv.Atoi(e.apiRate)
	if err != nil || n < 1 || n > 1_000_000 {
		return 0, badSetting("COUNTERFOIL_API_RATE", e.apiRate,
			"the calls of the API that a token may make in a minute, 1 to 1000000, or off")
	}
	return n, nil
}

// idleEnd reads COUNTERFOIL_SESSION_IDLE_DAYS.
func (e environment) idleEnd() (time.Duration, error) {
	const day = 24 * time.Hour
	most := int(accounts.SessionLife / day)
	n, err := strconv.Atoi(e.sessionIdle)
	if err != nil || n < 1 || n > most {
		return 0, badSetting("COUNTERFOIL_SESSION_IDLE_DAYS", e.sessionIdle,
			fmt.Sprintf("the days after which a browser that is not used is signed out, 1 to %d", most))
	}
	return time.Duration(n) * day, nil
}

// keys are those of the key file. They are read when they are needed.
func (e environment) keys() *secrets.Keys { return secrets.New(e.keyFile) }

// workflows opens the app on a database, with its store of files. Closing the database closes the store.
func (e environment) workflows(ctx context.Context, d *database, more ...app.Option) (*app.App, error) {
	reach, err := e.reach()
	if err != nil {
		return nil, err
	}
	days, err := strconv.Atoi(e.auditDays)
	if err != nil || days < 0 || days > 0 && days < 30 {
		return nil, badSetting("COUNTERFOIL_AUDIT_DAYS", e.auditDays, "a number of days from 30 on, or 0 to keep all")
	}
	limits, err := e.bulkLimits()
	if err != nil {
		return nil, err
	}
	files, err := blobs.Open(ctx, e.blobs)
	if err != nil {
		return nil, err
	}
	d.files = files
	options := []app.Option{
		app.WithFiles(files), app.WithVersion(version), app.WithLog(e.logger()), app.WithMigrations(e.migrations...),
		app.WithURL(e.url), app.WithAuditDays(days), app.WithKeys(e.keys()), app.WithBulkLimits(limits),
	}
	return app.New(d.DB, slices.Concat(options, reach.clients(), more)...), nil
}

// database is an open database, private or not.
type database struct {
	*db.DB
	url     string
	server  db.Server
	private *private.Server // nil with DATABASE_URL
	files   *blobs.Store    // nil until workflows opens it
}

// openDatabase connects to the database of DATABASE_URL, or starts or joins the private one, and refuses a server that
// is not fit, and a marked database.
func (e environment) openDatabase(ctx context.Context) (*database, error) {
	return e.openWith(ctx, openPatient)
}

// openPatient opens a database for a command: its statements may take as long as they need.
func openPatient(url string) (*db.DB, error) { return db.Open(url, db.AnswerWithin(0)) }

// openPrompt opens a database for a program that must go on if a connection dies.
func openPrompt(url string) (*db.DB, error) { return db.Open(url) }

// openMarked is openDatabase also for a marked database.
func (e environment) openMarked(ctx context.Context) (*database, error) {
	return e.openWith(ctx, db.OpenMarked)
}

func (e environment) openWith(ctx context.Context, open func(url string) (*db.DB, error)) (*database, error) {
	d := &database{url: e.databaseURL}
	if d.url != "" {
		if err := checkURL(d.url); err != nil {
			return nil, err
		}
	}
	if d.url == "" {
		server, err := private.Open(ctx, private.Options{Dir: e.data, Log: e.logger()})
		if err != nil {
			return nil, err
		}
		d.private, d.url = server, server.URL("counterfoil")
	}
	err := d.connect(ctx, open)
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// codeNoData: there is no database in the data directory. Set COUNTERFOIL_DATA or DATABASE_URL to the one that
// serve uses.
const codeNoData fault.Code = "Database.NotFound"

func noData(dir string) error {
	return fault.NotFound.New(codeNoData, "",
		fmt.Sprintf("There is no database in %s. Set COUNTERFOIL_DATA to the data directory that serve uses, or DATABASE_URL.", dir))
}

// openExisting is openDatabase for commands that create no database.
func (e environment) openExisting(ctx context.Context) (*database, error) {
	if err := e.mustExist(); err != nil {
		return nil, err
	}
	return e.openDatabase(ctx)
}

// openToLook is openExisting for commands that only look, also at a marked database, and at a replica.
func (e environment) openToLook(ctx context.Context) (*database, error) {
	return e.openOther(ctx, db.OpenToLook)
}

// openToRead is openExisting for commands that only read, also at a replica.
func (e environment) openToRead(ctx context.Context) (*database, error) {
	return e.openOther(ctx, func(url string) (*db.DB, error) { return db.OpenToRead(url, db.AnswerWithin(0)) })
}

func (e environment) openOther(ctx context.Context, open func(url string) (*db.DB, error)) (*database, error) {
	if err := e.mustExist(); err != nil {
		return nil, err
	}
	return e.openWith(ctx, open)
}

func (e environment) mustExist() error {
	if e.databaseURL == "" && !hasDatabase(e.data) {
		return noData(e.data)
	}
	return nil
}

func hasDatabase(dir string) bool {
	for _, engine := range []string{"mariadb", "mysql"} {
		if _, err := os.Stat(filepath.Join(dir, engine)); err == nil {
			return true
		}
	}
	return false
}

// openCurrent is openDatabase with the newest schema, for programs that run on.
func (e environment) openCurrent(ctx context.Context) (*database, error) {
	if _, err := e.reach(); err != nil { // before the schema is changed
		return nil, err
	}
	d, err := e.openWith(ctx, openPrompt)
	if err != nil {
		return nil, err
	}
	err = d.CheckPrimary(ctx)
	if err == nil {
		err = schemaUp(e, d.url)
	}
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *database) connect(ctx context.Context, open func(url string) (*db.DB, error)) (err error) {
	if d.DB, err = open(d.url); err != nil {
		return err
	}
	d.server, err = d.Check(ctx)
	if d.private == nil {
		return explain(d.url, err)
	}
	return err
}

// why returns the known problem of the database's machine.
func (d *database) why() error {
	if d.private == nil {
		return nil
	}
	return d.private.DiskFull()
}

// close disconnects, and stops the private database unless others use it. It has a timeout of its own, because it also
// runs after the command's context has ended.
func (d *database) close() error {
	if d.files != nil {
		d.files.Close()
	}
	if d.DB != nil {
		d.DB.Close()
	}
	if d.private == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	return d.private.Close(ctx)
}
