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

// checkoutFiles makes a commit with one of three sets of files, or checks out another branch. A revert makes a commit
// with the files of an earlier one.
func (w *world) checkoutFiles(r *rand.Rand) {
	switch r.IntN(4) {
	case 0:
		w.on = fmt.Sprint("topic", r.IntN(2))
		if tip, ok := w.branches[w.on]; ok {
			w.head = tip
		}
		w.move(w.head)
		w.say("checkout %s (%s)", w.on, w.head[36:])
	default:
		w.commit()
		w.files[w.head] = fmt.Sprint("files ", r.IntN(3))
		w.say("commit %s with %s", w.head[36:], w.files[w.head])
	}
}

// A step passes with some files, and fails with others. If it failed with the files that are checked out, no answer is
// green, whatever happened with other files.
func TestNoAnswerIsGreenIfTheFilesFailed(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2 * histories) {
		r := rand.New(rand.NewPCG(seed, 4))
		root := t.TempDir()
		w := newWorld(root)
		w.files[w.head] = "files 0"
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, root)}
		f.Git, f.Ancestry = w, w
		failed, bad := map[string]string{}, fmt.Sprint("files ", r.IntN(3))
		for range 3 + r.IntN(6) {
			if r.IntN(2) == 0 {
				w.checkoutFiles(r)
				continue
			}
			files := w.files[w.head]
			one := &ran{Run: querytest.Run{Source: "test", At: len(w.runs) + 1, Command: "make", Cwd: root,
				Log: "log\n", Git: &store.Git{Branch: w.on, Commit: w.head, Root: root, Dirty: r.IntN(6) == 0}}}
			if files == bad && !one.Git.Dirty {
				one.Exit = 1
			}
			one.add(t, f)
			w.runs = append(w.runs, one)
			w.say("%s at %s: exit %d, dirty %v", one.ref(), w.head[36:], one.Exit, one.Git.Dirty)
			if one.Exit != 0 {
				failed[files] = one.ref()
			}
		}
		if len(w.runs) == 0 || failed[w.files[w.head]] == "" {
			continue
		}
		got := ask(t, f, query.At{})
		if green := got.green(); len(green) > 0 {
			t.Errorf("history %d: %s is red, but green is %v: %s\n  %s", seed, failed[w.files[w.head]], green,
				got.triage.Verdict, strings.Join(w.log, "\n  "))
		}
	}
}
