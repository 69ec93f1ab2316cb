package importer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/counterfoil/counterfoil/domain/csvfile"
	"github.com/counterfoil/counterfoil/domain/kinds"
	"github.com/counterfoil/counterfoil/domain/labels"
	"github.com/counterfoil/counterfoil/domain/markup"
	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/domain/recurrence"
	"github.com/counterfoil/counterfoil/domain/tickets"
)

// importRow is a row of a file that tickets are imported from: the payload of its task.
type importRow struct {
	Key         string           `json:"key,omitempty"`
	Title       string           `json:"title"`
	Description string           `json:"description,omitempty"` // Markdown
	Status      string           `json:"status,omitempty"`
	Assignees   []string         `json:"assignees,omitempty"`
	Reporter    string           `json:"reporter,omitempty"`
	Created     time.Time        `json:"created,omitzero"`
	Updated     time.Time        `json:"updated,omitzero"`
	Resolved    time.Time        `json:"resolved,omitzero"`
	Priority    string           `json:"priority,omitempty"` // as tickets.Priority has it
	Start       string           `json:"start,omitempty"`    // as tickets.Date has it
	Due         string           `json:"due,omitempty"`
	Recurrence  string           `json:"recurrence,omitempty"` // a rule as domain/recurrence has it
	Labels      []string         `json:"labels,omitempty"`
	Relations   []importRelation `json:"relations,omitempty"`
	Comments    []importComment  `json:"comments,omitempty"`
	Kept        []importField    `json:"kept,omitempty"`
	Notes       []string         `json:"notes,omitempty"` // problems that do not reject the row
}

type importComment struct {
	At     time.Time `json:"at,omitzero"`
	Author string    `json:"author,omitempty"`
	Text   string    `json:"text"`
}

type importField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// The columns that an import asks for, by the names of their parameters, with the names that files give
// them, in lower case.
var importColumns = []struct {
	param, label, help string
	known              []string
}{
	{"title", "Title", "", []string{"summary", "title", "name", "subject"}},
	{"description", "Description", "", []string{"description", "body", "details"}},
	{"status", "Status", "Decides the column of the ticket on the board.",
		[]string{"status", "state", "column", "list"}},
	{"key", "Key", "The ticket's key there, such as OLD-123. It keeps working here. Tickets with a key that was imported before are left as they are.", []string{"issue key", "key", "issue id", "id", "ticket id", "number"}},
	{"assignee", "Assignee", "", []string{"assignee", "assignees", "assigned to", "assignee email"}},
	{"reporter", "Reporter", "The user who created it.", []string{"reporter", "creator", "author", "created by"}},
	{"priority", "Priority", "Names such as highest, high, major, minor are known. Others are kept below the description.",
		[]string{"priority", "severity"}},
	{"start", "Start", "", []string{"start date", "start", "custom field (start date)"}},
	{"due", "Due", "", []string{"due date", "due", "deadline"}},
	{"recurrence", "Repeats", "Rules such as FREQ=WEEKLY;BYDAY=MO, or daily, weekly, monthly, yearly: the next ticket is opened when this one is due. Others are kept below the description.",
		[]string{"recurrence", "recurrence rule", "rrule", "repeats", "repeat"}},
	{"labels", "Labels", "Separated by commas. New names become labels.",
		[]string{"labels", "label", "tags", "tag"}},
	{"created", "Created", "", []string{"created", "created at", "date created", "creation date", "created date"}},
	{"updated", "Updated", "", []string{"updated", "updated at", "last updated", "date modified"}},
	{"resolved", "Resolved", "", []string{"resolved", "closed", "closed at", "resolution date", "done at", "resolved at"}},
	{"comments", "Comments", "Jira has several columns with this name; all are used.", []string{"comment", "comments"}},
}

// jiraKept are the columns of a Jira export whose values are appended to the description.
var jiraKept = []string{
	"Issue Type", "Issue type", "Resolution", "Component/s", "Components", "Affects Version/s",
	"Affects versions", "Fix Version/s",
	"Fix versions", "Sprint", "Environment",
	jiraAttachment,
}

// jiraAttachment is the column of attachments: date, account, name and address, with semicolons between them.
const jiraAttachment = "Attachment"

// attachmentLink makes a link of an attachment of Jira. A picture is shown, so that the migration download-images finds
// it. Other values stay as they are.
func attachmentLink(value string) string {
	parts := strings.Split(value, ";")
	if len(parts) < 4 {
		return value
	}
	address, err := url.Parse(parts[len(parts)-1])
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return value
	}
	name := strings.Join(parts[2:len(parts)-1], ";")
	link := fmt.Sprintf("[%s](<%s>)", markup.Escape(name), address)
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp":
		return "!" + link
	}
	return link
}

