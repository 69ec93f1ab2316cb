package markup

import (
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

// Remote reports whether the image comes from another host.
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
			list = append(list, Image{string(util.URLEscape(image.Destination, true)), at, at + len(image.Destination)})
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

// shrink shows images by their small copies, as links to the whole ones unless they are in a link.
func (r *references) shrink(doc ast.Node) {
	if r.small == nil {
		return
	}
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
		small := r.small(string(image.Destination))
		if small == "" {
			continue
		}
		if !inLink(image) {
			whole := ast.NewLink()
			whole.Destination, whole.Title = image.Destination, []byte("The whole image") // a name if the image has none
			whole.SetAttributeString("class", []byte("picture"))
			image.Parent().ReplaceChild(image.Parent(), image, whole)
			whole.AppendChild(whole, image)
		}
		image.Destination = []byte(small)
	}
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
