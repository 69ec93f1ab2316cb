package markup

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Image is the source of an image in a text, in place or in a reference's definition. The source from Start to End may
// be written otherwise than its address.
type Image struct {
	Address    string
	Start, End int // bytes of the source
}

// Remote reports whether the image can be fetched from another host.
func (i Image) Remote() bool {
	scheme, rest, _ := strings.Cut(i.Address, "//")
	scheme = strings.ToLower(scheme)
	return rest != "" && (scheme == "" || scheme == "http:" || scheme == "https:")
}

// Images returns a text's images in the order of the source: those that Render shows, none in code or in HTML.
func Images(source string) []Image {
	if !strings.Contains(source, "![") || tooCostly(source) {
		return nil
	}
	content := []byte(source)
	doc := markdown.Parser().Parse(text.NewReader(content))
	if swells(doc, len(source)) {
		return nil
	}
	var list []Image
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		image, ok := n.(*ast.Image)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		if at, ok := within(content, image.Destination); ok {
			list = append(list, Image{addressOf(image), at, at + len(image.Destination)})
		}
		return ast.WalkSkipChildren, nil // an image in its text is not shown
	})
	slices.SortFunc(list, func(a, b Image) int { return a.Start - b.Start })
	return slices.Compact(list) // a definition may be used often
}

// within returns where part begins in whole; ok is false if it is a copy. The parser keeps no positions of addresses,
// but slices of the source, unless it replaced tabs before a line's text by spaces.
func within(whole, part []byte) (at int, ok bool) {
	at = cap(whole) - cap(part)
	return at, len(part) > 0 && at >= 0 && at+len(part) <= len(whole) && &whole[at] == &part[0]
}

// ReplaceImages replaces an image's address in a text, and returns how often. The new address has letters, digits and
// -./:_ only. Nothing else of the text changes.
func ReplaceImages(source, address, with string) (string, int) {
	n := 0
	for _, image := range slices.Backward(Images(source)) {
		if image.Address == address {
			source = source[:image.Start] + with + source[image.End:]
			n++
		}
	}
	return source, n
}

// Picture is an image that can be shown, or a file of the text's ticket. The zero Picture is neither.
type Picture struct {
	Path  string // where it is here
	Small string // where its small copy is, "" if it has none
	File  bool   // it is no image, and only linked
	Title string // of a file: its type and size
}

// Pictures returns the picture of an image's address, or the file of an address such as attachment:12.
type Pictures func(address string) Picture

// place shows images by their small copies, as links to the whole ones unless they are in a link. One of another host
// without a copy here becomes a link to it, so that no reader's browser asks that host.
func (r *references) place(doc ast.Node, source []byte) {
	var list []*ast.Image
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		image, ok := n.(*ast.Image)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		list = append(list, image)
		return ast.WalkSkipChildren, nil
	})
	for _, image := range list {
		address := addressOf(image)
		var picture Picture
		if r.pictures != nil {
			picture = r.pictures(address)
		}
		switch {
		case picture.File:
			toFile(leaveOut(image, source), picture)
		case picture != Picture{}:
			show(image, picture)
		case !isLocal(address):
			leaveOut(image, source)
		}
	}
}

func addressOf(image *ast.Image) string { return string(util.URLEscape(image.Destination, true)) }

// isLocal reports whether every browser reads an address as one of this server.
func isLocal(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Scheme == "" && u.Host == "" && u.Opaque == "" && !strings.ContainsAny(address, "\\\t\n\r") &&
		!strings.HasPrefix(address, "//")
}

func show(image *ast.Image, picture Picture) {
	image.Destination = []byte(picture.Path)
	if picture.Small == "" {
		return
	}
	if !inLink(image) {
		whole := ast.NewLink()
		whole.Destination, whole.Title = image.Destination, []byte("The whole image") // a name if the image has none
		whole.SetAttributeString("class", []byte("picture"))
		image.Parent().ReplaceChild(image.Parent(), image, whole)
		whole.AppendChild(whole, image)
	}
	image.Destination = []byte(picture.Small)
}

// leaveOut replaces an image by a link to it, which it returns, or by its text if it is in a link.
func leaveOut(image *ast.Image, source []byte) *ast.Link {
	text, link := ast.NewString(altOf(image, source)), ast.NewLink()
	if inLink(image) {
		image.Parent().ReplaceChild(image.Parent(), image, text)
		return link
	}
	link.Destination, link.Title = image.Destination, image.Title
	link.AppendChild(link, text)
	image.Parent().ReplaceChild(image.Parent(), image, link)
	return link
}

// altOf is the text of an image, as it is written, or what stands for it.
func altOf(image *ast.Image, source []byte) []byte {
	var alt []byte
	_ = ast.Walk(image, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				alt = append(alt, n.Segment.Value(source)...)
				if n.SoftLineBreak() || n.HardLineBreak() {
					alt = append(alt, ' ')
				}
			}
		case *ast.AutoLink:
			if entering {
				alt = append(alt, n.Label(source)...)
			}
		}
		return ast.WalkContinue, nil
	})
	if len(bytes.TrimSpace(alt)) > 0 {
		return alt
	}
	if u, err := url.Parse(addressOf(image)); err == nil && u.Host != "" {
		return []byte("image of " + u.Hostname())
	}
	return []byte("image")
}

// inLink reports whether a node is within a link.
func inLink(n ast.Node) bool {
	for n = n.Parent(); n != nil; n = n.Parent() {
		if n.Kind() == ast.KindLink {
			return true
		}
	}
	return false
}
