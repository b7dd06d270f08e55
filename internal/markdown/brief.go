package markdown

import (
	"strconv"
	"strings"

	"github.com/blq-ci/blq/store"
)

// brief writes a report of about ten lines.
func brief(f *Facts, l limits) string {
	const maxGroups = 5
	if quiet(f) {
		return headline(f) + "\n"
	}
	var b strings.Builder
	for i, g := range f.New[:min(len(f.New), maxGroups, l.groups)] {
		b.WriteString(strconv.Itoa(i+1) + ". " + item(f, g, limits{width: min(l.width, 200)}) + "\n")
	}
	rest := ""
	if n := Errors(f.New[min(len(f.New), maxGroups, l.groups):]) + f.MoreNew; n > 0 {
		rest = more(n, f.newWord(), f)
	}
	return join("**"+headline(f)+"**", comparedWith(f), b.String(),
		rest, mayBe(graphs(f.New), limits{width: min(l.width, 200), files: 1}),
		Fence(f.Tail[max(0, len(f.Tail)-4):], l.width, 0), lookCloser(f))
}

// quiet reports whether one line is enough for the report, because the run passed without errors.
func quiet(f *Facts) bool { return f.Run.Errors == 0 && f.Run.Status() == store.StatusOK }

// comparedWith returns a sentence about the baseline, if the run has errors.
func comparedWith(f *Facts) string {
	if f.Run.Errors == 0 {
		return ""
	}
	return BaselineLine(f.Baseline)
}

// lookCloser returns the commands that show more details.
func lookCloser(f *Facts) string {
	run := f.Run.Ref()
	for _, list := range [][]Group{f.New, f.Known} {
		if len(list) > 0 {
			return "Look closer: " + f.line.code(store.NewCall("inspect", "", "ref", list[0].Sample.Ref())) +
				", or all errors with their log lines: " + f.line.code(store.NewCall("info", "", "ref", run, "context", 3))
		}
	}
	if f.Run.State == store.StateRunning {
		return "Follow it: " + f.line.code(store.NewCall("output", "", "ref", run, "tail", 50))
	}
	return "Its log: " + f.line.code(store.NewCall("output", "", "ref", run, "tail", 200))
}
