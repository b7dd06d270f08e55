package web_test

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// truthRuns is the number of runs of each source.
const truthRuns = 30

// truthOf returns a site with runs whose errors and results of tests follow simple rules. The runs of the source build
// are build:1 to build:30. The runs of the source unit are unit:31 to unit:60. Odd runs are on the branch main. Even
// runs are on the branch topic, and belong alternately to the pull requests 7 and 8. Two successive runs of a source on
// a branch have one commit. In the following rules, the first run of each source is run 1.
//
//   - 'foo' undeclared: on main in runs 5 to 13 and 21 to 29 of build
//   - 'bar' undeclared: on topic since run 16 of build
//   - broken: fails since run 21 of unit
//   - shaky: fails in runs 3, 8 and 12 of unit
func truthOf(t *testing.T) func(path string) string {
	f := querytest.New(t)
	f.Asker = querytest.NewAsker(t, f.Tree)
	f.Now = func() time.Time { return time.Date(2024, 1, 20, 0, 0, 0, 0, time.UTC) }
	for source := range 2 {
		for i := 1; i <= truthRuns; i++ {
			r := querytest.Run{Source: "build", At: 100*source + i, Log: "fine\n", Took: time.Duration(i) * time.Second,
				Git: &store.Git{Branch: "main", Commit: fmt.Sprintf("%040d", 10+(i-1)/4)}}
			if i%2 == 0 {
				r.Git = &store.Git{Branch: "topic", Commit: fmt.Sprintf("%040d", 50+(i-1)/4)}
				r.CI = &store.CI{Provider: "github", PR: 7 + i/2%2, BaseRef: "main", HeadRef: "topic"}
			}
			message := ""
			switch {
			case source == 1:
				r.Source = "unit"
				r.Tests = []store.TestResult{truthTest("broken", i >= 21, 1), truthTest("shaky", i == 3 || i == 8 || i == 12, 1),
					truthTest("slow", false, 5)}
				if i >= 21 || i == 3 || i == 8 || i == 12 {
					r.Exit = 1
				}
			case i%2 == 1 && (i >= 5 && i <= 13 || i >= 21):
				message = "'foo' undeclared"
			case i%2 == 0 && i >= 16:
				message = "'bar' undeclared"
			}
			if message != "" {
				r.Exit, r.Log = 1, "src/main.c:3:13: error: "+message+"\n"
				r.Events = []store.Event{querytest.Event("error", "src/main.c", 3, 13, message, 1, 1)}
			}
			f.Add(t, r)
		}
	}
	server := site(t, f)
	tags := regexp.MustCompile(`<title>[^<]*</title>|<[^>]*>`)
	return func(path string) string {
		body := get(t, server.Client(), server.URL+path).body
		_, main, _ := strings.Cut(body, "<main")
		main = strings.NewReplacer("</td>", " | ", "</dd>", ". ", "</p>", ". ", "</h2>", ": ").Replace(main)
		return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString("<main"+main, " "))), " ")
	}
}

func truthTest(name string, failed bool, seconds int) store.TestResult {
	r := store.TestResult{Test: store.Test{Name: name, File: "a_test.go"}, Attempt: 1,
		Duration: time.Duration(seconds) * time.Second, Outcome: store.TestPassed}
	if failed {
		r.Outcome = store.TestFailed
	}
	return r
}

