package accounts

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"strings"
	"unicode"
	"unicode/utf8"
)

// commonPasswords are lines in lower case, made by scripts/get-common-passwords: those of the million most common
// passwords that have MinPassword characters. Shorter ones are refused anyway.
//
//go:embed common.txt.gz
var commonPasswords []byte

// isCommon reports whether a password is among the common ones. It reads the list each time, a few milliseconds, rather
// than keep it in memory for what is seldom done.
func isCommon(password string) bool {
	unzipped, err := gzip.NewReader(bytes.NewReader(commonPasswords))
	if err != nil {
		panic("accounts: the list of common passwords: " + err.Error())
	}
	password = strings.ToLower(password)
	lines := bufio.NewScanner(unzipped)
	for lines.Scan() {
		if lines.Text() == password {
			return true
		}
	}
	if err := lines.Err(); err != nil {
		panic("accounts: the list of common passwords: " + err.Error())
	}
	return false
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
