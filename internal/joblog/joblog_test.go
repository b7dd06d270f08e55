package joblog_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/github/payload"
	"github.com/blq-ci/blq/internal/joblog"
)

var began = time.Date(2026, 8, 17, 13, 15, 0, 0, time.UTC)

// log returns a log with these lines. Each line begins with its second.
func log(lines ...string) string {
	var b strings.Builder
	b.WriteString("\ufeff")
	for i, l := range lines {
		second, text, _ := strings.Cut(l, " ")
		var s int
		fmt.Sscan(second, &s)
		at := began.Add(time.Duration(s)*time.Second + time.Duration(i)*time.Microsecond)
		b.WriteString(at.Format("2006-01-02T15:04:05.0000000Z ") + text + "\n")
	}
	return b.String()
}

// step returns a step that began and ended at the given seconds.
func step(number int, name string, from, to int) payload.Step {
	return payload.Step{Number: number, Name: name, Conclusion: "success", Status: "completed",
		StartedAt: began.Add(time.Duration(from) * time.Second), CompletedAt: began.Add(time.Duration(to) * time.Second)}
}

// cut returns the steps of a log with their texts.
func cut(t *testing.T, text string, steps ...payload.Step) []string {
	t.Helper()
	parts, err := joblog.Cut(strings.NewReader(text), steps)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for i, p := range parts {
		var b bytes.Buffer
		if _, _, err := joblog.Text(strings.NewReader(text[p.From:p.To]), i == 0, &b, nil); err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprintf("%d %s: %s", p.Number, p.Name, strings.TrimSpace(b.String())))
	}
	return list
}

