package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// rakeFormat reads the reason for a failed run of Rake, Thor or Capistrano. "Command failed with status" only repeats
// the failure of a command.
var rakeFormat = parse.Format{
	Name:     "rake",
	About:    "Rake, and Thor's and Capistrano's way to abort",
	Triggers: []string{"Command failed with status (", "Don't know how to build task"},
	Starts:   []string{"rake aborted!", "cap aborted!", "(Backtrace restricted"},
	Match:    matchRake,
}

func matchRake(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	switch {
	case text == "rake aborted!", text == "cap aborted!":
		s.Block((&rakeBlock{s: s}).line)
		return true
	case strings.HasPrefix(text, "Command failed with status ("), strings.HasPrefix(text, "Don't know how to build task"):
		s.Add(parse.Draft{Weight: parse.Repeat, Event: store.Event{Message: text, Category: store.CategoryBuild}})
		return true
	}
	return false
}

// rakeBlock reads the message and the frames below "rake aborted!".
type rakeBlock struct {
	s      *parse.Scan
	d      *parse.Draft
	lines  int
	frames bool
	trace  rubyTrace
}

func (b *rakeBlock) line(l parse.Line) parse.Verdict {
	text := l.Trim()
	b.lines++
	if b.d == nil {
		if text == "" {
			if b.lines > 3 {
				return parse.Done
			}
			return parse.Take
		}
		b.begin(text)
		return parse.Take
	}
	switch {
	case text == "(See full trace by running task with --trace)":
		b.d.Extend(l)
		return parse.Last
	case strings.HasPrefix(text, "Tasks: TOP"):
		b.d.Extend(l)
		return parse.Take
	case b.trace.add(text):
		b.frames = true
		p := b.trace.first
		b.d.At(p.File, p.Line, 0)
		b.d.Extend(l)
		return parse.Take
	case text == "":
		return parse.Take
	case strings.HasPrefix(text, "Caused by:"):
		b.frames = false
		return parse.Take
	case !b.frames && b.lines < 12:
		b.d.Extend(l)
		return parse.Take
	}
	return parse.Done
}

func (b *rakeBlock) begin(text string) {
	d := parse.Draft{Event: store.Event{Message: text, Category: store.CategoryBuild}}
	switch class, message, ok := strings.Cut(text, ": "); {
	case strings.HasPrefix(text, "Command failed with status"), strings.HasPrefix(text, "SystemExit"),
		strings.HasPrefix(text, "Interrupt"), strings.HasPrefix(text, "HTML-Proofer found "),
		strings.Contains(text, " failed with status"), strings.HasPrefix(text, "SignalException"):
		d.Weight = parse.Repeat
	case ok && rubyClass("("+class+")") != "" && strings.Contains(strings.ToLower(class), "e"):
		d.Code, d.Message = class, message
	}
	b.d = b.s.Add(d)
}
