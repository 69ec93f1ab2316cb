//go:build screenshots

package e2e

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"

	"github.com/counterfoil/counterfoil/domain/outbound/outboundtest"
)

func TestScreenshots(t *testing.T) {
	t.Setenv("COUNTERFOIL_DOWNLOAD_ALLOW", photosAt)
	a := start(t)
	token := a.setUpByCommand()
	seed := exec.Command("go", "run", "../scripts/seed", a.url, token, email, password)
	if out, err := seed.CombinedOutput(); err != nil {
		t.Fatalf("seed: %v\n%s", err, out)
	}
	b := a.tab(t)
	b.open("/acme/boards/NINJA")
	a.post("/acme/NINJA-7/position", "column", b.columnID("To do"), "after", "")
	a.post("/acme/NINJA-7/position", "column", b.columnID("Doing"), "after", "")
	a.read("/acme")
	run := a.download(b)

	for _, scheme := range []string{"light", "dark"} {
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}})
		call(b, emulation.SetDeviceMetricsOverride,
			emulation.SetDeviceMetricsOverrideParams{Width: 1200, Height: 660, DeviceScaleFactor: 1.5})
		b.open("/acme/boards/NINJA")
		b.shoot("board-" + scheme)
		call(b, emulation.SetDeviceMetricsOverride,
			emulation.SetDeviceMetricsOverrideParams{Width: 1200, Height: 940, DeviceScaleFactor: 1.5})
		b.open("/acme/NINJA-7")
		b.shoot("ticket-" + scheme)
		if scheme == "light" {
			call(b, emulation.SetDeviceMetricsOverride,
				emulation.SetDeviceMetricsOverrideParams{Width: 1280, Height: 900, DeviceScaleFactor: 1.5})
			b.open(run)
			b.shoot("run-" + scheme)
		}
		call(b, emulation.SetDeviceMetricsOverride,
			emulation.SetDeviceMetricsOverrideParams{Width: 390, Height: 720, DeviceScaleFactor: 1.5, Mobile: true})
		call(b, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
		b.open("/acme/boards/NINJA")
		b.shoot("phone-" + scheme)
		call(b, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{})
	}
}

// photosAt is the address of the photos to download: fixed, since the picture shows it.
const photosAt = "127.0.0.1:8085"

// download starts a download of photos, a few of which are lost or broken, throttles it by hand for a moment, and stops
// in its middle. It returns the path of the run.
func (a *env) download(b *tab) string {
	a.t.Helper()
	listener, err := net.Listen("tcp", photosAt)
	b.must(err)
	server := &http.Server{Handler: &photos{asked: map[string]bool{}}}
	go func() { _ = server.Serve(listener) }()
	a.t.Cleanup(func() { _ = server.Close() })
	var list strings.Builder
	list.WriteString("url\n")
	for n := range 4000 {
		fmt.Fprintf(&list, "http://%s/photos/%d.png\n", photosAt, n+1)
	}
	file := filepath.Join(a.t.TempDir(), "harbour-photos.csv")
	b.must(os.WriteFile(file, []byte(list.String()), 0o600))

	const run = "/admin/migrations/runs/1"
	a.migrations("start", "download-images", "company=acme", "source=file", "--file", file, "--prepare")
	a.migrations("knob", "1", "rate=40", "per_host=80", "backoff=8s")
	b.open(run)
	b.wait(`document.getElementById("run-start")`)
	a.migrations("start", "1")
	complete := func(from, to int) {
		for n := from; n <= to; n += 100 { // no single wait is long
			b.wait(fmt.Sprintf(`Number(document.querySelector("#run-progress .tally dd").textContent.replace(",", "")) >= %d`,
				n))
		}
	}
	b.open(run)
	complete(100, 800)
	a.migrations("knob", "1", "throttled=true")
	b.wait(`document.querySelector("#run-head .run-state").textContent.includes("Throttled")`)
	b.wait(fmt.Sprintf(`Date.now() > %d`, time.Now().Add(8*time.Second).UnixMilli())) // so that the chart has a dip
	a.migrations("knob", "1", "throttled=false")
	complete(900, 1600)
	return run
}

func (a *env) migrations(args ...string) {
	a.t.Helper()
	cmd := exec.Command(binary, append([]string{"migrations"}, args...)...)
	cmd.Env = a.env
	if out, err := cmd.CombinedOutput(); err != nil {
		a.t.Fatalf("migrations %v: %v\n%s", args, err, out)
	}
}

// photos are served well but for a few.
type photos struct {
	mu    sync.Mutex
	asked map[string]bool
}

func (p *photos) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var n int
	if _, err := fmt.Sscanf(r.URL.Path, "/photos/%d.png", &n); err != nil {
		http.NotFound(w, r)
		return
	}
	p.mu.Lock()
	again := p.asked[r.URL.Path]
	p.asked[r.URL.Path] = true
	p.mu.Unlock()
	picture := outboundtest.Picture(n, "photo.png")
	switch {
	case n%89 == 0:
		http.NotFound(w, r)
		return
	case n%211 == 0:
		picture = picture[:len(picture)/2]
	case n%31 == 0 && !again:
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	_, _ = w.Write(picture)
}

func (b *tab) shoot(name string) {
	b.t.Helper()
	b.wait(`document.readyState === "complete"`)
	b.frame()
	shot, err := png.Decode(bytes.NewReader(call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{}).Data))
	b.must(err)
	var file bytes.Buffer
	b.must((&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&file, few(shot)))
	b.must(os.MkdirAll("../docs/images", 0o755))
	b.must(os.WriteFile(filepath.Join("../docs/images", name+".png"), file.Bytes(), 0o644))
	if file.Len() > 150_000 {
		b.t.Errorf("%s has %d bytes, which is much for a README", name, file.Len())
	}
}

// few is the picture with its 256 most frequent colours.
func few(shot image.Image) image.Image {
	size := shot.Bounds()
	count := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(shot.At(x, y)).(color.RGBA) }
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	common := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int { return cmp.Compare(count[b], count[a]) })
	var palette color.Palette
	for _, c := range common[:min(256, len(common))] {
		palette = append(palette, c)
	}
	index := map[color.RGBA]uint8{}
	for c := range count {
		index[c] = uint8(palette.Index(c))
	}
	small := image.NewPaletted(size, palette)
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			small.SetColorIndex(x, y, index[at(x, y)])
		}
	}
	return small
}
