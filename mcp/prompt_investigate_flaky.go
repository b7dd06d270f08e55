package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

type investigateFlakyIn struct {
	TestPattern string `json:"test_pattern,omitempty" jsonschema:"only tests like this: a part of the name, or with * or %"`
	Lookback    int    `json:"lookback,omitempty" jsonschema:"runs to look at, at most 100" default:"10" min:"1"`
}

// maxLookback is the max number of runs that the prompt reads.
const maxLookback = 100

var investigateFlakyPrompt = newPrompt("investigate-flaky", "Investigate flaky tests",
	"Find out why tests fail now and then.", func(c *call, in investigateFlakyIn) (string, error) {
		const task = "You are finding out why tests fail now and then."
		newest, err := c.Newest(c, query.At{})
		if err != nil {
			return "", err
		}
		if len(newest) == 0 {
			return c.emptyPrompt(task), nil
		}
		h, err := c.failures(in)
		if err != nil {
			return "", err
		}
		recent, err := c.recentFailure(h)
		if err != nil {
			return "", err
		}
		return shrink(c.bytes, func(size promptSize) string {
			return paragraphs(task, dataNote,
				section(fmt.Sprintf("Test Failure History (last %s of %s)", markdown.Count(len(h.Runs), "run"), code(h.Source)),
					c.nothing(in, h), historyTable(h, size)),
				section("Flaky Test Analysis", flakyTable(h, size)),
				section("Most Recent Failure Details", recent(size)),
				section("Hints", bullets(flakyHints(h))),
				section("Instructions", c.flakySteps(h)))
		}), nil
	})

// failures returns the tests that failed in the last runs.
func (c *call) failures(in investigateFlakyIn) (query.Failures, error) {
	p := query.FailuresParams{Runs: min(in.Lookback, maxLookback), Test: strings.Trim(in.TestPattern, "*%")}
	if !strings.ContainsAny(p.Test, "*%") {
		return c.Asker.Failures(c, p)
	}
	like := likeFile(in.TestPattern)
	p.Test = ""
	h, err := c.Asker.Failures(c, p)
	unlike := func(name string) bool { return !like.MatchString(name) }
	h.Tests = slices.DeleteFunc(h.Tests, func(t query.TestFailures) bool { return unlike(t.Test) })
	for i := range h.Runs {
		h.Runs[i].Failed = slices.DeleteFunc(h.Runs[i].Failed, unlike)
	}
	return h, err
}

// nothing returns the text of the prompt if no test failed in the last runs.
func (c *call) nothing(in investigateFlakyIn, h query.Failures) string {
	if len(h.Tests) > 0 {
		return ""
	}
	if in.TestPattern != "" {
		return "No test like " + code(in.TestPattern) + " failed in the last runs of any source."
	}
	return "No test failed in the last runs of any source."
}

func historyTable(h query.Failures, size promptSize) string {
	var rows [][]string
	for _, r := range h.Runs {
		names := "-"
		if n := len(r.Failed); n > 0 {
			limit := min(n, max(2, size.errors/4))
			list := make([]string, limit)
			for i, name := range r.Failed[:limit] {
				list[i] = markdown.Cell(name, 80)
			}
			names = strings.Join(list, ", ")
			if n > limit {
				names += fmt.Sprintf(" and %d more", n-limit)
			}
		}
		rows = append(rows, []string{cell(r.RunRef), string(r.Status), commitOf(r), names})
	}
	limit := max(10, 5*size.errors)
	text := table([]string{"Run", "Status", "Commit", "Failed Tests"}, rows[:min(len(rows), limit)])
	if len(rows) > limit {
		text += fmt.Sprintf("\nand %s\n", markdown.Count(len(rows)-limit, "older run"))
	}
	return text
}

func commitOf(r query.FailedRun) string {
	switch {
	case r.Commit == "":
		return "-"
	case r.Dirty:
		return cell(short9(r.Commit)) + " and changes"
	}
	return cell(short9(r.Commit))
}

// patternWords maps patterns to words that describe the behaviour of a test.
var patternWords = map[query.FailurePattern]string{
	query.PatternFailing: "In every run: broken, not flaky",
	query.PatternBroke:   "Broke and stayed so: not flaky so far",
	query.PatternFixed:   "Failed earlier, not now",
}

func patternWord(t query.TestFailures) string {
	if t.Pattern != query.PatternFlaky {
		return patternWords[t.Pattern]
	}
	if t.Rule == query.FlakySameCommit {
		return "Flaky: failed and passed at the same commit"
	}
	return "Flaky: came and went"
}

func flakyTable(h query.Failures, size promptSize) string {
	var rows [][]string
	for _, t := range h.Tests[:min(len(h.Tests), size.errors)] {
		rate := 0
		if t.Runs > 0 {
			rate = (100*t.Failed + t.Runs/2) / t.Runs
		}
		rows = append(rows, []string{markdown.Cell(t.Test, 120), fmt.Sprintf("%d/%d", t.Failed, t.Runs),
			fmt.Sprintf("%d%%", rate), patternWord(t)})
	}
	text := table([]string{"Test", "Failures", "Rate", "Pattern"}, rows)
	if n := len(h.Tests) - size.errors; n > 0 {
		text += fmt.Sprintf("\nand %s\n", markdown.Count(n, "more test"))
	}
	return text
}

