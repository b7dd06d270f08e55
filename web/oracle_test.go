package web_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/internal/pgtest"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/postgres"
	"github.com/blq-ci/blq/store/sqlite/sqlitetest"
)

// modelRun is a run as the model knows it. The model is a list of runs, and computes numbers from it with plain loops.
type modelRun struct {
	repo, source, branch, leg string
	serial, pr, at            int
	fork, failed              bool
	errors                    []string        // messages
	tests                     map[string]bool // whether each test passed
}

func (m modelRun) ref() string { return fmt.Sprintf("%s@%s:%d", m.repo, m.source, m.serial) }

// model is a store with random runs, its pages, and the same runs as a list, oldest first.
type model struct {
	*testing.T
	server *httptest.Server
	runs   []modelRun
}

const (
	modelRuns = 180
	modelKept = 60 // runs before this one are pruned
)

var (
	modelMessages = []string{"'a' undeclared", "'b' undeclared", "'c' undeclared", "missing semicolon"}
	modelTests    = []string{"one", "two", "three"}
)

// newModel makes runs of two repositories. Some are runs of pull requests, of forks or of matrix legs, and a commit has
// several runs. Then newModel prunes the oldest runs.
func newModel(t *testing.T, st store.Store, seed uint64) *model {
	r := rand.New(rand.NewPCG(seed, 1))
	f := &querytest.Fixture{Tree: t.TempDir()}
	f.Asker = querytest.NewAskerOf(t, f.Tree, st)
	f.Now = func() time.Time { return time.Date(2024, 1, 16, 0, 0, 0, 0, time.UTC) }
	m := &model{T: t, server: site(t, f)}
	for i := range modelRuns {
		of := modelRun{repo: []string{"acme/a", "acme/b"}[r.IntN(2)], source: []string{"build", "unit", "matrix"}[r.IntN(3)],
			branch: []string{"main", "main", "topic", "fix/1"}[r.IntN(4)], at: i, failed: r.IntN(3) == 0}
		ci := &store.CI{Provider: "github", Workflow: "ci", Job: "j", RunID: fmt.Sprint(i / 2), RunAttempt: 1 + i%2,
			BaseRef: "main", HeadRef: of.branch}
		if of.branch != "main" || r.IntN(6) == 0 {
			of.pr, of.fork = 1+r.IntN(3), r.IntN(3) == 0 || of.branch == "main"
		}
		run := querytest.Run{Repo: of.repo, Source: of.source, At: i, Log: fmt.Sprintf("line of run %d\n", i)}
		if of.source == "matrix" {
			of.leg = []string{`{"os":"linux"}`, `{"os":"mac"}`}[r.IntN(2)]
		}
		ci.PR, ci.Fork, ci.Matrix = of.pr, of.fork, of.leg
		if of.source == "unit" {
			of.failed, of.tests = false, map[string]bool{}
			for _, name := range modelTests {
				if r.IntN(5) > 0 {
					of.tests[name] = r.IntN(3) > 0
					of.failed = of.failed || !of.tests[name]
					run.Tests = append(run.Tests, truthTest(name, !of.tests[name], 1))
				}
			}
		} else if of.failed {
			for range 1 + r.IntN(4) {
				of.errors = append(of.errors, modelMessages[r.IntN(len(modelMessages))])
			}
		}
		for n, message := range of.errors {
			run.Log += fmt.Sprintf("src/main.c:%d:1: error: %s\n", n+1, message)
			run.Events = append(run.Events, querytest.Event("error", "src/main.c", n+1, 1, message, n+2, n+2))
		}
		if of.failed {
			run.Exit = 1
		}
		run.CI, run.Git = ci, &store.Git{Branch: of.branch, Commit: fmt.Sprintf("%040d", 10+i/6)}
		of.serial = f.Add(t, run).Serial
		if of.fork {
			of.branch = fmt.Sprintf("pull/%d:%s", of.pr, of.branch)
		}
		m.runs = append(m.runs, of)
	}
	policy := store.Policy{Before: time.Date(2024, 1, 15, 10, modelKept, 0, 0, time.UTC)}
	_, err := st.(store.Maintainer).Prune(t.Context(), store.Everything(), policy)
	querytest.Check(t, err)
	m.runs = m.runs[modelKept:]
	return m
}

// text returns the text of a page's main part.
func (m *model) text(path string) string {
	m.Helper()
	answer := get(m.T, m.server.Client(), m.server.URL+path)
	_, main, _ := strings.Cut(answer.body, "<main")
	main = strings.NewReplacer("</td>", " | ", "</th>", " | ", "</dd>", ". ", "</p>", ". ").Replace(main)
	return strings.Join(strings.Fields(html.UnescapeString(pageTags.ReplaceAllString("<main"+main, " "))), " ")
}

