package markdown

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// list returns the failures that the author has to look at: new failures, and failures of unknown standing.
func (v *pullView) list(l limits) string {
	shown := v.having(standsNew, standsUnknown)
	var b strings.Builder
	for i, f := range shown[:min(len(shown), l.groups)] {
		v.item(&b, i+1, f, l, l.lines)
	}
	rest := shown[min(len(shown), l.groups):]
	if n := counted(rest) + v.besides(standsNew, standsUnknown); n > 0 {
		fmt.Fprintf(&b, "\n%d more%s\n", n, v.where(rest))
	}
	return b.String()
}

// rest returns a folded list of failures that are flaky or on the base branch.
func (v *pullView) rest(l limits) string {
	hidden := v.having(standsFlaky, standsBase)
	if len(hidden) == 0 {
		return ""
	}
	besides := v.besides(standsFlaky, standsBase)
	title := Count(counted(hidden)+besides, "failure") + " not new"
	if l.known == 0 {
		return title + v.where(hidden)
	}
	var b strings.Builder
	for i, f := range hidden[:min(len(hidden), l.known)] {
		v.item(&b, i+1, f, l, 0)
	}
	more := hidden[min(len(hidden), l.known):]
	if n := counted(more) + besides; n > 0 {
		fmt.Fprintf(&b, "\n%d more%s\n", n, v.where(more))
	}
	return "<details>\n<summary>" + title + "</summary>\n\n" + b.String() + "\n</details>"
}

// printed returns a folded list of errors from steps that passed.
func (v *pullView) printed(l limits) string {
	if v.counts.Reported == 0 {
		return ""
	}
	title := Count(v.counts.Reported, "error") + " reported by steps that passed"
	if l.known == 0 {
		return title + v.where(v.reported)
	}
	var b strings.Builder
	for i, f := range v.reported[:min(len(v.reported), l.known)] {
		v.item(&b, i+1, f, l, 0)
	}
	if more := v.reported[min(len(v.reported), l.known):]; len(more) > 0 {
		fmt.Fprintf(&b, "\n%d more%s\n", counted(more), v.where(more))
	}
	return "<details>\n<summary>" + title + "</summary>\n\n" + b.String() + "\n</details>"
}

func (v *pullView) having(standings ...standing) []*failure {
	var list []*failure
	for _, f := range v.failures {
		if slices.Contains(standings, f.standing) {
			list = append(list, f)
		}
	}
	return list
}

// besides returns the number of errors with the given standings that are in no failure.
func (v *pullView) besides(standings ...standing) int {
	n := 0
	for _, s := range standings {
		n += v.unlisted[s]
	}
	return n
}

func counted(list []*failure) int {
	n := 0
	for _, f := range list {
		n += f.count()
	}
	return n
}

// where returns the end of a sentence that says how to list the omitted failures.
func (v *pullView) where(list []*failure) string {
	if v.params.Passing || len(list) == 0 {
		return ""
	}
	var refs []string
	for _, f := range list {
		for _, in := range f.in {
			ref := v.line.code(store.NewCall("errors", "", "ref", in.Run.Ref()))
			switch {
			case slices.Contains(refs, ref):
			case len(refs) == 3:
				return ": " + strings.Join(refs, ", ") + ", …"
			default:
				refs = append(refs, ref)
			}
		}
	}
	return ": " + strings.Join(refs, ", ")
}

// item writes one failure with its log lines.
func (v *pullView) item(b *strings.Builder, n int, f *failure, l limits, lines int) {
	mark := fmt.Sprintf("%d. ", n)
	first, log := f.in[0], f.Log
	if f.wordless {
		b.WriteString(mark + v.wordless(first) + v.in(f.in) + "\n")
		log = first.Tail
		lines *= 2
	} else {
		b.WriteString(mark + item(first, f.Group, l) + v.in(f.in) + "\n")
	}
	if lines > 0 && len(log) > 0 && (f.wordless || !repeats(f.Group)) {
		b.WriteString("\n" + Fence(Ends(log, lines), l.width, len(mark)) + "\n")
	}
	for _, about := range []string{standsIn(f.Graph), mentioned(f.docs)} {
		if about != "" && l.lines > 0 {
			b.WriteString("\n" + strings.Repeat(" ", len(mark)) + about + "\n")
		}
	}
}

// wordless returns a line about a failed run without an error that explains the failure.
func (v *pullView) wordless(f *Facts) string {
	line := "**" + Code(f.Run.Source, nameBytes) + "** " + ended[f.Run.Status()]
	if f.Run.Errors > 0 {
		line += unexplained
	} else {
		line += ", and no error was recognised in its log"
	}
	if ref := v.ref(f.Run); ref.Serial > 0 {
		line += " (" + f.paged(f.Run.Ref(), Code(ref.String(), 200)) + ")"
	}
	if f.wordless() == standsBase {
		line += ", as on the base"
	}
	return line
}

// ended maps the status of a run that did not pass to words.
var ended = map[store.Status]string{
	store.StatusFail: "failed", store.StatusTimeout: "timed out", store.StatusCancelled: "was cancelled",
	store.StatusOrphaned: "was lost",
}

// in returns the names of the jobs in which a failure occurs.
func (v *pullView) in(list []*Facts) string {
	var names []string
	for _, f := range list {
		if name := v.jobName(f.Run); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) > 3:
		return " in " + strings.Join(names[:3], ", ") + fmt.Sprintf(" and %d more", len(names)-3)
	}
	return " in " + strings.Join(names, ", ")
}
