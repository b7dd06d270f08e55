package query

import (
	"context"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// ErrorGroup holds errors that look alike: one error in full, and some or all of the other errors in brief.
type ErrorGroup struct {
	Count     int      `json:"count" jsonschema:"errors that look alike"`
	Sample    Sample   `json:"sample" jsonschema:"one of them"`
	Also      []string `json:"also,omitempty" jsonschema:"the others, or some: ref, place, and what differs"`
	Files     int      `json:"file_count,omitempty" jsonschema:"files that they are in, where there are several"`
	OnBase    string   `json:"on_base,omitempty" jsonschema:"run of the base that has it too"`
	Flaky     *Flaky   `json:"flaky,omitempty" jsonschema:"it comes and goes by itself"`
	FirstSeen *FirstAt `json:"first_seen,omitempty" jsonschema:"earlier run that had it first"`
	Returned  bool     `json:"is_regression,omitempty" jsonschema:"it had been fixed"`
}

// Sample is an error with its most useful log lines.
type Sample struct {
	Ref         string         `json:"ref" jsonschema:"reference"`
	Location    string         `json:"location,omitempty" jsonschema:"file:line"`
	Message     string         `json:"message,omitempty" jsonschema:"message of the tool"`
	Code        string         `json:"code,omitempty" jsonschema:"rule or error code"`
	Test        string         `json:"test_name,omitempty" jsonschema:"test"`
	Tool        string         `json:"tool_name,omitempty" jsonschema:"tool"`
	Category    store.Category `json:"category,omitempty" jsonschema:"kind of work"`
	Fingerprint string         `json:"fingerprint,omitempty" jsonschema:"its identity across runs"`
	Log         string         `json:"log,omitempty" jsonschema:"its log lines, >>> before those that tell most"`
}

// FirstAt is the first run that had an error.
type FirstAt struct {
	RunRef string `json:"run_ref" jsonschema:"run"`
	Time   string `json:"time" jsonschema:"when"`
	Commit string `json:"git_commit,omitempty" jsonschema:"commit"`
	Branch string `json:"git_branch,omitempty" jsonschema:"branch"`
}

const (
	maxGroups = 12 // max groups in each list
	maxAlso   = 6  // max errors of a group that are shown in brief
	maxAsked  = 200
)

// sorter divides the errors of a run into groups.
type sorter struct {
	*Asker
	run    store.Run
	base   store.Baseline
	window window
	lines  map[int]bool // lines of the log on which errors begin
	// bySample reports whether only some errors of the run were read.
	bySample bool
	onBase   map[string]string // run on the base branch with the error, by fingerprint
}

// look reads facts about changed errors: errors that only one of the compared runs has.
func (s *sorter) look(ctx context.Context, changed ...[]store.RunEvent) error {
	prints := firstPrints(changed)
	var err error
	if s.window, err = s.Asker.window(ctx, s.run, flakyRuns, prints); err != nil {
		return err
	}
	s.onBase, err = s.baseNow(ctx, prints)
	return err
}

// firstPrints returns the fingerprints of the first errors, up to a limit.
func firstPrints(lists [][]store.RunEvent) []string {
	var prints []string
	seen := map[string]bool{}
	for _, list := range lists {
		for _, e := range list {
			if len(seen) == maxAsked {
				return prints
			}
			if !seen[e.Fingerprint] {
				seen[e.Fingerprint] = true
				prints = append(prints, printsOf(e.Event)...)
			}
		}
	}
	return prints
}

// baseNow reads which of the given fingerprints the newest run of the base branch has. It returns the reference of this
// run, by fingerprint. It returns nothing if the newest run is not newer than the baseline.
func (s *sorter) baseNow(ctx context.Context, prints []string) (map[string]string, error) {
	if len(prints) == 0 || s.base.Branch == "" || s.base.Branch == s.run.Git.Branch {
		return nil, nil
	}
	runs, err := store.RunsOfStep(ctx, s.reader(), s.Scope, s.run,
		store.RunFilter{Branch: s.base.Branch, Baseline: true, Clean: true, Limit: 1})
	if err != nil || len(runs) == 0 || s.base.Found() && runs[0].Serial <= s.base.Run.Serial {
		return nil, err
	}
	page, err := s.Store.Events(ctx, s.Scope, store.EventFilter{
		Runs: store.RunFilter{Attempts: []string{runs[0].Attempt}}, Severities: []store.Severity{store.SeverityError},
		Fingerprints: prints, Limit: flakyEvents, Uncounted: true,
	})
	found := map[string]string{}
	for _, e := range page.Events {
		found[e.Fingerprint] = runs[0].Ref().String()
	}
	return found, err
}

// previous returns the run on the same branch before the explained run. It returns nil if there is no such run, or if
// it is the baseline.
func (s *sorter) previous() *OtherRun {
	for _, r := range slices.Backward(s.window.runs) {
		if r.Serial < s.run.Serial && r.Git.Branch == s.run.Git.Branch {
			if r.Attempt == s.base.Run.Attempt {
				return nil
			}
			return &OtherRun{RunRef: r.Ref().String(), Status: r.Status(), Errors: r.Errors}
		}
	}
	return nil
}

// fixed returns the number of errors in gone that are not flaky. gone holds the errors that the run no longer has.
func (s *sorter) fixed(gone []store.RunEvent) int {
	n := 0
	for _, e := range gone {
		if s.window.flaky(e.Event) == nil {
			n++
		}
	}
	return n
}

// onBaseline records that the baseline has the given errors.
func (s *sorter) onBaseline(events []store.RunEvent) {
	if s.onBase == nil {
		s.onBase = map[string]string{}
	}
	for _, e := range events {
		s.onBase[e.Fingerprint] = s.base.Run.Ref().String()
	}
}

// split divides errors into known errors, which are flaky or occur on the base branch now, and the rest. The result
// rest reuses the memory of the parameter fresh.
func (s *sorter) split(fresh []store.RunEvent) (rest, known []store.RunEvent) {
	rest = slices.DeleteFunc(fresh, func(e store.RunEvent) bool {
		is := s.known(e.Event) != ""
		if is {
			known = append(known, e)
		}
		return is
	})
	return rest, known
}

// known returns why an error is known: "flaky", or the reference of a run of the base branch that has the error. It
// returns "" for a new error.
func (s *sorter) known(e store.Event) string {
	if s.window.flaky(e) != nil {
		return "flaky"
	}
	return s.onBase[e.Fingerprint]
}

// groups divides errors into groups of errors that look alike. Groups of causes come first. If withLog is true, each
// group has its most useful log lines. total is the number of all errors of the run. The list events may hold only
// some of them.
func (s *sorter) groups(ctx context.Context, events []store.RunEvent, total int, withLog bool) ([]ErrorGroup, error) {
	var list []ErrorGroup
	for _, e := range events {
		s.lines[e.LogLine] = true
	}
	for i, group := range grouped(events, s.known) {
		if i == maxGroups {
			break
		}
		g, err := s.group(ctx, group)
		if err != nil {
			return nil, err
		}
		if withLog {
			if g.Sample.Log, err = s.excerpt(ctx, sampleOf(group).Event, i); err != nil {
				return nil, err
			}
		}
		list = append(list, g)
		total -= g.Count
	}
	if total > 0 {
		list = append(list, ErrorGroup{Count: total}) // fit removes this empty group, and counts its errors
	}
	return list, nil
}

func (s *sorter) group(ctx context.Context, events []store.RunEvent) (ErrorGroup, error) {
	e := sampleOf(events)
	g := ErrorGroup{Count: store.Sum(events), Sample: Sample{
		Ref: shortRef(e), Location: Location(clip(Clean(e.File), 200), e.Line), Message: clip(Clean(e.Message), 400),
		Code: clip(Clean(e.Code), 80),
		Test: clip(Clean(e.Test), 200), Tool: Clean(e.Tool), Category: e.Category, Fingerprint: e.Fingerprint,
	}}
	files := map[string]bool{}
	for _, o := range events {
		files[o.File] = true
		if o.ID != e.ID && len(g.Also) < maxAlso {
			g.Also = append(g.Also, inShort(o, e))
		}
	}
	if len(files) > 1 && g.Count == len(events) { // all errors of the group were read
		g.Files = len(files)
	}
	g.Flaky = s.window.flaky(e.Event)
	g.OnBase = s.onBase[e.Fingerprint]
	h, err := s.Store.FingerprintHistory(ctx, s.Scope, s.run, printsOf(e.Event)...)
	if err != nil {
		return g, err
	}
	g.Returned = h.Regression && g.Flaky == nil
	if h.First.Serial > 0 && h.First.Serial != s.run.Serial {
		g.FirstSeen = &FirstAt{h.First.Ref().String(), stamp(h.First.StartedAt), h.First.Git.Commit,
			Clean(h.First.Git.Branch)}
	}
	return g, nil
}

// shortRef returns the shortest reference by which all questions find an event.
func shortRef(e store.RunEvent) string {
	if e.Run.Repo != "" {
		return e.Ref().String()
	}
	return e.Ref().Short()
}

// inShort returns a text about an error of a group: its reference, and its differences from the group's sample.
func inShort(o, sample store.RunEvent) string {
	const limit = 120 // max characters
	s := shortRef(o)
	if place := Location(o.File, o.Line); place != "" && place != Location(sample.File, sample.Line) {
		s += " " + place
	}
	switch {
	case o.Test != "" && o.Test != sample.Test:
		s += " " + strings.TrimPrefix(o.Test, o.File+"::")
	case o.Message != sample.Message:
		s += " " + o.Message
	}
	line, _, _ := strings.Cut(Clean(s), "\n")
	return clip(line, limit)
}
