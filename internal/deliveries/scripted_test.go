package deliveries_test

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

// This is a scripted repository. It defines the errors and the failing tests of each job of each commit. The expected
// new, fixed and flaky failures are computed only from these definitions, without any code of the service.

// shown is the result of a job execution: the errors of its step Build, and the failing tests of its step Test.
type shown struct{ errors, failing []string }

// scriptedCommit is a commit with its jobs, in the order in which CI ran them.
type scriptedCommit struct {
	sha, branch string
	base        string // commit to compare with
	pr          int
	legs        map[string][]shown // results by leg, one for each attempt
}

// scripted is a repository with a history.
type scripted struct {
	commits []*scriptedCommit
	heads   map[string]string // newest commits by branch
	n       int
}

var (
	scriptedLegs  = []string{"linux", "mac"}
	scriptedTests = []string{"TestA", "TestB", "TestC", "TestD"}
)

// commit adds a commit to a branch. Both legs get the given errors and failing tests, unless the function change alters
// the commit.
func (s *scripted) commit(branch, base string, pr int, errors, failing string, change func(*scriptedCommit)) string {
	s.n++
	c := &scriptedCommit{sha: fmt.Sprintf("%039d%x", s.n, pr), branch: branch, base: base, pr: pr,
		legs: map[string][]shown{}}
	for _, leg := range scriptedLegs {
		c.legs[leg] = []shown{{strings.Fields(errors), strings.Fields(failing)}}
	}
	if change != nil {
		change(c)
	}
	s.commits = append(s.commits, c)
	s.heads[branch] = c.sha
	return c.sha
}

// main adds a commit to main. The commit is compared with the previous commit on main.
func (s *scripted) main(errors, failing string, change func(*scriptedCommit)) string {
	return s.commit("main", s.heads["main"], 0, errors, failing, change)
}

// script returns a repository of 40 commits on four branches. It has a rebase, a force-push, repeated jobs, a leg
// that fails alone, a failure that main gets first, and flaky tests.
func script() *scripted {
	s := &scripted{heads: map[string]string{}}
	again := func(leg string, second shown) func(*scriptedCommit) {
		return func(c *scriptedCommit) { c.legs[leg] = append(c.legs[leg], second) }
	}
	alone := func(leg string, only shown) func(*scriptedCommit) {
		return func(c *scriptedCommit) { c.legs[leg] = []shown{only} }
	}
	m1 := s.main("", "", nil)
	m2 := s.main("old", "", nil) // on main from now on
	a := func(errors, failing string, change func(*scriptedCommit)) {
		s.commit("a", m2, 1, errors, failing, change)
	}
	a("old", "", nil)
	a("old mine", "", nil)
	a("old mine", "TestA", nil)
	s.main("old", "TestB", nil)                                       // main gets the failure first
	a("old mine", "TestB", nil)                                       // new, because the branch began earlier
	a("old", "TestC", again("linux", shown{errors: []string{"old"}})) // flaky, because it passes when it runs again
	a("", "", nil)
	for range 4 {
		s.main("old", "TestB", nil)
	}
	m8 := s.main("old", "", nil)
	b := m1
	on := func(errors, failing string, change func(*scriptedCommit)) {
		s.commit("b", b, 2, errors, failing, change)
	}
	on("", "", alone("mac", shown{errors: []string{"mac"}}))
	on("here", "", alone("mac", shown{errors: []string{"here", "mac"}}))
	on("here", "TestD", nil)
	b = m8 // rebased: old comes from main now
	on("old here", "", nil)
	on("old here", "TestD", again("mac", shown{errors: []string{"old", "here"}, failing: []string{"TestD"}}))
	on("old", "", nil)
	c := func(errors, failing string, change func(*scriptedCommit)) {
		s.commit("c", m8, 3, errors, failing, change)
	}
	c("old two two", "", nil) // the same error twice
	c("old two", "TestA TestB", nil)
	c("old", "", nil) // force-pushed: earlier commits are gone
	c("old other", "", nil)
	for i := range 5 {
		s.main("old", "", nil)
		c("old other", []string{"", "TestA"}[i%2], nil)
		if i == 2 {
			s.main("old", "TestA", again("mac", shown{errors: []string{"old"}})) // flaky on main
		}
	}
	for s.n < 40 {
		s.main("old last", "TestD", nil)
	}
	return s
}

