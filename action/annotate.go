package action

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strconv"

	"github.com/sethvargo/go-githubactions"

	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// maxAnnotations is the max number of annotations of each level that the runner shows for a step.
const maxAnnotations = 10

// maxCandidates is the max number of events of each level from which the annotations are chosen.
const maxCandidates = 400

// candidate is an event that may be annotated.
type candidate struct {
	store.RunEvent
	fresh bool // the event is new compared with the baseline
	near  bool // the event is on a line that the pull request or push changes
}

// annotate writes annotations for the most important events: new events first, and then events on changed lines. It
// leaves out events that the runner annotates itself. These events also count for the runner's limit of annotations.
func (s *wrapped) annotate(ctx context.Context, a *query.Asker, f *markdown.Facts, o outcome) {
	errors, warnings := s.errorsOf(f), s.warningsOf(ctx, a, f)
	if len(errors)+len(warnings) == 0 {
		return
	}
	changed := s.changed(ctx, f.Run)
	shown := s.matched(ctx, a, f.Run, append(slices.Clone(errors), warnings...))
	left := 0
	for _, level := range []struct {
		name string
		list []candidate
		of   int
		used int
	}{
		{levelError, errors, f.Run.Errors, 0},
		{levelWarning, warnings, f.Run.Warnings, len(s.lost) + len(s.wrong)},
	} {
		rest := slices.DeleteFunc(level.list, func(c candidate) bool { return shown[c.ID] })
		matched := len(level.list) - len(rest)
		room := max(0, maxAnnotations-matched-min(2, level.used))
		for i := range rest {
			rest[i].near = changed.Has(rest[i].File, rest[i].Line)
		}
		sort.SliceStable(rest, func(i, j int) bool { return byWeight(rest[i], rest[j]) < 0 })
		rest = withoutRepeats(rest)
		for _, c := range rest[:min(room, len(rest))] {
			s.issue(level.name, o.linked(c), properties(c, f.Baseline.Found()))
		}
		left += max(0, level.of-matched-min(room, len(rest)))
	}
	if left > 0 {
		s.rollUp(f, o, left)
	}
}

func (s *wrapped) rollUp(f *markdown.Facts, o outcome, left int) {
	text := o.ref + " has " + s.counts(f) + "; " + strconv.Itoa(left) + " of them are not annotated."
	if s.in.Summary {
		text += " The job's summary has more."
	}
	if o.url != "" {
		text += " All are at " + o.url
	}
	s.issue(levelNotice, text, githubactions.CommandProperties{"title": "blq"})
}

// byWeight compares candidates for sorting. New candidates come first, then candidates on changed lines, then
// candidates with a place.
func byWeight(x, y candidate) int {
	weight := func(c candidate) int {
		n := 0
		for i, heavy := range []bool{c.File != "", c.near, c.fresh} {
			if heavy {
				n += 1 << i
			}
		}
		return n
	}
	return cmp.Compare(weight(y), weight(x))
}

// withoutRepeats removes each candidate that has the same place, test and message as an earlier candidate. The place is
// a line of a file.
func withoutRepeats(list []candidate) []candidate {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(c candidate) bool {
		key := c.File + "\x00" + strconv.Itoa(c.Line) + "\x00" + c.Test + "\x00" + c.Message
		again := seen[key]
		seen[key] = true
		return again
	})
}

func (s *wrapped) errorsOf(f *markdown.Facts) []candidate {
	var list []candidate
	for i, groups := range [][]markdown.Group{f.New, f.Known} {
		for _, g := range groups {
			for _, e := range append([]store.RunEvent{g.Sample}, g.Others...) {
				list = append(list, candidate{RunEvent: e, fresh: i == 0 && f.Baseline.Found()})
			}
		}
	}
	return list[:min(len(list), maxCandidates)]
}

func (s *wrapped) warningsOf(ctx context.Context, a *query.Asker, f *markdown.Facts) []candidate {
	if f.Run.Warnings == 0 {
		return nil
	}
	page, err := a.Store.Events(ctx, a.Scope, store.EventFilter{
		Runs: store.RunFilter{Attempts: []string{f.Run.Attempt}}, Severities: []store.Severity{store.SeverityWarning},
		Limit: maxCandidates,
	})
	if err != nil {
		return nil
	}
	list := make([]candidate, len(page.Events))
	for i, e := range page.Events {
		e.Run = f.Run.Ref() // the server gives runs other numbers than the job
		list[i] = candidate{RunEvent: e}
	}
	return list
}

// changed returns the lines that the pull request or push changes (see ci.Changed). It returns nil if git cannot
// answer, as in shallow clones.
func (s *wrapped) changed(ctx context.Context, r store.Run) ci.Lines {
	if r.CI == nil {
		return nil
	}
	return ci.Changed(ctx, s.root(r), r.CI.BaseSHA)
}

func message(c candidate) string { return cmp.Or(query.Title(c.Event), c.Message) }

// linked returns the message of a candidate. If the candidate has a page, the URL of the page is on the next line.
func (o outcome) linked(c candidate) string {
	if o.page == nil {
		return message(c)
	}
	return message(c) + "\n" + o.page(c.Ref())
}

// properties returns the place and the title of an annotation. The parameter compared says whether the
// run has a baseline.
func properties(c candidate, compared bool) githubactions.CommandProperties {
	title := c.Tool
	if c.Code != "" {
		title += " " + c.Code
	}
	if c.fresh && compared {
		title = "new: " + title
	}
	p := githubactions.CommandProperties{"title": clip(title, 200)}
	if c.File != "" {
		p["file"], p["line"], p["col"] = c.File, strconv.Itoa(c.Line), strconv.Itoa(c.Column)
	}
	return p
}
