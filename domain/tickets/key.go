package tickets

import (
	"regexp"
	"strconv"
	"strings"
)

// Key is a ticket's name for users, such as NINJA-42: its board's slug and its number there.
type Key struct {
	Board  string
	Number uint64
}

func (k Key) String() string { return k.Board + "-" + strconv.FormatUint(k.Number, 10) }

// MarshalText writes the key as String does.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (k *Key) UnmarshalText(text []byte) (err error) {
	*k, err = ParseKey(string(text))
	return err
}

var keyForm = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9]{1,9})-([1-9][0-9]{0,18})$`)

// ParseKey reads a key, in upper or lower case. It returns NotFound if s is none.
func ParseKey(s string) (Key, error) {
	parts := keyForm.FindStringSubmatch(s)
	if parts == nil {
		return Key{}, NotFound()
	}
	number, err := strconv.ParseUint(parts[2], 10, 63)
	if err != nil {
		return Key{}, NotFound()
	}
	return Key{Board: strings.ToUpper(parts[1]), Number: number}, nil
}