// logOf returns a job with this result and its log.
func (o shown) logOf(id int64, leg string, attempt int) githubtest.Job {
	lines := []string{"0 Current runner version: '2.330.0'", "1 ##[group]Run make", "1 \x1b[36;1mmake\x1b[0m",
		"1 shell: /usr/bin/bash -e {0}", "1 ##[endgroup]"}
	for i, e := range o.errors {
		lines = append(lines, fmt.Sprintf("2 src/%s.c:%d:1: error: '%s' undeclared", e, 3+i, e))
	}
	built, tested := "success", "success"
	if len(o.errors) > 0 {
		built, lines = "failure", append(lines, "2 ##[error]Process completed with exit code 2.")
	}
	lines = append(lines, "10 ##[group]Run go test -v", "10 \x1b[36;1mgo test -v\x1b[0m", "10 shell: /usr/bin/bash -e {0}",
		"10 ##[endgroup]")
	for _, t := range scriptedTests {
		lines = append(lines, "11 === RUN   "+t)
		if slices.Contains(o.failing, t) {
			lines = append(lines, "11     a_test.go:3: "+t+" says no", "11 --- FAIL: "+t+" (0.01s)")
			continue
		}
		lines = append(lines, "11 --- PASS: "+t+" (0.01s)")
	}
	if len(o.failing) > 0 {
		tested, lines = "failure", append(lines, "11 FAIL", "11 ##[error]Process completed with exit code 1.")
	}
	conclusion := "success"
	if built+tested != "successsuccess" {
		conclusion = "failure"
	}
	return githubtest.Job{ID: id, Name: "test (" + leg + ")", Conclusion: conclusion, Attempt: attempt,
		Steps: []githubtest.Step{{Name: "Set up job", To: 1}, {Name: "Build", From: 1, To: 9, Conclusion: built},
			{Name: "Test", From: 10, To: 19, Conclusion: tested}, {Name: "Complete job", From: 20, To: 21}},
		Log: aLog(append(lines, "20 Cleaning up orphan processes")...)}
}

// play runs the jobs of each commit one after another, and reports them to the service.
func (s *scripted) play(p *place) {
	p.Helper()
	for n, c := range s.commits {
		if c.pr > 0 {
			if !slices.ContainsFunc(s.commits[:n], func(o *scriptedCommit) bool { return o.pr == c.pr }) {
				p.github.AddPull(shop, githubtest.Pull{Number: c.pr, HeadRef: c.branch})
			}
			p.github.ChangePull(shop, c.pr, func(pull *githubtest.Pull) { pull.HeadSHA, pull.BaseSHA = c.sha, c.base })
		}
		run := githubtest.Run{ID: int64(n + 1), HeadBranch: c.branch, HeadSHA: c.sha}
		if c.pr > 0 {
			run.Event = "pull_request"
		}
		for i, leg := range scriptedLegs {
			for attempt, o := range c.legs[leg] {
				run.Jobs = append(run.Jobs, o.logOf(int64(n*10+i*4+attempt+1), leg, attempt+1))
			}
		}
		sort.SliceStable(run.Jobs, func(i, j int) bool { return run.Jobs[i].Attempt < run.Jobs[j].Attempt })
		all := run.Jobs
		for attempt := 1; attempt <= 2; attempt++ {
			run.Jobs = slices.DeleteFunc(slices.Clone(all), func(j githubtest.Job) bool { return j.Attempt > attempt })
			p.github.SetRun(shop, run)
			for _, j := range run.Jobs {
				if j.Attempt == attempt {
					p.deliver(p.github.JobEnded(fmt.Sprint("job-", j.ID), p.installed, shop, j.ID))
				}
			}
			for range 3 {
				p.queue.Run(p.Context())
				p.now = p.now.Add(10 * 1e9)
			}
		}
	}
}

// last returns the result of the last attempt of a commit's leg.
func (s *scripted) last(sha, leg string) (shown, bool) {
	for _, c := range s.commits {
		if c.sha == sha {
			return c.legs[leg][len(c.legs[leg])-1], true
		}
	}
	return shown{}, false
}

// of returns the errors of the step Build, or the failed tests of the other step.
func (o shown) of(step string) []string {
	if step == "Build" {
		return o.errors
	}
	return o.failing
}

// classes returns each result of a step with its class, sorted. If the base has a result n times, n such results of the
// step are old and the others are new. A result that the base has more often is fixed. Without a comparison, all
// results are unknown.
func classes(now, base []string, compared bool) (list []string) {
	left := map[string]int{}
	for _, b := range base {
		left[b]++
	}
	for _, e := range now {
		switch {
		case !compared:
			list = append(list, e+" unknown")
		case left[e] > 0:
			left[e]--
			list = append(list, e+" old")
		default:
			list = append(list, e+" new")
		}
	}
	for e, n := range left {
		for range n * map[bool]int{true: 1}[compared] {
			list = append(list, e+" fixed")
		}
	}
	sort.Strings(list)
	return list
}

