package storetest

import (
	"strings"

	"github.com/blq-ci/blq/store"
)

var printTests = map[string]func(f fixture){
	"the prints of errors, by page": func(f fixture) {
		list := []store.Event{
			{Severity: store.SeverityError, Tool: "gcc", Category: store.CategoryCompile, File: "a.c",
				Message: "'x' undeclared"},
			{Severity: store.SeverityWarning, Tool: "gcc", Category: store.CategoryCompile, File: "a.c", Message: "unused"},
			{Severity: store.SeverityError, Tool: "pytest", Category: store.CategoryTest, Test: "t1", Message: "assert 1 == 2"},
			{Severity: store.SeverityError, Tool: "pytest", Category: store.CategoryTest, Test: "t2",
				Message: strings.Repeat("ä", store.TerseBytes/2)},
			{Severity: store.SeverityError, Tool: "rustc", Category: store.CategoryCompile, File: "ä\x00.rs",
				Message: "mismatched types\nexpected u8"},
			{Severity: store.SeverityError, Tool: "rustc", Category: store.CategoryCompile, File: "b.rs", Message: "one line"},
			{Severity: store.SeverityError, Tool: "arch-lint", Category: store.CategoryLint, File: "a.go", Message: "a uses b"},
			{Severity: store.SeverityError, Tool: "arch-lint", Category: store.CategoryLint, File: "b.go",
				Message: "ä uses b" + store.OlderThanRule},
			{Severity: store.SeverityError, Tool: "other", Category: store.CategoryLint, File: "b.go",
				Message: "a uses b" + store.OlderThanRule},
		}
		r := f.start("o/n", "build")
		var want []store.Print
		for i := range list {
			list[i].ID = i + 1
			list[i] = signed(list[i])
			if p := store.PrintOf(list[i]); list[i].Severity == store.SeverityError {
				p.Brief = 0 // stores do not return Brief
				want = append(want, p)
			}
		}
		f.ok(f.s.AddEvents(f.Context(), r.Attempt, 0, list))
		all, err := f.s.Prints(f.Context(), everything, store.PrintFilter{Attempt: r.Attempt, Limit: 100})
		f.ok(err)
		f.equal(all, want)
		some, err := f.s.Prints(f.Context(), everything, store.PrintFilter{Attempt: r.Attempt, After: 3, Limit: 2})
		f.ok(err)
		f.equal(some, want[2:4])
		none, err := f.s.Prints(f.Context(), everything, store.PrintFilter{Attempt: r.Attempt, After: 9, Limit: 2})
		f.ok(err)
		f.equal(len(none), 0)
		bare, err := f.s.Prints(f.Context(), everything,
			store.PrintFilter{Attempt: r.Attempt, After: 1, Limit: 3, Bare: true})
		f.ok(err)
		for i := range want {
			want[i] = store.Print{ID: want[i].ID, Fingerprint: want[i].Fingerprint, Category: want[i].Category}
		}
		f.equal(bare, want[1:4])
		_, err = f.s.Prints(f.Context(), store.Repos("o/other"), store.PrintFilter{Attempt: r.Attempt, Limit: 100})
		f.refused(err, store.NotFound)
		_, err = f.s.Prints(f.Context(), everything, store.PrintFilter{Attempt: "nosuch", Limit: 100})
		f.refused(err, store.NotFound)
	},
	"events by their numbers": func(f fixture) {
		r := f.fail("", "build", "one", "two", "three", "four")
		of := store.RunFilter{Attempts: []string{r.Attempt}}
		f.equal(f.messages(store.EventFilter{Runs: of, IDs: []int{4, 2, 9}}), []string{"two", "four"})
		f.equal(f.messages(store.EventFilter{Runs: of, IDs: []int{}}), []string(nil))
		page, err := f.s.Events(f.Context(), everything, store.EventFilter{Runs: of, IDs: []int{1, 2, 3}, Limit: 2})
		f.ok(err)
		f.equal(page.Total, 3)
	},
	"a page without the total": func(f fixture) {
		r := f.fail("", "build", "one", "two", "three")
		page, err := f.s.Events(f.Context(), everything, store.EventFilter{
			Runs: store.RunFilter{Attempts: []string{r.Attempt}}, After: 1, Limit: 1, Uncounted: true})
		f.ok(err)
		f.equal(len(page.Events), 1)
		f.equal(page.Events[0].Message, "two")
	},
}
