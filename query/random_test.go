package query_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// histories is the number of random histories.
const histories = 60

// history is a random history of runs. It uses few names, so that different steps have many equal names. The numbers of
// the commits never decrease.
type history []querytest.Run

func randomHistory(r *rand.Rand) history {
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	commit, execution, attempt := 1, 1, 1
	var h history
	for i := range 2 + r.IntN(9) {
		switch r.IntN(8) {
		case 0:
			commit, execution, attempt = commit+1, execution+1, 1
		case 1:
			execution, attempt = execution+1, 1
		case 2:
			attempt++
		}
		one := querytest.Run{Source: pick("build", "test"), At: i + 1, Command: pick("make", "make x"), Cwd: pick("/p", "/p/q"),
			Log: "log\n", Git: &store.Git{Branch: "main", Commit: fmt.Sprint("c", commit), Root: "/p"}}
		if r.IntN(3) > 0 {
			one.CI = &store.CI{Provider: "github", Workflow: pick("CI", "Nightly"), Job: pick("one", "two"),
				Matrix: pick("", `{"os":"a"}`, `{"os":"b"}`), RunID: fmt.Sprint(execution), RunAttempt: attempt,
				CheckRunID: fmt.Sprint(r.IntN(3) + 10*execution + 1000*attempt)}
		}
		switch r.IntN(6) {
		case 0, 1:
			one.Exit = 1
		case 2:
			one.Exit, one.Events = 1, querytest.BuildEvents()[:1]
		case 3:
			one.Reason = store.Reason(pick(string(store.ReasonTimeout), string(store.ReasonCancelled), ""))
		}
		h = append(h, one)
	}
	return h
}

// identity returns what distinguishes the steps of a history.
func identity(r querytest.Run) string {
	ci := ""
	if r.CI != nil {
		ci = fmt.Sprint(r.CI.Workflow, r.CI.Job, r.CI.Matrix)
	}
	return strings.Join([]string{r.Source, r.Command, r.Cwd, ci}, "|")
}

// red reports whether a step failed at the last commit, and did not pass since. A cancelled run does not count if its
// step ran again.
func (h history) red() bool {
	last := h[len(h)-1].Git.Commit
	for i, r := range h {
		if r.Git.Commit != last || r.Exit == 0 && r.Reason == "" {
			continue
		}
		answered := false
		for _, o := range h[i+1:] {
			same := r.CI != nil && o.CI != nil && r.CI.RunID == o.CI.RunID && r.CI.RunAttempt == o.CI.RunAttempt
			answered = answered || identity(o) == identity(r) && (r.Reason == store.ReasonCancelled ||
				o.Exit == 0 && o.Reason == "" && (!same || o.CI.CheckRunID == r.CI.CheckRunID))
		}
		if !answered {
			return true
		}
	}
	return false
}

// No answer is green if a step failed at the last commit and did not pass since. If all runs are of one commit, either
// all answers are green or none.
func TestNoAnswerIsGreenOverAFailure(t *testing.T) {
	t.Parallel()
	for seed := range uint64(histories) {
		h := randomHistory(rand.New(rand.NewPCG(seed, 1)))
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
		for _, r := range h {
			f.Add(t, r)
		}
		check, err := f.Check(t.Context(), query.CheckParams{})
		querytest.Check(t, err)
		triage, err := f.Triage(t.Context(), query.TriageParams{})
		querytest.Check(t, err)
		status, err := f.Status(t.Context(), query.StatusParams{})
		querytest.Check(t, err)
		green := "status "
		for _, s := range status.Sources {
			if s.Status != store.StatusOK && s.LeftOut == "" {
				green = ""
			}
		}
		if check.Passed {
			green += "check "
		}
		if triage.Status == store.StatusOK {
			green += "triage"
		}
		if green != "" && h.red() {
			t.Errorf("history %d is green in %s: %s\n%s", seed, green, triage.Verdict, h)
		}
		if one := h[len(h)-1].Git.Commit == h[0].Git.Commit; one && green != "" && green != "status check triage" {
			t.Errorf("history %d is green in %s alone: %s\n%s", seed, green, triage.Verdict, h)
		}
	}
}

func (h history) String() string {
	var b strings.Builder
	for _, r := range h {
		fmt.Fprintf(&b, "  %s %s exit %d %s %+v\n", r.Git.Commit, identity(r), r.Exit, r.Reason, r.CI)
	}
	return b.String()
}
