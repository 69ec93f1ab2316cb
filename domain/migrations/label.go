package migrations

import (
	"encoding/json"
	"fmt"
	"strings"
)

// maxLabel is the length of the label of a task, in characters.
const maxLabel = 160

// Label says in a few words, on one line, what a task of the named migration is about. It falls back on what the
// payload holds, without its brackets.
func (e *Engine) Label(name, payload string) string {
	label := ""
	if m, ok := e.registry[name]; ok && m.Label != nil {
		label = m.Label(payload)
	}
	if label = strings.Join(strings.Fields(label), " "); label == "" {
		label = plainPayload(payload)
	}
	return Cut(label, maxLabel)
}

// PayloadFields returns the texts and numbers of a payload that is a JSON object, by name. A payload in a list is cut
// off; of that, those before the cut are returned.
func PayloadFields(payload string) map[string]string {
	fields := map[string]string{}
	_ = eachField(payload, func(name, value string) { fields[name] = value })
	return fields
}

// eachField calls fn for each text, number, true and false of a JSON object, in order. What is nested is left out.
func eachField(payload string, fn func(name, value string)) error {
	in := json.NewDecoder(strings.NewReader(payload))
	in.UseNumber()
	if t, err := in.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("no object: %w", err)
	}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return err
		}
		var value any
		if err := in.Decode(&value); err != nil {
			return err
		}
		switch value.(type) {
		case string, json.Number, bool:
			fn(fmt.Sprint(name), fmt.Sprint(value))
		}
	}
	return nil
}

// plainPayload is a payload on one line, a JSON object as its names and values.
func plainPayload(payload string) string {
	var parts []string
	_ = eachField(payload, func(name, value string) {
		parts = append(parts, strings.ReplaceAll(name, "_", " ")+" "+value)
	})
	if len(parts) > 0 {
		return strings.Join(strings.Fields(strings.Join(parts, ", ")), " ")
	}
	return strings.Join(strings.Fields(payload), " ")
}
