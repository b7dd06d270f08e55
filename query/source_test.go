package query_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// For a clean run, the source is shown as it was at the run. For a dirty run, the present source is shown. It is marked
// if it has changed since the run.
func TestSourceAsItWasAtTheRun(t *testing.T) {
	t.Parallel()
	root := querytest.Repository(t)
	out, err := exec.Command("git", "-C", root, "rev-parse", "HEAD").Output()
	querytest.Check(t, err)
	head := strings.TrimSpace(string(out))
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, root), Tree: root}
	for i, dirty := range []bool{false, true} {
		f.Add(t, querytest.Run{Source: "build", At: i, Exit: 1, Log: querytest.BuildLog, Events: querytest.BuildEvents()[:1],
			Git: &store.Git{Commit: head, Branch: "main", Dirty: dirty, Root: root}})
	}
	inspect := func(ref string) query.Inspection {
		t.Helper()
		in, err := f.Inspect(t.Context(), query.InspectParams{Ref: ref, Lines: 1, Source: true, Git: true})
		querytest.Check(t, err)
		return in
	}
	before := inspect("build:2:1")
	if c := before.SourceContext; c == nil || c.Changed || c.Lines[1].Text != "    int x = foo + 1;" {
		t.Errorf("before the edit: %+v", c)
	}
	if before.GitContext.Blame == nil {
		t.Error("a committed line has no author")
	}
	querytest.Write(t, root, "src/main.c", "// new\n// lines\nnot committed\n// end\n")
	clean, dirty := inspect("build:1:1"), inspect("build:2:1")
	if c := clean.SourceContext; c == nil || c.Changed || c.Lines[1].Text != "    int x = foo + 1;" {
		t.Errorf("of the clean run: %+v", c)
	}
	if b := clean.GitContext.Blame; b == nil || b.Commit != head {
		t.Errorf("of the clean run: %+v", b)
	}
	if c := dirty.SourceContext; c == nil || !c.Changed || c.Lines[1].Text != "not committed" {
		t.Errorf("of the dirty run: %+v", c)
	}
	if b := dirty.GitContext.Blame; b != nil {
		t.Errorf("an uncommitted line is blamed on %+v", b)
	}
	asItWas := time.Date(2024, 1, 15, 9, 59, 0, 0, time.UTC) // the run saw the edit
	querytest.Check(t, os.Chtimes(filepath.Join(root, "src/main.c"), asItWas, asItWas))
	dirty = inspect("build:2:1")
	if c := dirty.SourceContext; c == nil || c.Changed || dirty.GitContext.Blame != nil {
		t.Errorf("of the dirty run that saw the edit: %+v, blamed on %+v", c, dirty.GitContext.Blame)
	}
}

// A source file is marked as changed if its content changed since the run. The time of the file does not matter.
func TestSourceIsMarkedByItsContent(t *testing.T) {
	t.Parallel()
	root := querytest.Repository(t)
	name := filepath.Join(root, "src/main.c")
	before, err := os.ReadFile(name)
	querytest.Check(t, err)
	digest, err := store.FileDigest(bytes.NewReader(before))
	querytest.Check(t, err)
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, root), Tree: root}
	run := f.Add(t, querytest.Run{Source: "build", At: 1, Exit: 1, Log: querytest.BuildLog,
		Events: querytest.BuildEvents()[:1], Git: &store.Git{Dirty: true, Root: root},
		Files: store.FileDigests{"src/main.c": digest}})
	old, later := run.FinishedAt.Add(-time.Hour), run.FinishedAt.Add(time.Hour)
	for _, test := range []struct {
		name, text string
		at         time.Time
		changed    bool
	}{
		{"touched", string(before), later, false},
		{"as it was", string(before), old, false},
		{"changed, with an old time", strings.Replace(string(before), "foo", "bar", 1), old, true},
		{"changed", strings.Replace(string(before), "foo", "bar", 1), later, true},
	} {
		querytest.Write(t, root, "src/main.c", test.text)
		querytest.Check(t, os.Chtimes(name, test.at, test.at))
		in, err := f.Inspect(t.Context(), query.InspectParams{Ref: "build:1:1", Source: true, Git: true})
		querytest.Check(t, err)
		if in.SourceContext == nil || in.SourceContext.Changed != test.changed ||
			(in.GitContext.Blame == nil) != test.changed {
			t.Errorf("%s: %+v, %+v", test.name, in.SourceContext, in.GitContext)
		}
		in.SourceContext, in.GitContext = nil, nil // a server's answer has neither
		here := query.Asker{Root: root, Git: f.Git}
		here.Surround(t.Context(), &in, query.InspectParams{Source: true})
		if in.SourceContext == nil || in.SourceContext.Changed != test.changed {
			t.Errorf("%s, as a server answers: %+v", test.name, in.SourceContext)
		}
	}
}

func TestAnswersNameFilesWithUncommittedChanges(t *testing.T) {
	t.Parallel()
	root := querytest.Repository(t)
	out, err := exec.Command("git", "-C", root, "rev-parse", "HEAD").Output()
	querytest.Check(t, err)
	git := store.Git{Commit: strings.TrimSpace(string(out)), Branch: "main", Dirty: true, Root: root}
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, root), Tree: root}
	events := append(querytest.BuildEvents(), querytest.Event("error", "src/util.c", 1, 1, "x", 7, 7))
	f.Add(t, querytest.Run{Source: "build", At: 1, Exit: 1, Log: querytest.BuildLog, Events: events, Git: &git})
	querytest.Write(t, root, "src/main.c", "changed\n")
	in, err := f.Info(t.Context(), query.InfoParams{})
	querytest.Check(t, err)
	got, err := f.Triage(t.Context(), query.TriageParams{})
	querytest.Check(t, err)
	for name, files := range map[string][]string{"info": in.Changed, "triage": got.Changed} {
		if diff := cmp.Diff([]string{"src/main.c"}, files); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	if !in.Dirty || !got.Dirty {
		t.Errorf("info says %v, triage %v", in.Dirty, got.Dirty)
	}
}