var pageTags = regexp.MustCompile(`<title>[^<]*</title>|<[^>]*>`)

// expect checks that a page has texts.
func (m *model) expect(path string, wants ...string) {
	m.Helper()
	got := m.text(path)
	for _, want := range wants {
		if !strings.Contains(got, want) {
			m.Errorf("%s: no %q in %.300s", path, want, got)
		}
	}
}

// those returns the runs for which a function returns true, newest first.
func (m *model) those(is func(modelRun) bool) []modelRun {
	var list []modelRun
	for _, r := range slices.Backward(m.runs) {
		if is(r) {
			list = append(list, r)
		}
	}
	return list
}

// listed returns the runs that a list shows on all of its pages.
func (m *model) listed(path string) []string {
	m.Helper()
	row := regexp.MustCompile(`<th scope="row"><a href="/run/([^"]*)"`)
	next := regexp.MustCompile(`name="before" value="(\d+)"`)
	var refs []string
	for before := ""; ; {
		body := get(m.T, m.server.Client(), m.server.URL+path+before).body
		for _, found := range row.FindAllStringSubmatch(body, -1) {
			refs = append(refs, found[1])
		}
		more := next.FindStringSubmatch(body)
		if more == nil {
			return refs
		}
		before = "&before=" + more[1]
	}
}

func refsOf(list []modelRun) []string {
	var refs []string
	for _, r := range list {
		refs = append(refs, r.ref())
	}
	return refs
}

// migrate creates the tables of a database.
func migrate(ctx context.Context, address string) error {
	st, err := postgres.Open(ctx, address, postgres.Options{})
	if err != nil {
		return err
	}
	return errors.Join(st.Migrate(ctx), st.Close())
}

// The pages agree with a model of the runs, on each engine.
func TestPagesAgreeWithAModel(t *testing.T) {
	t.Parallel()
	engines := map[string]func(t *testing.T) store.Store{
		"sqlite": func(t *testing.T) store.Store { return sqlitetest.Open(t) },
		"postgres": func(t *testing.T) store.Store {
			st, err := postgres.Open(t.Context(), pgtest.Copy(t, migrate), postgres.Options{Connections: 4})
			querytest.Check(t, err)
			t.Cleanup(func() { querytest.Check(t, st.Close()) })
			return st
		},
	}
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, open(t), uint64(len(engine)))
			m.checkLists()
			m.checkErrors()
			m.checkComparisons()
			m.checkSources()
			m.checkTests()
			m.checkFlaky()
			m.checkGrid()
		})
	}
}

// checkLists compares the list of uploads, and the lists of runs under several filters, with the model.
func (m *model) checkLists() {
	for _, repo := range []string{"acme/a", "acme/b"} {
		of := "repo=" + url.QueryEscape(repo)
		in := func(is func(modelRun) bool) []string {
			return refsOf(m.those(func(r modelRun) bool { return r.repo == repo && is(r) }))
		}
		lists := map[string][]string{
			"/runs?" + of:             in(func(modelRun) bool { return true }),
			"/uploads?" + of:          in(func(modelRun) bool { return true }),
			"/runs?result=fail&" + of: in(func(r modelRun) bool { return r.failed }),
			"/runs?source=matrix&result=ok&" + of: in(func(r modelRun) bool {
				return r.source == "matrix" && !r.failed
			}),
			"/runs?branch=main&source=build&" + of: in(func(r modelRun) bool {
				return r.source == "build" && r.branch == "main"
			}),
		}
		for _, branch := range []string{"main", "topic", "fix/1", "pull/1:main", "pull/2:topic"} {
			lists["/runs?branch="+url.QueryEscape(branch)+"&"+of] = in(func(r modelRun) bool { return r.branch == branch })
		}
		for pr := 1; pr <= 3; pr++ {
			lists[fmt.Sprintf("/runs?pr=%d&%s", pr, of)] = in(func(r modelRun) bool { return r.pr == pr })
		}
		for path, want := range lists {
			if got := m.listed(path); !slices.Equal(got, want) {
				m.Errorf("%s lists %d runs, want %d:\n%v\n%v", path, len(got), len(want), got, want)
			}
		}
	}
}

