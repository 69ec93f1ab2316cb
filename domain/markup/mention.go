package markup

import (
	"bytes"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// Namer returns the name of the member with a handle such as ana, or "" if there is none. Handles are in lower case,
// without the @.
type Namer func(handle string) string

var handleForm = regexp.MustCompile(`@([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}[A-Za-z0-9])?)`)

// Handles returns possible handles in a text, each once: more than Mentions does, and faster.
func Handles(source string) []string {
	var handles []string
	known := map[string]bool{}
	for _, at := range handlesIn([]byte(source), 0, len(source)) {
		if handle := strings.ToLower(source[at.start+1 : at.stop]); !known[handle] {
			known[handle] = true
			handles = append(handles, handle)
		}
	}
	return handles
}

// Mentions returns the handles that Render asks for, each once, in the order of the text: none in code or links.
func Mentions(source string) []string {
	if len(Handles(source)) == 0 || tooCostly(source) {
		return nil
	}
	var handles []string
	collect := func(handle string) string {
		if !slices.Contains(handles, handle) && len(handles) < maxMentions {
			handles = append(handles, handle)
		}
		return ""
	}
	nowhere := func(string) string { return "" }
	parse(source, &references{link: nowhere, members: collect})
	return handles
}

// maxMentions is how many handles of a text are read.
const maxMentions = 500

// refSpan is the position of a reference in a source.
type refSpan struct{ start, stop int }

// handlesIn returns where handles begin and end in a part of a source. A letter, a digit or a character that joins
// words before the @ or behind the handle makes it part of something else, such as an email address.
func handlesIn(source []byte, from, to int) []refSpan {
	if bytes.IndexByte(source[from:to], '@') < 0 {
		return nil
	}
	var list []refSpan
	for _, at := range handleForm.FindAllIndex(source[from:to], -1) {
		start, stop := from+at[0], from+at[1]
		before, _ := utf8.DecodeLastRune(source[:start])
		after, _ := utf8.DecodeRune(source[stop:])
		if start > 0 && (wordy(before) || strings.ContainsRune(`@./\-+=`, before)) ||
			stop < len(source) && (wordy(after) || strings.ContainsRune(`@/`, after)) {
			continue
		}
		list = append(list, refSpan{start, stop})
	}
	return list
}

func wordy(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// mention is the mark of a member in a text. The name is its title.
func mention(text []byte, name string) ast.Node {
	s := ast.NewString([]byte(`<span class="mention" title="` + html.EscapeString(name) + `">` +
		html.EscapeString(string(text)) + `</span>`))
	s.SetCode(true) // the sanitizer runs after it
	return s
}
