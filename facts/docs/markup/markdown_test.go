package markup_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/blq-ci/blq/facts/docs/markup"
)

// TestMarkdownLikeGoldmark compares the headings of real documents with those of goldmark. BLQ_DOCS_CORPUS names
// folders with further documents.
func TestMarkdownLikeGoldmark(t *testing.T) {
	roots := filepath.SplitList(os.Getenv("BLQ_DOCS_CORPUS"))
	files, headings := 0, 0
	for _, root := range append(roots, "../../..") {
		for _, name := range markdownFiles(t, root) {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files++
			headings += compare(t, name, b)
		}
	}
	t.Logf("%d files, %d headings", files, headings)
	if headings < 50 {
		t.Errorf("only %d headings were compared", headings)
	}
}

func markdownFiles(t *testing.T, root string) []string {
	t.Helper()
	var names []string
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && (strings.HasSuffix(path, ".md") || strings.HasSuffix(path, ".markdown")) {
			names = append(names, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func compare(t *testing.T, name string, b []byte) int {
	t.Helper()
	b = bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	lines := markup.Split(b)
	got := slices.DeleteFunc(markup.Parse(markup.Markdown, lines).Headings, func(h markup.Heading) bool {
		return bytes.HasPrefix(bytes.TrimSpace(lines.Line(h.Line)), []byte("<")) // goldmark ignores headings in HTML
	})
	want := byGoldmark(lines.Text(1, lines.Len()))
	for i := range got {
		got[i].Text = ""
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: headings differ (-goldmark +ours):\n%s", name, diff)
	}
	return len(want)
}

// byGoldmark returns the headings of goldmark without their texts.
func byGoldmark(b []byte) []markup.Heading {
	_, first := markup.FrontMatter(markup.Split(b))
	skipped := 0
	for range first - 1 {
		skipped += bytes.IndexByte(b[skipped:], '\n') + 1
	}
	b = b[skipped:]
	var all []markup.Heading
	doc := goldmark.New().Parser().Parse(text.NewReader(b))
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			at := h.Pos()
			if h.Lines().Len() > 0 {
				at = h.Lines().At(0).Start
			}
			all = append(all, markup.Heading{Line: first + bytes.Count(b[:at], []byte("\n")), Level: h.Level})
		}
	}
	return all
}
