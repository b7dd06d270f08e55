package mcp

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

type analyzeRegressionIn struct {
	GoodRun string `json:"good_run,omitempty" jsonschema:"run that was fine: 4 or build:4; default the last of the source that passed before"`
	BadRun  string `json:"bad_run,omitempty" jsonschema:"run that fails: 5 or build:5; default the newest that failed"`
}

var analyzeRegressionPrompt = newPrompt("analyze-regression", "Analyze a regression",
	"Find out why a build that passed fails now.", func(c *call, in analyzeRegressionIn) (string, error) {
		const task = "You are finding out why a build that used to pass fails now."
		newest, err := c.Newest(c, query.At{})
		if err != nil {
			return "", err
		}
		bad, found, err := c.pick(in.BadRun, newest)
		if err != nil || !found {
			return c.emptyPrompt(task), err
		}
		g, err := c.lastGood(in.GoodRun, bad)
		if err != nil {
			return "", err
		}
		f, err := markdown.Gather(c, c.Asker, cmdline.Words, bad, g.given)
		if err != nil {
			return "", err
		}
		if g.given == "" && f.Baseline.Found() {
			g.run = f.Baseline.Run
		}
		f.Place(c, c.Asker)
		return shrink(c.bytes, func(size promptSize) string {
			return paragraphs(task, dataNote,
				section("Run Comparison", g.said(f), comparisonTable(g, f)),
				c.regressionErrors(f, g, size),
				c.regressionHints(f, g),
				section("Instructions", c.regressionSteps(f, g)))
		}), nil
	})

// good is the run that the prompt compares with the failing run. It has passed, unless the caller named it, or no
// earlier run has passed.
type good struct {
	run   store.Run
	given string     // attempt of run, "" if run is the default baseline
	asked bool       // the caller has named the run
	first *store.Run // the first failed run after the good run, nil if it is the failing run itself or unknown
}

// maxSearched is the max number of earlier runs that lastGood searches.
const maxSearched = 500

// lastGood returns the run that an argument names. Without an argument, it returns the last passed run before the bad
// run, of the same source and leg. It prefers runs on the same branch.
func (c *call) lastGood(ref string, bad store.Run) (good, error) {
	before, err := store.RunsOfStep(c, c.Store, c.Scope,
		bad, store.RunFilter{State: store.StateCompleted, Before: bad.Serial, Limit: maxSearched})
	if err != nil {
		return good{}, err
	}
	if ref != "" {
		r, err := c.RunAt(c, query.At{}, ref)
		return good{run: r, given: r.Attempt, asked: true, first: firstBad(before, r, bad)}, err
	}
	for _, sameBranch := range []bool{true, false} {
		for _, r := range before {
			if r.Status() == store.StatusOK && (r.Git.Branch == bad.Git.Branch || !sameBranch && (r.CI == nil || !r.CI.Fork)) {
				return good{run: r, given: r.Attempt, first: firstBad(before, r, bad)}, nil
			}
		}
	}
	return good{}, nil
}

// firstBad returns the first run that failed after the good run, on the branch of the run bad. The list earlier has the
// runs before bad, newest first. firstBad returns nil if none of these runs failed. Then bad itself is the first failed
// run.
func firstBad(earlier []store.Run, ok, bad store.Run) *store.Run {
	var first *store.Run
	for _, r := range earlier {
		if r.Serial <= ok.Serial || r.Source != ok.Source {
			break
		}
		if r.Git.Branch == bad.Git.Branch && r.Status() == store.StatusFail {
			first = &r
		}
	}
	return first
}

// found reports whether there is a good run.
func (g good) found() bool { return g.run.Serial > 0 }

