package query_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/step"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// A job has several steps with one command, for example with different environments. Each may be skipped. A success of
// one step answers no failure of another.
func TestAStepWithTheCommandOfASkippedOneAnswersNoFailure(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2 * histories) {
		r := rand.New(rand.NewPCG(seed, 5))
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
		steps := 2 + r.IntN(2)
		last := make([]store.Run, steps) // the newest run of each step
		var log []string
		for n := range 2 + r.IntN(5) {
			var job []store.Run
			for at := range steps {
				if n > 0 && r.IntN(3) == 0 {
					continue // all steps ran in the first workflow run
				}
				one := querytest.Run{Source: "build", At: len(log), Command: "make", Cwd: "/p", Repo: "acme/shop",
					Log: "log\n", Git: &store.Git{Branch: "main", Commit: fmt.Sprintf("c%039d", n), Root: "/p"},
					CI: &store.CI{Provider: "github", Workflow: "CI", Job: "build", RunID: fmt.Sprint(n + 1),
						RunAttempt: 1, CheckRunID: fmt.Sprint(100 + n), Step: fmt.Sprint("__run_", at+1)}}
				if n > 0 && r.IntN(8) == 0 {
					one.Exit = 1
				}
				like := store.Run{Repo: one.Repo, Source: one.Source, Command: one.Command, Cwd: one.Cwd, Git: *one.Git,
					CI: one.CI}
				step.Fill(&like)
				one.Shape = step.Again(like, job)
				last[at] = f.Add(t, one)
				job = append(job, last[at])
				log = append(log, fmt.Sprintf("%s in workflow run %d, step %s: exit %d", last[at].Ref(), n+1,
					one.CI.Step, one.Exit))
			}
		}
		for _, red := range last {
			if red.Status() == store.StatusOK {
				continue
			}
			if green := ask(t, f, query.At{}).green(); len(green) > 0 {
				t.Errorf("history %d: %s is red, but green is %v\n  %s", seed, red.Ref(), green,
					strings.Join(log, "\n  "))
			}
		}
	}
}
