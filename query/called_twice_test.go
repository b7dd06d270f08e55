package query_test

import (
	"fmt"
	"testing"

	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// A workflow calls another one twice, so two jobs have one name. A success of one of them answers no failure of the
// other if the other does not run.
func TestASuccessOfOneCallAnswersNoFailureOfTheOther(t *testing.T) {
	t.Parallel()
	type run struct{ workflowRun, attempt, job, exit int }
	both := []run{{1, 1, 1, 1}, {1, 1, 2, 0}}
	for name, c := range map[string]struct {
		then  []run
		fails bool
	}{
		"only one call ran":      {[]run{{2, 1, 2, 0}}, true},
		"both calls ran":         {[]run{{2, 1, 2, 0}, {2, 1, 1, 0}}, false},
		"the failed one again":   {[]run{{1, 2, 1, 0}}, false},
		"both, the latter later": {[]run{{2, 1, 2, 0}, {3, 1, 1, 0}, {3, 1, 2, 0}}, false},
		"both in two attempts":   {[]run{{2, 1, 2, 0}, {2, 1, 1, 1}, {2, 2, 1, 0}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
			for i, r := range append(both[:2:2], c.then...) {
				f.Add(t, querytest.Run{Source: "test", At: i + 1, Exit: r.exit, Log: "log\n",
					Git: &store.Git{Branch: "main", Commit: fmt.Sprintf("c%039d", r.workflowRun)},
					CI: &store.CI{Provider: "github", Workflow: "CI", Job: "test", RunID: fmt.Sprint(r.workflowRun),
						RunAttempt: r.attempt, CheckRunID: fmt.Sprint(100*r.workflowRun + 10*r.attempt + r.job)}})
			}
			answersAre(t, f, "test", c.fails)
		})
	}
}