// noColumn is the value of a parameter for an ignored column.
const noColumn = "-"

// isJira reports whether a header is that of an export of Jira.
func isJira(columns []string) bool {
	return indexFold(columns, "Issue key") >= 0 && indexFold(columns, "Summary") >= 0
}

func indexFold(list []string, name string) int {
	return slices.IndexFunc(list, func(s string) bool { return strings.EqualFold(s, name) })
}

// importMapping maps the columns of a file to fields.
type importMapping struct {
	of        map[string][]int // by parameter
	kept      []int
	names     []string
	related   []relatedColumn
	relations map[string][]importRelation // of rows, by their keys
	relatedTo uint64                      // the last line whose relations were read
	jira      bool                        // texts are in Jira's markup
	dates     *dates
	now       time.Time
	slugs     map[string]bool // of the keys so far
	lines     keyLines
}

// maxImportSlugs is how many slugs one import reserves for its keys: no board of the company can have them any more.
const maxImportSlugs = 100

// keyLines are the first lines of keys, by a part of their hashes: a file may have many.
type keyLines map[[16]byte]uint64

// maxImportKeys is how many keys of a file are remembered, for some 40 MB. Later repeats are found when they are
// imported.
const maxImportKeys = 1_000_000

// first returns the first line of a key: this one if it is new.
func (k keyLines) first(key string, line uint64) uint64 {
	hash := sha256.Sum256([]byte(key))
	part := [16]byte(hash[:])
	if earlier, ok := k[part]; ok {
		return earlier
	}
	if len(k) < maxImportKeys {
		k[part] = line
	}
	return line
}

// mapColumns finds the columns that the parameters name in a file, and the others by their usual names. It returns
// csvfile.BadFile.
func mapColumns(values migrations.Values, columns []string, now time.Time) (importMapping, error) {
	m := importMapping{of: map[string][]int{}, names: columns, jira: values["markup"] == "jira",
		dates: &dates{monthFirst: values["dates"] == "mdy"}, now: now, slugs: map[string]bool{}, lines: keyLines{}}
	jira := isJira(columns)
	if values["markup"] == "auto" || values["markup"] == "" {
		m.jira = jira
	}
	for _, c := range importColumns {
		name := values[c.param]
		if name == "" {
			name = suggestColumn(columns, c.known)
		}
		if name == "" || name == noColumn {
			continue
		}
		if m.of[c.param] = columnsNamed(columns, name); len(m.of[c.param]) == 0 {
			return m, csvfile.BadFile(fmt.Sprintf("The file has no column “%s” for %s. It has: %s.", name,
				strings.ToLower(c.label), someNames(columns)))
		}
	}
	if len(m.of["title"]) == 0 {
		return m, csvfile.BadFile(fmt.Sprintf("Choose the column with the titles. The file has: %s.", someNames(columns)))
	}
	kept := listOf(values["keep"])
	if len(kept) == 0 && jira {
		kept = jiraKept
	}
	for _, name := range kept {
		m.kept = append(m.kept, columnsNamed(columns, name)...)
	}
	return m, m.mapRelations(values["relations"])
}

// suggestColumn returns the first of some names that a file has.
func suggestColumn(columns, known []string) string {
	for _, name := range known {
		if i := indexFold(columns, name); i >= 0 {
			return columns[i]
		}
	}
	return ""
}

func columnsNamed(columns []string, name string) (at []int) {
	for i, c := range columns {
		if c == name {
			at = append(at, i)
		}
	}
	return at
}

