package accounts

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// commonPasswords are lines in lower case, sorted by bytes, made by scripts/get-common-passwords: those of the million most common
// passwords that have MinPassword characters. Shorter ones are refused anyway.
//
//go:embed common.txt.gz
var commonPasswords []byte

// commonLines are the lines of commonPasswords, sorted: 1.3 MB once the first password was chosen or used to sign in.
// To read the list each time takes 10 ms of the processor.
var commonLines = sync.OnceValue(func() []string {
	unzipped, err := gzip.NewReader(bytes.NewReader(commonPasswords))
	if err != nil {
		panic("accounts: the list of common passwords: " + err.Error())
	}
	text, err := io.ReadAll(unzipped)
	if err != nil {
		panic("accounts: the list of common passwords: " + err.Error())
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
})

// isCommon reports whether a password is among the common ones.
func isCommon(password string) bool {
	_, found := slices.BinarySearch(commonLines(), strings.ToLower(password))
	return found
}

// CheckPassword returns an error if s is no good choice: BadPassword, CommonPassword, or NamedPassword if it is one of
// names, such as the user's address or the company's name, also with other digits and signs around and between.
func CheckPassword(s string, names ...string) error {
	if err := checkLength(s); err != nil {
		return err
	}
	if isCommon(s) {
		return CommonPassword()
	}
	letters := lettersOf(s)
	for _, name := range names {
		local, _, _ := strings.Cut(name, "@")
		if letters != "" && (letters == lettersOf(name) || letters == lettersOf(local)) {
			return NamedPassword()
		}
	}
	return nil
}

// lettersOf are the letters of a text in lower case.
func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// checkLength returns BadPassword if s is too short or too long for a password.
func checkLength(s string) error {
	if utf8.RuneCountInString(s) < MinPassword || len(s) > MaxPassword || !utf8.ValidString(s) {
		return BadPassword(len(s))
	}
	return nil
}
