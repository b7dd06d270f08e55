//go:build unix

package realms_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/github/githubtest"
	"github.com/blq-ci/blq/internal/pgtest"
	local "github.com/blq-ci/blq/internal/project/realms"
	"github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/postgres"
)

// pullCase is the state of a member's change: of its branch, its pull request, and its runs.
type pullCase struct {
	branch    bool // there is a branch for the RFC
	pull      string
	mergeable string
	elsewhere bool     // the pull request has another newest commit
	runs      []string // OK, FAIL, running, dirty or fork, in the order of their starts, all of one step
	major     bool     // the branch raises the major version of the member's contract
}

// why returns why a change is not ready, and the state of its checks, from the documented conditions.
func (c pullCase) why(hosted bool) (why []string, checks string) {
	checks = "unknown"
	open := c.pull == "open" || c.pull == "draft"
	if hosted && !(open && c.elsewhere) {
		for _, r := range c.runs {
			switch r {
			case "OK":
				checks = "green"
			case "FAIL":
				checks = "red"
			case "running":
				checks = "running"
			}
		}
	}
	failed := checks == "red"
	if open && checks == "unknown" && c.mergeable == "clean" {
		checks = "green"
	}
	switch c.pull {
	case "":
		return []string{"there is no pull request"}, checks
	case "merged", "closed":
		return []string{"the pull request is " + c.pull}, checks
	case "draft":
		why = append(why, "the pull request is a draft")
	default:
		switch c.mergeable {
		case "dirty":
			why = append(why, "the pull request has conflicts")
		case "blocked":
			why = append(why, "reviews or required checks are missing")
		case "behind":
			why = append(why, "the branch is behind its base")
		case "unknown":
			why = append(why, "it is not known yet whether the pull request can be merged; ask again")
		default:
			if c.elsewhere {
				why = append(why, "the pull request is at bbbbbbb, but the branch is at COMMIT here")
			}
		}
	}
	switch {
	case checks == "green":
	case failed:
		why = append(why, "checks failed: build")
	case checks == "running":
		why = append(why, "checks are running")
	case c.mergeable == "unstable":
		why = append(why, "checks have failed, or are running")
	default:
		why = append(why, "no checks are known")
	}
	return why, checks
}

// pullScript is a realm of six members whose changes for an RFC are in random states.
type pullScript struct {
	fixture
	rng     *rand.Rand
	github  *githubtest.GitHub
	forge   *realms.Forge
	top     string
	cases   map[string]pullCase
	imports map[string][]string // providers by consumer
	heads   map[string]string   // commits of branches, by member
	pull    int                 // number of the newest pull request
}

var six = []string{"a", "b", "c", "d", "e", "f"}

func (s *pullScript) draw() {
	s.cases, s.imports = map[string]pullCase{}, map[string][]string{}
	pick := func(all ...string) string { return all[s.rng.IntN(len(all))] }
	for _, m := range six {
		c := pullCase{branch: s.rng.IntN(6) > 0,
			pull:      pick("open", "open", "open", "open", "draft", "merged", "closed", ""),
			mergeable: pick("clean", "clean", "clean", "dirty", "blocked", "behind", "unstable", "unknown"),
			elsewhere: s.rng.IntN(6) == 0, major: s.rng.IntN(5) == 0}
		for range s.rng.IntN(4) {
			c.runs = append(c.runs, pick("OK", "OK", "FAIL", "running", "dirty", "fork"))
		}
		s.cases[m] = c
		for _, other := range six {
			if other != m && s.rng.IntN(5) == 0 {
				s.imports[m] = append(s.imports[m], other)
			}
		}
	}
}

func (s *pullScript) realm() files {
	all := files{"realm.yaml": "name: aperture", "domains/x/domain.yaml": "members: [a, b, c, d, e, f]"}
	for _, m := range six {
		all["repos/"+m+".yaml"] = "url: https://git.example.com/acme/" + m + "\npath: ../" + m + "\n"
		text := "exports: [" + m + "]\nimports: ["
		for _, from := range s.imports[m] {
			text += "{contract: " + from + ", version: ^1.0}, "
		}
		all["domains/x/bindings/"+m+".yaml"] = strings.TrimSuffix(text, ", ") + "]\n"
	}
	return all
}

