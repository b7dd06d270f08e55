package query_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// A service has no files. The command line adds information from its own files.
func TestAnAnswerFromElsewhereIsSurroundedByFiles(t *testing.T) {
	t.Parallel()
	here := query.Asker{Root: querytest.Repository(t), Git: querytest.New(t).Git}
	far := query.Event{File: "src/main.c", Line: 3}
	for name, tt := range map[string]struct {
		p           query.InspectParams
		source, git bool
	}{
		"nothing": {query.InspectParams{}, false, false},
		"source":  {query.InspectParams{Source: true, Lines: 1}, true, false},
		"git":     {query.InspectParams{Git: true}, false, true},
	} {
		in := query.Inspection{Event: far}
		here.Surround(t.Context(), &in, tt.p)
		if (in.SourceContext != nil) != tt.source || (in.GitContext != nil) != tt.git {
			t.Errorf("%s: %+v, %+v", name, in.SourceContext, in.GitContext)
		}
		if s := in.SourceContext; s != nil && (len(s.Lines) != 3 || !s.Lines[1].IsError || s.Changed) {
			t.Errorf("%+v", s)
		}
		if g := in.GitContext; g != nil && (g.Blame == nil || g.Blame.Author != "alice@example.com" || len(g.Recent) != 1) {
			t.Errorf("%+v", g)
		}
	}
	in := query.Inspection{Event: far, SourceContext: &query.SourceContext{File: "theirs"},
		GitContext: &query.GitContext{File: "theirs"}}
	here.Surround(t.Context(), &in, query.InspectParams{Source: true, Git: true, Lines: 1})
	if in.SourceContext.File != "theirs" || in.GitContext.File != "theirs" {
		t.Errorf("what was known is replaced: %+v, %+v", in.SourceContext, in.GitContext)
	}
}

func TestOnlySomeFilesWithUncommittedChangesAreNamed(t *testing.T) {
	t.Parallel()
	root := querytest.Repository(t)
	out, err := exec.Command("git", "-C", root, "rev-parse", "HEAD").Output()
	querytest.Check(t, err)
	head := strings.TrimSpace(string(out))
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, root), Tree: root}
	var events []store.Event
	var names []string
	for i := range 12 {
		names = append(names, fmt.Sprintf("src/new%02d.c", i))
		querytest.Write(t, root, names[i], "int x;\n")
		events = append(events, undeclared(strings.TrimSuffix(names[i], ".c"), 1), undeclared("src/main", i+1))
	}
	add, err := exec.Command("git", "-C", root, "add", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, add)
	}
	for at, tt := range []struct {
		git   store.Git
		dirty bool
		files []string
	}{
		{store.Git{Commit: head, Dirty: true, Root: root}, true, names[:10]},
		{store.Git{Commit: head, Root: root}, false, nil},
		{store.Git{Commit: strings.Repeat("a", 40), Dirty: true, Root: root}, true, nil}, // this commit does not exist
		{store.Git{Dirty: true, Root: root}, true, nil},
	} {
		r := f.Add(t, querytest.Run{Source: "build", At: at, Exit: 1, Log: querytest.Lines("x", 3), Events: events,
			Git: &tt.git})
		in, err := f.Info(t.Context(), query.InfoParams{Ref: r.Ref().String()})
		querytest.Check(t, err)
		if diff := cmp.Diff(tt.files, in.Changed); diff != "" || in.Dirty != tt.dirty {
			t.Errorf("%+v: dirty %v, files:\n%s", tt.git, in.Dirty, diff)
		}
	}
}

func TestInspectFindsFilesInTheWorkTreeIfTheCommitIsGone(t *testing.T) {
	t.Parallel()
	root := querytest.Repository(t)
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, root), Tree: root}
	events := []store.Event{querytest.Event("error", "src/main.c", 3, 1, "x", 1, 1),
		querytest.Event("error", "src/main.c", 99, 1, "x", 1, 1), querytest.Event("error", "src/gone.c", 1, 1, "x", 1, 1),
		querytest.Event("error", "src/main.c", 1, 1, "x", 1, 1), querytest.Event("error", "src/main.c", 5, 1, "x", 1, 1)}
	f.Add(t, querytest.Run{Source: "build", At: 1, Exit: 1, Log: querytest.Lines("x", 3), Events: events,
		Git: &store.Git{Commit: strings.Repeat("a", 40), Root: root}})
	for i, tt := range []struct {
		lines string // line numbers, with an asterisk at the line of the error
		blame bool
	}{{"2 3* 4", true}, {"", false}, {"", false}, {"1* 2", true}, {"4 5*", true}} {
		in, err := f.Inspect(t.Context(),
			query.InspectParams{Ref: fmt.Sprintf("1:%d", i+1), Source: true, Git: true, Lines: 1})
		querytest.Check(t, err)
		var numbers []string
		if in.SourceContext != nil {
			for _, l := range in.SourceContext.Lines {
				mark := ""
				if l.IsError {
					mark = "*"
				}
				numbers = append(numbers, fmt.Sprint(l.Line)+mark)
			}
		}
		blamed := in.GitContext != nil && in.GitContext.Blame != nil
		if strings.Join(numbers, " ") != tt.lines || blamed != tt.blame {
			t.Errorf("%s:%d: lines %v, blame %v", filepath.Base(events[i].File), events[i].Line, numbers, blamed)
		}
	}
}

