package ask

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// ErrorGroup is errors that look alike: one of them whole, the others in short.
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

// Sample is an error with the lines of the log that tell of it.
type Sample struct {
	Ref         string         `json:"ref" jsonschema:"reference"`
	Location    string         `json:"location,omitempty" jsonschema:"file:line"`
	Message     string         `json:"message,omitempty" jsonschema:"what the tool said"`
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
	mostGroups = 12 // in each list
	mostListed = 6  // others of a group
	mostAsked  = 200
)

// sorter tells the errors of a run apart.
type sorter struct {
	*Asker
	run    store.Run
	base   store.Baseline
	window window
	onBase map[string]string // fingerprint to a run of the base that has it
}

// look reads what is known of errors that are in one of the runs only.
func (s *sorter) look(ctx context.Context, changed []store.RunEvent) error {
	var prints []string
	for _, e := range changed {
		if len(prints) < mostAsked && !slices.Contains(prints, e.Fingerprint) {
			prints = append(prints, e.Fingerprint)
		}
	}
	var err error
	if s.window, err = s.Asker.window(ctx, s.run, flakyRuns, prints); err != nil {
		return err
	}
	s.onBase, err = s.baseNow(ctx, prints)
	return err
}

// baseNow finds errors that the base branch has by now, though the baseline,
// which is older, has not.
func (s *sorter) baseNow(ctx context.Context, prints []string) (map[string]string, error) {
	if len(prints) == 0 || s.base.Branch == "" || s.base.Branch == s.run.Git.Branch {
		return nil, nil
	}
	leg := s.run.Leg()
	runs, err := s.Store.Runs(ctx, s.Scope, store.RunFilter{
		Repo: s.run.Repo, Source: s.run.Source, Leg: &leg, Branch: s.base.Branch, Baseline: true, Clean: true, Limit: 1,
	})
	for _, r := range runs {
		if s.base.Found() && r.Serial <= s.base.Run.Serial {
			break
		}
		page, err := s.Store.Events(ctx, s.Scope, store.EventFilter{
			Runs: store.RunFilter{Attempts: []string{r.Attempt}}, Severities: []store.Severity{store.SeverityError}, Fingerprints: prints, Limit: flakyEvents,
		})
		found := map[string]string{}
		for _, e := range page.Events {
			found[e.Fingerprint] = r.Ref().String()
		}
		return found, err
	}
	return nil, err
}

// previous returns the run before on the same branch, nil for none, and where it
// is the baseline.
func (s *sorter) previous() *OtherRun {
	for _, r := range slices.Backward(s.window.runs) {
		if r.Serial < s.run.Serial && r.Git.Branch == s.run.Git.Branch {
			if r.Attempt == s.base.Run.Attempt {
				return nil
			}
			return &OtherRun{r.Ref().String(), r.Status(), r.Errors}
		}
	}
	return nil
}

// fixed counts errors that are gone, but for those that go by themselves.
func (s *sorter) fixed(gone []store.RunEvent) int {
	n := 0
	for _, e := range gone {
		if s.window.flaky(e.Event) == nil {
			n++
		}
	}
	return n
}

// unchanged notes the errors that the baseline has.
func (s *sorter) unchanged(events []store.RunEvent) {
	if s.onBase == nil {
		s.onBase = map[string]string{}
	}
	for _, e := range events {
		s.onBase[e.Fingerprint] = s.base.Run.Ref().String()
	}
}

// split takes those apart that are known to be flaky, or on the base branch.
func (s *sorter) split(fresh []store.RunEvent) (rest, known []store.RunEvent) {
	for _, e := range fresh {
		if s.onBase[e.Fingerprint] != "" || s.window.flaky(e.Event) != nil {
			known = append(known, e)
		} else {
			rest = append(rest, e)
		}
	}
	return rest, known
}

// known says what is known of an error, in a form that can be compared.
func (s *sorter) known(e store.Event) string {
	if s.window.flaky(e) != nil {
		return "flaky"
	}
	return s.onBase[e.Fingerprint]
}

// groups puts look-alikes together, causes first, with the lines of the log
// that tell of them.
func (s *sorter) groups(ctx context.Context, events []store.RunEvent, withLog bool) ([]ErrorGroup, error) {
	var list []ErrorGroup
	for i, group := range grouped(events, s.known) {
		if i == mostGroups {
			list = append(list, ErrorGroup{Count: leftover(events, list)}) // fit takes it away and says so
			break
		}
		g, err := s.group(ctx, group)
		if err != nil {
			return nil, err
		}
		if withLog {
			if g.Sample.Log, err = s.excerpt(ctx, s.run, sampleOf(group).Event, i); err != nil {
				return nil, err
			}
		}
		list = append(list, g)
	}
	return list, nil
}

