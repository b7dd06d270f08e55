package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/questions"
)

func newTests(a *app) *cobra.Command {
	c := newShown(a, questions.Tests, a.tests)
	c.Long = `Shows how tests went, by the results that reports and the lines of test runners
name. SHOW is

  failing    failed in the newest run of each step; the default
  flaky      failed and passed at one commit
  slowest    the longest of the newest runs
  never_run  skipped in each of the last runs
  changed    newly failing or fixed since the baseline
  history    the runs in which one test ran: needs --test

The text of --test is the whole name of a test, or a part of it. Tests in several
files may have one name: "NAME FILE" is the one in that file.`
	c.Example = `  blq tests
  blq tests flaky --branch main
  blq tests history --test test_login
  blq tests history --test "test_login tests/test_auth.py" --branch main`
	return c
}

// tests prints results. Each line is about a test, or about a run of one test.
func (a *app) tests(t query.Tests) error {
	var rows [][]string
	head := []string{"OUTCOME", "RUN", "TIME", "TEST", "FILE"}
	for _, test := range t.Tests {
		if len(t.Runs) > 0 {
			fmt.Fprintln(a.stdout, test.Test)
			continue
		}
		rows = append(rows, []string{a.outcome(test), test.Run, secondsOf(test.Seconds), firstLine(test.Test, reportWidth),
			test.File})
	}
	if len(t.Runs) > 0 {
		head = []string{"OUTCOME", "RUN", "TIME", "STARTED", "COMMIT", "BRANCH"}
	}
	for _, r := range t.Runs {
		outcome := a.style.outcome(r.Outcome)
		if r.Tries > 1 {
			outcome += fmt.Sprintf(" at try %d", r.Tries)
		}
		rows = append(rows, []string{outcome, r.Run, secondsOf(r.Seconds), r.Time, r.Commit[:min(len(r.Commit), 10)],
			r.Branch})
	}
	if err := a.style.table(a.stdout, head, rows); err != nil {
		return err
	}
	a.testCounts(t)
	return nil
}

// outcome returns a text about a test: how its outcome changed, how often it failed and passed, or its outcome.
func (a *app) outcome(t query.TestAnswer) string {
	switch {
	case t.Change != "":
		return strings.ReplaceAll(t.Change, "_", " ")
	case t.Passed > 0 && t.Failed > 0:
		return fmt.Sprintf("failed %d, passed %d", t.Failed, t.Passed)
	case t.Skipped > 0 && t.Outcome == "":
		return fmt.Sprintf("skipped %d", t.Skipped)
	}
	return a.style.outcome(t.Outcome)
}

// outcome returns the outcome of a test in colour.
func (s style) outcome(word string) string {
	switch word {
	case "passed":
		return s.paint(green, word)
	case "failed", "error":
		return s.paint(red, word)
	}
	return word
}

// testCounts prints on stderr the numbers of passed, failed and skipped tests, the number of tests that the list leaves
// out, and the answer's note. It does not print on stdout, because other programs may read the list from stdout.
func (a *app) testCounts(t query.Tests) {
	list := []string{fmt.Sprintf("%d passed, %d failed, %d skipped", t.Counts.Passed, t.Counts.Failed, t.Counts.Skipped)}
	if t.Counts.Retried > 0 {
		list = append(list, fmt.Sprintf("%d tried again", t.Counts.Retried))
	}
	if t.Counts.Infra > 0 {
		list = append(list, fmt.Sprintf("%d failed by the machine", t.Counts.Infra))
	}
	fmt.Fprintf(a.stderr, "blq: %s in %s\n", strings.Join(list, ", "), count(t.Looked, "run"))
	if more := t.Total - len(t.Tests); more > 0 {
		fmt.Fprintf(a.stderr, "blq: %s left out; --limit shows more\n", count(more, "test"))
	}
	if t.Note != "" {
		fmt.Fprintln(a.stderr, "blq: "+t.Note)
	}
}

// secondsOf returns a duration for a table, or "" if it is unknown.
func secondsOf(s float64) string {
	if s == 0 {
		return ""
	}
	return strconv.FormatFloat(s, 'f', -1, 64) + "s"
}
