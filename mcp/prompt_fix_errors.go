package mcp

import (
	"regexp"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

type fixErrorsIn struct {
	RunID       string `json:"run_id,omitempty" jsonschema:"run to fix: 5 or build:5; default the newest that failed"`
	FilePattern string `json:"file_pattern,omitempty" jsonschema:"only errors in files like this: a part of the name, or with * or %"`
}

var fixErrorsPrompt = newPrompt("fix-errors", "Fix errors",
	"Work through the errors of a failed build until it passes.", func(c *call, in fixErrorsIn) (string, error) {
		const task = "You are fixing what makes a software project's build fail."
		newest, err := c.Newest(c, query.At{})
		if err != nil {
			return "", err
		}
		r, found, err := c.pick(in.RunID, newest)
		if err != nil || !found {
			return c.emptyPrompt(task), err
		}
		var files func(string) bool
		if in.FilePattern != "" {
			files = likeFile(in.FilePattern).MatchString
		}
		f, err := markdown.GatherFiles(c, c.Asker, cmdline.Words, r, "", files)
		if err != nil {
			return "", err
		}
		shown, also := newest, c.alsoBroken(newest, r)
		if in.RunID != "" {
			shown, also = []store.Run{r}, ""
		}
		if files != nil {
			onlyFiles(f, files)
		}
		return shrink(c.bytes, func(size promptSize) string {
			return paragraphs(task, dataNote,
				section("Current Status", statusTable(shown, size.errors)),
				c.errorsToFix(f, in, size), also,
				section("Instructions", c.fixSteps(f)),
				c.fixTips(f))
		}), nil
	})

// alsoBroken returns a text that names the newest runs that ended without success, except r. It returns "" if there are
// no such runs.
func (c *call) alsoBroken(newest []store.Run, r store.Run) string {
	var names []string
	for _, o := range newest {
		if broken(o) && o.Attempt != r.Attempt {
			names = append(names, o.Ref().String())
		}
	}
	if len(names) == 0 {
		return ""
	}
	text := "Not OK either: " + someCodes(names, 8) + "."
	if use := c.use("info", "ref", names[0], "context", 3); use != "" {
		text += " What one reports may be the cause of the other: " + use
	}
	return text
}

// onlyFiles keeps only errors in files for which the function in the parameter files returns true.
func onlyFiles(f *markdown.Facts, files func(string) bool) {
	for _, list := range []*[]markdown.Group{&f.New, &f.Known} {
		var kept []markdown.Group
		for _, g := range *list {
			events := slices.DeleteFunc(append([]store.RunEvent{g.Sample}, g.Others...),
				func(e store.RunEvent) bool { return !files(e.File) })
			if len(events) == 0 {
				continue
			}
			if events[0].ID != g.Sample.ID {
				g.Log = nil // the log belongs to an error that is left out
			}
			g.Sample, g.Others = events[0], events[1:]
			kept = append(kept, g)
		}
		*list = kept
	}
	f.NewErrors, f.KnownErrors = markdown.Errors(f.New)+f.MoreNew, markdown.Errors(f.Known)+f.MoreKnown
}

// likeFile compiles a file pattern. % and * stand for any text. A pattern without them matches any file with that text
// in its path. Upper and lower case are equal.
func likeFile(pattern string) *regexp.Regexp {
	if !strings.ContainsAny(pattern, "%*") {
		return regexp.MustCompile("(?i)" + regexp.QuoteMeta(pattern))
	}
	text := regexp.QuoteMeta(strings.ReplaceAll(pattern, "*", "%"))
	return regexp.MustCompile("(?is)^" + strings.ReplaceAll(text, "%", ".*") + "$")
}

// errorsToFix returns a list of the errors, new errors first. If the list is empty, errorsToFix says why.
func (c *call) errorsToFix(f *markdown.Facts, in fixErrorsIn, size promptSize) string {
	list := slices.Concat(f.New, f.Known)
	run := code(f.Run.Ref().String())
	if len(list) > 0 {
		return section("Errors to Fix", markdown.BaselineLine(f.Baseline), errorList(list, size, marked(f)),
			c.notListed(list, f.MoreNew+f.MoreKnown, size, f.Run))
	}
	switch {
	case f.Run.Errors > 0:
		return section("Errors to Fix", "None of the errors of "+run+" is in a file like "+code(in.FilePattern)+".")
	case f.Run.State == store.StateRunning:
		return section("Errors to Fix", run+" is still running and has reported no error so far.", outputEnd(f, size))
	case f.Run.Status() == store.StatusOK:
		return section("Errors to Fix", "None: "+run+" passed"+c.others(in))
	}
	return section("Errors to Fix", run+" ended with status "+markdown.Ending(f.Run)+
		", and no error was recognised in its log. It ends:", outputEnd(f, size))
}

func (c *call) others(in fixErrorsIn) string {
	if in.RunID != "" {
		return "."
	}
	return ", and so did the newest run of every other source that has ended."
}

// marked returns a function that marks new groups of errors.
func marked(f *markdown.Facts) func(markdown.Group) string {
	if !f.Baseline.Found() {
		return nil
	}
	known := map[int]bool{}
	for _, g := range f.Known {
		known[g.Sample.ID] = true
	}
	return func(g markdown.Group) string {
		if known[g.Sample.ID] {
			return " (known)"
		}
		return " (new)"
	}
}

// fixSteps returns the next steps for the agent. They name only tools that are offered.
func (c *call) fixSteps(f *markdown.Facts) string {
	r := f.Run
	list, note := read(f.New, f.Known)
	ref := r.Ref().String()
	switch {
	case len(list) > 0:
		first := list[0].Ref().String()
		return steps(
			"Read each error and find its cause before you change anything",
			c.sentence("See the log, the source and the history of an error with %s", "inspect", "ref", first),
			c.sentence("See all errors with the log lines around them with %s", "info", "ref", ref, "context", 3),
			fixOrder(list, note),
			"Change as little as needed, and nothing that only hides an error",
			"Then run "+c.again(r)+" and see whether the errors are gone and no new one came",
			"Repeat until it passes")
	case r.State == store.StateRunning:
		return steps("Wait until it has ended", c.sentence("Ask for its state with %s", "info", "ref", ref),
			c.sentence("Follow its log with %s", "output", "ref", ref, "tail", 50))
	case r.Status() == store.StatusOK:
		return steps("Nothing has to be fixed", "After your next change run "+c.again(r), lookAtWarnings(c, r))
	case r.Errors > 0:
		return steps("Take a file_pattern that is like a file with errors, or none",
			c.sentence("See which files have errors with %s", "events", "ref", ref, "severity", "error"))
	}
	return steps(
		"Look for the reason in the end of the log above",
		c.sentence("Read more of it with %s", "output", "ref", ref, "tail", 200),
		c.sentence("Search it with %s", "output", "ref", ref, "grep", "(?i)error|fail|denied|not found|killed"),
		"Fix it, then run "+c.again(r))
}

func lookAtWarnings(c *call, r store.Run) string {
	if r.Warnings == 0 {
		return ""
	}
	return c.sentence("It reported "+markdown.Count(r.Warnings, "warning")+": %s", "events", "ref", r.Ref().String(),
		"severity", "warning")
}

// fixTips returns tips about common properties of the errors.
func (c *call) fixTips(f *markdown.Facts) string {
	list, note := read(f.New, f.Known)
	if len(list) == 0 {
		return ""
	}
	tips := slices.Concat(fileTips(list, "errors"), symbolTips(list), messageTips(list), c.commitTips(f.Run))
	if known := knownTip(f); known != "" {
		tips = append(tips, known)
	}
	if len(tips) == 0 {
		return ""
	}
	return "**Tips" + note + ":**\n" + bullets(tips)
}
