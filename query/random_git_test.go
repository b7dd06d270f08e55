package query_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// world is a repository in memory, with a work tree and the runs in it.
type world struct {
	query.Git
	root     string
	parents  map[string][]string
	files    map[string]string // by commit; equal texts are equal files
	branches map[string]string
	on, head string // what is checked out; on is "" for a detached HEAD
	runs     []*ran
	log      []string // what happened
}

// ran is a run in a world.
type ran struct {
	querytest.Run
	serial int
	status store.Status
	gone   bool
}

func newWorld(root string) *world {
	w := &world{root: root, parents: map[string][]string{}, files: map[string]string{}, branches: map[string]string{}, on: "main"}
	w.commit()
	return w
}

func (w *world) say(format string, args ...any) { w.log = append(w.log, fmt.Sprintf(format, args...)) }

func (w *world) commit(more ...string) {
	c := fmt.Sprintf("c%039d", len(w.parents)+1)
	w.parents[c] = append(slices.DeleteFunc([]string{w.head}, func(p string) bool { return p == "" }), more...)
	w.files[c] = c
	w.move(c)
}

func (w *world) move(c string) {
	w.head = c
	if w.on != "" {
		w.branches[w.on] = c
	}
}

// history returns the commits that a commit contains.
func (w *world) history(of string) map[string]bool {
	all := map[string]bool{}
	for todo := []string{of}; len(todo) > 0; todo = todo[1:] {
		if !all[todo[0]] {
			all[todo[0]] = true
			todo = append(todo, w.parents[todo[0]]...)
		}
	}
	return all
}

// act does a random operation of git, such as a commit, a checkout or a rebase.
func (w *world) act(r *rand.Rand) {
	names := slices.Sorted(maps.Keys(w.branches))
	other := names[r.IntN(len(names))]
	switch r.IntN(9) {
	case 0, 1:
		w.commit()
		w.say("commit %s", w.head[36:])
	case 2:
		if p := w.parents[w.head]; len(p) == 1 {
			files := w.files[w.head]
			w.move(p[0])
			w.commit()
			w.say("amend %s", w.head[36:])
			if r.IntN(2) == 0 {
				w.files[w.head] = files
				w.say("  only its message")
			}
		}
	case 3:
		w.on = fmt.Sprint("topic", r.IntN(2))
		w.move(w.head)
		w.say("checkout -B %s", w.on)
	case 4, 5:
		w.on, w.head = other, w.branches[other]
		w.say("checkout %s (%s)", other, w.head[36:])
	case 6:
		if !w.history(w.head)[w.branches[other]] {
			w.commit(w.branches[other])
			w.say("merge %s: %s", other, w.head[36:])
		}
	case 7:
		if !w.history(w.head)[w.branches["main"]] {
			w.move(w.branches["main"])
			w.commit()
			w.say("rebase on main: %s", w.head[36:])
		}
	case 8:
		if p := w.parents[w.head]; r.IntN(2) == 0 && len(p) > 0 {
			w.on, w.head = "", p[0]
			w.say("checkout --detach %s", w.head[36:])
		} else if other != w.on && other != "main" {
			delete(w.branches, other)
			w.say("branch -D %s", other)
		}
	}
}

// run runs a step in the work tree.
func (w *world) run(t *testing.T, r *rand.Rand, f *querytest.Fixture) {
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	one := &ran{Run: querytest.Run{Source: pick("build", "build", "test"), At: len(w.runs) + 1,
		Command: pick("make", "make", "make x"), Cwd: w.root, Log: "log\n",
		Git: &store.Git{Branch: w.on, Commit: w.head, Root: w.root, Dirty: r.IntN(5) == 0}}, status: store.StatusOK}
	switch r.IntN(8) {
	case 0, 1:
		one.Exit, one.status = 1, store.StatusFail
	case 2:
		one.Exit, one.Events, one.status = 1, querytest.BuildEvents()[:1], store.StatusFail
	case 3:
		one.Reason, one.status = store.ReasonTimeout, store.StatusTimeout
	case 4:
		one.Running, one.status = true, store.StatusOrphaned
	}
	one.add(t, f)
	w.runs = append(w.runs, one)
	w.say("%s %q at %s on %s, dirty %v: %s", one.ref(), one.Command, w.head[36:], w.on, one.Git.Dirty,
		one.status)
}

// add stores the run. A run that has not ended becomes orphaned, as if its recorder had died.
func (r *ran) add(t *testing.T, f *querytest.Fixture) {
	stored := f.Add(t, r.Run)
	if r.Running {
		_, err := f.Store.(store.Maintainer).OrphanRun(t.Context(), stored.Attempt, stored.HeartbeatAt)
		querytest.Check(t, err)
	}
	r.serial = stored.Serial
}

// prune removes old runs.
func (w *world) prune(t *testing.T, r *rand.Rand, f *querytest.Fixture) {
	keep := 1 + r.IntN(2)
	_, err := f.Store.(store.Maintainer).Prune(t.Context(), store.Everything(), store.Policy{KeepPerSource: keep})
	querytest.Check(t, err)
	left, err := f.Store.Runs(t.Context(), store.Everything(), store.RunFilter{})
	querytest.Check(t, err)
	for _, one := range w.runs {
		one.gone = !slices.ContainsFunc(left, func(o store.Run) bool { return o.Serial == one.serial })
	}
	w.say("prune to %d", keep)
}

func (r *ran) ref() string { return fmt.Sprintf("%s:%d", r.Source, r.serial) }

func (r *ran) step() string { return r.Source + "|" + r.Command }

