package worktree_test

import (
	"slices"
	"testing"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/worktree"
	"github.com/blq-ci/blq/store"
)

func (p *project) past(docs ...string) facts.Past {
	p.Helper()
	found := map[store.FactKind]facts.Found{}
	for _, kind := range []store.FactKind{store.FactCode, store.FactDocs} {
		f, err := p.At(p.Context(), facts.Query{Kind: kind})
		if err != nil {
			p.Fatal(err)
		}
		found[kind] = f
	}
	past, err := p.Past(p.Context(), found[store.FactCode], found[store.FactDocs], docs)
	if err != nil {
		p.Fatal(err)
	}
	return past
}

// wasText returns the text that a file had when a document was last changed. It returns "same" for a file that has not
// changed since, and "absent" for a file that did not exist.
func (p *project) wasText(past facts.Past, doc, file string) string {
	p.Helper()
	w := past.Was(doc, file)
	switch {
	case w.Same:
		return "same"
	case !w.Existed:
		return "absent"
	}
	text, err := w.Read(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	return string(text)
}

func TestThePastOfADocumentIsItsLastChange(t *testing.T) {
	p := newProject(t)
	p.write("a.md", "A")
	p.write("b.md", "B")
	p.write("one.go", "package one")
	p.write("two.go", "package two")
	p.commit("begin")
	p.write("one.go", "package one // 1")
	p.commit("code")
	p.write("b.md", "B 2")
	p.commit("document")
	p.write("one.go", "package one // 2")
	p.git("rm", "-q", "two.go")
	p.write("odd ü.go", "package odd")
	p.commit("code")
	p.write("one.go", "package one // not committed")
	past := p.past("a.md", "b.md")
	for _, c := range []struct{ doc, file, want string }{
		{"a.md", "one.go", "package one"}, {"b.md", "one.go", "package one // 1"}, {"a.md", "two.go", "package two"},
		{"b.md", "odd ü.go", "absent"}, {"a.md", "none.go", "same"},
	} {
		if got := p.wasText(past, c.doc, c.file); got != c.want {
			t.Errorf("%s when %s was changed: %q, want %q", c.file, c.doc, got, c.want)
		}
	}
	changed := past.Changed()
	slices.Sort(changed)
	if want := []string{"odd ü.go", "one.go", "two.go"}; !slices.Equal(changed, want) {
		t.Errorf("changed %q, want %q", changed, want)
	}
	p.write("a.md", "A, not committed")
	p.write("new.md", "new")
	past = p.past("a.md", "new.md")
	if got := p.wasText(past, "a.md", "one.go"); got != "same" || !past.Knows("new.md") {
		t.Errorf("a document that was changed in the work tree: %q", got)
	}
}

// A merge counts as one change. A commit whose parents are missing in a shallow clone counts as no change.
func TestThePastOfMergesAndShallowClones(t *testing.T) {
	p := newProject(t)
	p.write("a.md", "A")
	p.write("one.go", "package one")
	p.commit("begin")
	p.git("checkout", "-q", "-b", "side")
	p.write("one.go", "package one // side")
	p.commit("side")
	p.git("checkout", "-q", "main")
	p.write("c.md", "C")
	p.commit("main")
	p.git("merge", "-q", "--no-ff", "-m", "merge", "side")
	if got := p.wasText(p.past("a.md"), "a.md", "one.go"); got != "package one" {
		t.Errorf("before the merge %q", got)
	}
	clone := newProject(t)
	clone.git("fetch", "-q", "--depth", "2", "file://"+p.dir, "main")
	clone.git("checkout", "-q", "FETCH_HEAD")
	past := clone.past("a.md", "c.md")
	if past.Knows("a.md") || past.Knows("c.md") {
		t.Error("a shallow clone knows when documents were changed")
	}
	empty := newProject(t)
	empty.write("a.md", "A")
	if past := empty.past("a.md"); !past.Knows("a.md") || len(past.Changed()) > 0 {
		t.Errorf("without commits %v", past.Changed())
	}
	none := worktree.Source{Root: t.TempDir()}
	if _, err := none.Past(t.Context(), facts.Found{}, facts.Found{}, nil); store.CodeOf(err) != store.NotFound {
		t.Errorf("outside of git: %v", err)
	}
}
