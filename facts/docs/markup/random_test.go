package markup_test

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/facts/docs/markup"
)

// pieces are texts for lines of random Markdown. Most of them can begin or end a block.
var pieces = []string{
	"# a", "## b #", "### c {#id}", "#", "#no", "=", "===", "-", "---", "***", "- ", "* x", "1. ", "2) ", "10. ", "> ",
	">", "    ", "  ", " ", "\t", "```", "~~~", "````", "text", "more text", "[a]: /x", "[a]: <x> 'title'", "'", "[", "]:",
	"<div>", "</div>", "<a b='c'>", "<!-- ", " -->", "<?", "?>", "<pre>", "</pre>", "<script>", "\\", "`", "|---|",
	"<br/>", "1.", "+",
}

// known matches texts in which goldmark differs from CommonMark: a tab after a tag, and an underline after a link
// definition.
var known = regexp.MustCompile(`>[ ]*\t[ \t]*\n|\[a\]: [^\n]*\n[ \t]*(-+|=+)[ \t]*\n`)

// TestMarkdownLikeGoldmarkAtRandom compares the lines and levels of the headings that goldmark and Parse find in random
// documents. The documents are made of pieces.
func TestMarkdownLikeGoldmarkAtRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	headings := 0
	for range 30000 {
		var b strings.Builder
		for range 1 + r.IntN(8) {
			for range r.IntN(4) {
				b.WriteString(pieces[r.IntN(len(pieces))])
			}
			b.WriteByte('\n')
		}
		if known.MatchString(b.String()) {
			continue
		}
		text := []byte(b.String())
		got := markup.Parse(markup.Markdown, markup.Split(bytes.Clone(text))).Headings
		for i := range got {
			got[i].Text = ""
		}
		want := byGoldmark(text)
		headings += len(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: headings differ (-goldmark +ours):\n%s", text, diff)
		}
	}
	if headings < 5000 {
		t.Errorf("only %d headings were compared", headings)
	}
}
