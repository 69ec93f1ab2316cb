package markup

import (
	"regexp"
	"strings"
)

// FromJira returns a text in Jira's wiki markup as Markdown: headings, lists, tables, code, quotes, links, emphasis.
// Unknown markup stays as it is written. https://jira.atlassian.com/secure/WikiRendererHelpAction.jspa?section=all
func FromJira(source string) string {
	j := jira{}
	for line := range strings.SplitSeq(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(source), "\n") {
		j.line(line)
	}
	j.closeBlock()
	return strings.TrimSpace(j.out.String())
}

type jira struct {
	out   strings.Builder
	block string // of a macro with literal content: "code", "noformat"
	quote bool   // within {quote} or {panel}
	table bool   // the line before was a row
	list  bool   // or an item
}

var (
	jiraBlock    = regexp.MustCompile(`\{(code|noformat|quote|panel)(:[^}]*)?\}`)
	jiraHeading  = regexp.MustCompile(`^h([1-6])\.\s+(.*)$`)
	jiraItem     = regexp.MustCompile(`^([*#-]+)\s+(.*)$`)
	jiraRule     = regexp.MustCompile(`^-{4,5}\s*$`)
	codeLanguage = regexp.MustCompile(`^[A-Za-z0-9+#-]{1,20}$`)
)

// line adds a line of the source.
func (j *jira) line(line string) {
	if j.block == "" && !jiraBlock.MatchString(line) {
		j.text(line)
		return
	}
	for first := true; first || strings.TrimSpace(line) != ""; first = false {
		if j.block != "" {
			line = j.code(line)
		} else {
			line = j.macro(line)
		}
	}
}

// code adds a line's part of a block of code, and returns what follows the block.
func (j *jira) code(line string) (rest string) {
	code, rest, ends := strings.Cut(line, "{"+j.block+"}")
	if code != "" || !ends {
		j.write(code)
	}
	if ends {
		j.closeBlock()
	}
	return rest
}

// macro adds the text up to the next macro and begins that. It returns what follows.
func (j *jira) macro(line string) (rest string) {
	at := jiraBlock.FindStringSubmatchIndex(line)
	if at == nil {
		j.text(line)
		return ""
	}
	if before := line[:at[0]]; strings.TrimSpace(before) != "" {
		j.text(before)
	}
	options := ""
	if at[4] >= 0 {
		options = line[at[4]+1 : at[5]]
	}
	j.begin(line[at[2]:at[3]], options)
	return line[at[1]:]
}

// begin begins a block, or ends one of those that are not code.
func (j *jira) begin(name, options string) {
	j.table, j.list = false, false
	if name == "quote" || name == "panel" {
		if j.quote = !j.quote; j.quote {
			for option := range strings.SplitSeq(options, "|") {
				if title, ok := strings.CutPrefix(option, "title="); ok && title != "" {
					j.write("**" + inlineJira(title) + "**")
					j.write("")
				}
			}
			return
		}
		j.write("")
		return
	}
	language := ""
	for option := range strings.SplitSeq(options, "|") {
		if codeLanguage.MatchString(option) {
			language = option
		}
	}
	j.write(fence + language)
	j.block = name
}

// fence is longer than any that a text within it may have.
const fence = "````"

func (j *jira) closeBlock() {
	if j.block != "" {
		j.write(fence)
		j.block = ""
	}
}

func (j *jira) write(line string) {
	if j.quote {
		line = strings.TrimRight("> "+line, " ")
	}
	j.out.WriteString(line)
	j.out.WriteByte('\n')
}

func (j *jira) text(line string) {
	trimmed := strings.TrimSpace(line)
	wasTable, wasList := j.table, j.list
	j.table, j.list = false, false
	switch {
	case strings.HasPrefix(trimmed, "||") || strings.HasPrefix(trimmed, "|") && wasTable:
		j.row(trimmed, wasTable)
	case strings.HasPrefix(trimmed, "|") && strings.Count(trimmed, "|") > 2:
		j.row(trimmed, false)
	case jiraRule.MatchString(trimmed):
		j.write("")
		j.write("---")
	case strings.HasPrefix(trimmed, "bq. "):
		j.write("> " + inlineJira(trimmed[4:]))
	default:
		if at := jiraHeading.FindStringSubmatch(trimmed); at != nil {
			j.write(strings.Repeat("#", int(at[1][0]-'0')) + " " + inlineJira(at[2]))
			return
		}
		if at := jiraItem.FindStringSubmatch(trimmed); at != nil && (len(at[1]) == 1 || !strings.HasPrefix(at[1], "--")) {
			j.item(at[1], at[2], wasList)
			return
		}
		if (wasTable || wasList) && trimmed != "" {
			j.write("") // or it would be part of them
		}
		j.write(inlineJira(line))
	}
}

