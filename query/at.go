package query

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/blq-ci/blq/internal/nearest"
	"github.com/blq-ci/blq/store"
)

// At selects runs by repository, branch, commit and pull request. A zero field selects all values.
type At struct {
	Branch string `json:"branch,omitempty" jsonschema:"branch"`
	Commit string `json:"commit,omitempty" jsonschema:"commit"` // a hash, or at least 4 of its first digits
	PR     int    `json:"pr,omitempty" jsonschema:"pull request" min:"1"`
	Repo   string `json:"repo,omitempty" jsonschema:"owner/name" hosted:"true"`
}

// since parses a time. It returns the zero time for "". Invalid: the text is not a time.
func since(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, store.Hint(store.Errorf(store.Invalid, "%q is not a time", text),
			"write it like 2026-01-31T12:00:00Z")
	}
	return t, nil
}

// knownBranches is the max number of branch names that are compared with a misspelt name.
const knownBranches = 1000

// at adds the conditions in the parameter at to the filter f. It checks the branch, the commit and the pull request
// separately. NotFound: the repository has no runs, or has none for one of them. Invalid: a condition is not valid.
func (a *Asker) at(ctx context.Context, at At, f *store.RunFilter) error {
	if at == (At{}) {
		return nil
	}
	if err := at.check(); err != nil {
		return err
	}
	f.Repo, f.Branch, f.Commit, f.PR = cmp.Or(at.Repo, f.Repo), at.Branch, at.Commit, at.PR
	for _, part := range []struct {
		given   bool
		place   store.RunFilter
		unknown func() error
	}{
		{at.Repo != "", store.RunFilter{}, func() error { return unknownPlace("in the repository %s", at.Repo) }},
		{at.Branch != "", store.RunFilter{Branch: at.Branch},
			func() error { return a.unknownBranch(ctx, at.Repo, at.Branch) }},
		{at.Commit != "", store.RunFilter{Commit: at.Commit},
			func() error { return unknownPlace("at the commit %s", at.Commit) }},
		{at.PR != 0, store.RunFilter{PR: at.PR}, func() error { return unknownPlace("of the pull request %d", at.PR) }},
	} {
		if !part.given {
			continue
		}
		part.place.Repo, part.place.Limit = at.Repo, 1
		runs, err := a.reader().Runs(ctx, a.Scope, part.place)
		if err != nil {
			return err
		}
		if len(runs) == 0 {
			return part.unknown()
		}
	}
	return nil
}

func (at At) check() error {
	switch {
	case at.Repo != "" && !store.IsRepoName(at.Repo):
		return store.Next(store.Errorf(store.Invalid, "%q is not a repository: it has the form owner/name", at.Repo),
			store.NewCall("status", ""))
	case at.Commit != "" && (len(at.Commit) < 4 || strings.Trim(strings.ToLower(at.Commit), "0123456789abcdef") != ""):
		return store.Next(store.Errorf(store.Invalid,
			"%q is not a commit: it is a hash, or its first 4 or more characters",
			at.Commit), store.NewCall("history", "shows the commits of runs"))
	case at.PR < 0:
		return store.Next(store.Errorf(store.Invalid, "%d is not a pull request", at.PR),
			store.NewCall("history", "shows where runs happened"))
	}
	return nil
}

func unknownPlace(format string, args ...any) error {
	return store.Next(store.Errorf(store.NotFound, "no runs "+format, args...),
		store.NewCall("history", "shows where runs happened"))
}

// unknownBranch returns the error for a branch without runs. If there is a branch with a similar name, the error
// suggests that branch.
func (a *Asker) unknownBranch(ctx context.Context, repo, branch string) error {
	meant, err := a.nearestBranch(ctx, repo, branch)
	if err != nil {
		return err
	}
	if meant == "" {
		return unknownPlace("on branch %q", branch)
	}
	err = store.Errorf(store.NotFound, "no runs on branch %q; did you mean %s?", branch, meant)
	if !store.IsSourceName(meant) { // a shell would need quotes around the name
		return store.Next(err, store.NewCall("history", "shows where runs happened"))
	}
	return store.Next(err, store.NewCall("status", "", "branch", meant))
}

// nearestBranch returns the branch with the most similar name, or "".
func (a *Asker) nearestBranch(ctx context.Context, repo, name string) (string, error) {
	known, err := a.Store.Branches(ctx, a.Scope, repo, knownBranches)
	return Clean(nearest.Word(name, known)), err
}

// RunAt returns the run that a reference names. Without a reference, it returns the newest of the runs that the
// parameter at selects. The error is NotFound if there is no such run, or if the parameter at does not select the run.
func (a *Asker) RunAt(ctx context.Context, at At, ref string) (store.Run, error) {
	if err := a.sweep(ctx); err != nil {
		return store.Run{}, err
	}
	return a.runAt(ctx, at, ref)
}

// runAt returns the run that a reference names. A reference without a serial, such as build, names the newest run of
// the source build among the runs that the parameter at selects. The errors are those of RunAt.
func (a *Asker) runAt(ctx context.Context, at At, name string) (store.Run, error) {
	ref, err := store.ParseRef(cmp.Or(name, "latest"))
	if err != nil {
		return store.Run{}, err
	}
	if ref.Repo == "" && ref.Attempt == "" {
		ref.Repo = at.Repo
	}
	elsewhere := at.Repo != "" && ref.Repo != at.Repo
	if at == (At{}) || elsewhere || ref.Attempt != "" || ref.Serial > 0 {
		r, err := a.find(ctx, ref.Run())
		if err == nil && !at.holds(r) {
			err = store.Next(store.Errorf(store.NotFound, "run %s did not happen there: it is %s", r.Ref(), whereabouts(r)),
				store.NewCall("info", "", "ref", r.Ref()))
		}
		return r, err
	}
	f := store.RunFilter{Repo: ref.Repo, Source: ref.Source, Limit: ref.Back + 1}
	if err := a.at(ctx, at, &f); err != nil {
		return store.Run{}, err
	}
	runs, err := a.reader().Runs(ctx, a.Scope, f)
	if err == nil && len(runs) <= ref.Back {
		err = store.Next(store.Errorf(store.NotFound, "no run %s there", ref.Run()),
			store.NewCall("history", "shows where runs happened"))
	}
	if err != nil {
		return store.Run{}, err
	}
	return runs[ref.Back], nil
}

// holds reports whether the parameter at selects the run r.
func (at At) holds(r store.Run) bool {
	pr := 0
	if r.CI != nil {
		pr = r.CI.PR
	}
	return (at.Repo == "" || at.Repo == r.Repo) && (at.Branch == "" || at.Branch == r.Git.Branch) &&
		strings.HasPrefix(r.Git.Commit, strings.ToLower(at.Commit)) && (at.PR == 0 || at.PR == pr)
}

func whereabouts(r store.Run) string {
	if r.Git.Commit == "" {
		return "of no known commit"
	}
	if r.Git.Branch == "" {
		return fmt.Sprintf("at %.9s", r.Git.Commit)
	}
	return fmt.Sprintf("at %.9s on %s", r.Git.Commit, Clean(r.Git.Branch))
}
