package storetest

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/blq-ci/blq/store"
)

// Shared is a store that many callers share.
type Shared interface {
	store.Store
	store.Directory
}

// Directory runs the contract tests of store.Directory. The function open returns an empty store for each subtest, and
// closes the store after the subtest.
func Directory(t *testing.T, open func(t *testing.T) Shared) {
	for what, tests := range map[string]map[string]func(directory){"": directoryTests, "names: ": nameTests} {
		for name, test := range tests {
			t.Run(what+name, func(t *testing.T) {
				t.Parallel()
				s := open(t)
				test(directory{fixture: fixture{T: t, s: s, n: new(int)}, d: s})
			})
		}
	}
}

type directory struct {
	fixture
	d store.Directory
}

func (f directory) enrol(host string, id int64, name string) store.EnrolledRepo {
	f.Helper()
	r, err := f.d.EnrolRepo(f.Context(),
		store.EnrolledRepo{Host: host, ID: id, Name: name, DefaultBranch: "main", Public: true, EnrolledAt: start})
	f.ok(err)
	return r
}

func (f directory) known(owner string, want ...string) {
	f.Helper()
	f.knownTo([]string{owner}, []store.TokenScope{store.ScopeRead}, want...)
}

// knownTo checks the repositories that a token with the given owners and scopes finds.
func (f directory) knownTo(owners []string, scopes []store.TokenScope, want ...string) {
	f.Helper()
	t := token(fmt.Sprintf("%q %q", owners, scopes), func(t *store.Token) { t.Owners, t.Scopes = owners, scopes })
	f.ok(f.d.CreateToken(f.Context(), t))
	_, names, err := f.d.TokenByHash(f.Context(), t.Hash)
	f.ok(err)
	if diff := cmp.Diff(want, names, cmpopts.EquateEmpty()); diff != "" {
		f.Errorf("repositories of %q with %v: %s", owners, scopes, diff)
	}
}

func (f directory) enrolled(want ...store.EnrolledRepo) {
	f.Helper()
	got, err := f.d.EnrolledRepos(f.Context())
	f.ok(err)
	f.equal(got, want)
}

// token returns a token with all fields set.
func token(id string, change ...func(*store.Token)) store.Token {
	hash := sha256.Sum256([]byte(id))
	t := store.Token{
		ID: id, Name: "of " + id, Hash: hash[:], Scopes: []store.TokenScope{store.ScopeRead, store.ScopeQuery},
		Repos: []string{"o/a", "o/b"}, Owners: []string{"p"}, CreatedAt: start, ExpiresAt: start.Add(time.Hour),
	}
	for _, c := range change {
		c(&t)
	}
	return t
}

// signIn returns a sign-in with all fields set.
func signIn(name string) store.SignIn {
	hash := sha256.Sum256([]byte(name))
	return store.SignIn{Hash: hash[:], Person: name, Sealed: []byte{0, 1, 0xff}, CreatedAt: start,
		ExpiresAt: start.Add(time.Hour)}
}

// signedIn checks that the store returns the sign-in with the given name unchanged.
func (f directory) signedIn(name string) {
	f.Helper()
	want := signIn(name)
	got, err := f.d.SignIn(f.Context(), want.Hash)
	f.ok(err)
	f.equal(got, want)
}

func (f directory) tokens(want ...store.Token) {
	f.Helper()
	got, err := f.d.Tokens(f.Context())
	f.ok(err)
	f.equal(got, want)
}