// checkErrors compares three kinds of pages with the model: the errors of a run, one error of a run, and the same error
// in all runs. It also checks the pages of some runs.
func (m *model) checkErrors() {
	for _, repo := range []string{"acme/a", "acme/b"} {
		for _, message := range modelMessages {
			print := store.Fingerprint(querytest.Event("error", "src/main.c", 1, 1, message, 1, 1))
			with := m.those(func(r modelRun) bool { return r.repo == repo && slices.Contains(r.errors, message) })
			if len(with) == 0 {
				m.Fatal("the model has no run with", message)
			}
			events, branches, sources := 0, map[string]int{}, map[string]int{}
			for _, r := range slices.Backward(with) {
				events += times(r, message)
				branches[r.branch]++
				sources[r.source]++
				if r.serial%3 == 0 {
					m.checkEvent(r, message, with)
				}
			}
			wants := []string{"First seen " + with[len(with)-1].ref() + " ", "Last seen " + with[0].ref() + " ",
				fmt.Sprintf("How often %s in %s.", plural(events, "time"), plural(len(with), "run"))}
			for name, n := range branches {
				wants = append(wants, fmt.Sprintf("%s (%s)", name, plural(n, "run")))
			}
			for name, n := range sources {
				wants = append(wants, fmt.Sprintf("%s (%s)", name, plural(n, "run")))
			}
			m.expect("/fingerprint/"+repo+"@"+print, wants...)
		}
	}
	for _, r := range m.runs {
		if len(r.errors) > 0 {
			m.expect("/errors/"+r.ref(), fmt.Sprintf("%d in all.", len(r.errors)))
		}
		if r.serial%4 == 0 {
			m.checkRun(r)
		}
	}
}

// checkRun compares the page of a run with the model.
func (m *model) checkRun(r modelRun) {
	m.Helper()
	wants := []string{map[bool]string{false: "ok ", true: "fail "}[r.failed] + r.ref(), "Branch " + r.branch + " "}
	if len(r.errors) > 0 {
		wants = append(wants, "failed: "+plural(len(r.errors), "error"))
	}
	if r.pr > 0 {
		pr := fmt.Sprintf("Pull request #%d into main", r.pr)
		if r.fork {
			pr += ", from a fork"
		}
		wants = append(wants, pr+".")
	}
	if r.leg != "" {
		wants = append(wants, "Job ci, j, "+r.leg)
	}
	m.expect("/run/"+r.ref(), wants...)
}

// times returns how often a run has an error.
func times(r modelRun, message string) int {
	n := 0
	for _, said := range r.errors {
		if said == message {
			n++
		}
	}
	return n
}

// checkEvent compares the page of an error of a run with the model. The page counts the error in the runs of the same
// source up to this run. with holds the runs with the error, newest first.
func (m *model) checkEvent(r modelRun, message string, with []modelRun) {
	m.Helper()
	up, first := 0, ""
	for _, o := range slices.Backward(with) {
		if o.source == r.source && o.at <= r.at {
			up += times(o, message)
			first = cmp.Or(first, o.ref())
		}
	}
	path := fmt.Sprintf("/event/%s:%d", r.ref(), 1+slices.Index(r.errors, message))
	m.expect(path, "First seen in "+first+" ",
		fmt.Sprintf("; %s up to this run, in runs of %s.", plural(up, "time"), r.source))
}

// checkComparisons checks the numbers of new, fixed and unchanged errors on pages that compare two runs.
func (m *model) checkComparisons() {
	for i, r := range m.runs {
		others := m.those(func(o modelRun) bool { return o.repo == r.repo && o.source == r.source && o.at < r.at })
		if len(others) == 0 || i%2 == 0 {
			continue
		}
		with := others[i%len(others)]
		left, fresh := slices.Clone(with.errors), 0
		for _, e := range r.errors {
			if at := slices.Index(left, e); at >= 0 {
				left = slices.Delete(left, at, at+1)
			} else {
				fresh++
			}
		}
		m.expect("/compare/"+r.ref()+"?with="+url.QueryEscape(with.ref()), fmt.Sprintf("%d new, %d fixed, %d unchanged.",
			fresh, len(left), len(r.errors)-fresh))
	}
}

// checkSources compares the page of sources with the model. The page says how many of the newest 30 runs of a source on
// a branch failed.
func (m *model) checkSources() {
	for _, repo := range []string{"acme/a", "acme/b"} {
		page := m.text("/sources?repo=" + url.QueryEscape(repo))
		rows := map[[2]string][]modelRun{}
		for _, r := range m.those(func(r modelRun) bool { return r.repo == repo }) {
			at := [2]string{r.source, r.branch}
			rows[at] = append(rows[at], r)
		}
		for at, list := range rows {
			list = list[:min(len(list), 30)]
			red := 0
			for _, r := range list {
				if r.failed {
					red++
				}
			}
			want := fmt.Sprintf("%d of %s red", red, plural(len(list), "run"))
			row := regexp.MustCompile(regexp.QuoteMeta("| "+at[0]+" | "+at[1]+" |") + `[^|]*\|[^|]*` +
				regexp.QuoteMeta(want))
			if !row.MatchString(page) {
				m.Errorf("%s: %v is not %s in %s", repo, at, want, page)
			}
		}
	}
}

