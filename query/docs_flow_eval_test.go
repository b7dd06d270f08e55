//go:build docseval

package query

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/facts/worktree"
	"github.com/blq-ci/blq/store"
)

// TestCitationsAfterAHundredCommits searches the documentation of each project in BLQ_DOCS_EVAL, and reads the hits.
// After a hundred commits that change the documents, it reads the same citations again.
func TestCitationsAfterAHundredCommits(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(os.Getenv("BLQ_DOCS_EVAL"), "*"))
	if err != nil || len(folders) < 10 {
		t.Fatalf("%d folders, %v", len(folders), err)
	}
	for _, folder := range folders {
		folder, err := filepath.EvalSymlinks(folder)
		if err != nil {
			t.Fatal(err)
		}
		p := newEvolving(t, folder)
		cited := p.search()
		for i := range 100 {
			p.change(i)
		}
		same := 0
		for ref, before := range cited {
			found, err := p.Find(t.Context(), FindParams{Snippets: []string{ref}})
			switch {
			case err != nil:
				t.Errorf("%s %s: %v", folder, ref, err)
			case found.Snippets[0].Content != before:
				t.Errorf("%s %s: another text", folder, ref)
			default:
				same++
			}
		}
		if same == 0 {
			t.Errorf("%s: nothing was cited", folder)
		}
		t.Logf("%s: %d documents, %d of %d citations give the same lines", filepath.Base(folder), len(p.paths), same,
			len(cited))
	}
}

// evolving is a project whose documents change.
type evolving struct {
	*testing.T
	*Asker
	dir   string
	paths []string
}

func newEvolving(t *testing.T, folder string) *evolving {
	p := &evolving{T: t, dir: t.TempDir()}
	found, err := (&worktree.Source{Root: folder}).At(t.Context(), facts.Query{Kind: store.FactDocs})
	p.check(err)
	for _, f := range found.Files() {
		text, err := found.Read(t.Context(), f)
		p.check(err)
		p.write(f.Path, string(text))
		p.paths = append(p.paths, f.Path)
	}
	p.git("init", "-q")
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "documents")
	p.Asker = &Asker{Scope: store.Everything(), Docs: &Docs{Local: true,
		Facts: &worktree.Source{Root: p.dir, Cache: filepath.Join(t.TempDir(), "cache")}}}
	return p
}

// search searches for headings, and returns the hits by citation.
func (p *evolving) search() map[string]string {
	const headings = 20
	cited := map[string]string{}
	var names []string
	for _, path := range p.paths[:min(len(p.paths), 50)] {
		contents, err := p.DocsToc(p.T.Context(), DocsTocParams{Source: "docs/" + path})
		p.check(err)
		for _, h := range contents.Headings {
			names = append(names, h.Text)
		}
	}
	for i := range min(headings, len(names)) {
		found, err := p.Find(p.T.Context(), FindParams{Query: "# " + names[i*len(names)/headings%len(names)], Source: "docs",
			MaxResults: 1})
		p.check(err)
		for _, h := range found.Hits {
			got, err := p.Find(p.T.Context(), FindParams{Snippets: []string{h.Ref}})
			p.check(err)
			cited[h.Ref] = got.Snippets[0].Content
		}
	}
	return cited
}

// change commits a change to a document: lines at the beginning are added or removed, the two halves change places, or
// the document is renamed.
func (p *evolving) change(i int) {
	n := i % len(p.paths)
	path := p.paths[n]
	text, err := os.ReadFile(filepath.Join(p.dir, path))
	p.check(err)
	lines := strings.SplitAfter(string(text), "\n")
	middle := len(lines) / 2
	switch i / len(p.paths) % 4 {
	case 0:
		p.write(path, fmt.Sprintf("New %d\n\n", i)+string(text))
	case 1:
		p.write(path, strings.Join(lines[len(lines)/3:], "")+fmt.Sprintf("\n%d\n", i))
	case 2:
		p.write(path, strings.Join(lines[middle:], "")+strings.Join(lines[:middle], "")+fmt.Sprintf("\n%d\n", i))
	case 3:
		p.paths[n] = filepath.Join(filepath.Dir(path), fmt.Sprintf("moved%d-%s", i, filepath.Base(path)))
		p.git("mv", path, p.paths[n])
	}
	p.git("commit", "-q", "-a", "-m", fmt.Sprint(i))
}

func (p *evolving) write(path, text string) {
	p.check(os.MkdirAll(filepath.Join(p.dir, filepath.Dir(path)), 0o755))
	p.check(os.WriteFile(filepath.Join(p.dir, path), []byte(text), 0o644))
}

func (p *evolving) git(args ...string) {
	args = append([]string{"-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "gc.auto=0", "-C", p.dir}, args...)
	if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
		p.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (p *evolving) check(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}
