package markup

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// attachmentScheme begins the address of a file of the text's ticket, such as attachment:12.
const attachmentScheme = "attachment:"

// AttachmentID returns the id in the address of a file of the text's ticket; ok is false for any other address.
func AttachmentID(address string) (id uint64, ok bool) {
	text, ok := strings.CutPrefix(address, attachmentScheme)
	if !ok {
		return 0, false
	}
	id, err := strconv.ParseUint(text, 10, 63)
	return id, err == nil && id > 0 && text[0] != '0' && text[0] != '+'
}

var looseAttachment = regexp.MustCompile(attachmentScheme + `([1-9][0-9]{0,17})`)

// Attachments returns the ids of files that a text may refer to, each once: more than Render asks for.
func Attachments(source string) (ids []uint64) {
	for _, match := range looseAttachment.FindAllStringSubmatch(source, -1) {
		if id, err := strconv.ParseUint(match[1], 10, 63); err == nil && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// ReplaceAttachments returns a text that refers to other files, by the ids of those that it refers to.
func ReplaceAttachments(source string, others map[uint64]uint64) string {
	return looseAttachment.ReplaceAllStringFunc(source, func(address string) string {
		id, err := strconv.ParseUint(strings.TrimPrefix(address, attachmentScheme), 10, 63)
		if other, ok := others[id]; err == nil && ok {
			return attachmentScheme + strconv.FormatUint(other, 10)
		}
		return address
	})
}

// placeFiles leads links to files of the ticket to where they are here. Others lose their address.
func (r *references) placeFiles(doc ast.Node) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		link, ok := n.(*ast.Link)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		address := string(util.URLEscape(link.Destination, true))
		if _, ok := AttachmentID(address); ok && r.pictures != nil {
			toFile(link, r.pictures(address))
		}
		return ast.WalkContinue, nil
	})
}

func toFile(link *ast.Link, file Picture) {
	if file.Path == "" {
		return
	}
	link.Destination = []byte(file.Path)
	if file.Title != "" {
		link.Title = []byte(file.Title)
	}
	if file.File {
		link.SetAttributeString("class", []byte("file"))
	}
}

// Escape returns a line of plain text as Markdown that shows it as the text of a link.
func Escape(line string) string { return escapes.Replace(line) }

var escapes = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, "`", "\\`", `*`, `\*`, `_`, `\_`, `<`, `\<`)
