package facts_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/blq-ci/blq/facts"
	"github.com/blq-ci/blq/store"
)

// Hidden keeps the length of each file when it removes secrets. It leaves out files with secrets in their names. It
// returns a set that has no secrets unchanged.
func TestASetWithoutSecrets(t *testing.T) {
	t.Parallel()
	hide := func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("hunter"), []byte("******")) }
	listed := func(paths ...string) *facts.Listed {
		t.Helper()
		var entries []facts.Entry
		for _, path := range paths {
			entries = append(entries, entry(path))
		}
		m, text, err := facts.NewManifest(store.FactDocs, entries)
		if err != nil {
			t.Fatal(err)
		}
		return facts.NewListed(m, text, func(_ context.Context, f facts.File) ([]byte, error) {
			return []byte(f.Path), nil // the content of a file is its path
		})
	}
	plain := listed("a.md", "b.md")
	if same, changed, err := plain.Hidden(t.Context(), hide); same != plain || changed != nil || err != nil {
		t.Errorf("without secrets: %v, %v", changed, err)
	}
	named, changed, err := listed("a.md", "hunter.md").Hidden(t.Context(), hide)
	if err != nil || len(named.Files()) != 1 || !slices.Equal(changed, []string{"******.md"}) {
		t.Errorf("a name: %v, %v, %v", named.Files(), changed, err)
	}
	all := func(text []byte) []byte {
		if bytes.Equal(text, []byte("a.md")) || bytes.Equal(text, []byte("b.md")) {
			return text
		}
		return hide(text)
	}
	m, text, err := facts.NewManifest(store.FactDocs, []facts.Entry{entry("a.md"), {File: facts.File{Path: "b.md",
		Digest: facts.Digest([]byte("is hunter\n")), Size: 10}, Mode: facts.Executable}})
	if err != nil {
		t.Fatal(err)
	}
	set := facts.NewListed(m, text, func(_ context.Context, f facts.File) ([]byte, error) {
		if f.Path == "b.md" {
			return []byte("is hunter\n"), nil
		}
		return []byte(f.Path), nil
	})
	hidden, changed, err := set.Hidden(t.Context(), all)
	if err != nil || !slices.Equal(changed, []string{"b.md"}) || hidden.Digest() == set.Digest() {
		t.Fatalf("%v, %v", changed, err)
	}
	for i, want := range []string{"a.md", "is ******\n"} {
		got, err := hidden.Read(t.Context(), hidden.Files()[i])
		if string(got) != want || err != nil {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	if again, err := facts.ParseManifest(hidden.Text); err != nil || again.Entries[1].Mode != facts.Executable {
		t.Errorf("%+v, %v", again, err)
	}
}