// The numbers on the pages agree with the rules of truthOf.
func TestPagesTellTheTruth(t *testing.T) {
	t.Parallel()
	text := truthOf(t)
	foo := store.Fingerprint(querytest.Event("error", "src/main.c", 3, 13, "'foo' undeclared", 1, 1))
	bar := store.Fingerprint(querytest.Event("error", "src/main.c", 3, 13, "'bar' undeclared", 1, 1))
	for path, wants := range map[string][]string{
		"/fingerprint/" + foo: {"First seen build:5 at", "Last seen build:29 at", "How often 10 times in 10 runs.",
			"Branches main (10 runs). Sources build (10 runs)", "in 10 of the last 15 runs that could have it",
			"It came with build:21 at", "the run before it on the branch, build:19 at", "!It went"},
		"/fingerprint/" + bar: {"First seen build:16 at", "Last seen build:30 at", "How often 8 times in 8 runs.",
			"Branches topic (8 runs)", "in 8 of the last 15 runs that could have it", "It came with build:16 at", "build:14 at"},
		// Of 29 runs, seven of topic failed with the other error.
		"/event/build:29:1": {"First seen in build:5", "10 times up to this run", "Before this in build:27",
			"in 10 of the last 22 runs that could have it", "It came with build:21", "!is back"},
		"/event/build:13:1": {"5 times up to this run", "in 5 of the last 13 runs", "It came with build:5", "!is back"},
		"/event/build:21:1": {"6 times up to this run", "It was gone and is back."},
		"/event/build:16:1": {"First seen in build:16", "1 time up to this run",
			"in 1 of the last 11 runs", "build:14 at", "!is back"},
		"/event/build:18:1": {"2 times up to this run", "in 2 of the last 13 runs", "!is back"},
		"/run/build:21": {"build:21 failed: 1 error, 1 new since build:19.",
			"Compared with build:19 , the run before it on main. What changed", "new back", "first in build:5",
			"in 6 of the last 18 runs", "Time 21 s, usually 3 s to 19 s"},
		"/run/build:23": {"build:23 failed: 1 error, none new since build:21.", "known",
			"also in build:21", "in 7 of the last 19 runs"},
		"/run/build:16":                   {"build:16 failed: 1 error, 1 new since build:15.", "!back"},
		"/run/build:18":                   {"1 error, 1 new since build:17.", "first in build:16", "!back"},
		"/run/build:15":                   {"build:15 passed; 1 error of build:13 fixed."},
		"/compare/build:21?with=build:19": {"1 new, 0 fixed, 0 unchanged."},
		"/compare/build:15?with=build:13": {"0 new, 1 fixed, 0 unchanged."},
		"/compare/build:23?with=build:21": {"0 new, 0 fixed, 1 unchanged."},
		"/compare/build:30?with=build:29": {"1 new, 1 fixed, 0 unchanged."},
		"/compare/build:16": {
			"With build:15 , the newest run on main before this branch starts", "1 new, 0 fixed, 0 unchanged."},
		"/sources?source=build&branch=main":     {"Time of 15 runs, oldest first: from 1 s to 29 s"},
		"/runs?source=build&branch=topic":       {"#15 UTC"},
		"/runs?source=build&result=fail":        {"#18 UTC"},
		"/runs?pr=7":                            {"#14 UTC"}, // runs 4, 8 to 28, twice
		"/runs?source=unit&pr=8&result=fail":    {"#3 UTC"},
		"/find?q=foo":                           {"Found in 0 of the 20 newest logs."}, // all of unit
		"/find?q=bar&branch=topic&source=build": {"Found in 8 of the 15 newest logs."},
		"/tests": {"2 passed, 1 failed, 0 skipped, in 1 run.",
			"broken a_test.go | failed", "unit:60"},
		"/tests?show=slowest":                      {"Test File Outcome Time Run slow a_test.go | passed | 5 s"},
		"/tests?show=changed&source=unit":          {"None."},
		"/tests?show=history&test=shaky":           {"27 passed, 3 failed, 0 skipped, in 30 runs.", "#30 UTC"},
		"/tests?show=history&test=shaky&branch=xx": {"!passed"},
		"/tests?show=flaky": {"In the last 30 runs.", "#1 unit:",
			"shaky a_test.go | failed | 1 | 3 | 3 | 0000000000 0000000000 0000000000 |"},
		"/tests?show=grid": {"failed in 51–60; passed in 31–50",
			"failed in 33, 38, 42; passed in 31–32, 34–37, 39–41, 43–60",
			"slow | passed in 31–60"},
		"/tests?show=grid&branch=main": {"failed in 51–59; passed in 31–49", "failed in 33; passed in 31, 35–59"},
		"/sources": {"7 of 15 runs red | median 16 s", "6 of 15 runs red | median 15 s", "8 of 15 runs red | median 16 s",
			"10 of 15 runs red | median 15 s"},
	} {
		got := text(path)
		for _, want := range wants {
			ok := strings.Contains(got, want)
			switch want[0] {
			case '!':
				ok = !strings.Contains(got, want[1:])
			case '#':
				n, of, _ := strings.Cut(want[1:], " ")
				ok = n == fmt.Sprint(strings.Count(got, of))
			}
			if !ok {
				t.Errorf("%s: %s is wrong of: %s", path, want, got)
			}
		}
	}
}

// The pages name a failed run of a step that is not run any more, although another step of its source passes.
func TestPagesNameRunsOfRetiredSteps(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	for i, command := range []string{"make lint", "make test a", "make test", "make lint", "make test"} {
		r := querytest.Run{Source: strings.Fields(command)[1], Command: command, At: i + 1,
			Git: &store.Git{Branch: "main", Commit: fmt.Sprint("c", i/3+1)}}
		if i == 1 {
			r.Exit = 1
		}
		f.Add(t, r)
	}
	server := site(t, f)
	for _, path := range []string{"/", "/sources"} {
		body := get(t, server.Client(), server.URL+path).body
		if !regexp.MustCompile(`test:2</a>\s*<small> does not count: it happened at c1, and at c2`).MatchString(body) {
			t.Errorf("%s does not name test:2: %s", path, body)
		}
	}
}
