package labels

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/counterfoil/counterfoil/db"
	"github.com/counterfoil/counterfoil/domain/color"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"github.com/counterfoil/counterfoil/domain/markup"
)

const (
	// MaxLabels is how many live labels a company has.
	MaxLabels = 500
	// MaxOnTicket is how many labels a ticket has.
	MaxOnTicket = 50
	// MaxName is how many characters the name of a label has.
	MaxName = 40
	// RestoreFor is how long a label can be restored after it was deleted or merged.
	RestoreFor = 30 * 24 * time.Hour
	// maxShown is how many labels and old names are shown as one label.
	maxShown = 1000
)

// Color is one of twelve colours.
type Color = color.Color

// ParseColor reads what String returns; "" is the colour that a name gets by itself. It returns BadColor.
func ParseColor(text, name string) (Color, error) {
	if text == "" {
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(strings.ToLower(name)))
		return Color(sum.Sum32() % uint32(len(color.Names))), nil
	}
	c, ok := color.Parse(text)
	if !ok {
		return 0, BadColor(text)
	}
	return c, nil
}

// Label is a label.
type Label struct {
	ID    id.Label `json:"id"`
	Name  string   `json:"name"`
	Color Color    `json:"color"`

	Board   id.Board   `json:"-"` // 0 for all boards
	Slug    string     `json:"-"` // of the board, where it is read
	Ended   *time.Time `json:"-"` // it was deleted or merged then
	LeadsTo id.Label   `json:"-"` // what it was merged into, 0 for none
	ShownAs id.Label   `json:"-"` // the end of that way, 0 for itself
	Into    string     `json:"-"` // the name of that, where it is read
}

// Live reports whether the label was neither deleted nor merged.
func (l Label) Live() bool { return l.Ended == nil }

// ParseName returns s as the name of a label: trimmed, one line, 1 to MaxName characters without a comma. It returns
// BadName.
func ParseName(s string) (string, error) {
	name, length, ok := markup.Line(s)
	if !ok || length == 0 || length > MaxName || strings.Contains(name, ",") {
		return "", BadName(name, length)
	}
	return name, nil
}

// ParseNames returns the names of the labels of a ticket as they are stored, or all that is wrong with them: BadName or
// TooManyOnTicket.
func ParseNames(list []string) (names []string, err error) {
	if len(list) > MaxOnTicket {
		return nil, TooManyOnTicket()
	}
	var wrong []error
	for _, text := range list {
		name, err := ParseName(text)
		var bad fault.Error
		if errors.As(err, &bad) {
			bad.Field = "labels"
			wrong = append(wrong, bad)
		}
		names = append(names, name)
	}
	return names, fault.Join(wrong...)
}

// FromJSON reads a list of labels as statements have it, sorted by name. It is empty for "".
func FromJSON(text string) ([]Label, error) {
	if text == "" || text == "[]" {
		return nil, nil
	}
	var list []Label
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, fmt.Errorf("read labels: %w", err)
	}
	return Sorted(list), nil
}

// Sorted returns labels by name, each once: a ticket may have several that are shown as one.
func Sorted(list []Label) []Label {
	slices.SortFunc(list, func(a, b Label) int {
		if n := strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)); n != 0 {
			return n
		}
		return int(a.ID) - int(b.ID)
	})
	return slices.CompactFunc(list, func(a, b Label) bool { return a.ID == b.ID })
}

// Names are the names of labels, with commas between them.
func Names(list []Label) string {
	names := make([]string, len(list))
	for i, l := range list {
		names[i] = l.Name
	}
	return strings.Join(names, ", ")
}

func fromRow(row db.Label) Label {
	return Label{ID: row.ID, Name: row.Name, Color: Color(row.Color), Board: row.BoardID, Ended: row.EndedAt,
		LeadsTo: row.LeadsTo, ShownAs: row.ShownAs}
}