// reds looks at the newest run of each step that counts at the checked-out commit. It returns those that failed.
func (w *world) reds() []*ran {
	inside := w.history(w.head)
	last := map[string]*ran{}
	for _, r := range w.runs {
		alike := w.files[r.Git.Commit] == w.files[w.head]
		if !r.gone && (inside[r.Git.Commit] || alike || w.on != "" && r.Git.Branch == w.on) {
			last[r.step()] = r
		}
	}
	var list []*ran
	for _, r := range last {
		if r.status != store.StatusOK {
			list = append(list, r)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].serial < list[j].serial })
	return list
}

// The methods below are those of query.Git and store.Ancestry.

func (w *world) Branch(string) string { return w.on }

func (w *world) Branches(context.Context, string) (map[string]bool, error) {
	names := map[string]bool{}
	for name := range w.branches {
		names[name] = true
	}
	return names, nil
}

func (w *world) OnBranches(_ context.Context, _ string, commits []string) (map[string]bool, error) {
	is := map[string]bool{}
	for _, c := range commits {
		for _, tip := range w.branches {
			is[c] = is[c] || w.history(tip)[c]
		}
	}
	return is, nil
}

func (w *world) Inside(_ context.Context, _, of string, commits []string) (map[string]bool, error) {
	is, all := map[string]bool{}, w.history(of)
	for _, c := range commits {
		is[c] = all[c]
	}
	return is, nil
}

func (w *world) SameFiles(_ context.Context, _, of string, commits []string) (map[string]bool, error) {
	is := map[string]bool{}
	for _, c := range commits {
		is[c] = w.files[c] == w.files[of]
	}
	return is, nil
}

func (w *world) ChangedFiles(context.Context, string, string) ([]string, error) { return nil, nil }

func (w *world) RecentCommits(context.Context, string, string, int) ([]query.Commit, error) {
	return nil, nil
}

func (w *world) DefaultBranch(context.Context, string) (string, error) { return "main", nil }

func (w *world) Ancestors(_ context.Context, _, commit, base string, n int) ([]string, error) {
	read := func(name string) map[string]bool {
		if name == "HEAD" {
			return w.history(w.head)
		} else if tip, ok := w.branches[name]; ok {
			return w.history(tip)
		} else if _, ok := w.parents[name]; ok {
			return w.history(name)
		}
		return nil
	}
	of := read(base)
	var common []string
	for c := range read(commit) {
		if of[c] {
			common = append(common, c)
		}
	}
	if len(common) == 0 {
		return nil, store.Errorf(store.NotFound, "%s and %s share no commit", commit, base)
	}
	// A commit has a higher number than its ancestors. So this order has each commit before its ancestors.
	slices.SortFunc(common, func(x, y string) int { return strings.Compare(y, x) })
	return common[:min(n, len(common))], nil
}

// answers are the answers of check, triage, status and events for the same place.
type answers struct {
	check  query.Check
	triage query.Triage
	status query.Status
	events query.EventList
}

// ask asks as front ends do: each answer looks up a fact about the history only once.
func ask(t *testing.T, f *querytest.Fixture, at query.At) (a answers) {
	t.Helper()
	var err error
	a.check, err = f.ForOneQuestion().Check(t.Context(), query.CheckParams{At: at})
	querytest.Check(t, err)
	a.triage, err = f.ForOneQuestion().Triage(t.Context(), query.TriageParams{At: at})
	querytest.Check(t, err)
	a.status, err = f.ForOneQuestion().Status(t.Context(), query.StatusParams{At: at})
	querytest.Check(t, err)
	a.events, err = f.ForOneQuestion().Events(t.Context(), query.EventsParams{At: at})
	querytest.Check(t, err)
	return a
}

// green returns the names of the answers that report no failure and name no run in refs. The runs in refs are failed
// runs of one step.
func (a answers) green(refs ...string) (names []string) {
	named := func(o query.OtherRun) bool { return slices.Contains(refs, o.RunRef) }
	if a.check.Passed && !slices.ContainsFunc(a.check.Retired, named) {
		names = append(names, "check")
	}
	if a.triage.Status == store.StatusOK && !slices.ContainsFunc(a.triage.Others, named) {
		names = append(names, "triage")
	}
	bad := func(s query.SourceStatus) bool { return s.Status != store.StatusOK }
	if !slices.ContainsFunc(a.status.Sources, bad) && !slices.ContainsFunc(a.status.Retired, named) {
		names = append(names, "status")
	}
	if len(a.events.Events) == 0 && a.events.Note == "" {
		names = append(names, "events")
	}
	return names
}

// In a work tree, no answer is green if the newest run of a step at the checked-out commit or before it failed.
func TestNoAnswerIsGreenOverAFailureInAWorkTree(t *testing.T) {
	t.Parallel()
	for seed := range uint64(histories) {
		r := rand.New(rand.NewPCG(seed, 2))
		root := t.TempDir()
		w := newWorld(root)
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, root)}
		f.Git, f.Ancestry = w, w
		w.run(t, r, f)
		for range 4 + r.IntN(16) {
			switch n := r.IntN(12); {
			case n < 5:
				w.act(r)
			case n == 5 && r.IntN(2) == 0:
				w.prune(t, r, f)
			default:
				w.run(t, r, f)
			}
		}
		got := ask(t, f, query.At{})
		for _, red := range w.reds() {
			if green := got.green(red.ref()); len(green) > 0 {
				t.Errorf("history %d: %s is red, but green is %v: %s\n  %s", seed, red.ref(), green, got.triage.Verdict,
					strings.Join(w.log, "\n  "))
			}
		}
		status, err := f.Status(t.Context(), query.StatusParams{})
		querytest.Check(t, err)
		if diff := cmp.Diff(status, got.status, cmp.AllowUnexported(query.Status{})); diff != "" {
			t.Errorf("history %d: facts that are looked up once change the answer: %s", seed, diff)
		}
	}
}
