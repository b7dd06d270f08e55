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
	return join("### "+v.headline(), v.list(l), v.rest(l), v.mute(l), v.retries(l), v.printed(l), v.table(l), v.foot())
}

// headline says in one line what failed, and how much of it is new. It says that steps passed only if
// nothing speaks against it.
func (v *pullView) headline() string {
	c := v.counts
	line, rest := "", ""
	if c.Running > 0 {
		rest = "; " + Count(c.Running, "step") + " still running"
	}
	if c.Allowed > 0 {
		rest += "; " + Count(c.Allowed, "step") + " failed, which is allowed"
	}
	if v.partial() {
		rest += "; not all is known"
	}
	passed := len(v.runs) - c.Steps - c.Running - c.Allowed
	switch {
	case c.Failed > 0:
		line = fmt.Sprintf("❌ %d failed%s", c.Failed, c.standings(v.base()))
	case len(v.silent) > 0:
		line = "❌ " + v.silence()
	case len(v.cancelled) > 0:
		line = "🚫 " + Count(len(v.cancelled), "job") + " cancelled"
	case c.Running > 0:
		line, rest = "⏳ "+Count(c.Running, "step")+" running, none failed so far",
			strings.TrimPrefix(rest, "; "+Count(c.Running, "step")+" still running")
		return line + rest
	case v.partial(), c.Allowed > 0:
		line = "⚠️ " + Count(passed, "step") + " passed"
	default:
		line = "✅ " + passedSteps(passed)
	}
	if c.Fixed > 0 {
		line += ", " + fmt.Sprintf("%d fixed", c.Fixed)
	}
	if c.Retried > 0 {
		line += ", " + Count(c.Retried, "flaky step")
	}
	return line + rest
}

func passedSteps(n int) string {
	if n == 1 {
		return "1 step passed"
	}
	return fmt.Sprintf("all %d steps passed", n)
}

// silence says how many jobs failed for a reason that no run shows.
func (v *pullView) silence() string {
	jobs := Count(len(v.silent), "job") + " failed"
	if slices.ContainsFunc(v.silent, v.saw) {
		return jobs + ", and blq saw no failing step there"
	}
	return jobs + " outside of what blq saw"
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
		b.WriteString(mark + v.wordless(first) + v.in(f.in) + "\n")
		log = first.Tail
		lines *= 2
	} else {
		b.WriteString(mark + item(first, f.Group, l) + v.in(f.in) + "\n")
	}
	if lines > 0 && len(log) > 0 && (f.wordless || !repeats(f.Group)) {
		b.WriteString("\n" + Fence(Ends(log, lines), l.width, len(mark)) + "\n")
	}
}

// wordless says how a run failed that has no recognised error.
func (v *pullView) wordless(f *Facts) string {
	line := "**" + Code(f.Run.Source, nameBytes) + "** " + ended[f.Run.Status()] +
		", and no error was recognised in its log"
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
	store.StatusFail: "failed", store.StatusTimeout: "timed out", store.StatusCancelled: "was cancelled",
	store.StatusOrphaned: "was lost",
}

// in names the jobs that have a failure.
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

// jobName names the job of a run as the CI system shows it, as a link if possible.
func (v *pullView) jobName(r store.Run) string {
	if j := v.params.jobOf(r); j != nil && r.CI.Job != "" {
		return linkedJob(r, j.Name)
	}
	return jobName(r)
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
	return linkedJob(r, name)
}

func linkedJob(r store.Run, name string) string {
	if url := jobURL(r); url != "" {
		return "[" + Code(name, nameBytes) + "](" + url + ")"
	}
	return Code(name, nameBytes)
}