// item is an item of a list, at the depth of its marks: "**" is an item of an item.
func (j *jira) item(marks, text string, continues bool) {
	if !continues {
		j.write("")
	}
	mark := "-"
	if marks[len(marks)-1] == '#' {
		mark = "1."
	}
	indent := ""
	for _, outer := range marks[:len(marks)-1] {
		indent += "  "
		if outer == '#' {
			indent += " "
		}
	}
	j.list = true
	j.write(indent + mark + " " + inlineJira(text))
}

// row is a row of a table. The first one is its header.
func (j *jira) row(line string, continues bool) {
	header := strings.HasPrefix(line, "||")
	if header {
		line = strings.ReplaceAll(line, "||", "|")
	}
	cells := splitCells(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"))
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(inlineJira(strings.TrimSpace(cell)), "|", `\|`)
	}
	if !continues {
		j.write("")
	}
	j.write("| " + strings.Join(cells, " | ") + " |")
	if !continues {
		j.write("|" + strings.Repeat(" --- |", len(cells)))
	}
	j.table = true
}

// splitCells splits a row at each | outside links.
func splitCells(row string) (cells []string) {
	begin, within, last := 0, false, strings.LastIndexByte(row, ']')
	for i, c := range row {
		switch {
		case c == '[':
			within = i < last
		case c == ']':
			within = false
		case c == '|' && !within:
			cells, begin = append(cells, row[begin:i]), i+1
		}
	}
	return append(cells, row[begin:])
}

// Within a line, in the order in which it is replaced. Emphasis begins and ends at the edges of words.
var jiraInline = []struct {
	sign string // that a match must contain
	find *regexp.Regexp
	with string
}{
	{`{`, regexp.MustCompile(`\{color(?::[^}]*)?\}|\{anchor:[^}]*\}`), ""},
	{`[~`, regexp.MustCompile(`\[~(?:accountid:)?([^\]\s]+)\]`), "$1"}, // a handle there may be another member's here
	{`[`, regexp.MustCompile(`\[([^\]|\[]+)\|((?:https?|ftp)://[^\]|\s]+|mailto:[^\]|\s]+)(?:\|[^\]]*)?\]`), "[$1]($2)"},
	{`[`, regexp.MustCompile(`\[((?:https?|ftp)://[^\]|\s]+|mailto:[^\]|\s]+)\]`), "<$1>"},
	{`!http`, regexp.MustCompile(`!(https?://[^!|\s]+)(?:\|[^!]*)?!`), "![]($1)"},
	{`!`, regexp.MustCompile(`(^|\s)!([\w][\w .()-]*\.\w{2,5})(?:\|[^!]*)?!`), "$1`$2`"},
	{`*`, regexp.MustCompile(`(^|[\s(>"'])\*(\S(?:[^*\n]*\S)?)\*($|[\s).,;:!?"'])`), "$1**$2**$3"},
	{`-`, regexp.MustCompile(`(^|[\s(>"'])-(\S(?:[^-\n]*\S)?)-($|[\s).,;:!?"'])`), "$1~~$2~~$3"},
	{`+`, regexp.MustCompile(`(^|[\s(>"'])\+(\S(?:[^+\n]*\S)?)\+($|[\s).,;:!?"'])`), "$1$2$3"},
	{`??`, regexp.MustCompile(`\?\?([^?\n]+)\?\?`), "*$1*"},
	{`\\`, regexp.MustCompile(`\\\\(\s|$)`), "  \n$1"},
}

var jiraMono = regexp.MustCompile(`\{\{(.+?)\}\}`)

// inlineJira converts the content of a line, but not monospaced text.
func inlineJira(line string) string {
	var out strings.Builder
	rest := 0
	for _, at := range jiraMono.FindAllStringSubmatchIndex(line, -1) {
		out.WriteString(replaceJira(line[rest:at[0]]))
		word := line[at[2]:at[3]]
		if strings.Contains(word, "`") {
			out.WriteString("`` " + word + " ``")
		} else {
			out.WriteString("`" + word + "`")
		}
		rest = at[1]
	}
	out.WriteString(replaceJira(line[rest:]))
	return out.String()
}

func replaceJira(text string) string {
	for _, r := range jiraInline {
		if strings.Contains(text, r.sign) {
			text = r.find.ReplaceAllString(text, r.with)
		}
	}
	return text
}
