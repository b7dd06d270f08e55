package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// uvFormat reads the results of uv's solver, errors of uv with causes below, and one-line type errors of ty. ty's
// longer errors look like rustc's.
var uvFormat = parse.Format{
	Name:     "uv",
	About:    "uv: dependencies without a solution, errors with their causes; ty: concise output",
	Triggers: []string{": error[", ": warning[", "× No solution found when", "x No solution found when"},
	Starts:   []string{"error: ", "  Caused by: "},
	Lines: parse.Lines{
		{Text: "{place+column:.py|.pyi|.ipynb}: {severity:error|warning}[{code}] {message}", Tool: "ty",
			Category: store.CategoryType},
	},
	New: func() parse.Matcher { return new(uv).match },
}

// uv keeps the newest line that may have causes below.
type uv struct {
	head string
	at   int
}

// match reads "error: Failed to spawn: `pytest`" and "  Caused by: No such file or directory (os error 2)". It also
// reads the explanation of the solver: "× No solution found when resolving dependencies:".
func (u *uv) match(s *parse.Scan, l parse.Line) bool {
	if head, ok := strings.CutPrefix(l.Text, "error: "); ok {
		u.head, u.at = head, l.N
		return false
	}
	if what, ok := cutAny(l.Trim(), "× No solution", "x No solution"); ok {
		uvSolver(s, "No solution"+what)
		return true
	}
	cause, ok := strings.CutPrefix(l.Text, "  Caused by: ")
	if !ok || u.at == 0 || u.at != l.N-1 {
		return false
	}
	d := s.Add(parse.Draft{Event: store.Event{Message: u.head + ": " + cause, Category: store.CategoryBuild,
		LogLine: u.at, LogLineEnd: l.N}})
	u.at = 0
	s.Block(parse.Below{Indent: 2, Starts: []string{"Caused by: "}, Each: func(text string) {
		d.Message += ": " + strings.TrimPrefix(text, "Caused by: ")
	}}.Block(d))
	return true
}

// uvSolver reads the explanation why the solver found no solution. The explanation has wrapped sentences, lists of
// versions, and hints.
func uvSolver(s *parse.Scan, what string) {
	d := s.Add(parse.Draft{Event: store.Event{Message: what, Code: "no-solution", Category: store.CategoryBuild}})
	hints := false
	s.Block(func(l parse.Line) parse.Verdict {
		text := l.Trim()
		why, begins := cutAny(text, "╰─▶ ", "├─▶ ", "`-> ", "|-> ")
		switch {
		case text == "":
			return parse.Take
		case !begins && l.Indent() < 4 || l.N-d.LogLine > maxSolution:
			return parse.Done
		}
		if hints = hints || strings.HasPrefix(text, "hint: "); !hints && len(d.Message) < parse.MaxText {
			d.Message += " " + why
		}
		d.Extend(l)
		return parse.Take
	})
}

// maxSolution is the max number of lines of the solver's explanation.
const maxSolution = 200