// recentFailure reads the newest failure of the first test. The returned function renders the failure as text of a
// given size.
func (c *call) recentFailure(h query.Failures) (func(promptSize) string, error) {
	if len(h.Tests) == 0 {
		return func(promptSize) string { return "" }, nil
	}
	ref, err := store.ParseRef(h.Tests[0].Newest)
	if err != nil {
		return nil, err
	}
	r, e, err := c.Store.Event(c, c.Scope, ref)
	if err != nil {
		return nil, err
	}
	g := markdown.Group{Sample: store.RunEvent{Event: e, Run: r.Ref()}}
	if g.Log, err = markdown.Excerpt(c, c.Asker, r, e); err != nil {
		return nil, err
	}
	return func(size promptSize) string {
		size.errors = 1
		return errorList([]markdown.Group{g}, size, nil)
	}, nil
}

// flakyCauses holds usual causes of flaky tests. Each cause has words. If one of the words occurs in the name or in the
// message of a failed test, the cause is likely.
var flakyCauses = []struct {
	words *lazyregexp.Regexp
	tip   string
}{
	{lazyregexp.New(`(?i)concurren|parallel|thread|race|deadlock|goroutine|async|await`),
		"work that runs at the same time: look for shared state and for an order that nothing guarantees"},
	{lazyregexp.New(`(?i)time.?out|timed out|sleep|wait|deadline|elapsed|too slow|\d+ ?ms\b`),
		"time: look for fixed waits and deadlines that a busy machine misses"},
	{lazyregexp.New(`(?i)connect|socket|port|address already in use|EADDRINUSE|refused|network|dns|resolve host|http`),
		"connections: look for fixed ports, servers that are not up yet, and the outside world"},
	{lazyregexp.New(`(?i)\block|\bfile|directory|temp|tmp|permission|resource|handle|ENOENT|EBUSY|database is locked`),
		"files and locks: look for paths that tests share, and for what is not cleaned up"},
	{lazyregexp.New(`(?i)random|seed|shuffle|order|unordered|map iteration|set\(`),
		"chance and order: look for seeds that are not fixed, and for sets and maps taken to be sorted"},
	{lazyregexp.New(`(?i)date|clock|midnight|time.?zone|utc|leap|today|now\(`),
		"the clock: look for the time of day and the time zone"},
}

// flakyHints returns hints about the likely causes of the failures.
func flakyHints(h query.Failures) []string {
	var hints []string
	for _, cause := range flakyCauses {
		var names []string
		for _, t := range h.Tests[:min(len(h.Tests), maxRead)] {
			if cause.words.MatchString(t.Test+"\n"+t.Message) && !slices.Contains(names, t.Test) {
				names = append(names, t.Test)
			}
		}
		if len(names) > 0 {
			hints = append(hints, someCodes(names, 3)+" may be about "+cause.tip)
		}
	}
	together := 0
	for _, r := range h.Runs {
		if len(r.Failed) > 1 {
			together++
		}
	}
	if together > 0 && len(h.Tests) > 1 && h.Tests[0].Pattern == query.PatternFlaky {
		hints = append(
			hints, fmt.Sprintf("In %s several tests failed together: they may share a cause", markdown.Count(together, "run")))
	}
	return hints
}

// flakySteps returns the next steps for the agent. They name only tools that are offered.
func (c *call) flakySteps(h query.Failures) string {
	if len(h.Tests) == 0 {
		return steps("There is no failure to investigate",
			c.sentence("Look further back with %s", "history", "source", h.Source, "limit", 50))
	}
	t := h.Tests[0]
	start := "Begin with " + code(t.Test) + ": it failed in " +
		fmt.Sprintf("%d of %s", t.Failed, markdown.Count(t.Runs, "run"))
	if t.Pattern != query.PatternFlaky {
		start = "No test is known to be flaky: " + code(t.Test) + " comes first because it failed most (" +
			fmt.Sprintf("%d of %d", t.Failed, t.Runs) + ")"
	}
	return steps(start,
		c.sentence("See its newest failure with log, source and history: %s", "inspect", "ref", t.Newest,
			"include_fingerprint_history", true),
		c.earlier(t),
		"Check whether failures go with a machine, a time of day or other tests that ran before",
		"Make the test, or the code under it, independent of chance; a retry or a longer wait is no fix",
		"Then repeat the test many times, alone and with all others, before you call it fixed")
}

// earlier returns the step for comparing earlier failures of a test.
func (c *call) earlier(t query.TestFailures) string {
	if len(t.In) < 2 {
		return ""
	}
	return c.sentence("Compare it with an earlier one, in "+code(t.In[1])+": %s", "events", "ref", t.In[1],
		"severity", "error")
}
