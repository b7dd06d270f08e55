package storetest

import (
	"maps"
	"slices"

	"github.com/blq-ci/blq/store"
)

var rewriteTests = map[string]func(f fixture){
	"a completed run gets other texts": func(f fixture) {
		r := f.start("o/a", "hunter", func(r *store.Run) {
			r.Command, r.CI = "make hunter", &store.CI{Job: "hunter", Matrix: `{"a":"hunter"}`}
		})
		old := chunk(0, store.StreamCombined, 1, 1)
		f.ok(f.s.AddChunk(f.Context(), r.Attempt, old))
		f.events(r, "hunter", "kept")
		f.ok(f.s.AddTests(f.Context(), r.Attempt, []store.TestResult{result("hunter", store.TestPassed)}))
		code := 1
		r, err := f.s.FinishRun(f.Context(), r.Attempt, store.Finish{Ending: store.Ending{FinishedAt: r.StartedAt,
			ExitCode: &code}, Chunks: 1, Batches: 1, Files: store.FileDigests{"hunter": "0123456789abcdef", "b": "ab"}})
		f.ok(err)
		tests, err := f.s.Tests(f.Context(), everything, store.TestFilter{Repo: "o/a"})
		f.ok(err)

		w := store.Rewriting{Run: r, Files: store.FileDigests{"b": "ab"}, Tests: tests}
		w.Run.Source, w.Run.Command = "redacted", "make ***"
		w.Run.CI = &store.CI{Job: "***", Matrix: `{"a":"***"}`}
		hidden := event(1, "***")
		hidden.File = "***"
		w.Events = []store.Event{signed(hidden)}
		w.Tests[0].Name = "***"
		renewed := old
		renewed.Digest, renewed.Key, renewed.Stored = "other", "k/other", 7
		w.Chunks = []store.Chunk{renewed}
		for range 2 { // a repeated call changes nothing
			f.ok(f.s.RewriteRun(f.Context(), w))
		}

		got, err := f.s.Run(f.Context(), everything, store.Ref{Attempt: r.Attempt})
		f.ok(err)
		f.equal([]string{got.Source, got.Command, got.CI.Job, got.CI.Matrix, string(got.Status())},
			[]string{"redacted", "make ***", "***", `{"a":"***"}`, "FAIL"})
		page, err := f.s.Events(f.Context(), everything, store.EventFilter{Runs: store.RunFilter{Source: "redacted"}})
		f.ok(err)
		f.equal(len(page.Events), 2)
		first, second := page.Events[0], page.Events[1]
		f.equal([]string{first.Message, first.File, second.Message}, []string{"***", "***", "kept"})
		f.equal(first.Fingerprint, w.Events[0].Fingerprint)
		chunks, err := f.s.Chunks(f.Context(), everything, r.Attempt, "", 1, 0)
		f.ok(err)
		f.equal(chunks, w.Chunks)
		garbage, err := f.s.Garbage(f.Context(), 0)
		f.ok(err)
		f.equal(garbage, []string{old.Key})
		files, err := f.s.FileDigests(f.Context(), everything, r.Attempt)
		f.ok(err)
		f.equal(slices.Sorted(maps.Keys(files)), []string{"b"})
		tests, err = f.s.Tests(f.Context(), everything, store.TestFilter{Repo: "o/a"})
		f.ok(err)
		f.equal(tests[0].Name, "***")
		f.equal(f.usages(), []string{"o", "o/a"})
		if n, err := f.s.Recount(f.Context(), 0, 1); n != 0 || err != nil {
			f.Errorf("%d counts were wrong: %v", n, err)
		}
	},
	"the size of the new texts counts": func(f fixture) {
		r := f.fail("o/a", "build", "a long message with hunter", "kept")
		e := signed(store.Event{ID: 1, Message: "***"})
		before, _, err := f.s.Usage(f.Context(), "o/a")
		f.ok(err)
		f.ok(f.s.RewriteRun(f.Context(), store.Rewriting{Run: r, Events: []store.Event{e}}))
		after, _, err := f.s.Usage(f.Context(), "o/a")
		f.ok(err)
		f.equal(before.Bytes-after.Bytes, int64(len("a long message with hunter")+len("src/main.c")-len("***")))
	},
	"a run that is not there": func(f fixture) {
		f.refused(f.s.RewriteRun(f.Context(), store.Rewriting{Run: store.Run{Attempt: f.attempt()}}), store.NotFound)
	},
}
