package storetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/blq-ci/blq/store"
)

var runTests = map[string]func(f fixture){
	"a finished run has the digests of its files": func(f fixture) {
		before, _, err := f.s.Usage(f.Context(), "o/a")
		f.ok(err)
		want := store.FileDigests{"src/a.c": "0123456789abcdef", "ü\x00.c": "fedcba9876543210"}
		r := f.start("o/a", "build")
		started, _, err := f.s.Usage(f.Context(), "o/a")
		f.ok(err)
		_, err = f.s.FinishRun(f.Context(), r.Attempt, store.Finish{Chunks: -1, Batches: -1, Files: want})
		f.ok(err)
		got, err := f.s.FileDigests(f.Context(), everything, r.Attempt)
		f.ok(err)
		f.equal(got, want)
		after, _, err := f.s.Usage(f.Context(), "o/a")
		f.ok(err)
		f.equal(before.Bytes < started.Bytes && started.Bytes+int64(len(want.Text())) == after.Bytes, true)
		_, err = f.s.FileDigests(f.Context(), store.Repos("o/b"), r.Attempt)
		f.equal(store.CodeOf(err), store.NotFound)
		without := f.finish(f.start("o/a", "build"), 0)
		got, err = f.s.FileDigests(f.Context(), everything, without.Attempt)
		f.ok(err)
		f.equal(got, store.FileDigests(nil))
		many := store.FileDigests{}
		for i := range 300 {
			many[fmt.Sprint(i)] = "0123456789abcdef"
		}
		r = f.start("o/a", "build")
		_, err = f.s.FinishRun(f.Context(), r.Attempt, store.Finish{Chunks: -1, Batches: -1, Files: many})
		f.ok(err)
		got, err = f.s.FileDigests(f.Context(), everything, r.Attempt)
		f.ok(err)
		f.equal(len(got), store.MaxFileDigests)
	},
	"facts come back as they were given": func(f fixture) {
		want := store.Run{
			Attempt: f.attempt(), Repo: "o/n", Source: "build", Command: "make 'a b'", Cwd: "/src", StartedAt: start,
			Hostname: "h", Platform: "Linux", Arch: "x86_64", Format: "gcc",
			Git:   store.Git{Commit: "0123456789abcdef0123456789abcdef01234567", Branch: "main", Dirty: true, Root: "/src"},
			CI:    &store.CI{Provider: "github", Job: "build", PR: 7, Matrix: `{"os":"ubuntu"}`, Fork: true},
			Shape: "0123456789abcdef",
		}
		got, err := f.s.StartRun(f.Context(), want)
		f.ok(err)
		want.Serial, want.State, want.OpenedAt, want.HeartbeatAt = 1, store.StateRunning, start, start
		want.Git.Branch = "pull/7:main" // a fork's main is not the repository's own main
		f.equal(got, want)
		read, err := f.s.Run(f.Context(), everything, store.Ref{Attempt: want.Attempt})
		f.ok(err)
		f.equal(read, want)

		code := 2
		ending := store.Ending{FinishedAt: start.Add(time.Second), ExitCode: &code, Signal: "SIGTERM",
			Reason: store.ReasonTimeout, Lost: "10 lines"}
		got, err = f.s.FinishRun(f.Context(), want.Attempt, store.Finish{Ending: ending, Lines: 12})
		f.ok(err)
		want.State, want.Ending, want.Lines = store.StateCompleted, ending, 12
		f.equal(got, want)
	},
	"a run without a shape gets that of its command and directory": func(f fixture) {
		at := func(command, cwd string) store.Run {
			return f.start("", "build", func(r *store.Run) { r.Command, r.Cwd, r.Git.Root = command, cwd, "/src" })
		}
		lint := at("make lint", "/src")
		for _, same := range []store.Run{at("make -j8 lint", "/src"), at("make  lint", "/src/")} {
			f.equal(same.Shape, lint.Shape)
		}
		for _, other := range []store.Run{at("make test", "/src"), at("make lint", "/src/api")} {
			if other.Shape == lint.Shape || other.Shape == "" {
				f.Errorf("%q in %s has the shape %q", other.Command, other.Cwd, other.Shape)
			}
		}
	},
	"serials count up within a repository": func(f fixture) {
		f.equal(f.start("o/a", "build").Ref().String(), "o/a@build:1")
		f.equal(f.start("o/a", "test").Ref().String(), "o/a@test:2")
		f.equal(f.start("o/b", "build").Ref().String(), "o/b@build:1")
		f.equal(f.start("", "build").Ref().String(), "build:1")
		f.equal(f.start("o/a", "build").Ref().String(), "o/a@build:3")
	},
	"runs that start at once get serials of their own": func(f fixture) {
		var wg sync.WaitGroup
		serials := make([]int, 40)
		for i := range serials {
			attempt := f.attempt()
			wg.Go(func() {
				r, err := f.s.StartRun(f.Context(), store.Run{Attempt: attempt, Source: "build", StartedAt: start})
				if err != nil {
					f.Error(err)
				}
				serials[i] = r.Serial
			})
		}
		wg.Wait()
		seen := make(map[int]bool)
		for _, n := range serials {
			if n < 1 || n > len(serials) || seen[n] {
				f.Errorf("serial %d is wrong or given twice: %v", n, serials)
			}
			seen[n] = true
		}
	},
	"starting twice returns the run as it is": func(f fixture) {
		r := f.fail("", "build", "m")
		again, err := f.s.StartRun(f.Context(), store.Run{Attempt: r.Attempt, Source: "test", StartedAt: start})
		f.ok(err)
		f.equal(again, r)
		f.equal(f.start("", "build").Serial, 2)
	},
	"an attempt of another repository is not returned": func(f fixture) {
		r := f.start("o/a", "build")
		_, err := f.s.StartRun(f.Context(), store.Run{Attempt: r.Attempt, Repo: "o/b", Source: "build", StartedAt: start})
		f.refused(err, store.Conflict)
	},
	"a run needs an attempt and a source": func(f fixture) {
		for _, r := range []store.Run{{Source: "build"}, {Attempt: "a"}, {Attempt: "a", Source: "12"},
			{Attempt: "a", Source: "a:b"}, {Attempt: "a", Source: "latest"}} {
			_, err := f.s.StartRun(f.Context(), r)
			f.refused(err, store.Invalid)
		}
	},
	"a missing attempt is not found": func(f fixture) {
		f.refused(f.s.Heartbeat(f.Context(), "x", start), store.NotFound)
		f.refused(f.s.AddChunk(f.Context(), "x", store.Chunk{}), store.NotFound)
		f.refused(f.s.AddEvents(f.Context(), "x", 0, nil), store.NotFound)
		_, err := f.s.FinishRun(f.Context(), "x", store.Finish{})
		f.refused(err, store.NotFound)
	},
	"finishing twice returns the completed run": func(f fixture) {
		r := f.finish(f.start("", "build"), 0)
		f.equal(r.Status(), store.StatusOK)
		f.equal(f.finish(r, 1), r)
	},
	"finishing names what is missing": func(f fixture) {
		r := f.start("", "build")
		for _, n := range []int{0, 2, 6} {
			f.ok(f.s.AddChunk(f.Context(), r.Attempt, chunk(n, store.StreamCombined, 1, 1)))
		}
		f.ok(f.s.AddEvents(f.Context(), r.Attempt, 1, nil))
		_, err := f.s.FinishRun(f.Context(), r.Attempt, store.Finish{Chunks: 8, Batches: 2})
		f.refused(err, store.Conflict, "1, 3-5, 7", "0")
		f.equal(f.found(everything, "build"), "build:1")
		got, err := f.s.Run(f.Context(), everything, r.Ref())
		f.ok(err)
		f.equal(got.State, store.StateRunning)
		f.ok(f.s.AddEvents(f.Context(), r.Attempt, 0, nil))
		_, err = f.s.FinishRun(f.Context(), r.Attempt, store.Finish{Chunks: -1, Batches: 2})
		f.ok(err)
	},
	"finishing drops what is beyond a refused chunk": func(f fixture) {
		r := f.start("o/a", "build")
		for _, n := range []int{0, 1, 3, 4} {
			f.ok(f.s.AddChunk(f.Context(), r.Attempt, chunk(n, store.StreamCombined, 1+10*n, 10)))
		}
		before, _, err := f.s.Usage(f.Context(), "o/a")
		f.ok(err)
		_, err = f.s.FinishRun(f.Context(), r.Attempt, store.Finish{Chunks: 3, Cut: true})
		f.refused(err, store.Conflict, "2")
		f.garbage(0)
		got, err := f.s.FinishRun(f.Context(), r.Attempt, store.Finish{Chunks: 2, Cut: true})
		f.ok(err)
		f.equal([]int{got.Lines, int(got.Bytes)}, []int{20, 200})
		f.garbage(0, chunk(3, store.StreamCombined, 1, 1).Key, chunk(4, store.StreamCombined, 1, 1).Key)
		received, err := f.s.Received(f.Context(), everything, r.Attempt)
		f.ok(err)
		f.equal(received, store.Received{Chunks: 2, AllChunks: 2})
		after, _, err := f.s.Usage(f.Context(), "o/a")
		f.ok(err)
		if after.Bytes >= before.Bytes {
			f.Errorf("%d bytes are used, and %d before", after.Bytes, before.Bytes)
		}
		wrong, err := f.s.Recount(f.Context(), 0, 1)
		f.ok(err)
		f.equal(wrong, 0)
	},
	"finishing survives an absurd count": func(f fixture) {
		r := f.start("", "build")
		_, err := f.s.FinishRun(f.Context(), r.Attempt, store.Finish{Chunks: 1 << 40})
		f.refused(err, store.Conflict)
		if len(err.Error()) > 1000 {
			f.Errorf("error of %d bytes", len(err.Error()))
		}
	},
	"a run without a heartbeat is orphaned": func(f fixture) {
		r := f.start("", "build")
		f.ok(f.s.Heartbeat(f.Context(), r.Attempt, start.Add(time.Hour)))
		marked, err := f.s.OrphanRun(f.Context(), r.Attempt, start.Add(59*time.Minute))
		f.ok(err)
		f.equal(marked, false) // the run has had a heartbeat after that time
		marked, err = f.s.OrphanRun(f.Context(), r.Attempt, start.Add(time.Hour))
		f.ok(err)
		f.equal(marked, true)
		got, err := f.s.Run(f.Context(), everything, r.Ref())
		f.ok(err)
		f.equal(got.Status(), store.StatusOrphaned)
		marked, err = f.s.OrphanRun(f.Context(), r.Attempt, start.Add(2*time.Hour))
		f.ok(err)
		f.equal(marked, false) // the run is already orphaned
	},
	"heartbeats from the future are capped": func(f fixture) {
		soon, late := start.Add(24*time.Hour), start.Add(48*time.Hour)
		done, dead, alive := f.start("", "build"), f.start("", "build"), f.start("", "build")
		f.ok(f.s.Heartbeat(f.Context(), done.Attempt, late))
		f.finish(done, 0)
		f.ok(f.s.Heartbeat(f.Context(), dead.Attempt, late))
		f.ok(f.s.Heartbeat(f.Context(), alive.Attempt, soon))
		for _, want := range []int{1, 0} {
			n, err := f.s.CapHeartbeats(f.Context(), soon)
			f.ok(err)
			f.equal(n, want)
		}
		f.ok(f.s.Heartbeat(f.Context(), alive.Attempt, soon.Add(time.Second)))
		for _, tt := range []struct {
			run  store.Run
			want time.Time
		}{{done, late}, {dead, soon}, {alive, soon.Add(time.Second)}} {
			got, err := f.s.Run(f.Context(), everything, tt.run.Ref())
			f.ok(err)
			f.equal(got.HeartbeatAt, tt.want)
		}
	},
	"a heartbeat revives an orphan": func(f fixture) {
		r := f.start("", "build")
		_, err := f.s.OrphanRun(f.Context(), r.Attempt, start.Add(24*time.Hour))
		f.ok(err)
		f.ok(f.s.Heartbeat(f.Context(), r.Attempt, start.Add(48*time.Hour)))
		got, err := f.s.Run(f.Context(), everything, r.Ref())
		f.ok(err)
		f.equal(got.State, store.StateRunning)
		f.equal(got.HeartbeatAt, start.Add(48*time.Hour))
		f.ok(f.s.Heartbeat(f.Context(), r.Attempt, start)) // a late heartbeat changes nothing
		got, err = f.s.Run(f.Context(), everything, r.Ref())
		f.ok(err)
		f.equal(got.HeartbeatAt, start.Add(48*time.Hour))
	},
	"an orphan can be finished": func(f fixture) {
		r := f.start("", "build")
		_, err := f.s.OrphanRun(f.Context(), r.Attempt, start.Add(24*time.Hour))
		f.ok(err)
		f.equal(f.finish(r, 0).Status(), store.StatusOK)
	},
	"a run has the status by which it is found": func(f fixture) {
		zero, one := 0, 1
		for _, e := range []store.Ending{
			{ExitCode: &zero}, {ExitCode: &zero, Lost: "events"}, {}, // these have passed
			{ExitCode: &one}, {ExitCode: &zero, Signal: "SIGTERM"}, {Signal: "SIGKILL"}, {Lost: "events"},
			{Reason: store.ReasonTimeout}, {Reason: store.ReasonCancelled, ExitCode: &zero},
		} {
			f.ended(e)
		}
		f.start("o/n", "build")
		for status, want := range map[store.Status]int{store.StatusOK: 3, store.StatusFail: 4, store.StatusTimeout: 1,
			store.StatusCancelled: 1, store.StatusRunning: 1} {
			list, err := f.s.Runs(f.Context(), everything, store.RunFilter{Status: status})
			f.ok(err)
			f.equal(len(list), want)
			for _, r := range list {
				f.equal(r.Status(), status)
			}
		}
		list, err := f.s.Runs(f.Context(), everything, store.RunFilter{Failed: true})
		f.ok(err)
		f.equal(len(list), 6)
	},
	"a completed run has no heartbeat and is no orphan": func(f fixture) {
		r := f.finish(f.start("", "build"), 0)
		f.refused(f.s.Heartbeat(f.Context(), r.Attempt, start), store.Conflict)
		marked, err := f.s.OrphanRun(f.Context(), r.Attempt, start.Add(24*time.Hour))
		f.ok(err)
		f.equal(marked, false)
	},
}