// said returns a sentence on how the good run was chosen.
func (g good) said(f *markdown.Facts) string {
	run := code(g.run.Ref().String())
	switch {
	case g.asked && g.run.Source != f.Run.Source:
		return run + " is of another source than " + code(f.Run.Ref().String()) + ": expect that they have little in common."
	case g.asked && g.run.Status() != store.StatusOK:
		return run + " did not pass either: what it has in common with " + code(f.Run.Ref().String()) +
			" is not counted as new."
	case g.asked:
		return ""
	case g.given != "" && g.run.Git.Branch != f.Run.Git.Branch:
		return run + ", on " + cell(g.run.Git.Branch) + ", is the last run of " + code(f.Run.Source) + " that passed before."
	case g.given != "":
		return run + " is the last run of " + code(f.Run.Source) + " that passed before."
	}
	return "No earlier run of " + code(f.Run.Source) + " passed. " + markdown.BaselineLine(f.Baseline)
}

// comparisonTable returns a table of the two runs side by side.
func comparisonTable(g good, f *markdown.Facts) string {
	bad := f.Run
	if !g.found() {
		return table([]string{"Metric", cell(bad.Ref().String())}, [][]string{
			{"Status", markdown.Ending(bad)}, {"Errors", strconv.Itoa(bad.Errors)}, {"Warnings", strconv.Itoa(bad.Warnings)}})
	}
	ok := g.run
	word := " (good)"
	if ok.Status() != store.StatusOK {
		word = ""
	}
	count := func(name string, x, y int) []string {
		return []string{name, strconv.Itoa(x), strconv.Itoa(y), fmt.Sprintf("%+d", y-x)}
	}
	rows := [][]string{
		{"Status", markdown.Ending(ok), markdown.Ending(bad), ""}, count("Errors", ok.Errors, bad.Errors),
		count("Warnings", ok.Warnings, bad.Warnings),
	}
	if ok.Git.Commit+bad.Git.Commit != "" {
		rows = append(rows, []string{"Commit", commitCell(ok), commitCell(bad), ""})
	}
	if ok.Git.Branch != bad.Git.Branch {
		rows = append(rows, []string{"Branch", cell(ok.Git.Branch), cell(bad.Git.Branch), ""})
	}
	return table([]string{"Metric", cell(ok.Ref().String()) + word, cell(bad.Ref().String()) + " (bad)", "Delta"}, rows)
}

func commitCell(r store.Run) string {
	text := cell(short9(r.Git.Commit))
	if r.Git.Dirty {
		text += " and uncommitted changes"
	}
	return text
}

func short9(commit string) string { return commit[:min(len(commit), 9)] }

// regressionErrors returns a section with the errors of the bad run that the good run does not have. If there are none,
// the section says so, and has the known errors or the end of the log of a run that did not pass.
func (c *call) regressionErrors(f *markdown.Facts, g good, size promptSize) string {
	bad := code(f.Run.Ref().String())
	switch {
	case len(f.New) > 0 && f.Baseline.Found():
		return section("New Errors (not in "+code(g.run.Ref().String())+")", errorList(f.New, size, nil),
			c.notListed(f.New, f.MoreNew, size, f.Run), alsoKnown(f))
	case len(f.New) > 0:
		return section("Errors", "With nothing to compare with, it is not known which of these are new.",
			errorList(f.New, size, nil), c.notListed(f.New, f.MoreNew, size, f.Run))
	case len(f.Known) > 0:
		return section("New Errors", "None is new. "+bad+" has "+markdown.Count(f.KnownErrors, "error")+", known already:",
			errorList(f.Known, size, nil), c.notListed(f.Known, f.MoreKnown, size, f.Run))
	case f.Run.Status() == store.StatusOK:
		return section("New Errors", "None: "+bad+" passed.")
	case f.Run.State == store.StateRunning:
		return section("New Errors", "None so far: "+bad+" is still running. The log so far:", outputEnd(f, size))
	}
	return section("New Errors", "None was recognised in the log of "+bad+". It ends:", outputEnd(f, size))
}

func alsoKnown(f *markdown.Facts) string {
	if f.KnownErrors == 0 {
		return ""
	}
	return fmt.Sprintf("%s more, not new: in the other run as well, flaky, or on the base branch.",
		markdown.Count(f.KnownErrors, "error"))
}

