package main

import (
	"regexp"
	"strings"
)

// label matches the code before a string of one word that is shown.
var label = regexp.MustCompile(`(textContent|ariaLabel|title)( =|:) $|note\(.*\[$`)

// ofScript returns the texts of a script.
func ofScript(_, source string) ([]string, error) {
	s := &script{source: source}
	s.read(func() bool { return s.at >= len(s.source) })
	return s.texts, nil
}

// script is a reader of the strings in JavaScript.
type script struct {
	source string
	at     int
	texts  []string
}

func (s *script) read(ended func() bool) {
	for !ended() {
		rest := s.source[s.at:]
		switch c := rest[0]; {
		case strings.HasPrefix(rest, "//") && (s.at == 0 || strings.ContainsRune(" \t\n", rune(s.source[s.at-1]))):
			line, _, _ := strings.Cut(rest, "\n")
			s.at += len(line)
		case c == '/' && expression.MatchString(s.source[max(0, s.at-40):s.at]):
			s.regexp()
		case c == '\'' || c == '"' || c == '`':
			s.literal(c)
		default:
			s.at++
		}
	}
}

// expression is what ends before a regular expression; behind anything else a slash divides.
var expression = regexp.MustCompile(`[(=,:\[!&|?{};]\s*$|\breturn $`)

// regexp passes over a regular expression, in which quotes are no strings.
func (s *script) regexp() {
	class := false
	for s.at++; class || s.source[s.at] != '/'; s.at++ {
		switch s.source[s.at] {
		case '\\':
			s.at++
		case '[':
			class = true
		case ']':
			class = false
		}
	}
	s.at++
}

// literal reads a string; a value in a template is a hole.
func (s *script) literal(quote byte) {
	start := s.at
	var text strings.Builder
	for s.at++; s.source[s.at] != quote; s.at++ {
		switch {
		case quote == '`' && strings.HasPrefix(s.source[s.at:], "${"):
			s.value()
			text.WriteString(hole)
		case s.source[s.at] == '\\':
			s.at++
		default:
			text.WriteByte(s.source[s.at])
		}
	}
	s.at++
	line := s.source[strings.LastIndexByte(s.source[:start], '\n')+1 : start]
	if isSentence(text.String()) || label.MatchString(line) {
		s.texts = append(s.texts, text.String())
	}
}

// value reads ${…} up to its closing brace.
func (s *script) value() {
	s.at++
	depth := 0
	s.read(func() bool {
		switch s.source[s.at] {
		case '{':
			depth++
		case '}':
			depth--
		}
		return depth == 0
	})
}
