package markup

import (
	"bytes"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// RenderPublic is Render for strangers: without links into the app, without marks of members, and with email addresses
// hidden. An image is a link if it comes from another host, else its text alone: ours are served to members.
func RenderPublic(source string) (string, error) {
	if tooCostly(source) {
		return HideAddresses(plain(source)), nil
	}
	content := []byte(source)
	doc := markdown.Parser().Parse(text.NewReader(content))
	if swells(doc, len(source)) {
		return HideAddresses(plain(source)), nil
	}
	replaceImages(doc, content)
	var html bytes.Buffer
	if err := markdown.Renderer().Render(&html, content, doc); err != nil {
		return "", fmt.Errorf("render markdown: %w", err)
	}
	return HideAddresses(accessible.Replace(publicPolicy.SanitizeReader(&html).String())), nil
}

var publicPolicy = newPolicy().
	AllowRelativeURLs(false).
	AllowURLSchemeWithCustomPolicy("mailto", func(*url.URL) bool { return false })

// replaceImages replaces each image by a link to it, or by its text.
func replaceImages(doc ast.Node, source []byte) {
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
		words := "Image"
		if alt := wordsOf(image, source); alt != "" {
			words += ": " + alt
		}
		var with ast.Node = ast.NewString([]byte(words))
		if (Image{Address: string(image.Destination)}).Remote() && !inLink(image) {
			anchor := ast.NewLink()
			anchor.Destination = image.Destination
			anchor.AppendChild(anchor, with)
			with = anchor
		}
		image.Parent().ReplaceChild(image.Parent(), image, with)
	}
}

// wordsOf is the text of an image, without its markup.
func wordsOf(image *ast.Image, source []byte) string {
	var words strings.Builder
	_ = ast.Walk(image, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if one, ok := n.(*ast.Text); ok && entering {
			words.Write(one.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return words.String()
}

// emailForm is looser than what is an email address: it also matches one in an address of a page.
var emailForm = regexp.MustCompile(
	`[\p{L}\p{M}\p{N}._%+~-]+(?:@|%40)(?:[\p{L}\p{M}\p{N}-]+\.)+(?:\p{L}{2,}|xn--[\p{L}\p{N}-]+)`)

// HideAddresses replaces the email addresses in a text or in HTML.
func HideAddresses(s string) string { return emailForm.ReplaceAllLiteralString(s, "[address hidden]") }