func ofMember(m string, major int) files {
	return files{
		".blue/config.yaml": "realm: {name: aperture, url: https://git.example.com/acme/realm-aperture, path: ../realm}\n" +
			"repo: " + m + "\n",
		".blue/contracts/x/contracts/" + m + ".yaml": fmt.Sprintf(
			"version: %d.0.0\nowner: %s\nschema: {type: integer}\n", major, m),
	}
}

func (s *pullScript) shell(dir, script string) string {
	s.Helper()
	cmd := exec.CommandContext(s.Context(), "sh", "-c",
		"git() { command git -c user.name=a -c user.email=a@example.com -c init.defaultBranch=main -c commit.gpgsign=false \"$@\"; }; "+script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.Fatalf("%s: %s", script, out)
	}
	return strings.TrimSpace(string(out))
}

func (s *pullScript) write(dir string, all files) {
	s.Helper()
	for name, text := range all {
		path := filepath.Join(dir, filepath.FromSlash(name))
		s.ok(os.MkdirAll(filepath.Dir(path), 0o755))
		s.ok(os.WriteFile(path, []byte(text), 0o644))
	}
}

// build makes the clones, the repositories on GitHub, and the facts and runs on the server.
func (s *pullScript) build(round int) {
	s.heads = map[string]string{}
	s.write(filepath.Join(s.top, "realm"), s.realm())
	s.shell(filepath.Join(s.top, "realm"), "git init -q && git add -A && git commit -qm one")
	s.push("acme/realm-aperture", 1, s.realm(), "main")
	for i, m := range six {
		c, dir, repo := s.cases[m], filepath.Join(s.top, m), "acme/"+m
		s.write(dir, ofMember(m, 1))
		s.shell(dir, "git init -q && git add -A && git commit -qm one && git remote add origin https://"+
			s.forge.Host()+"/"+repo+" && git update-ref refs/remotes/origin/main HEAD")
		main := 10 * (i + 1)
		s.push(repo, main, ofMember(m, 1), "main")
		s.github.Repo(repo, int64(100*round+i+1))
		s.github.Writers(repo, "bot")
		if !c.branch {
			continue
		}
		version := 1
		if c.major {
			version = 2
		}
		s.write(dir, ofMember(m, version))
		s.heads[m] = s.shell(dir, "git checkout -qb rfc/7 && git add -A && git commit -q --allow-empty -m two && "+
			"git update-ref refs/remotes/origin/rfc/7 HEAD && git rev-parse HEAD")
		s.push(repo, main+1, ofMember(m, version), "rfc/7", main)
		for j, how := range c.runs {
			s.run(repo, hash(main+1), fmt.Sprintf("%d-%s-%d", round, m, j), how)
		}
	}
}

func (s *pullScript) number() int {
	s.pull++
	return s.pull
}

// pulls adds the pull requests of the members. The function head returns the newest commit of a member's branch, in the
// clone or on the server.
func (s *pullScript) pulls(head func(m string) string) {
	for _, m := range six {
		c := s.cases[m]
		if !c.branch || c.pull == "" {
			continue
		}
		p := githubtest.Pull{Number: s.number(), HeadRef: "rfc/7", HeadSHA: head(m), State: "closed",
			Merged: c.pull == "merged", Draft: c.pull == "draft", Mergeable: c.mergeable}
		if c.pull == "open" || c.pull == "draft" {
			p.State = "open"
		}
		if c.elsewhere {
			p.HeadSHA = strings.Repeat("b", 40)
		}
		s.github.AddPull("acme/"+m, p)
	}
}

