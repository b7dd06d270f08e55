package parse

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// rakeFormat reads why Rake gave up. "Command failed with status" restates
// the failure of the command, which has said why.
var rakeFormat = Format{
	Name:     "rake",
	About:    "Rake, and Thor's and Capistrano's way to abort",
	Triggers: []string{"Command failed with status (", "Don't know how to build task"},
	Starts:   []string{"rake aborted!", "cap aborted!", "(Backtrace restricted"},
	New:      stateless(matchRake),
}

func matchRake(s *Scan, l Line) bool {
	text := l.Trim()
	switch {
	case text == "rake aborted!", text == "cap aborted!":
		s.Block((&rakeBlock{s: s}).line)
		return true
	case strings.HasPrefix(text, "Command failed with status ("), strings.HasPrefix(text, "Don't know how to build task"):
		s.Add(Draft{Weight: Repeat, Event: store.Event{Message: text, Category: store.CategoryBuild}})
		return true
	}
	return false
}

// rakeBlock reads the message below "rake aborted!", and the frames.
type rakeBlock struct {
	s      *Scan
	d      *Draft
	lines  int
	frames bool
	trace  rubyTrace
}

func (b *rakeBlock) line(l Line) Verdict {
	text := l.Trim()
	b.lines++
	if b.d == nil {
		if text == "" {
			if b.lines > 3 {
				return Done
			}
			return Take
		}
		b.begin(text)
		return Take
	}
	switch {
	case text == "(See full trace by running task with --trace)":
		b.d.Extend(l)
		return Last
	case strings.HasPrefix(text, "Tasks: TOP"):
		b.d.Extend(l)
		return Take
	case b.trace.add(text):
		b.frames = true
		p := b.trace.first
		b.d.At(p.File, p.Line, 0)
		b.d.Extend(l)
		return Take
	case text == "":
		return Take
	case strings.HasPrefix(text, "Caused by:"):
		b.frames = false
		return Take
	case !b.frames && b.lines < 12:
		b.d.Extend(l)
		return Take
	}
	return Done
}

func (b *rakeBlock) begin(text string) {
	d := Draft{Event: store.Event{Message: text, Category: store.CategoryBuild}}
	switch class, message, ok := strings.Cut(text, ": "); {
	case strings.HasPrefix(text, "Command failed with status"), strings.HasPrefix(text, "SystemExit"), strings.HasPrefix(text, "Interrupt"),
		strings.Contains(text, " failed with status"), strings.HasPrefix(text, "SignalException"):
		d.Weight = Repeat
	case ok && rubyClass("("+class+")") != "" && strings.Contains(strings.ToLower(class), "e"):
		d.Code, d.Message = class, message
	}
	b.d = b.s.Add(d)
}
