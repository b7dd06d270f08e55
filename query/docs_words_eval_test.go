//go:build docseval

package query

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts/worktree"
	"github.com/blq-ci/blq/store"
)

// TestForeignErrors searches for the words of real errors in the documentation of unrelated projects. The errors come
// from the goldens of formats. BLQ_DOCS_EVAL has a directory for each project. The test prints the hits, but does
// not check them. Nearly all hits should be codes of linters that the documentation explains.
func TestForeignErrors(t *testing.T) {
	errors := goldenErrors(t)
	folders, err := filepath.Glob(filepath.Join(os.Getenv("BLQ_DOCS_EVAL"), "*"))
	if err != nil || len(folders) == 0 || len(errors) < 1000 {
		t.Fatalf("%d folders, %d errors, %v", len(folders), len(errors), err)
	}
	for _, folder := range folders {
		a := &Asker{Scope: store.Everything(), Docs: &Docs{Local: true, Facts: &worktree.Source{Root: folder}}}
		l, err := a.library(DocsAt{})
		if err != nil {
			t.Fatal(err)
		}
		own, err := l.open(t.Context(), "docs", "")
		if err != nil {
			t.Fatal(err)
		}
		words, found := 0, 0
		for _, e := range errors {
			for _, w := range wordsOf(e) {
				words++
				blocks, err := blocksWith(t.Context(), own, w)
				if err != nil {
					t.Fatal(err)
				}
				if len(blocks) > 0 && len(blocks) <= maxBlocksWith {
					found++
					t.Logf("%s: %q (%.80q) in %s, %s", e.Tool, w.text, e.Message, blocks[0].Ref,
						lastHeadings(blocks[0].HeadingPath))
				}
			}
		}
		t.Logf("%s: %d documents have %d of %d words", filepath.Base(folder), len(own.Paths()), found, words)
	}
}

// goldenErrors returns the errors and warnings in the goldens.
func goldenErrors(t *testing.T) []store.Event {
	t.Helper()
	files, err := filepath.Glob("../ingest/parse/formats/testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var list []store.Event
	seen := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, want, _ := strings.Cut(string(text), "-- want --\n")
		for line := range strings.Lines(want) {
			var e struct {
				Severity, Message, Code, Tool string
				Test                          string `json:"test_name"`
				File                          string `json:"ref_file"`
			}
			if json.Unmarshal([]byte(line), &e) != nil || e.Severity == "" || e.Severity == "info" || seen[line] {
				continue
			}
			seen[line] = true
			list = append(list, store.Event{Message: e.Message, Code: e.Code, Test: e.Test, File: e.File,
				Tool: filepath.Base(filepath.Dir(file))})
		}
	}
	return list
}
