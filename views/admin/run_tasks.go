package admin

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/counterfoil/counterfoil/domain/migrations"
	"github.com/counterfoil/counterfoil/views"
)

// RunTaskProps is a task with its attempts, the newest first. All shows the payload whole.
type RunTaskProps struct {
	Page     views.Page
	Run      migrations.Run
	Task     migrations.Task
	Attempts []migrations.Attempt
	Label    string // what the task is about
	All      bool
}

// RunQuestion asks before an action that concerns many tasks or cannot be undone.
type RunQuestion struct {
	Page    views.Page
	Run     migrations.Run
	Heading string
	Lines   []string
	Path    string
	Fields  map[string]string
	Button  string // with the number
	Class   string
	Alert   string
}

func (t RunTasks) nothing() string {
	switch {
	case t.Message != "":
		return t.Message
	case t.Next != 0:
		return "No match so far. Search further."
	case t.Run.PurgedAt != nil:
		return "Its tasks were purged."
	case t.Filter.After != "":
		return "No more tasks."
	case t.Filter.Any():
		return "No task matches."
	case t.Run.State == migrations.Open || t.Run.State == migrations.Filling:
		return "Tasks are still being added."
	}
	return "The run has no tasks."
}

// retryable and skippable report whether a task can be retried or skipped by hand, pickable whether both.
func retryable(t migrations.Task) bool {
	return t.State == migrations.TaskFailed || t.State == migrations.TaskWaiting || t.State == migrations.TaskSkipped
}

func skippable(t migrations.Task) bool {
	return t.State == migrations.TaskFailed || t.State == migrations.TaskWaiting || t.State == migrations.TaskOpen
}

func pickable(t migrations.Task) bool { return retryable(t) && skippable(t) }

func (t RunTasks) anyToPick() bool {
	for _, task := range t.Tasks {
		if pickable(task) {
			return true
		}
	}
	return false
}

// head is the beginning of a text, whole characters only.
func head(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// shownPayload is the part of a payload that shows at first, in bytes.
const shownPayload = 4000

// payload is the payload, JSON indented. cut says that there is more.
func (p RunTaskProps) payload() (text string, cut bool) {
	text = p.Task.Payload
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") {
		var b bytes.Buffer
		if json.Indent(&b, []byte(trimmed), "", "  ") == nil && b.Len() <= 2*migrations.MaxPayload {
			text = b.String()
		}
	}
	if !p.All && len(text) > shownPayload {
		return head(text, shownPayload), true
	}
	return text, false
}
