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
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
)

// The board of the README.
var story = map[string][]string{
	"To do": {
		"Order 40 kg of sorbitol before the price goes up",
		"Write the checklist for cold mornings: who arms, who watches, who has the key",
		"Parachute opens late when it is damp",
		"Paint the fins so that we find them in the corn",
		"Invite the school for the April launch",
		"Second radio for the far post",
	},
	"Doing": {
		"Static test of the new nozzle, 12 s at full thrust",
		"Guide vanes wobble above Mach 0.8",
		"Ask the farmer about the north field",
	},
	"Done": {
		"Move the igniters into the dry store",
		"Licence for the 433 MHz telemetry",
		"Spare battery for the launch box",
		"Weigh everything twice",
	},
}

const nozzle = `The new nozzle has a **throat of 14 mm** and came back from the shop on Tuesday. NINJA-8 says what went wrong with the old one.

- [x] Thrust stand from Jo
- [x] Two fire extinguishers
- [ ] Film it from the side

` + "```" + `
burn --seconds 12 --rate 1000 > nozzle-14mm.csv
` + "```" + `

| Run | Chamber | Thrust | Remark |
|-----|---------|--------|--------|
| 1 | 31 bar | 412 N | steady |
| 2 | 38 bar | 505 N | slight chuffing at 9 s |

> Nobody closer than 30 m, and no phones.`

func TestScreenshots(t *testing.T) {
	a := withBoard(t)
	b := a.tab(t)
	b.open("/acme/boards/NINJA")
	for _, column := range []string{"To do", "Doing", "Done"} {
		for _, title := range story[column] {
			a.post("/acme/boards/NINJA/tickets", "title", title, "column", b.columnID(column))
		}
	}
	a.post("/acme/NINJA-7", "title", story["Doing"][0], "description", nozzle, "version", "1")
	a.post("/acme/NINJA-7/position", "column", b.columnID("To do"), "after", "")
	a.post("/acme/NINJA-7/position", "column", b.columnID("Doing"), "after", "")
	a.read("/acme")

	for _, scheme := range []string{"light", "dark"} {
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 1200, Height: 660, DeviceScaleFactor: 1.5})
		b.open("/acme/boards/NINJA")
		b.shoot("board-" + scheme)
		call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 1200, Height: 720, DeviceScaleFactor: 1.5})
		b.open("/acme/NINJA-7")
		b.shoot("ticket-" + scheme)
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