// checkTests compares the history of each test, on all branches and on single branches, with the model.
func (m *model) checkTests() {
	for _, name := range modelTests {
		for _, branch := range []string{"", "main", "topic", "pull/1:main"} {
			passed, failed := 0, 0
			list := m.those(func(r modelRun) bool {
				_, ran := r.tests[name]
				return r.repo == "acme/a" && ran && (branch == "" || r.branch == branch)
			})
			for _, r := range list {
				if r.tests[name] {
					passed++
				} else {
					failed++
				}
			}
			path := "/tests?show=history&repo=acme%2Fa&test=" + name + "&branch=" + url.QueryEscape(branch)
			if len(list) == 0 {
				continue
			}
			m.expect(path, fmt.Sprintf("%d passed, %d failed, 0 skipped, in %s.", passed, failed, plural(len(list), "run")))
			if got := m.listed(path); !slices.Equal(got, refsOf(list)) {
				m.Errorf("%s lists %v, want %v", path, got, refsOf(list))
			}
		}
	}
}

// checkGrid compares the words of the grid with the results of each test.
func (m *model) checkGrid() {
	for _, branch := range []string{"", "main"} {
		page := m.text("/tests?show=grid&source=unit&repo=acme%2Fa&branch=" + branch)
		runs := m.those(func(r modelRun) bool {
			return r.repo == "acme/a" && r.tests != nil && (branch == "" || r.branch == branch)
		})
		slices.Reverse(runs)
		for _, name := range modelTests {
			var words []string
			for _, passed := range []bool{false, true} {
				if list := serialsOf(runs, name, passed); list != "" {
					words = append(words, map[bool]string{false: "failed in ", true: "passed in "}[passed]+list)
				}
			}
			if want := name + " | | " + strings.Join(words, "; "); !strings.Contains(page, want) {
				m.Errorf("the grid of %q has no %q in %s", branch, want, page)
			}
		}
	}
}

// serialsOf returns the numbers of the runs in which a test passed or failed, such as "3–5, 8". A range may include
// runs in which the test did not run.
func serialsOf(runs []modelRun, name string, passed bool) string {
	var parts []string
	first, last := 0, 0
	end := func() {
		if first > 0 && first < last {
			parts = append(parts, fmt.Sprintf("%d–%d", first, last))
		} else if first > 0 {
			parts = append(parts, fmt.Sprint(first))
		}
		first = 0
	}
	for _, r := range runs {
		switch is, ran := r.tests[name]; {
		case !ran:
		case is != passed:
			end()
		default:
			first, last = cmp.Or(first, r.serial), r.serial
		}
	}
	end()
	return strings.Join(parts, ", ")
}

// checkFlaky compares the page of flaky tests with the model. A row has the number of pull requests in which a test
// failed. It also has the numbers of passes and failures at commits at which the test both passed and failed.
func (m *model) checkFlaky() {
	checked := 0
	for _, repo := range []string{"acme/a", "acme/b"} {
		page := m.text("/tests?show=flaky&repo=" + url.QueryEscape(repo))
		for _, name := range modelTests {
			at, pulls := map[int][2]int{}, map[int]bool{}
			for _, r := range m.those(func(r modelRun) bool { return r.repo == repo }) {
				passed, ran := r.tests[name]
				if !ran {
					continue
				}
				n := at[r.at/6]
				if passed {
					n[0]++
				} else {
					n[1]++
				}
				if at[r.at/6] = n; !passed && r.pr > 0 {
					pulls[r.pr] = true
				}
			}
			passed, failed := 0, 0
			for _, n := range at {
				if n[0] > 0 && n[1] > 0 {
					passed, failed = passed+n[0], failed+n[1]
				}
			}
			if passed == 0 {
				continue
			}
			checked++
			row := fmt.Sprintf(`%s \| a_test.go \| [a-z]+ \| %d \| %d \| %d \| `, name, len(pulls), passed, failed)
			if !regexp.MustCompile(row).MatchString(page) {
				m.Errorf("%s: no %s in %s", repo, row, page)
			}
		}
	}
	if checked < 3 {
		m.Errorf("the model has only %d flaky tests", checked)
	}
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
