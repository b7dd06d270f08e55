//go:build unix

package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
)

// plan describes a run to record.
type plan struct {
	repo, source, leg string
	push              int // number of the run's commit in its repository
	n                 int // number of events
	ok                bool
	at                time.Time
	attempt           string
}

// months is the number of months over which the runs are spread. Each month is a partition.
const months = 6

// sizes are numbers of events per run, with the share of runs in per cent. Most runs have few events. A tenth of the
// runs has nearly all events.
var sizes = []struct{ n, share int }{{0, 35}, {3, 20}, {12, 20}, {60, 15}, {400, 7}, {3000, 3}}

// plans returns runs of all repositories, oldest first. Together, the runs have at least the given number of events. A
// few repositories have most of the runs.
func plans(repos, events int, now time.Time) []plan {
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 5, uint64(repos-1))
	order := random.Perm(repos)
	pushes := make([]int, repos)
	var list []plan
	total := 0
	for i := 0; total < events || i < repos; i++ {
		repo := order[i%repos]
		if i >= repos && total < events {
			repo = order[zipf.Uint64()]
		}
		for _, source := range []string{"build", "test", "lint"} {
			legs := []string{""}
			if source == "test" && repo%4 == 0 {
				legs = []string{`{"os":"linux"}`, `{"os":"macos"}`}
			}
			for _, leg := range legs {
				p := plan{repo: repoName(repo), source: source, leg: leg, push: pushes[repo],
					attempt: fmt.Sprintf("018d0c00-0000-7000-8000-%012x", len(list))}
				p.n = p.size()
				p.ok = p.n == 0 || p.n < 60 && p.seed()%2 == 0
				total += p.n
				list = append(list, p)
			}
		}
		pushes[repo]++
	}
	for i := range list {
		list[i].at = now.AddDate(0, 0, -30*months).Add(
			time.Duration(float64(30*months*24*time.Hour) * float64(i) / float64(len(list))))
	}
	return list
}

func repoName(i int) string { return fmt.Sprintf("org%d/repo%d", i%20, i) }

// seed returns a number from which the events of a run are made. It is equal for four consecutive commits, so their
// errors are equal.
func (p plan) seed() uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, p.repo, p.source, p.push/4)
	return h.Sum64()
}

func (p plan) size() int {
	at := int(p.seed() >> 8 % 100)
	for _, s := range sizes {
		if at -= s.share; at < 0 {
			return s.n
		}
	}
	return 0
}

func (p plan) run() store.Run {
	r := store.Run{
		Attempt: p.attempt, Repo: p.repo, Source: p.source, Command: "make " + p.source, Cwd: "/home/runner/work/repo/repo",
		StartedAt: p.at, Hostname: "runner-" + fmt.Sprint(p.push%100), Platform: "Linux", Arch: "x86_64",
		Git: store.Git{Branch: "main", Commit: fmt.Sprintf("%016x%024x", p.seed(), p.push)},
		CI: &store.CI{Provider: "github", Repo: p.repo, Workflow: "CI", Job: p.source, RunID: fmt.Sprint(p.push),
			RunAttempt: 1, EventName: "push", Actor: "alice", Matrix: p.leg},
	}
	if p.push%5 > 1 {
		r.Git.Branch = fmt.Sprintf("feature/%d", p.push/10)
		r.CI.EventName, r.CI.PR, r.CI.BaseRef = "pull_request", 1+p.push/10, "main"
	}
	return r
}

func (p plan) ending() store.Ending {
	code := 2
	if p.ok {
		code = 0
	}
	return store.Ending{FinishedAt: p.at.Add(90 * time.Second), ExitCode: &code}
}

func (p plan) events() []store.Event {
	list := make([]store.Event, p.n)
	seed := int(p.seed() % 100_000)
	for i := range list {
		e := event(p.source, seed, i)
		e.ID, e.LogLine, e.LogLineEnd = i+1, 3*i+1, 3*i+2
		if p.ok || i%3 == 0 && i > 0 {
			e.Severity = store.SeverityWarning
		}
		e.Fingerprint, e.Pattern = store.Fingerprint(e), store.Pattern(e)
		list[i] = e
	}
	return list
}

// event returns an event in the form that the tool of a source reports.
func event(source string, seed, i int) store.Event {
	e := store.Event{Severity: store.SeverityError, Line: (seed + i*7) % 5000, Column: 7}
	switch source {
	case "test":
		e.File, e.Tool, e.Category = fmt.Sprintf("tests/test_module%d.py", (seed+i)%97), "pytest", store.CategoryTest
		e.Test = fmt.Sprintf("tests/test_module%d.py::test_case_%d", (seed+i)%97, seed+i)
		e.Message = fmt.Sprintf("AssertionError: assert %d == %d", i, seed)
	case "lint":
		e.File, e.Tool, e.Category, e.Code = fmt.Sprintf("web/src/page%d.js", (seed+i)%211), "eslint", store.CategoryLint,
			"no-unused-vars"
		e.Message = fmt.Sprintf("'value%d' is assigned a value but never used", seed+i)
	default:
		e.File, e.Tool, e.Category = fmt.Sprintf("src/module%d/file%d.c", (seed+i)%97, (seed+i)%1009),
			"gcc", store.CategoryCompile
		e.Message = fmt.Sprintf("'symbol_%d' undeclared (first use in this function)", seed+i)
	}
	return e
}

// logText returns a log for n events, with three lines per event and 200 further lines at the end.
func logText(source string, n int) []byte {
	var b strings.Builder
	for i := range n {
		e := event(source, 0, i)
		fmt.Fprintf(
			&b, "%s:%d:%d: error: %s %s\n    %d | value = compute(value, %d);\n[%3d%%] Building object src/module%d/file_%d.o\n",
			e.File, e.Line, e.Column, e.Message, e.Test, e.Line, i, i*100/n, i%97, i)
	}
	for i := range 200 {
		fmt.Fprintf(&b, "2026-01-02T03:04:05.678Z INFO worker-%d finished task %d in %d ms\n", i%8, i, i*7919%997)
	}
	return []byte(b.String())
}