func (s *pullScript) run(repo, commit, attempt, how string) {
	s.Helper()
	r := store.Run{Attempt: attempt, Repo: repo, Source: "build", StartedAt: now,
		Git: store.Git{Commit: commit, Branch: "rfc/7", Dirty: how == "dirty"}}
	if how == "fork" {
		r.CI = &store.CI{Provider: "github", Fork: true}
	}
	r, err := s.store.StartRun(s.Context(), r)
	s.ok(err)
	exit := 0
	switch how {
	case "running":
		return
	case "FAIL":
		exit = 1
	}
	_, err = s.store.FinishRun(s.Context(), r.Attempt, store.Finish{Ending: store.Ending{Reason: store.ReasonExit,
		ExitCode: &exit, FinishedAt: now.Add(time.Minute)}})
	s.ok(err)
}

// broken returns the expected errors of contracts, by the member that must fix them.
func (s *pullScript) broken() map[string][]string {
	all := map[string][]string{}
	for _, m := range six { // findings are sorted by contract
		if c := s.cases[m]; !c.branch || !c.major {
			continue
		}
		for _, consumer := range six {
			switch {
			case !slices.Contains(s.imports[consumer], m):
			case s.cases[consumer].branch:
				if !slices.Contains(all[consumer], "VersionMismatch") {
					all[consumer] = append(all[consumer], "VersionMismatch")
				}
			default:
				all[m] = append(all[m], "VersionMismatch of "+consumer)
			}
		}
	}
	return all
}

// reaches reports whether a member depends on another, directly or not.
func (s *pullScript) reaches(from, to string) bool {
	seen, todo := map[string]bool{}, slices.Clone(s.imports[from])
	for len(todo) > 0 {
		m := todo[0]
		if todo = todo[1:]; m == to {
			return true
		}
		if !seen[m] {
			seen[m] = true
			todo = append(todo, s.imports[m]...)
		}
	}
	return false
}

// compare compares an answer with the expected one.
func (s *pullScript) compare(where string, got query.PRStatus, hosted bool, head func(m string) string) {
	s.Helper()
	broken := s.broken()
	var cyclic bool
	for _, m := range six {
		cyclic = cyclic || s.reaches(m, m)
	}
	ready := map[string]bool{}
	open := []string{}
	listed := map[string]query.RepoPR{}
	for _, r := range got.Repos {
		listed[r.Name] = r
	}
	for _, m := range six {
		c := s.cases[m]
		r, there := listed[m]
		if there != c.branch {
			s.Errorf("%s: %s is listed: %v", where, m, there)
		}
		if !there {
			continue
		}
		why, checks := c.why(hosted)
		for i := range why {
			why[i] = strings.ReplaceAll(why[i], "COMMIT", head(m)[:7])
		}
		var wrong []string
		for _, kind := range r.Reasons {
			if rest, ok := strings.CutPrefix(kind, "errors of contracts: "); ok {
				for _, k := range strings.Split(rest, ", ") {
					if k != "CycleDetected" {
						wrong = append(wrong, k)
					} else if !cyclic {
						s.Errorf("%s: there is no cycle", where)
					}
				}
			}
		}
		slices.Sort(wrong)
		want := slices.Sorted(slices.Values(broken[m]))
		if !slices.Equal(wrong, want) {
			s.Errorf("%s: %s has the errors %v, want %v", where, m, wrong, want)
		}
		reasons := slices.DeleteFunc(slices.Clone(r.Reasons), func(w string) bool {
			return strings.HasPrefix(w, "errors of contracts: ")
		})
		if diff := cmp.Diff(why, reasons, cmpopts.EquateEmpty()); diff != "" || checks != r.Checks {
			s.Errorf("%s: %s %+v has checks %s, want %s (-want +got)\n%s", where, m, c, r.Checks, checks, diff)
		}
		if ready[m] = r.Ready; r.Ready != (len(r.Reasons) == 0) {
			s.Errorf("%s: %s is ready: %v, %v", where, m, r.Ready, r.Reasons)
		}
		if c.pull != "merged" && c.pull != "closed" {
			open = append(open, m)
		}
	}
	if !slices.Equal(slices.Sorted(slices.Values(got.Order)), open) {
		s.Errorf("%s: order %v of %v", where, got.Order, open)
	}
	for i, first := range got.Order {
		for _, later := range got.Order[i+1:] {
			if slices.Contains(s.imports[first], later) && !s.reaches(later, first) {
				s.Errorf("%s: %s comes before its provider %s", where, first, later)
			}
		}
	}
	step := ""
	for _, line := range got.NextSteps {
		if rest, ok := strings.CutPrefix(line, "Merge in this order: "); ok {
			step = rest
		}
	}
	can := map[string]bool{}
	for _, m := range open {
		can[m] = ready[m]
	}
	for range six { // what waits for something that is not ready is not merged
		for _, m := range open {
			for _, from := range s.imports[m] {
				if slices.Contains(open, from) && !can[from] {
					can[m] = false
				}
			}
		}
	}
	var merged []string
	for _, m := range got.Order {
		if can[m] {
			merged = append(merged, m)
		}
	}
	if want := strings.Join(merged, ", "); step != want && len(got.NextSteps) < 5 {
		s.Errorf("%s: merge %q, want %q; ready %v, imports %v", where, step, want, ready, s.imports)
	}
}

