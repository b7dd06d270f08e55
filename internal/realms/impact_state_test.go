package realms_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
)

// For each importer, the comment says what is known about its default branch. A run that has not ended is no success,
// and a run of a fork says nothing about the branch.
func TestTheStateOfAnImporter(t *testing.T) {
	t.Parallel()
	f, _, _ := published(t, "1.5.0")
	f.push("acme/azure", 40, owned("1.6.0"), "change", 20, 10)
	n := 0
	run := func(source string, exit int, fork bool) {
		t.Helper()
		n++
		r := store.Run{Attempt: fmt.Sprint(n), Repo: "acme/fungal", Source: source, StartedAt: now,
			Git: store.Git{Branch: "main"}}
		if fork {
			r.CI = &store.CI{Provider: "github", Fork: true, PR: 9}
		}
		r, err := f.store.StartRun(t.Context(), r)
		f.ok(err)
		if exit >= 0 {
			_, err = f.store.FinishRun(t.Context(), r.Attempt, store.Finish{Ending: store.Ending{Reason: store.ReasonExit,
				ExitCode: &exit, FinishedAt: now.Add(time.Minute)}})
			f.ok(err)
		}
	}
	expect := func(want string) {
		t.Helper()
		all, err := f.asker("acme/azure", "acme/fungal").ContractImpacts(t.Context(), "acme/azure", hash(40))
		f.ok(err)
		if len(all) != 1 || len(all[0].Consumers) != 1 || all[0].Consumers[0].State != want {
			t.Errorf("%+v, want %q", all, want)
		}
	}
	expect("")
	run("build", 1, true)
	expect("")
	run("build", -1, false)
	expect("running on main")
	run("test", 0, false)
	expect("OK on main, and still running")
	run("build", 0, false)
	expect("OK on main")
	run("test", 2, false)
	expect("fails on main (test:5)")
}
