//go:build docseval

package docs_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts/docs"
)

// TestQuestions runs the questions in testdata/questions.txt on documentation that testdata/fetch.sh fetched into
// BLQ_DOCS_EVAL, with a folder for each project.
func TestQuestions(t *testing.T) { ask(t, "testdata/questions.txt", "tuned on", "held out") }

func TestFreshQuestions(t *testing.T) { ask(t, "testdata/fresh.txt", "fresh") }

func TestUnseenQuestions(t *testing.T) { ask(t, "testdata/unseen.txt", "unseen") }

// ask runs the questions of a file. The questions of each project are divided among the parts in turn.
func ask(t *testing.T, file string, parts ...string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]*docs.Source{}
	count := map[string]int{}
	var counts [2]struct {
		asked, first, five int
		reciprocal         float64 // sum of 1/rank
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), " | ", 4)
		if len(fields) != 4 || strings.HasPrefix(line, "#") {
			continue
		}
		project := fields[0]
		if sources[project] == nil {
			sources[project] = source(t, folder(t, filepath.Join(os.Getenv("BLQ_DOCS_EVAL"), project)))
		}
		half := &counts[count[project]%len(parts)]
		count[project]++
		half.asked++
		hits := search(t, sources[project], docs.Query{Text: fields[1], Max: 10})
		at := slices.IndexFunc(hits, func(h docs.Hit) bool {
			for _, right := range strings.Split(fields[3], " || ") {
				path, heading, other := strings.Cut(right, " :: ")
				if !other {
					path, heading = fields[2], right
				}
				if h.HeadingPath[len(h.HeadingPath)-1] == heading && (h.Alias == "docs" || strings.HasSuffix(h.Alias, path)) {
					return true
				}
			}
			return false
		})
		if at >= 0 {
			half.reciprocal += 1 / float64(at+1)
		}
		if at == 0 {
			half.first++
		}
		if at >= 0 && at < 5 {
			half.five++
		}
		if at != 0 && (len(parts) > 1 && half == &counts[0] || os.Getenv("BLQ_DOCS_HELD_OUT") != "") {
			t.Logf("%d %s: %s => %s", at+1, project, fields[1], fields[3])
			for i, h := range hits[:min(len(hits), 5)] {
				t.Logf("      %d %5.1f %s:%s %s", i+1, h.Score, h.Alias, h.Lines, strings.Join(h.HeadingPath, " > "))
			}
		}
	}
	for i, half := range parts {
		c := counts[i]
		t.Logf("%s: %d questions, right block first %d (%d %%), among five %d (%d %%), mean reciprocal rank %.3f",
			half, c.asked, c.first, 100*c.first/c.asked, c.five, 100*c.five/c.asked, c.reciprocal/float64(c.asked))
	}
}

// folder returns the documents in a folder.
func folder(t testing.TB, root string) memory {
	t.Helper()
	m := memory{}
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.Contains(path, "node_modules") ||
			!slices.Contains([]string{".md", ".mdx", ".rst", ".txt", ".adoc"}, filepath.Ext(path)) {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		m[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