func same(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAJobIsCutIntoItsSteps(t *testing.T) {
	t.Parallel()
	text := log("0 Current runner version: '2.330.0'", "1 ##[group]Run actions/checkout@v4", "1 with:", "1 ##[endgroup]",
		"2 HEAD is now at 1", "2 ##[group]Run make -j8", "2 \x1b[36;1mmake -j8\x1b[0m", "2 shell: /usr/bin/bash -e {0}",
		"2 ##[endgroup]", "3 ##[group]Run of the tests", "3 a.c:1:2: error: x", "9 ##[endgroup]",
		"9 ##[error]Process completed with exit code 2.", "9 Post job cleanup.", "9 done", "10 Cleaning up orphan processes")
	skipped := step(4, "Run deploy", 9, 9)
	skipped.Conclusion = "skipped"
	same(t, cut(t, text, step(1, "Set up job", 0, 1), step(2, "Run actions/checkout@v4", 1, 2), step(3, "build", 2, 9),
		skipped, step(5, "Post Run actions/checkout@v4", 9, 9), step(6, "Complete job", 9, 10)), []string{
		"1 Set up job: Current runner version: '2.330.0'", "2 Run actions/checkout@v4: HEAD is now at 1",
		"3 build: ##[group]Run of the tests\na.c:1:2: error: x\n##[endgroup]",
		"5 Post Run actions/checkout@v4: Post job cleanup.\ndone",
		"6 Complete job: Cleaning up orphan processes",
	})
}

// The runner's post steps are named "Post" and the name of an earlier step. A step of the workflow whose name begins
// with "Post" is not taken for a post step.
func TestAStepThatIsNamedLikeAPostStep(t *testing.T) {
	t.Parallel()
	text := log("0 Runner", "1 ##[group]Run actions/checkout@v4", "1 ##[endgroup]", "2 ##[group]Run make",
		"2 ##[endgroup]", "2 a", "2 ##[group]Run ./post.sh", "2 ##[endgroup]", "3 a.c:1:2: error: x",
		"4 Post job cleanup.", "4 Cleaning up orphan processes")
	steps := []payload.Step{step(1, "Set up job", 0, 1), step(2, "Run actions/checkout@v4", 1, 2), step(3, "Build", 2, 2),
		step(4, "Post results", 2, 4), step(9, "Post Run actions/checkout@v4", 4, 4), step(10, "Complete job", 4, 4)}
	same(t, cut(t, text, steps...), []string{"1 Set up job: Runner", "2 Run actions/checkout@v4: ", "3 Build: a",
		"4 Post results: a.c:1:2: error: x", "9 Post Run actions/checkout@v4: Post job cleanup.",
		"10 Complete job: Cleaning up orphan processes"})
	var runners []int
	for _, s := range steps {
		if joblog.IsRunners(steps, s) {
			runners = append(runners, s.Number)
		}
	}
	same(t, runners, []int{1, 9, 10})
}

// The steps of a composite action print their own headers. Their lines belong to the step of the action, even if the
// next step begins within the same second.
func TestStepsOfCompositeActionsBelongToTheAction(t *testing.T) {
	t.Parallel()
	text := log("0 Runner", "1 ##[group]Run ./build", "1 ##[endgroup]", "1 ##[group]Run gcc a.c", "1 ##[endgroup]", "1 a",
		"1 ##[group]Run gcc b.c", "1 ##[endgroup]", "1 b", "1 ##[group]Run make check", "1 ##[endgroup]", "1 c",
		"2 ##[group]Run ./lint", "2 ##[endgroup]", "5 ##[group]Run ruff", "5 ##[endgroup]", "5 d")
	same(t, cut(t, text, step(1, "Set up job", 0, 1), step(2, "Run ./build", 1, 1), step(3, "Run make check", 1, 1),
		step(4, "lint", 2, 5)), []string{"1 Set up job: Runner",
		"2 Run ./build: ##[group]Run gcc a.c\n##[endgroup]\na\n##[group]Run gcc b.c\n##[endgroup]\nb", "3 Run make check: c",
		"4 lint: ##[group]Run ruff\n##[endgroup]\nd"})
}

func TestStepsThatPrintNothingOfTheRunnersStillHaveTheirLines(t *testing.T) {
	t.Parallel()
	text := log("0 Runner", "3 ##[group]Checking docker version", "3 ##[endgroup]", "7 ##[group]Run make",
		"7 ##[endgroup]", "7 x", "20 Stop and remove container: 1")
	same(t, cut(t, text, step(1, "Set up job", 0, 3), step(2, "Initialize containers", 3, 6), step(3, "silent", 6, 6),
		step(4, "Run make", 7, 9), step(9, "Stop containers", 20, 21)), []string{"1 Set up job: Runner",
		"2 Initialize containers: ##[group]Checking docker version\n##[endgroup]", "4 Run make: x",
		"9 Stop containers: Stop and remove container: 1"})
}

// Many lines that look like the start of a step do not hide the real steps, and do not make the search slow.
func TestALogThatPretendsSteps(t *testing.T) {
	t.Parallel()
	lines := []string{"0 Runner", "1 ##[group]Run make", "1 ##[endgroup]"}
	for range 50_000 {
		lines = append(lines, "1 ##[group]Run make", "3 ##[group]Run make test")
	}
	text := log(append(lines, "5 ##[group]Run make test", "5 ##[endgroup]", "5 the end")...)
	got := cut(t, text, step(1, "Set up job", 0, 1), step(2, "Run make", 1, 5), step(3, "Run make test", 5, 6))
	if len(got) != 3 || got[2] != "3 Run make test: the end" {
		t.Errorf("%d parts, the last %.80s", len(got), got[len(got)-1])
	}
}

func TestWhatTheRunnerAddsIsNotWhatTheStepPrints(t *testing.T) {
	t.Parallel()
	two := 2
	for name, tt := range map[string]struct {
		lines []string
		head  joblog.Head
		end   joblog.End
		text  string
	}{
		"script": {[]string{"##[group]Run make", "\x1b[36;1mmake\x1b[0m", "\x1b[36;1mmake check\x1b[0m", "shell: bash",
			"##[endgroup]", "a", "", "##[error]Process completed with exit code 2."},
			joblog.Head{Title: "make", Script: "make\nmake check\n", Shell: []string{"bash"}}, joblog.End{ExitCode: &two}, "a\n\n"},
		"action": {[]string{"##[group]Run a/b@v1", "with:", "  x: 1", "##[endgroup]", "a"},
			joblog.Head{Title: "a/b@v1", Uses: true}, joblog.End{}, "a\n"},
		"quoted end": {[]string{"##[error]Process completed with exit code 3.", "b",
			"##[error]Process completed with exit code 2."}, joblog.Head{}, joblog.End{ExitCode: &two},
			"##[error]Process completed with exit code 3.\nb\n"},
		"no end": {[]string{"##[error]Process completed with exit code 3.", "b"}, joblog.Head{}, joblog.End{},
			"##[error]Process completed with exit code 3.\nb\n"},
		"canceled": {[]string{"b", "##[error]The operation was canceled."}, joblog.Head{}, joblog.End{Canceled: true}, "b\n"},
		"timed out": {[]string{"##[error]The action 'test' has timed out after 1 minutes."}, joblog.Head{},
			joblog.End{TimedOut: true}, ""},
		"long lines": {[]string{strings.Repeat("x", 200_000), "2026-08-17T13:15:44.0830000Z y"}, joblog.Head{}, joblog.End{},
			strings.Repeat("x", 200_000) + "\n2026-08-17T13:15:44.0830000Z y\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range tt.lines {
				tt.lines[i] = "1 " + tt.lines[i]
			}
			var b bytes.Buffer
			head, end, err := joblog.Text(strings.NewReader(log(tt.lines...)), true, &b, nil)
			if err != nil {
				t.Fatal(err)
			}
			same(t, head, tt.head)
			same(t, end, tt.end)
			same(t, b.String(), tt.text)
		})
	}
}
