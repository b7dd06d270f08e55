package markdown

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/store"
)

// render writes the view in up to maxBytes bytes, 0 for MaxBytes. To fit, it leaves out log lines
// first, then known failures, rows of the table, and new failures last.
func (v *pullView) render(maxBytes int) string {
	if maxBytes <= 0 || maxBytes > MaxBytes {
		maxBytes = MaxBytes
	}
	maxBytes = max(maxBytes, leastBytes)
	for _, l := range levels {
		if text := v.markdown(l); len(text) <= maxBytes {
			return text
		}
	}
	return clip("### "+v.headline(), maxBytes-1) + "\n"
}

func (v *pullView) markdown(l limits) string {
	return join("### "+v.headline(), v.list(l), v.rest(l), v.mute(l), v.table(l), v.foot())
}

// headline says in one line what failed, and how much of it is new.
func (v *pullView) headline() string {
	c := v.counts
	line, waiting := "", ""
	if c.Running > 0 {
		waiting = "; " + Count(c.Running, "step") + " still running"
	}
	switch {
	case c.Failed > 0:
		line = fmt.Sprintf("❌ %d failed%s", c.Failed, c.standings(v.base()))
	case len(v.silent) > 0:
		line = "❌ " + Count(len(v.silent), "job") + " failed outside of what blq saw"
	case c.Running > 0:
		return "⏳ " + Count(c.Running, "step") + " running, none failed so far"
	default:
		line = "✅ " + passedSteps(len(v.runs))
	}
	if c.Fixed > 0 {
		line += ", " + fmt.Sprintf("%d fixed", c.Fixed)
	}
	return line + waiting
}

func passedSteps(n int) string {
	if n == 1 {
		return "1 step passed"
	}
	return fmt.Sprintf("all %d steps passed", n)
}

