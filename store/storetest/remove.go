package storetest

import (
	"testing"

	"github.com/blq-ci/blq/store"
)

// Remover runs the contract tests of a store that implements store.Remover.
func Remover(t *testing.T, open func(t *testing.T) store.Store) { run(t, open, "remove", removeTests) }

var removeTests = map[string]func(f fixture){
	"runs are removed by their attempts, and their serials stay taken": func(f fixture) {
		first, second := f.finish(f.start("o/a", "build"), 1), f.finish(f.start("o/a", "build"), 1)
		running, other := f.start("o/a", "test"), f.finish(f.start("o/b", "build"), 1)
		n, err := f.s.(store.Remover).RemoveRuns(f.Context(), "o/a",
			[]string{first.Attempt, running.Attempt, other.Attempt, f.attempt()})
		f.ok(err)
		f.equal(n, 1)
		_, err = f.s.Run(f.Context(), everything, store.Ref{Repo: "o/a", Serial: first.Serial})
		f.refused(err, store.NotFound)
		list, err := f.s.Runs(f.Context(), everything, store.RunFilter{})
		f.ok(err)
		f.equal(len(list), 3)
		f.equal(f.start("o/a", "build").Serial > second.Serial, true)
	},
}
