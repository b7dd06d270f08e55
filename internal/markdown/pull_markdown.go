package markdown

import (
	"fmt"
	"strings"

	"github.com/blq-ci/blq/store"
)

// render writes the report in at most maxBytes bytes; 0 means MaxBytes, and the min is leastBytes. If the report is too
// long, render shortens all its lists step by step, see levels. Log lines and known failures are the first to be left
// out completely. If even the shortest lists are too long, render writes only the headline.
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
	return join("### "+v.headline(), v.contractCauses(true), v.list(l), v.causes(l), v.impact(l), v.contractCauses(false),
		v.rest(l), v.mute(l), v.retries(l), v.printed(l), v.table(l), v.foot())
}

// table lists the steps that did not pass. Below the list it says how many of these steps are left out, and how many
// steps passed.
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
			v.ending(f), f.ErrorCounts(), f.paged(f.Run.Ref(), Cell(v.named(f.Run), 200)))
	}
	if more := rows - max(l.files, 1); more > 0 {
		fmt.Fprintf(&b, "\nand %s\n", Count(more, "more step"))
	}
	if passed > 0 && rows > 0 {
		fmt.Fprintf(&b, "\n%s passed\n", Count(passed, "step"))
	}
	return b.String()
}

// ending returns a text that says how a run ended, and whether its failure is allowed.
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

// named returns the ref of a run as code, or "" if readers cannot use refs.
func (v *pullView) named(r store.Run) string {
	if v.params.Passing {
		return ""
	}
	return v.ref(r).String()
}

// foot returns a line with the commit of the report and its baseline.
func (v *pullView) foot() string {
	parts := []string{"Commit " + Code(shortCommit(v.params.Commit), 20)}
	if event := v.params.Event; event != "" {
		parts = append(parts, "event "+Code(event, nameBytes))
	}
	if compared := v.compared(); compared > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s compared with %s", compared, Count(len(v.runs), "step"), v.base()))
	} else {
		parts = append(parts, "nothing to compare with: no runs of the base branch are known")
	}
	if lost := v.lost(); lost > 0 {
		parts = append(parts, Count(lost, "run")+" not recorded in full")
	}
	if first := v.first(); first.Serial > 0 {
		parts = append(parts, "look closer: "+v.line.code(store.NewCall("inspect", "", "ref", first)))
	}
	return strings.Join(parts, " · ")
}

// first returns the ref of the first failure. The ref has the repository, because an agent may see several
// repositories.
func (v *pullView) first() store.Ref {
	if v.params.Passing || len(v.failures) == 0 || v.failures[0].wordless {
		return store.Ref{}
	}
	f := v.failures[0]
	ref := f.in[0].Run.Ref()
	ref.Event = f.Sample.ID
	return ref
}

// compared returns the number of runs with a baseline.
func (v *pullView) compared() int {
	n := 0
	for _, f := range v.runs {
		if f.Baseline.Found() {
			n++
		}
	}
	return n
}

// base returns the branch with which runs are compared. It returns "the base" if there are several such branches, or if
// the branch is unknown.
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