// standings says how many failures have which standing, "" when there are none.
func (c PullCounts) standings(base string) string {
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{c.New, "new"}, {c.Base, "also on " + base}, {c.Flaky, "flaky"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	if c.Unknown > 0 {
		parts = append(parts, fmt.Sprintf("%d with nothing to compare with", c.Unknown))
	}
	return ": " + strings.Join(parts, ", ")
}

// list shows the failures that the author has to look at: new ones, and those of unknown standing.
func (v *pullView) list(l limits) string {
	shown := v.having(standsNew, standsUnknown)
	var b strings.Builder
	for i, f := range shown[:min(len(shown), l.groups)] {
		v.item(&b, i+1, f, l, l.lines)
	}
	if rest := shown[min(len(shown), l.groups):]; len(rest) > 0 {
		fmt.Fprintf(&b, "\n%d more%s\n", counted(rest), v.where(rest))
	}
	return b.String()
}

// rest lists failures that are flaky or on the base branch, folded.
func (v *pullView) rest(l limits) string {
	hidden := v.having(standsFlaky, standsBase)
	if len(hidden) == 0 {
		return ""
	}
	title := Count(counted(hidden), "failure") + " not new"
	if l.known == 0 {
		return title + v.where(hidden)
	}
	var b strings.Builder
	for i, f := range hidden[:min(len(hidden), l.known)] {
		v.item(&b, i+1, f, l, 0)
	}
	if more := hidden[min(len(hidden), l.known):]; len(more) > 0 {
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

func counted(list []*failure) int {
	n := 0
	for _, f := range list {
		n += f.count()
	}
	return n
}

// where says how to list the failures that are left out, as the end of a sentence.
func (v *pullView) where(list []*failure) string {
	if v.params.Passing {
		return ""
	}
	var refs []string
	for _, f := range list {
		for _, in := range f.in {
			if ref := Code("blq errors "+in.Run.Ref().String(), 200); !slices.Contains(refs, ref) {
				refs = append(refs, ref)
			}
		}
	}
	if len(refs) > 3 {
		return ": " + strings.Join(refs[:3], ", ") + ", …"
	}
	return ": " + strings.Join(refs, ", ")
}

// item writes one failure with its log lines.
func (v *pullView) item(b *strings.Builder, n int, f *failure, l limits, lines int) {
	mark := fmt.Sprintf("%d. ", n)
	first, log := f.in[0], f.Log
	if f.wordless {
		b.WriteString(mark + v.wordless(first) + in(f.in) + "\n")
		log = first.Tail
		lines *= 2
	} else {
		b.WriteString(mark + item(first, f.Group, l) + in(f.in) + "\n")
	}
	if lines > 0 && len(log) > 0 && (f.wordless || !repeats(f.Group)) {
		b.WriteString("\n" + Fence(Ends(log, lines), l.width, len(mark)) + "\n")
	}
}

// wordless says how a run failed that has no recognised error.
func (v *pullView) wordless(f *Facts) string {
	line := "**" + Code(f.Run.Source, nameBytes) + "** " + ended[f.Run.Status()] + ", and no error was recognised in its log"
	if ref := v.ref(f.Run); ref.Serial > 0 {
		line += " (" + Code(ref.String(), 200) + ")"
	}
	if f.wordless() == standsBase {
		line += ", as on the base"
	}
	return line
}

// ended says in words how a run ended that did not pass.
var ended = map[store.Status]string{
	store.StatusFail: "failed", store.StatusTimeout: "timed out", store.StatusCancelled: "was cancelled", store.StatusOrphaned: "was lost",
}

// in names the jobs that have a failure.
func in(list []*Facts) string {
	var names []string
	for _, f := range list {
		if name := jobName(f.Run); name != "" && !slices.Contains(names, name) {
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

// jobName names the job of a run, with the leg of its matrix, as a link if possible.
func jobName(r store.Run) string {
	if r.CI == nil || r.CI.Job == "" {
		return ""
	}
	name := r.CI.Job
	if leg := legWords(r.CI.Matrix); leg != "" {
		name += " (" + leg + ")"
	}
	if url := jobURL(r); url != "" {
		return "[" + Code(name, nameBytes) + "](" + url + ")"
	}
	return Code(name, nameBytes)
}

// mute names failed jobs without a run that explains it.
func (v *pullView) mute(l limits) string {
	if len(v.silent) == 0 {
		return ""
	}
	var names []string
	for _, j := range v.silent[:min(len(v.silent), max(l.files, 3))] {
		name := Code(j.Name, nameBytes)
		if githubJob.MatchString(j.URL) {
			name = "[" + name + "](" + j.URL + ")"
		}
		names = append(names, name)
	}
	if more := len(v.silent) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return "Failed in a step that blq did not see: " + strings.Join(names, ", ")
}

// table lists the steps that did not pass, and counts the rest.
func (v *pullView) table(l limits) string {
	var b strings.Builder
	passed, rows := 0, 0
	for _, f := range v.runs {
		if f.Run.Status() == store.StatusOK {
			passed++
			continue
		}
		if rows++; rows > max(l.files, 1) {
			continue
		}
		if rows == 1 {
			b.WriteString("| step | job | status | errors | run |\n| --- | --- | --- | --- | --- |\n")
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", Cell(f.Run.Source, nameBytes), strings.ReplaceAll(jobName(f.Run), "|", "\\|"), Ending(f.Run), f.ErrorCounts(), Cell(v.named(f.Run), 200))
	}
	if more := rows - max(l.files, 1); more > 0 {
		fmt.Fprintf(&b, "\nand %s\n", Count(more, "more step"))
	}
	if passed > 0 && rows > 0 {
		fmt.Fprintf(&b, "\n%s passed\n", Count(passed, "step"))
	}
	return b.String()
}

// named returns the ref of a run as code, "" where readers cannot use it.
func (v *pullView) named(r store.Run) string {
	if v.params.Passing {
		return ""
	}
	return v.ref(r).String()
}

// foot says which commit the report is about and what it was compared with.
func (v *pullView) foot() string {
	parts := []string{"Commit " + Code(shortCommit(v.params.Commit), 20)}
	if compared := v.compared(); compared > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s compared with %s", compared, Count(len(v.runs), "step"), v.base()))
	} else {
		parts = append(parts, "nothing to compare with: no runs of the base branch are known")
	}
	if lost := v.lost(); lost > 0 {
		parts = append(parts, Count(lost, "run")+" not recorded in full")
	}
	if first := v.first(); first.Serial > 0 {
		parts = append(parts, "look closer: "+Code("blq inspect "+first.String(), 200))
	}
	return strings.Join(parts, " · ")
}

// first returns the ref of the first failure, with its repository, because an agent may see
// several.
func (v *pullView) first() store.Ref {
	if v.params.Passing || len(v.failures) == 0 || v.failures[0].wordless {
		return store.Ref{}
	}
	f := v.failures[0]
	ref := f.in[0].Run.Ref()
	ref.Event = f.Sample.ID
	return ref
}

// compared counts the runs that have a baseline.
func (v *pullView) compared() int {
	n := 0
	for _, f := range v.runs {
		if f.Baseline.Found() {
			n++
		}
	}
	return n
}

// base names the branch that runs are compared with, if it is one.
func (v *pullView) base() string {
	name := ""
	for _, f := range v.runs {
		switch b := f.Baseline; {
		case !b.Found():
		case b.Branch == "" || name != "" && name != b.Branch:
			return "the base"
		default:
			name = b.Branch
		}
	}
	if name == "" {
		return "the base"
	}
	return Code(name, nameBytes)
}

func (v *pullView) lost() int {
	n := 0
	for _, f := range v.runs {
		if f.Run.Lost != "" {
			n++
		}
	}
	return n
}