func leftover(events []store.RunEvent, list []ErrorGroup) int {
	n := len(events)
	for _, g := range list {
		n -= g.Count
	}
	return n
}

func (s *sorter) group(ctx context.Context, events []store.RunEvent) (ErrorGroup, error) {
	e := sampleOf(events)
	g := ErrorGroup{Count: len(events), Sample: Sample{
		Ref: e.Ref().Short(), Location: Location(clip(Clean(e.File), 200), e.Line), Message: clip(Clean(e.Message), 400), Code: clip(Clean(e.Code), 80),
		Test: clip(Clean(e.Test), 200), Tool: Clean(e.Tool), Category: e.Category, Fingerprint: e.Fingerprint,
	}}
	files := map[string]bool{}
	for _, o := range events {
		files[o.File] = true
		if o.ID != e.ID && len(g.Also) < mostListed {
			g.Also = append(g.Also, inShort(o, e))
		}
	}
	if len(files) > 1 {
		g.Files = len(files)
	}
	g.Flaky = s.window.flaky(e.Event)
	g.OnBase = s.onBase[e.Fingerprint]
	h, err := s.Store.FingerprintHistory(ctx, s.Scope, s.run, e.Fingerprint)
	if err != nil {
		return g, err
	}
	g.Returned = h.Regression && g.Flaky == nil
	if h.First.Serial > 0 && h.First.Serial != s.run.Serial {
		g.FirstSeen = &FirstAt{h.First.Ref().String(), stamp(h.First.StartedAt), h.First.Git.Commit, Clean(h.First.Git.Branch)}
	}
	return g, nil
}

// inShort says of an error of a group what differs from the sample.
func inShort(o, sample store.RunEvent) string {
	const most = 120 // characters
	s := o.Ref().Short()
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
	return clip(line, most)
}

// grouped puts look-alikes together and the groups in the order in which they
// are worth reading. The same must be known of them. Tests that fail with a few
// general words have only those in common, so they must be of one file.
func grouped(events []store.RunEvent, known func(store.Event) string) [][]store.RunEvent {
	var keys []string
	groups := map[string][]store.RunEvent{}
	for _, e := range events {
		key := e.Pattern
		if e.Category == store.CategoryTest && len(e.Message) < 40 {
			key += " " + e.File
		}
		key += " " + known(e.Event)
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], e)
	}
	list := make([][]store.RunEvent, len(keys))
	for i, key := range keys {
		list[i] = groups[key]
	}
	rank := ranker(events)
	slices.SortStableFunc(list, func(x, y []store.RunEvent) int {
		return cmp.Or(cmp.Compare(rank(x[0].Event), rank(y[0].Event)), cmp.Compare(x[0].LogLine, y[0].LogLine))
	})
	return list
}

// sampleOf returns the first of a group that says where it is.
func sampleOf(events []store.RunEvent) store.RunEvent {
	for _, e := range events[:min(len(events), 50)] {
		if e.Line > 0 {
			return e
		}
	}
	return events[0]
}

// stops are words of errors that keep others from being tried at all.
var stops = regexp.MustCompile(`(?i)ImportError|ModuleNotFoundError|SyntaxError|IndentationError|cannot find (module|package)|no module named|failed to (load|compile|resolve)|could not (resolve|compile|find)|command not found|no such file or directory`)

// restates are words of those who only say that what they called has failed.
var restates = regexp.MustCompile(`(?i)CalledProcessError|non-?zero (exit|status)|exit(ed)?( with)?( exit)? (code|status)|exited with \d|^Command .*failed|Process completed|^make(\[\d+\])?: \*\*\*|Failed to execute goal|Lifecycle script|ELIFECYCLE|there (were|are) (test )?fail`)

// ranker returns a function that says how likely an event is a cause rather
// than an effect, the lowest first. Build tools and CI systems have the last
// word on a failure that another tool reported before them.
func ranker(events []store.RunEvent) func(store.Event) int {
	first := 0 // line of the first error of a tool that does the work
	for _, e := range events {
		if e.Category != store.CategoryBuild && e.Category != store.CategoryCI && !restates.MatchString(e.Message) && (first == 0 || e.LogLine < first) {
			first = e.LogLine
		}
	}
	return func(e store.Event) int {
		if first > 0 && e.Category != store.CategoryTest && restates.MatchString(e.Message) {
			return 6
		}
		switch e.Category {
		case store.CategoryCompile, store.CategoryLink:
			return 0
		case store.CategoryType:
			return 1
		case store.CategoryBuild, store.CategoryCI:
			if first > 0 && e.LogLine > first {
				return 6
			}
			return 1
		case store.CategoryRuntime:
			return 2
		case store.CategoryTest:
			if stops.MatchString(e.Message) {
				return 2
			}
			return 3
		case store.CategoryLint:
			return 4
		}
		return 3
	}
}
