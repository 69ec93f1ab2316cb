package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// isTerminal reports whether w is a terminal on which a bar can be drawn.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) && os.Getenv("TERM") != "dumb"
}

// progress is a bar on the terminal for a command's progress. Without a terminal it shows nothing.
type progress struct {
	env  environment
	step string
	bar  *progressbar.ProgressBar
}

func newProgress(env environment) *progress { return &progress{env: env} }

// at shows the progress of a step. The total may be an estimate; 0 is unknown.
func (p *progress) at(step string, done, total int64) {
	if !p.env.terminal {
		return
	}
	if p.bar == nil || step != p.step {
		p.end()
		p.step, p.bar = step, newBar(p.env.stderr, step, total)
	}
	if total > 0 {
		p.bar.ChangeMax64(max(total, done))
	}
	_ = p.bar.Set64(done) // a bar that cannot be drawn is no reason to stop
}

// note prints a line beside the bar.
func (p *progress) note(format string, args ...any) {
	if p.bar != nil {
		p.bar.Describe(fmt.Sprintf(p.step+" "+format, args...))
	}
}

// end removes the bar.
func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Exit()
		_ = p.bar.Clear()
		p.bar = nil
	}
}

func newBar(w io.Writer, step string, total int64) *progressbar.ProgressBar {
	if total == 0 {
		total = -1
	}
	return progressbar.NewOptions64(
		total, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(step), progressbar.OptionSetWidth(24),
		progressbar.OptionShowCount(), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetSpinnerChangeInterval(0), progressbar.OptionUseANSICodes(true),
	)
}
