package markdown

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

// comment writes the report for a pull request, with the new errors and a folded list of the other errors.
func comment(f *Facts, l limits) string {
	if quiet(f) {
		return headline(f) + "\n"
	}
	return join("### "+headline(f), comparedWith(f), numbered(f, f.New, f.MoreNew, l.groups, l.lines, l, f.newWord()),
		mayBe(graphs(f.New), l), f.end(l),
		folded(f, l), lookCloser(f), footer(f))
}

// end returns the end of the log, for a run that is still running, or that failed without errors that explain it.
func (f *Facts) end(l limits) string {
	lines := f.Tail[max(0, len(f.Tail)-max(l.lines*2, 3)):]
	if len(lines) == 0 {
		return ""
	}
	word := "The log ends:"
	if f.Run.State == store.StateRunning {
		word = "The log so far:"
	}
	return word + "\n\n" + Fence(lines, l.width, 0)
}

// folded returns a folded list of the errors that are not new.
func folded(f *Facts, l limits) string {
	if f.KnownErrors == 0 {
		return ""
	}
	title := Count(f.KnownErrors, "error") + " not new"
	if l.known == 0 {
		return title + ": " + f.line.code(store.NewCall("errors", "", "ref", f.Run.Ref()))
	}
	return "<details>\n<summary>" + title + "</summary>\n\n" +
		numbered(f, f.Known, f.MoreKnown, l.known, 0, l, "known errors") +
		"\n</details>"
}

// footer returns a line with the command, place and duration of the run.
func footer(f *Facts) string {
	parts := []string{Code(f.Run.Command, 200)}
	if d := f.Run.Duration(); d > 0 {
		parts = append(parts, Took(d))
	}
	if f.page != nil && f.page(f.Run.Ref()) != "" {
		parts = append(parts, f.paged(f.Run.Ref(), "errors and log"))
	}
	if url := jobURL(f.Run); url != "" {
		parts = append(parts, "[job]("+url+")")
	}
	if c := f.Run.Git.Commit; c != "" {
		parts = append(parts, "commit "+Code(shortCommit(c), 20))
	}
	if f.Run.Lost != "" {
		parts = append(parts, "not recorded: "+Code(f.Run.Lost, 200))
	}
	return "Ran " + strings.Join(parts, " · ")
}