// mute names failed and cancelled jobs without a run that explains it, and says what else is unknown.
func (v *pullView) mute(l limits) string {
	var seen, unseen []Job
	for _, j := range v.silent {
		if v.saw(j) {
			seen = append(seen, j)
		} else {
			unseen = append(unseen, j)
		}
	}
	var lines []string
	for _, part := range []struct {
		what string
		jobs []Job
	}{
		{"Failed in a step that blq did not see: ", unseen},
		{"GitHub says that these jobs failed, and blq saw no failing step there: ", seen}, {"Cancelled: ", v.cancelled},
	} {
		if len(part.jobs) > 0 {
			lines = append(lines, part.what+named(part.jobs, max(l.files, 3)))
		}
	}
	if v.params.Unread > 0 {
		lines = append(lines, Count(v.params.Unread, "part")+
			" of what the jobs left could not be read, so a failure may be missing here.")
	}
	if v.cut {
		lines = append(
			lines, fmt.Sprintf("Only the newest %d runs of the commit were read, so a failure may be missing here.", maxPulled))
	}
	return strings.Join(lines, "\n\n")
}

// named lists up to maxJobs names of jobs, as links if possible.
func named(jobs []Job, maxJobs int) string {
	var names []string
	for _, j := range jobs[:min(len(jobs), maxJobs)] {
		name := Code(j.Name, nameBytes)
		if githubJob.MatchString(j.URL) {
			name = "[" + name + "](" + j.URL + ")"
		}
		names = append(names, name)
	}
	if more := len(jobs) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// retries lists the steps that failed before they passed, with both attempts.
func (v *pullView) retries(l limits) string {
	if len(v.flaky) == 0 {
		return ""
	}
	var b strings.Builder
	for _, f := range v.flaky[:min(len(v.flaky), max(l.known, 1))] {
		when := "on a re-run"
		if executionOf(f.failed) == executionOf(f.passed) {
			when = "on a retry"
		}
		where := ""
		if job := v.jobName(f.passed); job != "" {
			where = " in " + job
		}
		fmt.Fprintf(&b, "- %s%s passed %s: %s, then %s\n", Code(f.passed.Source, nameBytes), where, when, v.tried(f.failed),
			v.tried(f.passed))
	}
	if more := len(v.flaky) - max(l.known, 1); more > 0 {
		fmt.Fprintf(&b, "- and %d more\n", more)
	}
	return "⚠️ Flaky:\n\n" + b.String()
}

// tried names one try of a step: its outcome, ref and attempt, the last as a link if possible.
func (v *pullView) tried(r store.Run) string {
	text := "passed"
	if r.Status() != store.StatusOK {
		text = ended[r.Status()]
	}
	if ref := v.ref(r); ref.Serial > 0 {
		text += " (" + Code(ref.String(), 200) + ")"
	}
	if url := attemptURL(r); url != "" {
		return text + fmt.Sprintf(", [attempt %d](%s)", executionOf(r).attempt, url)
	}
	return text
}

// attemptURL returns the URL of the attempt that a run is of, that of its job where there are no
// attempts, "" if it is not known.
func attemptURL(r store.Run) string {
	url := jobURL(r)
	if url == "" || r.CI.Provider != "github" || strings.Contains(url, "/attempts/") || strings.Contains(url, "/job/") {
		return url
	}
	return fmt.Sprintf("%s/attempts/%d", url, executionOf(r).attempt)
}

// printed lists errors that steps reported and still passed, folded.
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
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", v.stepCell(f.Run), strings.ReplaceAll(v.jobName(f.Run), "|", "\\|"),
			v.ending(f), f.ErrorCounts(), Cell(v.named(f.Run), 200))
	}
	if more := rows - max(l.files, 1); more > 0 {
		fmt.Fprintf(&b, "\nand %s\n", Count(more, "more step"))
	}
	if passed > 0 && rows > 0 {
		fmt.Fprintf(&b, "\n%s passed\n", Count(passed, "step"))
	}
	return b.String()
}

// ending says how a run ended, and whether it may.
func (v *pullView) ending(f *Facts) string {
	if v.allowed[f] {
		return "⚠️ " + Ending(f.Run) + ", allowed to fail"
	}
	return Ending(f.Run)
}

// stepCell names a step, with its command if another step of the job has the same name.
func (v *pullView) stepCell(r store.Run) string {
	for _, f := range v.runs {
		if f.Run.Attempt != r.Attempt && f.Run.Source == r.Source && jobName(f.Run) == jobName(r) {
			return Cell(r.Source, nameBytes) + " " + Cell(r.Command, nameBytes)
		}
	}
	return Cell(r.Source, nameBytes)
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
