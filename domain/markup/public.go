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
		return hideInHTML(plain(source)), nil
	}
	content := []byte(source)
	doc := markdown.Parser().Parse(text.NewReader(content))
	if swells(doc, len(source)) {
		return hideInHTML(plain(source)), nil
	}
	replaceImages(doc, content)
	var html bytes.Buffer
	if err := markdown.Renderer().Render(&html, content, doc); err != nil {
		return "", fmt.Errorf("render markdown: %w", err)
	}
	return hideInHTML(accessible.Replace(publicPolicy.SanitizeReader(&html).String())), nil
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

// emailForm is looser than what is an email address: it also matches one in an address of a page, with characters that
// do not show, and with the signs for @ and . of East Asian texts.
var emailForm = regexp.MustCompile(
	`[\p{L}\p{M}\p{N}\p{Cf}.!#$%*+^_{|}~-]+(?:[@\x{FF20}\x{FE6B}]|%(?:25)*40)` +
		`(?:[\p{L}\p{M}\p{N}\p{Cf}-]+(?:[.\x{3002}\x{FF0E}\x{FF61}]|%(?:25)*2[Ee]))+(?:[\p{L}\p{Cf}]{2,}|xn--[\p{L}\p{N}-]+)`)

const hiddenAddress = "[address hidden]"

// HideAddresses replaces the email addresses in a text.
func HideAddresses(s string) string { return emailForm.ReplaceAllLiteralString(s, hiddenAddress) }

// tagForm is a tag of sanitised HTML, where > is escaped in attributes.
var tagForm = regexp.MustCompile(`<[^>]*>`)

// hideInHTML replaces the email addresses in sanitised HTML: in attributes, and in what is read, through which tags may
// go.
func hideInHTML(html string) string {
	tags := tagForm.FindAllStringIndex(html, -1)
	var text strings.Builder
	end := 0
	for _, tag := range tags {
		text.WriteString(html[end:tag[0]])
		end = tag[1]
	}
	text.WriteString(html[end:])
	read, found := text.String(), emailForm.FindAllStringIndex(text.String(), -1)

	var out strings.Builder
	at := 0 // in what is read
	write := func(to int) {
		for at < to {
			switch {
			case len(found) == 0 || found[0][0] >= to:
				out.WriteString(read[at:to])
				at = to
			case at < found[0][0]:
				out.WriteString(read[at:found[0][0]])
				at = found[0][0]
			default:
				if at == found[0][0] {
					out.WriteString(hiddenAddress)
				}
				if at = min(to, found[0][1]); at == found[0][1] {
					found = found[1:]
				}
			}
		}
	}
	end = 0
	for _, tag := range tags {
		write(at + tag[0] - end)
		out.WriteString(HideAddresses(html[tag[0]:tag[1]]))
		end = tag[1]
	}
	write(len(read))
	return out.String()
}
