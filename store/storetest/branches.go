package storetest

import (
	"math/rand/v2"
	"slices"

	"github.com/blq-ci/blq/store"
)

var branchTests = map[string]func(f fixture){
	"runs on several branches": func(f fixture) {
		f.start("o/a", "build", at("main", 1))
		f.start("o/a", "build", at("topic", 1))
		f.start("o/a", "build")
		f.start("o/b", "build", at("main", 1))
		for _, test := range []struct {
			filter store.RunFilter
			want   []string
		}{
			{store.RunFilter{Branches: []string{"main"}}, []string{"o/b@build:1", "o/a@build:1"}},
			{store.RunFilter{Branches: []string{"topic", "", "topic", "x"}}, []string{"o/a@build:3", "o/a@build:2"}},
			{store.RunFilter{Branches: []string{"", "main"}, Repo: "o/a", Limit: 1}, []string{"o/a@build:3"}},
			{store.RunFilter{Branches: []string{}}, nil},
			{store.RunFilter{Branches: []string{}, Newest: true}, nil},
			{store.RunFilter{Branches: []string{"%"}, Newest: true}, nil},
			{store.RunFilter{Branches: []string{"main", "main"}, Newest: true}, []string{"o/b@build:1", "o/a@build:1"}},
			{store.RunFilter{Branches: []string{"main", "topic"}, Newest: true, Limit: 2},
				[]string{"o/b@build:1", "o/a@build:2"}},
		} {
			f.equal(f.runs(everything, test.filter), test.want)
		}
		f.equal(f.runs(store.Repos("o/b"), store.RunFilter{Branches: []string{"main", ""}, Newest: true}),
			[]string{"o/b@build:1"})
	},
	"the newest run of each step on each branch": func(f fixture) {
		r := rand.New(rand.NewPCG(1, 1))
		pick := func(words ...string) string { return words[r.IntN(len(words))] }
		for range 150 {
			change := []func(*store.Run){at(pick("main", "topic", "a'b", ""), r.IntN(4)), func(o *store.Run) {
				o.Command = pick("make", "make x")
				if r.IntN(3) == 0 {
					o.CI = &store.CI{Provider: "github", RunID: "7", Job: pick("unit", "lint"), Matrix: pick("", `{"os":"mac"}`)}
				}
			}}
			if r.IntN(4) == 0 {
				change = append(change, late(r.IntN(9000)), func(o *store.Run) { o.Undated = r.IntN(2) == 0 })
			}
			one := f.start(pick("o/a", "o/b"), pick("build", "test", "lint"), change...)
			if r.IntN(5) > 0 {
				f.finish(one, r.IntN(2))
			}
		}
		for _, filter := range []store.RunFilter{
			{}, {Repo: "o/a"}, {Source: "build"}, {Repo: "o/b", Source: "test", Since: start}, {Failed: true},
			{State: store.StateRunning}, {Serials: []int{1, 2, 3, 4, 5, 6, 7, 8, 9}}, {Leg: new(string)},
		} {
			names := []string{"main", "a'b", "", "none"}
			var want []string
			filter.Newest = true
			for _, name := range names {
				one := filter
				one.Branch, one.NoBranch = name, name == ""
				want = append(want, f.runs(everything, one)...)
			}
			filter.Branches = names
			got := f.runs(everything, filter)
			slices.Sort(want)
			slices.Sort(got)
			f.equal(got, want)
		}
	},
}
