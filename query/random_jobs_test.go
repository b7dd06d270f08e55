package query_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// workflowRun is a workflow run of GitHub Actions in a fleet.
type workflowRun struct {
	id, attempt, pr      int
	workflow, event      string
	branch, commit, base string
	failed               map[int]bool // jobs that failed in the newest attempt
}

// fleet is a random history of workflow runs on branches that are pushed and force-pushed.
type fleet struct {
	tips map[string]string // the newest commit of each branch
	runs []*ran
	past []*workflowRun
	odds int // about five of so many results are not OK
	n    int // number of commits
	log  []string
}

func (w *fleet) say(format string, args ...any) { w.log = append(w.log, fmt.Sprintf(format, args...)) }

func (w *fleet) push(branch string) {
	w.n++
	w.tips[branch] = fmt.Sprintf("c%039d", w.n)
	w.say("push %s: %s", branch, w.tips[branch][36:])
}

// execute runs jobs of an attempt. Their results are random.
func (w *fleet) execute(t *testing.T, r *rand.Rand, f *querytest.Fixture, e *workflowRun) {
	again := e.attempt > 0 && len(e.failed) > 0
	e.attempt++
	w.say("workflow run %d.%d of %s on %s at %s, pr %d, %s", e.id, e.attempt, e.workflow, e.branch, e.commit[36:], e.pr,
		e.event)
	failed := map[int]bool{}
	for job := range 3 {
		if again && !e.failed[job] || !again && r.IntN(5) == 0 {
			continue
		}
		for step := range 2 {
			if w.step(t, r, f, e, job, step) != store.StatusOK {
				failed[job] = true
				break
			}
		}
	}
	e.failed = failed
}

// step runs a step of a job, and returns its random result. Two of the three jobs have the same name.
func (w *fleet) step(t *testing.T, r *rand.Rand, f *querytest.Fixture, e *workflowRun, job, step int) store.Status {
	one := &ran{status: store.StatusOK, Run: querytest.Run{Source: []string{"build", "test"}[step], At: len(w.runs) + 1,
		Command: "make", Cwd: "/p", Log: "log\n", Git: &store.Git{Branch: e.branch, Commit: e.commit, Root: "/p"},
		CI: &store.CI{Provider: "github", Workflow: e.workflow, Job: []string{"one", "one", "two"}[job],
			RunID: strconv.Itoa(e.id), RunAttempt: e.attempt, PR: e.pr, BaseRef: e.base, EventName: e.event,
			CheckRunID: fmt.Sprint(1000*e.id + 10*e.attempt + job)}}}
	if job == 2 {
		one.CI.Matrix = fmt.Sprintf(`{"os":"%d"}`, r.IntN(2))
	}
	if r.IntN(12) == 0 {
		one.Command = "make x"
	}
	switch r.IntN(w.odds) {
	case 0, 1:
		one.Exit, one.status = 1, store.StatusFail
	case 2:
		one.Exit, one.Events, one.status = 1, querytest.BuildEvents()[:1], store.StatusFail
	case 3:
		one.Reason, one.status = store.ReasonCancelled, store.StatusCancelled
	case 4:
		one.Running, one.status = true, store.StatusOrphaned
	}
	one.add(t, f)
	w.runs = append(w.runs, one)
	w.say("  %s %q job %s (%s) %s: %s", one.ref(), one.Command, one.CI.Job, one.CI.CheckRunID, one.CI.Matrix, one.status)
	return one.status
}

func jobStep(r *ran) string {
	return strings.Join([]string{r.Source, r.Command, r.CI.Workflow, r.CI.Job, r.CI.Matrix}, "|")
}

// answersFailure reports whether the run o shows that the failure of r is over.
func answersFailure(o, r *ran) bool {
	if jobStep(o) != jobStep(r) || o.Git.Branch != r.Git.Branch || o.serial <= r.serial {
		return false
	}
	ofAttempt := o.CI.RunID == r.CI.RunID && o.CI.RunAttempt == r.CI.RunAttempt
	if r.status == store.StatusCancelled && !ofAttempt {
		return true // a newer workflow run may have cancelled it
	}
	older, _ := strconv.Atoi(o.CI.RunID)
	newer, _ := strconv.Atoi(r.CI.RunID)
	otherJob := ofAttempt && o.CI.CheckRunID != r.CI.CheckRunID
	overtaken := o.Git.Commit != r.Git.Commit && o.CI.PR == r.CI.PR && older < newer
	otherEvent := o.CI.PR > 0 && o.CI.EventName != r.CI.EventName
	otherProposal := o.Git.Commit == r.Git.Commit && (o.CI.PR != r.CI.PR || otherEvent)
	return o.status == store.StatusOK && !otherJob && !overtaken && !otherProposal
}