// existing is a repository that has only the given branches. No branch contains the commits of the runs.
type existing struct {
	query.Git
	branches []string
	head     string // the checked-out commit
	asked    *int   // number of lookups so far
}

func (e existing) DefaultBranch(context.Context, string) (string, error) {
	*e.asked++
	return "main", nil
}

func (e existing) Ancestors(_ context.Context, _, commit, _ string, _ int) ([]string, error) {
	*e.asked++
	if commit == "HEAD" && e.head != "" {
		return []string{e.head}, nil
	}
	return nil, store.Errorf(store.NotFound, "no %s", commit)
}

func (e existing) Branches(context.Context, string) (map[string]bool, error) {
	*e.asked++
	names := map[string]bool{}
	for _, name := range e.branches {
		names[name] = true
	}
	return names, nil
}

func (e existing) OnBranches(_ context.Context, _ string, commits []string) (map[string]bool, error) {
	*e.asked++
	return outsideOfAll(commits), nil
}

func (e existing) Inside(_ context.Context, _, _ string, commits []string) (map[string]bool, error) {
	*e.asked++
	return outsideOfAll(commits), nil
}

func (e existing) SameFiles(_ context.Context, _, _ string, commits []string) (map[string]bool, error) {
	*e.asked++
	return outsideOfAll(commits), nil
}

func outsideOfAll(commits []string) map[string]bool {
	is := map[string]bool{}
	for _, c := range commits {
		is[c] = false
	}
	return is
}

func TestAFailureOnABranchThatIsGoneIsNotNamed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		branches     []string
		history, git bool
		want         string
	}{
		"it exists":        {[]string{"a"}, true, true, "a"},
		"it is gone":       {nil, true, true, ""},
		"nothing is known": {nil, false, true, "a"},
		"on a service":     {nil, true, false, "a"}, // a service has no repository
	} {
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
		f.Add(t, querytest.Run{Source: "build", At: 1, Exit: 1, Git: &store.Git{Branch: "a", Commit: "c1"}})
		f.Add(t, querytest.Run{Source: "build", At: 2, Git: &store.Git{Branch: "b", Commit: "c2"}})
		there := existing{f.Git, tt.branches, "", new(int)}
		if f.Git, f.Ancestry = there, there; !tt.history {
			f.Ancestry = nil
		}
		if !tt.git {
			f.Git = nil
		}
		got := ""
		for _, o := range triage(t, f, query.TriageParams{}).Others {
			got += o.Branch
		}
		if got != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Each lookup starts git. So the number of lookups must not grow with the number of branches and commits.
func TestManyCommitsAreLookedUpTogether(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, root)}
	commit := func(i int) string { return fmt.Sprintf("%040x", 100+i) }
	for i := range 30 {
		f.Add(t, querytest.Run{Source: "build", At: i, Exit: 1,
			Git: &store.Git{Branch: fmt.Sprint("topic", i), Commit: commit(i), Root: root}})
	}
	f.Add(t, querytest.Run{Source: "build", At: 40, Git: &store.Git{Branch: "main", Commit: commit(40), Root: root}})
	there := existing{f.Git, []string{"main"}, commit(50), new(int)}
	f.Git, f.Ancestry = there, there
	if _, err := f.Status(t.Context(), query.StatusParams{}); err != nil {
		t.Fatal(err)
	}
	if asked := *there.asked; asked > 5 {
		t.Errorf("status: %d lookups", asked)
	}
	*there.asked = 0
	triage(t, f, query.TriageParams{})
	if asked := *there.asked; asked > 10 {
		t.Errorf("triage: %d lookups", asked)
	}
}

func TestTheHistoryIsLookedUpOnceForAQuestion(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	there := existing{f.Git, nil, "c1", new(int)}
	f.Ancestry = there
	one := f.ForOneQuestion()
	for range 3 {
		for _, commit := range []string{"HEAD", "c2"} {
			commits, err := one.Ancestry.Ancestors(t.Context(), "", commit, "main", 1)
			if found := commit == "HEAD"; found != (err == nil) || found != (len(commits) == 1) {
				t.Errorf("%s: %v %v", commit, commits, err)
			}
		}
	}
	if *there.asked != 2 {
		t.Errorf("%d lookups", *there.asked)
	}
	if _, err := f.ForOneQuestion().Ancestry.Ancestors(t.Context(), "", "HEAD", "main", 1); err != nil || *there.asked != 3 {
		t.Errorf("the next question: %d lookups, %v", *there.asked, err)
	}
}