func someNames(columns []string) string {
	unique := slices.Compact(slices.Clone(columns))
	if more := len(unique) - 30; more > 0 {
		return strings.Join(unique[:30], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(unique, ", ")
}

// listOf splits a parameter of several values, one a line; a single line is split at semicolons.
func listOf(value string) (list []string) {
	separator := "\n"
	if !strings.Contains(value, separator) {
		separator = ";"
	}
	for part := range strings.SplitSeq(value, separator) {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// payload makes a row's task, or returns what is wrong with it, for users.
func (m importMapping) payload(row csvfile.Row) (string, error) {
	parsed, err := m.row(row)
	if err != nil {
		return "", err
	}
	if slug, ok := slugOf(parsed.Key); ok && !m.slugs[slug] {
		if len(m.slugs) == maxImportSlugs {
			return "", fmt.Errorf(
				"%s is a key of one project too many: an import takes those of %d, for no board can have their slugs any more. If these are no keys to keep, import without the key.", parsed.Key, maxImportSlugs)
		}
		m.slugs[slug] = true
	}
	if parsed.Key != "" {
		if line := m.lines.first(parsed.Key, row.Line); line != row.Line {
			return "", fmt.Errorf("%s stands on line %d already. Of the rows with one key, the first is taken.", parsed.Key,
				line)
		}
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // it would make tags six times as long
	err = encoder.Encode(parsed)
	return strings.TrimSpace(text.String()), err
}

// catchUp reads the rows up to the cursor of filling, because later rows depend on them.
func (m importMapping) catchUp(ctx context.Context, into migrations.Filler) error {
	return readRows(ctx, into, into.Cursor(), func(row csvfile.Row) {
		_, _ = m.payload(row) // it was accepted or rejected before
	})
}

// readRows has do see the rows of a file that can be read, up to a cursor, all of them if that is empty.
func readRows(ctx context.Context, into migrations.Filler, to string, do func(csvfile.Row)) error {
	upload, err := into.Upload(ctx)
	if err != nil {
		return fmt.Errorf("open file: %w", err)
	}
	defer upload.Close()
	file, err := csvfile.Open(upload, kinds.CSVOptions(into.Values()))
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		row, err := file.Next()
		var bad csvfile.BadRow
		switch {
		case errors.As(err, &bad):
			row.Cursor = bad.Cursor
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		default:
			do(row)
		}
		if row.Cursor == to {
			return nil
		}
	}
	return ctx.Err()
}

// first returns the first value of a row for a parameter.
func (m importMapping) first(fields []string, param string) string {
	for _, at := range m.of[param] {
		if text := strings.TrimSpace(fields[at]); text != "" {
			return text
		}
	}
	return ""
}

func (m importMapping) row(in csvfile.Row) (importRow, error) {
	fields := in.Fields
	first := func(param string) string { return m.first(fields, param) }
	row := importRow{Status: markup.Flat(first("status")), Reporter: markup.Flat(first("reporter"))}
	for _, at := range m.of["assignee"] {
		for name := range strings.SplitSeq(fields[at], ";") {
			if name = markup.Flat(name); name != "" && !slices.Contains(row.Assignees, name) {
				row.Assignees = append(row.Assignees, name)
			}
		}
	}
	row.Created = m.date(&row, "created", first("created"))
	row.Updated = m.date(&row, "updated", first("updated"))
	row.Resolved = m.date(&row, "resolved", first("resolved"))
	row.priority(markup.Flat(first("priority")))
	row.Start = m.day(&row, "start", first("start"))
	row.Due = m.day(&row, "due", first("due"))
	row.repeats(markup.Flat(first("recurrence")))
	for _, at := range m.of["labels"] {
		row.label(fields[at])
	}
	row.Description = m.markdown(first("description"))
	for _, at := range m.of["comments"] {
		if text := strings.TrimSpace(fields[at]); text != "" {
			row.Comments = append(row.Comments, m.comment(text))
		}
	}
	for _, at := range m.kept {
		if value := markup.Flat(fields[at]); value != "" {
			if m.jira && m.names[at] == jiraAttachment {
				value = attachmentLink(value)
			}
			row.keep(kinds.Truncate(markup.Flat(m.names[at]), 100), value)
		}
	}
	err := m.name(&row, first("key"), first("title"))
	m.relate(&row, fields, in.Line)
	return row, err
}

// name sets the row's key and title, or returns what is wrong with them.
func (m importMapping) name(row *importRow, key, title string) (err error) {
	row.Key = rowKey(key)
	if n := utf8.RuneCountInString(row.Key); n > tickets.MaxOrigin {
		return fmt.Errorf("The key has %d characters; it may have %d.", n, tickets.MaxOrigin)
	}
	whole := markup.Flat(title)
	if row.Title, err = tickets.ParseTitle(kinds.Truncate(whole, tickets.MaxTitle)); err != nil {
		return fmt.Errorf("The row has no title.")
	}
	if row.Title != whole {
		row.Description = strings.TrimSpace("**" + whole + "**\n\n" + row.Description)
		row.Notes = append(row.Notes, "the title is long, and stands whole in the description")
	}
	return nil
}

func (row *importRow) keep(name, value string) {
	for i, one := range row.Kept {
		if one.Name == name {
			row.Kept[i].Value += ", " + value
			return
		}
	}
	row.Kept = append(row.Kept, importField{name, value})
}

func (m importMapping) markdown(text string) string {
	text = clean(text)
	if m.jira {
		text = markup.FromJira(text)
	}
	return strings.TrimSpace(text)
}

// comment parses Jira's “date;author;text”.
func (m importMapping) comment(text string) importComment {
	parts := strings.SplitN(text, ";", 3)
	if len(parts) == 3 {
		if at, ok := m.dates.parse(parts[0]); ok {
			return importComment{At: m.bound(at), Author: markup.Flat(parts[1]), Text: m.markdown(parts[2])}
		}
	}
	return importComment{Text: m.markdown(text)}
}

func (m importMapping) date(row *importRow, what, text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	at, ok := m.dates.parse(text)
	if at = m.bound(at); !ok || at.IsZero() {
		row.Notes = append(row.Notes, fmt.Sprintf("“%s” is no date that can be taken for %s",
			kinds.Truncate(markup.Flat(text), 40), what))
	}
	return at
}

var plainRules = map[string]string{"DAILY": "FREQ=DAILY", "WEEKLY": "FREQ=WEEKLY", "MONTHLY": "FREQ=MONTHLY",
	"YEARLY": "FREQ=YEARLY"}

// repeats takes the rule of a cell. What is no rule is kept.
func (row *importRow) repeats(cell string) {
	text := strings.TrimPrefix(strings.ToUpper(cell), "RRULE:")
	if text == "" {
		return
	}
	rule, err := recurrence.Parse(cmp.Or(plainRules[text], text))
	if err != nil {
		row.keep("Repeats", cell)
		row.Notes = append(row.Notes, fmt.Sprintf("“%s” is no rule that tickets can repeat by", kinds.Truncate(cell, 40)))
		return
	}
	row.Recurrence = rule.String()
}

// label takes the labels of a cell. What is no label is kept.
func (row *importRow) label(cell string) {
	for text := range strings.FieldsFuncSeq(cell, func(r rune) bool { return r == ',' || r == ';' }) {
		if strings.TrimSpace(text) == "" {
			continue
		}
		name, err := labels.ParseName(text)
		switch {
		case err == nil && slices.ContainsFunc(row.Labels, func(had string) bool { return strings.EqualFold(had, name) }):
		case err == nil && len(row.Labels) < labels.MaxOnTicket:
			row.Labels = append(row.Labels, name)
		default:
			name = kinds.Truncate(markup.Flat(text), 100)
			row.keep("Label", name)
			row.Notes = append(row.Notes, fmt.Sprintf("the label “%s” is left out", kinds.Truncate(name, 40)))
		}
	}
}

// priorities are those of other trackers.
var priorities = map[string]tickets.Priority{
	"none": tickets.NoPriority, "no priority": tickets.NoPriority, "not set": tickets.NoPriority, "undefined": tickets.NoPriority,
	"lowest": tickets.Low, "low": tickets.Low, "trivial": tickets.Low, "minor": tickets.Low,
	"medium": tickets.Medium, "normal": tickets.Medium,
	"high": tickets.High, "major": tickets.High,
	"highest": tickets.Urgent, "urgent": tickets.Urgent, "critical": tickets.Urgent, "blocker": tickets.Urgent,
	"immediate": tickets.Urgent,
}

// priority takes a priority by its name, and keeps one that is unknown.
func (row *importRow) priority(name string) {
	if name == "" {
		return
	}
	known, ok := priorities[strings.ToLower(name)]
	if !ok {
		row.keep("Priority", name)
		row.Notes = append(row.Notes, fmt.Sprintf("the priority “%s” is not known", kinds.Truncate(name, 40)))
		return
	}
	row.Priority = known.String()
}

// day returns a date as tickets.Date has it: midnight is the day. One that cannot be read is kept.
func (m importMapping) day(row *importRow, what, text string) string {
	if text == "" {
		return ""
	}
	d, err := tickets.ParseDate(what, text)
	if err != nil {
		at, ok := m.dates.parse(text)
		if d = tickets.Moment(at); at.Equal(at.Truncate(24 * time.Hour)) {
			d = tickets.Day(at.Date())
		}
		if _, err := tickets.ParseDate(what, d.String()); !ok || err != nil {
			row.keep(strings.ToUpper(what[:1])+what[1:], markup.Flat(text))
			row.Notes = append(row.Notes, fmt.Sprintf("“%s” is no date that can be taken for %s",
				kinds.Truncate(markup.Flat(text), 40), what))
			return ""
		}
	}
	return d.String()
}

// earliest is the first valid year of a date.
const earliest = 1980

// bound returns a time that can be one of a ticket, or the zero time.
func (m importMapping) bound(at time.Time) time.Time {
	if at.Year() < earliest || at.After(m.now.AddDate(0, 0, 1)) {
		return time.Time{}
	}
	return at.UTC().Truncate(time.Microsecond)
}

// clean removes characters that a ticket's texts cannot have.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' {
			return -1
		}
		return r
	}, text)
}