var directoryTests = map[string]func(f directory){
	"repositories are kept by host and ID": func(f directory) {
		b := f.enrol("", 2, "o/b")
		f.equal(b, store.EnrolledRepo{Host: store.DefaultHost, ID: 2, Name: "o/b", DefaultBranch: "main", Public: true,
			EnrolledAt: start})
		a := f.enrol("ghes.example.com", 2, "o/a")
		got, err := f.d.EnrolledRepo(f.Context(), "ghes.example.com", 2)
		f.ok(err)
		f.equal(got, a)
		f.enrolled(a, b)
		_, err = f.d.EnrolledRepo(f.Context(), store.DefaultHost, 3)
		f.refused(err, store.NotFound, "3")
		_, err = f.d.EnrolledRepo(f.Context(), "other.example.com", 2)
		f.refused(err, store.NotFound, "other.example.com")
	},
	"a repository that is renamed keeps its enrolment": func(f directory) {
		f.enrol("", 1, "o/old")
		renamed, err := f.d.EnrolRepo(f.Context(), store.EnrolledRepo{ID: 1, Name: "o/new", EnrolledAt: start.Add(time.Hour)})
		f.ok(err)
		f.equal(renamed, store.EnrolledRepo{Host: store.DefaultHost, ID: 1, Name: "o/new", EnrolledAt: start})
		f.enrolled(renamed)
		f.enrol("", 1, "O/New") // forges treat the two names as equal
		f.enrol("", 2, "o/old") // the name is free again
	},
	"what is stored of a repository follows it to its new name": func(f directory) {
		f.enrol("", 1, "o/old")
		run := f.finish(f.start("o/old", "build"), 1)
		notes := f.s.(store.Notes)
		_, err := notes.PutNote(f.Context(), store.Note{Repo: "o/old", PR: 7, Author: "ann", Text: "why", At: start})
		f.ok(err)
		f.ok(f.s.AddTests(f.Context(), f.start("o/old", "test").Attempt, []store.TestResult{{
			Test: store.Test{Name: "TestA"}, Outcome: store.TestPassed, Attempt: 1}}))
		f.enrol("", 1, "P/new")
		f.equal(f.runs(store.Repos("P/new"), store.RunFilter{}), []string{"P/new@test:2", "P/new@build:1"})
		f.equal(f.runs(store.Repos("o/old"), store.RunFilter{}), []string(nil))
		of, err := f.s.Run(f.Context(), store.Repos("P/new"), store.Ref{Attempt: run.Attempt})
		f.ok(err)
		f.equal(of.Repo, "P/new")
		kept, err := notes.Notes(f.Context(), store.Repos("P/new"), "P/new", 7)
		f.ok(err)
		f.equal(len(kept), 1)
		tests, err := f.s.Tests(f.Context(), store.Repos("P/new"), store.TestFilter{Repo: "P/new"})
		f.ok(err)
		f.equal(len(tests), 1)
		f.start("o/old", "build") // serials of both names are not used again
		f.start("P/new", "build")
		f.equal(f.runs(everything, store.RunFilter{Source: "build"}), []string{"P/new@build:3", "o/old@build:3",
			"P/new@build:1"})
		meter := f.s.(store.Meter)
		for _, repo := range []string{"o/old", "P/new"} {
			of, owner, err := meter.Usage(f.Context(), repo)
			f.ok(err)
			f.equal([]int{of.Runs, owner.Runs}, map[string][]int{"o/old": {1, 1}, "P/new": {3, 3}}[repo])
			f.equal(of.Bytes, owner.Bytes)
		}
		wrong, err := meter.Recount(f.Context(), 0, 1)
		f.ok(err)
		f.equal(wrong, 0)
	},
	"a name is given once": func(f directory) {
		a := f.enrol("", 1, "o/a")
		for _, r := range []store.EnrolledRepo{{ID: 2, Name: "o/a"}, {Host: "ghes.example.com", ID: 1, Name: "o/a"},
			{ID: 2, Name: "O/A"}} {
			_, err := f.d.EnrolRepo(f.Context(), r)
			f.refused(err, store.Conflict, r.Name)
		}
		f.enrolled(a)
	},
	"what cannot be enrolled": func(f directory) {
		for _, r := range []store.EnrolledRepo{{Name: "o/a"}, {ID: -1, Name: "o/a"}, {ID: 1}, {ID: 1, Name: "a"},
			{ID: 1, Name: "o/"}, {ID: 1, Name: "o/a@b"}} {
			_, err := f.d.EnrolRepo(f.Context(), r)
			f.refused(err, store.Invalid)
		}
		f.enrolled()
	},
	"an enrolment ends": func(f directory) {
		f.enrol("", 1, "o/a")
		b := f.enrol("ghes.example.com", 1, "o/b")
		f.ok(f.d.WithdrawRepo(f.Context(), store.DefaultHost, 1))
		f.enrolled(b)
		f.refused(f.d.WithdrawRepo(f.Context(), store.DefaultHost, 1), store.NotFound)
	},
	"an owner's repositories are those enrolled and those with runs": func(f directory) {
		f.enrol("", 1, "o/b")
		f.enrol("", 2, "o/c")
		f.enrol("", 3, "other/a")
		for _, repo := range []string{"o/b", "o/a", "oo/a", "o-2/a", "O/x", "o"} {
			f.start(repo, "build")
		}
		f.known("o", "o/a", "o/b", "o/c")
		f.known("other", "other/a")
		f.known("o/a")
		f.known("%")
		f.known("")
		f.knownTo([]string{"other", "o", "o"}, []store.TokenScope{store.ScopeIngest, store.ScopeDocsRead},
			"o/a", "o/b", "o/c", "other/a")
		f.knownTo(nil, []store.TokenScope{store.ScopeRead})
		f.knownTo([]string{"o"}, []store.TokenScope{store.ScopeIngest})
	},
	"tokens are found by the hash of their secret": func(f directory) {
		t := token("one")
		f.ok(f.d.CreateToken(f.Context(), t))
		f.ok(f.d.CreateToken(f.Context(), token("two")))
		got, _, err := f.d.TokenByHash(f.Context(), t.Hash)
		f.ok(err)
		f.equal(got, t)
		other := sha256.Sum256([]byte("other"))
		for _, hash := range [][]byte{other[:], t.Hash[:16], nil} {
			_, _, err = f.d.TokenByHash(f.Context(), hash)
			f.refused(err, store.NotFound)
		}
	},
	"tokens are listed without those of jobs": func(f directory) {
		old, never := token("old"), token("new", func(t *store.Token) {
			t.CreatedAt, t.ExpiresAt, t.Repos, t.Owners = start.Add(time.Minute), time.Time{}, nil, nil
		})
		job := token("job", func(t *store.Token) { t.Job = `{"repo":"o/a"}` })
		for _, t := range []store.Token{old, job, never} {
			f.ok(f.d.CreateToken(f.Context(), t))
		}
		f.tokens(never, old)
		got, _, err := f.d.TokenByHash(f.Context(), job.Hash)
		f.ok(err)
		f.equal(got, job)
	},
	"tokens that cannot be": func(f directory) {
		f.ok(f.d.CreateToken(f.Context(), token("one")))
		sameHash := token("two", func(t *store.Token) { t.Hash = token("one").Hash })
		sameID := token("one", func(t *store.Token) { t.Hash = token("two").Hash })
		for _, t := range []store.Token{token("one"), sameHash, sameID} {
			f.refused(f.d.CreateToken(f.Context(), t), store.Conflict)
		}
		for _, change := range []func(*store.Token){
			func(t *store.Token) { t.ID = "" },
			func(t *store.Token) { t.Hash = t.Hash[:31] },
			func(t *store.Token) { t.Scopes = nil },
			func(t *store.Token) { t.Scopes = []store.TokenScope{"root"} },
			func(t *store.Token) { t.Repos = []string{"a"} },
		} {
			f.refused(f.d.CreateToken(f.Context(), token("bad", change)), store.Invalid)
		}
		f.tokens(token("one"))
	},
	"a revoked token stays revoked since the first time": func(f directory) {
		t := token("one")
		f.ok(f.d.CreateToken(f.Context(), t))
		t.RevokedAt = start.Add(time.Minute)
		f.ok(f.d.RevokeToken(f.Context(), "one", t.RevokedAt))
		f.ok(f.d.RevokeToken(f.Context(), "one", t.RevokedAt.Add(time.Hour)))
		f.tokens(t)
		f.refused(f.d.RevokeToken(f.Context(), "two", start), store.NotFound, "two")
	},
	"a value is used once": func(f directory) {
		var wins, refusals int
		var lock sync.Mutex
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				err := f.d.UseOnce(f.Context(), "jti", start.Add(time.Hour))
				lock.Lock()
				defer lock.Unlock()
				switch {
				case err == nil:
					wins++
				case store.CodeOf(err) == store.Conflict:
					refusals++
				default:
					f.Error(err)
				}
			})
		}
		all.Wait()
		f.equal([]int{wins, refusals}, []int{1, 19})
		f.ok(f.d.UseOnce(f.Context(), "JTI", start.Add(time.Hour)))
	},
	"a sign-in is kept until it ends": func(f directory) {
		one, two := signIn("one"), signIn("two")
		f.ok(f.d.AddSignIn(f.Context(), one))
		f.ok(f.d.AddSignIn(f.Context(), two))
		f.refused(f.d.AddSignIn(f.Context(), one), store.Conflict)
		f.signedIn("one")
		f.ok(f.d.EndSignIn(f.Context(), one.Hash))
		f.ok(f.d.EndSignIn(f.Context(), one.Hash)) // a repeated call
		_, err := f.d.SignIn(f.Context(), one.Hash)
		f.refused(err, store.NotFound)
		f.signedIn("two")
		n, err := f.d.ForgetUsed(f.Context(), two.ExpiresAt)
		f.ok(err)
		f.equal(n, 0)
		n, err = f.d.ForgetUsed(f.Context(), two.ExpiresAt.Add(time.Second))
		f.ok(err)
		f.equal(n, 1)
		_, err = f.d.SignIn(f.Context(), two.Hash)
		f.refused(err, store.NotFound)
	},
	"what has ended is forgotten": func(f directory) {
		job := func(t *store.Token) { t.Job = "{}" }
		for i := range 3 {
			f.ok(f.d.UseOnce(f.Context(), fmt.Sprint(i), start.Add(time.Duration(i)*time.Hour)))
			f.ok(f.d.CreateToken(f.Context(),
				token(fmt.Sprint(i), job, func(t *store.Token) { t.ExpiresAt = start.Add(time.Duration(i) * time.Hour) })))
		}
		people := token("people")
		f.ok(f.d.CreateToken(f.Context(), people))
		n, err := f.d.ForgetUsed(f.Context(), start.Add(2*time.Hour))
		f.ok(err)
		f.equal(n, 4)
		f.refused(f.d.UseOnce(f.Context(), "2", start.Add(2*time.Hour)), store.Conflict)
		f.ok(f.d.UseOnce(f.Context(), "1", start.Add(time.Hour)))
		_, _, err = f.d.TokenByHash(f.Context(), token("1").Hash)
		f.refused(err, store.NotFound)
		_, _, err = f.d.TokenByHash(f.Context(), token("2").Hash)
		f.ok(err)
		f.tokens(people)
	},
	"SQL of callers does not reach it": func(f directory) {
		f.ok(f.d.CreateToken(f.Context(), token("one")))
		for _, table := range []string{"directory_tokens", "directory_repos", "directory_used", "main.directory_tokens",
			"directory_sign_ins", "tokens"} {
			for _, q := range []string{"SELECT * FROM ", "SELECT count(*) FROM ", "SELECT hash FROM "} {
				_, err := f.s.Query(f.Context(), everything, store.Query{SQL: q + table})
				f.refused(err, store.Invalid)
			}
		}
	},
}