// TestAScriptedRepository compares the class of each error and each failing test in each run with the expected class.
func TestAScriptedRepository(t *testing.T) {
	onEach(t, func(p *place) {
		s := script()
		s.play(p)
		p.same(p.dead(), []string(nil))
		asker := &query.Asker{Store: p.store, Blobs: p.blobs, Scope: store.Repos(shop)}
		checked := 0
		for _, c := range s.commits {
			for _, leg := range scriptedLegs {
				for attempt, o := range c.legs[leg] {
					for _, step := range []string{"Build", "Test"} {
						base, compared := s.last(c.base, leg)
						want := classes(o.of(step), base.of(step), compared)
						got := p.classesOf(asker, c.sha, leg, step, attempt+1)
						if strings.Join(got, ", ") != strings.Join(want, ", ") {
							p.Errorf("%s of commit %s of %s on %s, attempt %d: %q, want %q", step, c.sha[36:], c.branch, leg,
								attempt+1, got, want)
						}
						checked++
					}
				}
			}
		}
		if len(s.commits) != 40 || checked < 160 {
			p.Errorf("%d commits, %d runs", len(s.commits), checked)
		}
		p.flakyTests(asker, s)
		p.failingTests(asker, s)
	})
}

// classesOf returns the events of a run, each with the class that the service gives to it.
func (p *place) classesOf(asker *query.Asker, sha, leg, step string, attempt int) (list []string) {
	p.Helper()
	runs, err := p.store.Runs(p.Context(), store.Repos(shop), store.RunFilter{Repo: shop, Commits: []string{sha},
		Source: step})
	check(p.TB, err)
	for _, r := range runs {
		if !strings.Contains(r.CI.Matrix, leg) || r.CI.RunAttempt != attempt {
			continue
		}
		base, c, err := asker.Compare(p.Context(), r, "", 0)
		check(p.TB, err)
		page, err := p.store.Events(p.Context(), store.Repos(shop), store.EventFilter{Runs: store.RunFilter{
			Attempts: []string{r.Attempt}}, Severities: []store.Severity{store.SeverityError}})
		check(p.TB, err)
		if !base.Found() {
			for _, e := range page.Events {
				list = append(list, named(e)+" unknown")
			}
		}
		for class, events := range map[string][]store.RunEvent{"new": c.New, "old": c.Unchanged, "fixed": c.Fixed} {
			for _, e := range events {
				list = append(list, named(e)+" "+class)
			}
		}
		sort.Strings(list)
		return list
	}
	return []string{"no run"}
}

// named returns the script's name of an event.
func named(e store.RunEvent) string {
	if e.Test != "" {
		return e.Test
	}
	return strings.TrimSuffix(strings.TrimPrefix(e.File, "src/"), ".c")
}

// flakyTests compares the tests that the service calls flaky with the expected flaky tests. These tests have failed
// and passed at the same commit and leg.
func (p *place) flakyTests(asker *query.Asker, s *scripted) {
	p.Helper()
	want := map[string]bool{}
	for _, c := range s.commits {
		for _, attempts := range c.legs {
			for _, t := range scriptedTests {
				failed := 0
				for _, o := range attempts {
					if slices.Contains(o.failing, t) {
						failed++
					}
				}
				if failed > 0 && failed < len(attempts) {
					want[t] = true
				}
			}
		}
	}
	answer, err := asker.Tests(p.Context(), query.TestsParams{Show: "flaky", Repo: shop, Limit: 20})
	check(p.TB, err)
	got := map[string]bool{}
	for _, t := range answer.Tests {
		got[t.Test] = true
	}
	p.same(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
}

// failingTests checks that the failing tests of each branch are the failing tests of its newest commit.
func (p *place) failingTests(asker *query.Asker, s *scripted) {
	p.Helper()
	for branch, sha := range s.heads {
		want := map[string]bool{}
		for _, leg := range scriptedLegs {
			o, _ := s.last(sha, leg)
			for _, t := range o.failing {
				want[t] = true
			}
		}
		answer, err := asker.Tests(p.Context(), query.TestsParams{Show: "failing", Repo: shop, Branch: branch, Limit: 20})
		check(p.TB, err)
		got := map[string]bool{}
		for _, t := range answer.Tests {
			got[t.Test] = true
		}
		if !maps.Equal(got, want) {
			p.Errorf("%s fails on %s, want %s", slices.Sorted(maps.Keys(got)), branch, slices.Sorted(maps.Keys(want)))
		}
	}
}