// An answer about a branch, a pull request or a repository must not show success until every failure there is over (see
// answersFailure).
func TestNoAnswerIsGreenOverAFailureOfABranch(t *testing.T) {
	t.Parallel()
	for seed := range uint64(histories) {
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
		w := randomFleet(t, rand.New(rand.NewPCG(seed, 3)), f)
		w.agrees(t, f, seed, query.At{})
		for _, b := range branchNames {
			w.agrees(t, f, seed, query.At{Branch: b})
		}
		for _, pr := range []int{2, 3, 12, 13} {
			w.agrees(t, f, seed, query.At{PR: pr})
		}
		w.reports(t, f, seed)
	}
}

var branchNames = []string{"main", "topic", "fix"}

func randomFleet(t *testing.T, r *rand.Rand, f *querytest.Fixture) *fleet {
	w := &fleet{tips: map[string]string{}, odds: 8 + r.IntN(60)}
	for range 3 + r.IntN(6) {
		n := r.IntN(len(branchNames))
		b := branchNames[n]
		if w.tips[b] == "" || r.IntN(3) == 0 {
			w.push(b)
		}
		if len(w.past) > 0 && r.IntN(3) == 0 {
			w.execute(t, r, f, w.past[r.IntN(len(w.past))])
			continue
		}
		e := &workflowRun{id: len(w.past) + 1, workflow: []string{"CI", "CI", "Lint"}[r.IntN(3)], branch: b,
			commit: w.tips[b], event: "push"}
		if n > 0 && r.IntN(2) == 0 {
			events := []string{"pull_request", "pull_request", "pull_request_target"}
			e.pr, e.base, e.event = 1+n, "main", events[r.IntN(3)]
			if r.IntN(5) == 0 {
				e.pr += 10 // the branch was deleted and made again
			}
		}
		w.past = append(w.past, e)
		w.execute(t, r, f, e)
	}
	return w
}

// agrees asks questions about a branch, a pull request or a repository. It reports each answer that shows success
// although a failure there is not over.
func (w *fleet) agrees(t *testing.T, f *querytest.Fixture, seed uint64, at query.At) {
	t.Helper()
	var here []*ran
	for _, r := range w.runs {
		if (at.Branch == "" || r.Git.Branch == at.Branch) && (at.PR == 0 || r.CI.PR == at.PR) {
			here = append(here, r)
		}
	}
	if len(here) == 0 {
		return
	}
	got, last := ask(t, f, at), here[len(here)-1]
	for _, red := range here {
		if red.status == store.StatusOK || slices.ContainsFunc(here, func(o *ran) bool { return answersFailure(o, red) }) {
			continue
		}
		var same []string // failed runs of the step
		for _, o := range here {
			if o.status != store.StatusOK && jobStep(o) == jobStep(red) && o.Git.Branch == red.Git.Branch {
				same = append(same, o.ref())
			}
		}
		green := got.green(same...)
		if red.status == store.StatusCancelled && at == (query.At{}) {
			continue // answers name no cancelled runs of other branches
		}
		// A check is about the branch and the pull request of the newest run.
		if other := last.CI.PR != red.CI.PR && last.CI.PR*red.CI.PR > 0; other || last.Git.Branch != red.Git.Branch {
			green = slices.DeleteFunc(green, func(name string) bool { return name == "check" })
		}
		if len(green) > 0 {
			t.Errorf("history %d at %+v: %s is red, but green is %v: %s\n  %s", seed, at, red.ref(), green, got.triage.Verdict,
				strings.Join(w.log, "\n  "))
		}
	}
}

// reports writes the report on each workflow run's commit. It is an error if a report shows success although a failure
// at the commit is not over.
func (w *fleet) reports(t *testing.T, f *querytest.Fixture, seed uint64) {
	t.Helper()
	for _, e := range w.past {
		p := markdown.PullParams{Commit: e.commit, PR: e.pr, Branch: e.branch}
		got, err := markdown.WritePull(t.Context(), f.Asker, cmdline.Words, p)
		if store.CodeOf(err) == store.NotFound {
			continue
		}
		querytest.Check(t, err)
		for _, red := range w.runs {
			if red.status == store.StatusOK || red.Git.Commit != e.commit || red.Git.Branch != e.branch ||
				e.pr > 0 && red.CI.PR > 0 && red.CI.PR != e.pr || e.pr == 0 && red.CI.PR > 0 ||
				slices.ContainsFunc(w.runs, func(o *ran) bool { return answersFailure(o, red) }) {
				continue
			}
			if got.Passed || strings.Contains(got.Headline, "passed") {
				t.Errorf("history %d, report on %+v: %s is red: %s\n  %s", seed, p, red.ref(), got.Headline,
					strings.Join(w.log, "\n  "))
			}
		}
	}
}