// Six repositories have random imports, and pull requests in random states. Each answer agrees with the documented
// conditions, on a server with each engine and in clones.
func TestScriptedPullRequests(t *testing.T) {
	t.Parallel()
	engines := map[string]func(t *testing.T) fixture{
		"sqlite": func(t *testing.T) fixture { return newFixture(t) },
		"postgres": func(t *testing.T) fixture {
			f := newFixture(t)
			s, err := postgres.Open(t.Context(), pgtest.Copy(t, func(ctx context.Context, url string) error {
				s, err := postgres.Open(ctx, url, postgres.Options{})
				if err != nil {
					return err
				}
				defer s.Close()
				return s.Migrate(ctx)
			}), postgres.Options{Connections: 4})
			f.ok(err)
			t.Cleanup(func() { f.ok(s.Close()) })
			f.store = s
			return f
		},
	}
	for _, engine := range slices.Sorted(maps.Keys(engines)) {
		t.Run(engine, func(t *testing.T) {
			for round := range rounds {
				s := &pullScript{fixture: engines[engine](t), top: t.TempDir(),
					rng: rand.New(rand.NewPCG(7, uint64(round)))}
				s.github = githubtest.New(t)
				client, err := github.New(github.Config{API: s.github.URL, Token: s.github.Token("bot"), Patience: -1})
				s.ok(err)
				s.forge = &realms.Forge{Client: client}
				s.draw()
				s.build(round)
				who := six[s.rng.IntN(6)]
				hosted := func(m string) string { return hash(10*(slices.Index(six, m)+1) + 1) }
				s.pulls(hosted)
				a := s.worker(&clock{now}, "me", "acme/realm-aperture", "acme/a", "acme/b", "acme/c", "acme/d",
					"acme/e", "acme/f")
				w := a.Work.(realms.Work)
				w.Forge = s.forge
				a.Work = w
				got, err := a.PRStatus(t.Context(), query.PRStatusParams{RFC: "7",
					RealmAt: query.RealmAt{Repo: "acme/" + who}})
				s.ok(err)
				s.compare(fmt.Sprintf("%d on a server", round), got, true, hosted)
				here := func(m string) string { return s.heads[m] }
				s.pulls(here)
				p := local.Project{Root: filepath.Join(s.top, who), Home: filepath.Join(s.top, "home")}
				b := &query.Asker{Store: s.store, Scope: store.Everything(), Realms: p,
					Now:  func() time.Time { return now },
					Work: local.Work{Project: p, Forge: s.forge}}
				got, err = b.PRStatus(t.Context(), query.PRStatusParams{RFC: "7"})
				s.ok(err)
				s.compare(fmt.Sprintf("%d here", round), got, false, here)
			}
		})
	}
}

// rounds is the number of random realms for each engine.
const rounds = 2
