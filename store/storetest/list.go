package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
)

var listTests = map[string]func(f fixture){
	"newest first": func(f fixture) {
		f.start("", "build")
		f.start("", "test")
		f.start("", "build")
		f.equal(f.runs(everything, store.RunFilter{}), []string{"build:3", "test:2", "build:1"})
		f.equal(f.runs(everything, store.RunFilter{Limit: 2}), []string{"build:3", "test:2"})
	},
	"each field selects": func(f fixture) {
		f.finish(f.start("o/a", "build", func(r *store.Run) { r.Git = store.Git{Branch: "main", Commit: "abcdef0123"} }), 0)
		f.start("o/a", "test", func(r *store.Run) { r.Git = store.Git{Branch: "fix", Commit: "abcd990123"} })
		third := f.start("o/a", "build", func(r *store.Run) { r.CI = &store.CI{PR: 7} })
		f.finish(f.start("o/a", "build",
			func(r *store.Run) { r.CI, r.Git.Dirty = &store.CI{Matrix: `{ "os": "<a>", "n": [1.0, true] }`}, true }), 1)
		f.finish(f.start(
			"o/a", "build", func(r *store.Run) { r.CI = &store.CI{Matrix: `{"n":[1.0,true],"os":"<a>"}`, Fork: true} }), 1)
		leg := `{"n":[1.0,true],"os":"<a>"}`
		f.start("o/b", "build")
		for _, test := range []struct {
			filter store.RunFilter
			want   []string
		}{
			{store.RunFilter{Repo: "o/b"}, []string{"o/b@build:1"}},
			{store.RunFilter{Source: "test"}, []string{"o/a@test:2"}},
			{store.RunFilter{State: store.StateCompleted}, []string{"o/a@build:5", "o/a@build:4", "o/a@build:1"}},
			{store.RunFilter{Status: store.StatusOrphaned}, nil},
			{store.RunFilter{Branch: "fix"}, []string{"o/a@test:2"}},
			{store.RunFilter{Commit: "abcd"}, []string{"o/a@test:2", "o/a@build:1"}},
			{store.RunFilter{Commit: "ABCDEF0123"}, []string{"o/a@build:1"}},
			{store.RunFilter{PR: 7}, []string{"o/a@build:3"}},
			{store.RunFilter{Attempts: []string{third.Attempt, "x"}}, []string{"o/a@build:3"}},
			{store.RunFilter{Repo: "o/a", Serials: []int{1, 2, 99}}, []string{"o/a@test:2", "o/a@build:1"}},
			{store.RunFilter{Repo: "o/a", Before: 3}, []string{"o/a@test:2", "o/a@build:1"}},
			{store.RunFilter{Repo: "o/a", Source: "build", Before: 3, Leg: new(string)}, []string{"o/a@build:1"}},
			{store.RunFilter{Repo: "o/a", After: 3}, []string{"o/a@build:5", "o/a@build:4"}},
			{store.RunFilter{Repo: "o/a", Before: 4, After: 2}, []string{"o/a@build:3"}},
			{store.RunFilter{Repo: "o/a", After: 5}, nil},
			{store.RunFilter{Source: "build", After: 4}, []string{"o/a@build:5"}},
			{store.RunFilter{Source: "build", After: 3, Newest: true, Leg: &leg}, []string{"o/a@build:5"}},
			{store.RunFilter{Before: 2}, []string{"o/b@build:1", "o/a@build:1"}},
			{store.RunFilter{Commits: []string{"abcdef0123", "x"}}, []string{"o/a@build:1"}},
			{store.RunFilter{Commits: []string{}}, nil},
			{store.RunFilter{Leg: &leg}, []string{"o/a@build:5", "o/a@build:4"}},
			{store.RunFilter{Leg: new(string), Repo: "o/a"}, []string{"o/a@build:3", "o/a@test:2", "o/a@build:1"}},
			{store.RunFilter{Baseline: true}, []string{"o/a@build:4", "o/a@build:1"}},
			{store.RunFilter{Clean: true, Repo: "o/a"}, []string{"o/a@build:5", "o/a@build:3", "o/a@test:2", "o/a@build:1"}},
			{store.RunFilter{Newest: true, Baseline: true}, []string{"o/a@build:4", "o/a@build:1"}},
			{store.RunFilter{Own: true, Repo: "o/a"}, []string{"o/a@build:4", "o/a@build:3", "o/a@test:2", "o/a@build:1"}},
			{store.RunFilter{Newest: true, Own: true, Leg: &leg}, []string{"o/a@build:4"}},
			{store.RunFilter{Repo: "o/none"}, nil},
			{store.RunFilter{Source: "build' OR 1=1 --"}, nil},
			{store.RunFilter{Branch: "%"}, nil},
			{store.RunFilter{NoBranch: true, Repo: "o/a"}, []string{"o/a@build:5", "o/a@build:4", "o/a@build:3"}},
			{store.RunFilter{NoBranch: true, Newest: true, Repo: "o/a", Leg: &leg}, []string{"o/a@build:5"}},
		} {
			f.equal(f.runs(everything, test.filter), test.want)
		}
		f.equal(f.runs(store.Repos("o/b"), store.RunFilter{}), []string{"o/b@build:1"})
		f.equal(f.runs(store.Repos("o/b"), store.RunFilter{Repo: "o/a"}), []string(nil))
		f.equal(f.runs(store.Scope{}, store.RunFilter{}), []string(nil))
		f.equal(f.runs(store.Scope{}, store.RunFilter{Newest: true}), []string(nil))
		_, err := f.s.Runs(f.Context(), everything, store.RunFilter{Commit: "abc"})
		f.refused(err, store.Invalid)
	},
	"those of a job": func(f fixture) {
		ofJob := func(repo string, ci store.CI) store.Run {
			return f.start(repo, "build", func(r *store.Run) { r.CI = &ci })
		}
		odd, long := `"run_id":"57" \ <&> é `+"\x00", strings.Repeat("7", 5000)
		f.start("o/a", "build")
		ofJob("o/a", store.CI{RunID: "57", RunAttempt: 1, CheckRunID: "10", Workflow: `"run_id":"58"`})
		ofJob("o/a", store.CI{RunID: "57", RunAttempt: 2, CheckRunID: "11"})
		ofJob("o/a", store.CI{RunID: "57", RunAttempt: 2, CheckRunID: "12"})
		ofJob("o/a", store.CI{RunID: "5", RunAttempt: 21, CheckRunID: "57", Job: `"run_attempt":2`})
		ofJob("o/b", store.CI{RunID: "57", RunAttempt: 2, CheckRunID: "11"})
		ofJob("o/b", store.CI{RunID: odd})
		ofJob("o/b", store.CI{RunID: long + "1"})
		ofJob("o/b", store.CI{RunID: long + "2"})
		ofJob("o/b", store.CI{RunAttempt: 2})
		f.finish(ofJob("o/b", store.CI{RunID: "58", CheckRunID: "11", Step: "log:3", Workflow: `"step":"x"`}), 0)
		for _, test := range []struct {
			filter store.RunFilter
			want   []string
		}{
			{store.RunFilter{Job: store.CIJob{RunID: "57"}},
				[]string{"o/b@build:1", "o/a@build:4", "o/a@build:3", "o/a@build:2"}},
			{store.RunFilter{Repo: "o/a", Job: store.CIJob{RunID: "57", RunAttempt: 2}}, []string{"o/a@build:4", "o/a@build:3"}},
			{store.RunFilter{Repo: "o/a", Job: store.CIJob{RunID: "57", RunAttempt: 2, CheckRunID: "11"}},
				[]string{"o/a@build:3"}},
			{store.RunFilter{Repo: "o/a", Job: store.CIJob{RunID: "57"}, Limit: 1}, []string{"o/a@build:4"}},
			{store.RunFilter{Repo: "o/a", Job: store.CIJob{RunID: "57"}, Newest: true}, []string{"o/a@build:4", "o/a@build:2"}},
			{store.RunFilter{Job: store.CIJob{CheckRunID: "11"}}, []string{"o/b@build:6", "o/b@build:1", "o/a@build:3"}},
			{store.RunFilter{Job: store.CIJob{CheckRunID: "11"}, State: store.StateCompleted}, []string{"o/b@build:6"}},
			{store.RunFilter{Job: store.CIJob{RunAttempt: 2}},
				[]string{"o/b@build:5", "o/b@build:1", "o/a@build:4", "o/a@build:3"}},
			{store.RunFilter{Job: store.CIJob{RunID: odd}}, []string{"o/b@build:2"}},
			{store.RunFilter{Job: store.CIJob{RunID: long + "1"}}, []string{"o/b@build:3"}},
			{store.RunFilter{Job: store.CIJob{RunID: long}}, nil},
			{store.RunFilter{Job: store.CIJob{RunID: "%"}}, nil},
			{store.RunFilter{Repo: "o/a", Source: "build", Job: store.CIJob{RunID: "57", RunAttempt: 2}},
				[]string{"o/a@build:4", "o/a@build:3"}},
			{store.RunFilter{Source: "nosuch", Job: store.CIJob{RunID: "57"}}, nil},
			{store.RunFilter{Job: store.CIJob{CheckRunID: "11", Step: "log:"}}, []string{"o/b@build:6"}},
			{store.RunFilter{Job: store.CIJob{RunID: "58", Step: "log%"}}, nil},
		} {
			f.equal(f.runs(everything, test.filter), test.want)
		}
		f.equal(f.runs(store.Repos("o/b"), store.RunFilter{Job: store.CIJob{RunID: "57"}}), []string{"o/b@build:1"})
	},
	"those since a time": func(f fixture) {
		f.finish(f.start("o/a", "build"), 1)
		second := f.start("o/a", "test")
		f.start("o/b", "build")
		f.start("o/a", "build", func(r *store.Run) { r.StartedAt = start.AddDate(0, 0, -7) })
		all := []string{"o/a@build:3", "o/b@build:1", "o/a@test:2", "o/a@build:1"}
		from := second.StartedAt
		for _, test := range []struct {
			filter store.RunFilter
			want   []string
		}{
			{store.RunFilter{}, all},
			{store.RunFilter{Since: start.AddDate(0, 0, -7)}, all},
			{store.RunFilter{Since: start.AddDate(0, 0, -6)}, all[1:]},
			{store.RunFilter{Since: from}, all[1:3]},
			{store.RunFilter{Since: from.Add(time.Microsecond)}, all[1:2]},
			{store.RunFilter{Since: from.In(time.FixedZone("far", 9*3600))}, all[1:3]},
			{store.RunFilter{Since: from, Repo: "o/a"}, all[2:3]},
			{store.RunFilter{Since: start, Source: "build", Newest: true}, []string{"o/b@build:1", "o/a@build:1"}},
			{store.RunFilter{Since: start.AddDate(1, 0, 0)}, nil},
		} {
			f.equal(f.runs(everything, test.filter), test.want)
		}
		f.equal(f.runs(store.Repos("o/b"), store.RunFilter{Since: start}), []string{"o/b@build:1"})
	},
	"a late run hides none that began after it": func(f fixture) {
		f.finish(f.start("o/a", "build", late(20)), 1)
		f.finish(f.start("o/a", "build"), 1)
		f.finish(f.start("o/a", "build", late(30)), 0)
		f.finish(f.start("o/a", "build", late(10)), 0)
		f.finish(f.start("o/a", "test"), 0)
		f.finish(f.start("o/a", "build", at("topic", 3), late(5)), 0)
		f.finish(f.start("o/a", "lint", late(15)), 0)
		for _, test := range []struct {
			filter store.RunFilter
			want   []string
		}{
			{store.RunFilter{Newest: true}, []string{"o/a@test:5", "o/a@build:2", "o/a@lint:7"}},
			{store.RunFilter{Newest: true, Limit: 2}, []string{"o/a@test:5", "o/a@build:2"}},
			{store.RunFilter{Newest: true, Repo: "o/a", Source: "build", Branch: "topic"}, []string{"o/a@build:6"}},
			{store.RunFilter{Newest: true, Serials: []int{1, 3, 4}}, []string{"o/a@build:3"}},
		} {
			f.equal(f.runs(everything, test.filter), test.want)
		}
	},
	"a clock that may be off hides no failure": func(f fixture) {
		undated := func(r *store.Run) { r.Undated = true }
		github := func(id string, attempt int) func(*store.Run) {
			return func(r *store.Run) { r.CI = &store.CI{Provider: "github", RunID: id, RunAttempt: attempt} }
		}
		before := late(-600)
		f.finish(f.start("o/a", "red", late(20)), 0)
		f.finish(f.start("o/a", "red", before, undated), 1) // this run may be late, or its clock may be slow
		f.finish(f.start("o/a", "kept", late(20)), 1)
		f.finish(f.start("o/a", "kept", before, undated), 0) // the run that passed may be older
		f.finish(f.start("o/a", "again", github("7", 1)), 1)
		f.finish(f.start("o/a", "again", github("7", 2), late(20), undated), 0)
		f.finish(f.start("o/a", "next", github("9", 1)), 1)
		f.finish(f.start("o/a", "next", github("10", 1), late(20), undated), 0)
		f.finish(f.start("o/a", "older", github("10", 1)), 1)
		f.finish(f.start("o/a", "older", github("9", 1), late(20), undated), 0)
		f.equal(f.runs(everything, store.RunFilter{Newest: true}), []string{
			"o/a@older:9", "o/a@next:8", "o/a@again:6", "o/a@kept:3", "o/a@red:2"})
		r, err := f.s.Run(f.Context(), everything, store.Ref{Serial: 2})
		f.ok(err)
		f.equal(r.Undated, true)
	},
	"runs without a heartbeat": func(f fixture) {
		f.finish(f.start("o/a", "build"), 0)
		quiet, alive := f.start("o/a", "build"), f.start("o/b", "build")
		f.ok(f.s.Heartbeat(f.Context(), alive.Attempt, start.Add(time.Hour)))
		orphan := f.start("o/b", "build")
		_, err := f.s.OrphanRun(f.Context(), orphan.Attempt, orphan.HeartbeatAt)
		f.ok(err)
		stale := func(at time.Time) []string { return f.runs(everything, store.RunFilter{StaleBefore: at}) }
		f.equal(stale(quiet.HeartbeatAt), []string(nil))
		f.equal(stale(quiet.HeartbeatAt.Add(time.Microsecond)), []string{"o/a@build:2"})
		f.equal(stale(start.Add(2*time.Hour)), []string{"o/b@build:1", "o/a@build:2"})
		f.equal(f.runs(store.Repos("o/b"), store.RunFilter{StaleBefore: start.Add(2 * time.Hour)}), []string{"o/b@build:1"})
	},
	"runs that are open for long, with a heartbeat": func(f fixture) {
		f.finish(f.start("o/a", "build"), 0)
		seen := start.Add(24 * time.Hour)
		first := f.start("o/a", "build", func(r *store.Run) { r.HeartbeatAt = seen })
		f.equal(first.OpenedAt, seen)
		second := f.start("o/b", "build")
		f.equal(second.OpenedAt, second.StartedAt)
		for _, r := range []store.Run{first, second} {
			f.ok(f.s.Heartbeat(f.Context(), r.Attempt, seen.Add(time.Hour)))
		}
		open := func(at time.Time) []string { return f.runs(everything, store.RunFilter{OpenedBefore: at}) }
		f.equal(open(second.OpenedAt), []string(nil))
		f.equal(open(seen), []string{"o/b@build:1"})
		f.equal(open(seen.Add(time.Microsecond)), []string{"o/b@build:1", "o/a@build:2"})
	},
	"how many are running": func(f fixture) {
		running := func(sc store.Scope, repo string) store.Running {
			n, err := f.s.Running(f.Context(), sc, repo)
			f.ok(err)
			return n
		}
		f.equal(running(everything, ""), store.Running{})
		f.finish(f.start("o/a", "build"), 0)
		quiet := f.start("o/a", "build")
		alive := f.start("o/b", "build")
		at := start.Add(time.Hour)
		f.ok(f.s.Heartbeat(f.Context(), alive.Attempt, at))
		f.equal(running(everything, ""), store.Running{Runs: 2, Heartbeat: at})
		f.equal(running(everything, "o/a"), store.Running{Runs: 1, Heartbeat: quiet.HeartbeatAt})
		f.equal(running(store.Repos("o/a"), ""), store.Running{Runs: 1, Heartbeat: quiet.HeartbeatAt})
		f.equal(running(store.Repos("o/a"), "o/b"), store.Running{})
		_, err := f.s.OrphanRun(f.Context(), quiet.Attempt, quiet.HeartbeatAt)
		f.ok(err)
		f.equal(running(everything, "o/a"), store.Running{})
	},
	"branches": func(f fixture) {
		for i, branch := range []string{"main", "topic", "", "main", "old"} {
			repo := "o/a"
			if i == 4 {
				repo = "o/b"
			}
			f.start(repo, "build", func(r *store.Run) { r.Git.Branch = branch })
		}
		branches := func(sc store.Scope, repo string, limit int) []string {
			names, err := f.s.Branches(f.Context(), sc, repo, limit)
			f.ok(err)
			return names
		}
		f.equal(branches(everything, "", 9), []string{"old", "main", "topic"})
		f.equal(branches(everything, "", 1), []string{"old"})
		f.equal(branches(everything, "o/a", 9), []string{"main", "topic"})
		f.equal(branches(store.Repos("o/b"), "", 9), []string{"old"})
		f.equal(branches(store.Repos("o/b"), "o/a", 9), []string(nil))
	},
	"those of a shape": func(f fixture) {
		shaped := func(shape string) {
			f.start("o/a", "build", func(r *store.Run) { r.Shape = shape })
		}
		shaped("a")
		shaped("b")
		shaped("a")
		f.equal(f.runs(everything, store.RunFilter{Repo: "o/a", Source: "build", Shape: "a"}),
			[]string{"o/a@build:3", "o/a@build:1"})
		f.equal(f.runs(everything, store.RunFilter{Shape: "c"}), []string(nil))
	},
	"the newest of each step": func(f fixture) {
		on := func(branch, commit, command string, ci *store.CI) {
			f.start("o/a", "build",
				func(r *store.Run) { r.Git, r.Command, r.CI = store.Git{Branch: branch, Commit: commit}, command, ci })
		}
		mac, linux := &store.CI{Matrix: `{"os":"mac"}`}, &store.CI{Matrix: `{ "os": "linux" }`}
		on("main", "aaaa1", "make lint", nil)                                   // serial 1
		on("main", "aaaa1", "make test", nil)                                   // serial 2
		on("main", "aaaa1", "make test", mac)                                   // serial 3
		on("main", "aaaa1", "make test", linux)                                 // serial 4
		on("topic", "bbbb2", "make test", nil)                                  // serial 5
		on("topic", "bbbb2", "make test", mac)                                  // serial 6
		on("main", "aaaa1", "make", &store.CI{Workflow: "CI", Job: "a"})        // serial 7
		on("main", "aaaa1", "make", &store.CI{Workflow: "CI", Job: "b", PR: 3}) // serial 8
		on("main", "aaaa1", "make", &store.CI{Workflow: "PR", Job: "b"})        // serial 9
		f.start("o/b", "build")
		refs := func(n ...int) (list []string) {
			for _, i := range n {
				list = append(list, fmt.Sprintf("o/a@build:%d", i))
			}
			return list
		}
		for _, test := range []struct {
			filter store.RunFilter
			want   []string
		}{
			{store.RunFilter{}, refs(9, 8, 7, 6, 5, 4, 1)},
			{store.RunFilter{Source: "build", Limit: 2}, refs(9, 8)},
			{store.RunFilter{Source: "none"}, nil},
			{store.RunFilter{Branch: "main"}, refs(9, 8, 7, 4, 3, 2, 1)},
			{store.RunFilter{Branch: "topic"}, refs(6, 5)},
			{store.RunFilter{Commit: "bbbb"}, refs(6, 5)},
			{store.RunFilter{Commits: []string{"bbbb2"}}, refs(6, 5)},
			{store.RunFilter{Branch: "main", Commit: "bbbb"}, nil},
			{store.RunFilter{PR: 3}, refs(8)},
			{store.RunFilter{Before: 4}, refs(3, 2, 1)},
		} {
			test.filter.Newest, test.filter.Repo = true, "o/a"
			f.equal(f.runs(everything, test.filter), test.want)
		}
	},
	"the newest at each commit": func(f fixture) {
		add := func(source, branch, commit string, exit int, more ...func(*store.Run)) {
			at := func(r *store.Run) { r.Git = store.Git{Branch: branch, Commit: commit} }
			f.finish(f.start("o/a", source, append([]func(*store.Run){at}, more...)...), exit)
		}
		add("build", "main", "c1", 0)
		add("build", "main", "c1", 1)
		add("build", "topic", "c1", 0)
		add("build", "main", "c1", 0, func(r *store.Run) { r.Git.Dirty = true })
		add("test", "main", "c1", 0)
		add("build", "main", "c2", 0)
		add("build", "main", "c2", 0, late(0))
		add("build", "main", "c2", 0)
		add("build", "main", "c2", 0, func(r *store.Run) { r.Command = "another" })
		f.start("o/b", "build")
		for _, test := range []struct {
			filter store.RunFilter
			want   []string
		}{
			{store.RunFilter{Repo: "o/a"},
				[]string{"build:9", "build:8", "build:7", "test:5", "build:4", "build:3", "build:2"}},
			{store.RunFilter{Repo: "o/a", Status: store.StatusOK},
				[]string{"build:9", "build:8", "build:7", "test:5", "build:4", "build:3", "build:1"}},
			{store.RunFilter{Source: "test"}, []string{"test:5"}},
			{store.RunFilter{Source: "none"}, nil},
			{store.RunFilter{Branch: "main", Source: "build", Limit: 2}, []string{"build:9", "build:8"}},
			{store.RunFilter{Repo: "o/a", Before: 8, After: 4}, []string{"build:7", "build:6", "test:5"}},
			{store.RunFilter{Repo: "o/a", Commits: []string{"c1"}, Clean: true},
				[]string{"test:5", "build:3", "build:2"}},
		} {
			test.filter.EachCommit = true
			for i := range test.want {
				test.want[i] = "o/a@" + test.want[i]
			}
			f.equal(f.runs(store.Repos("o/a"), test.filter), test.want)
		}
		f.equal(f.runs(everything, store.RunFilter{EachCommit: true, Limit: 1}), []string{"o/b@build:1"})
	},
	"the newest of each source": func(f fixture) {
		f.finish(f.start("o/a", "build"), 0)
		f.finish(f.start("o/a", "test"), 0)
		f.start("o/a", "build")
		f.start("o/b", "build")
		newest := store.RunFilter{Newest: true}
		f.equal(f.runs(everything, newest), []string{"o/b@build:1", "o/a@build:3", "o/a@test:2"})
		newest.Limit = 1
		f.equal(f.runs(everything, newest), []string{"o/b@build:1"})
		newest = store.RunFilter{Newest: true, Repo: "o/a", State: store.StateCompleted}
		f.equal(f.runs(everything, newest), []string{"o/a@test:2", "o/a@build:1"})
		newest = store.RunFilter{Newest: true, Source: "build"}
		f.equal(f.runs(store.Repos("o/a"), newest), []string{"o/a@build:3"})
	},
}

// runs returns the refs of the runs that a filter selects.
func (f fixture) runs(sc store.Scope, filter store.RunFilter) []string {
	f.Helper()
	list, err := f.s.Runs(f.Context(), sc, filter)
	f.ok(err)
	var refs []string
	for _, r := range list {
		refs = append(refs, r.Ref().String())
	}
	return refs
}

// late returns a function that makes a run late, as if its client had kept it. The run began one hour before the
// tests, plus the given number of seconds.
func late(seconds int) func(*store.Run) {
	return func(r *store.Run) {
		r.HeartbeatAt, r.StartedAt = r.StartedAt, start.Add(-time.Hour+time.Duration(seconds)*time.Second)
	}
}