// regressionHints returns a text about common properties of the new errors, and about differences between the two
// runs.
func (c *call) regressionHints(f *markdown.Facts, g good) string {
	list, note := read(f.New)
	hints := slices.Concat(fileTips(list, "new errors"), symbolTips(list), messageTips(list))
	names, _ := symbols(list, func(store.Event) bool { return true })
	if len(names) > 1 {
		hints = append(hints, "The errors name "+someCodes(names, 8)+": look for what changed about them")
	}
	for _, line := range f.Causes() {
		hints = append(hints, "It may be "+line)
	}
	if len(list) > 0 {
		hints = append(hints, c.commitTips(f.Run)...)
	}
	if g.found() {
		hints = append(hints, differences(g.run, f.Run)...)
	}
	if g.first != nil {
		hints = append(hints, code(g.first.Ref().String())+" was the first to fail after "+code(g.run.Ref().String())+
			": what broke it is between those two")
	}
	return section("Analysis Hints"+note, bullets(hints))
}

// differences returns sentences about possible causes of a regression other than a commit: uncommitted changes, another
// command, another machine, another system, or the environment.
func differences(ok, bad store.Run) []string {
	var list []string
	same := ok.Git.Commit != "" && ok.Git.Commit == bad.Git.Commit
	switch {
	case same && !ok.Git.Dirty && !bad.Git.Dirty:
		list = append(list, "Both ran at the same commit, so the sources did not change: think of the environment, of "+
			"dependencies, or of a failure that comes and goes")
	case bad.Git.Dirty:
		list = append(list, code(bad.Ref().String())+" ran with changes that were not committed: the cause may be among them")
	}
	if ok.Command != bad.Command {
		list = append(list, "The commands differ: "+code(ok.Command)+" and "+code(bad.Command))
	}
	if ok.Hostname != bad.Hostname && ok.CI == nil && bad.CI == nil {
		list = append(list, "They ran on different machines: "+code(ok.Hostname)+" and "+code(bad.Hostname))
	}
	if ok.Platform != bad.Platform || ok.Arch != bad.Arch {
		list = append(list, "They ran on different systems: "+code(ok.Platform+" "+ok.Arch)+
			" and "+code(bad.Platform+" "+bad.Arch))
	}
	return list
}

// regressionSteps returns the next steps for the agent. The steps name only tools that the server offers.
func (c *call) regressionSteps(f *markdown.Facts, g good) string {
	ref := firstRef(f)
	if f.Run.Errors == 0 {
		if f.Run.Status() == store.StatusOK {
			return steps("Nothing has to be done", c.sentence("See earlier runs with %s", "history", "source", f.Run.Source))
		}
		return steps(c.sentence("Read more of the log with %s", "output", "ref", f.Run.Ref().String(), "tail", 200),
			c.otherLog(g), "Name the first line that tells of the failure, and its cause")
	}
	if f.NewErrors == 0 && f.FlakyErrors > 0 {
		return steps("What fails is flaky rather than a regression: run "+c.again(f.Run)+" and see whether it passes",
			c.sentence("See how often an error came and went with %s", "inspect", "ref", ref,
				"include_fingerprint_history", true),
			"Find out why it comes and goes; the prompt investigate-flaky has more on that")
	}
	return steps(
		gitStep(f, g),
		"Look for names that were renamed or removed, and for signatures that changed",
		c.sentence("See the log, the source and the history of an error with %s", "inspect", "ref", ref),
		"Find the one cause, if there is one: a single change often makes many errors",
		"Propose the smallest change that makes it pass, then run "+c.again(f.Run))
}

// otherLog returns the step for reading the log of the good run.
func (c *call) otherLog(g good) string {
	if !g.found() {
		return ""
	}
	return c.sentence("Compare it with the log of the run that was fine: %s", "output", "ref", g.run.Ref().String(),
		"tail", 200)
}

// gitStep returns the step for reading the git history of the source files.
func gitStep(f *markdown.Facts, g good) string {
	to := f.Run
	if g.first != nil {
		to = *g.first
	}
	if !g.found() || g.run.Git.Commit == "" || to.Git.Commit == "" || g.run.Git.Commit == to.Git.Commit {
		return "Look at what changed last in the files that the errors are in"
	}
	return "See what changed: " + code("git log --oneline --stat "+short9(g.run.Git.Commit)+".."+short9(to.Git.Commit))
}
