//go:build screenshots

package e2e

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
)

func TestScreenshots(t *testing.T) {
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

	for _, scheme := range []string{"light", "dark"} {
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}})
		call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 1200, Height: 660, DeviceScaleFactor: 1.5})
		b.open("/acme/boards/NINJA")
		b.shoot("board-" + scheme)
		call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 1200, Height: 940, DeviceScaleFactor: 1.5})
		b.open("/acme/NINJA-7")
		b.shoot("ticket-" + scheme)
		call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 390, Height: 720, DeviceScaleFactor: 1.5, Mobile: true})
		call(b, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
		b.open("/acme/boards/NINJA")
		b.shoot("phone-" + scheme)
		call(b, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{})
	}
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
