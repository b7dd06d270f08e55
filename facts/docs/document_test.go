package docs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/facts/docs"
)

// sections returns the table of contents of a document as lines.
func sections(t *testing.T, path, text string) []string {
	t.Helper()
	headings, err := source(t, memory{path: text}).Headings("")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, h := range headings {
		all = append(all, fmt.Sprintf("%s %s", h.Lines, h.Text))
	}
	return all
}

func TestBlocks(t *testing.T) {
	for name, c := range map[string]struct {
		path, text string
		want       []string
	}{
		"empty":             {"a.md", "", nil},
		"blank":             {"a.md", "\n \t\n\r\n", nil},
		"no headings":       {"a.md", "text\nmore\n", []string{"1-2 Document"}},
		"no line end":       {"a.md", "# A\ntext", []string{"1-2 A"}},
		"blank before":      {"a.md", "\n\n# A\n", []string{"3-3 A"}},
		"placeholder":       {"a.md", "# A\n\n# 404\n\nnot found\n\n## B\n\n# C\n", []string{"1-2 A", "7-8 B", "9-9 C"}},
		"not placeholders":  {"a.md", "# A\n## 404\nx\n# 404 pages\n", []string{"1-3 A", "2-3 404", "4-4 404 pages"}},
		"levels left out":   {"a.md", "### A\n# B\n#### C\n## D\n", []string{"1-1 A", "2-4 B", "3-3 C", "4-4 D"}},
		"CRLF":              {"a.md", "# A\r\n\r\ntext\r\n# B\r\n", []string{"1-3 A", "4-4 B"}},
		"CR":                {"a.md", "# A\r\rtext\r# B\r", []string{"1-3 A", "4-4 B"}},
		"mixed line ends":   {"a.md", "# A\r\n\rtext\n\r# B", []string{"1-4 A", "5-5 B"}},
		"byte order mark":   {"a.md", "\ufeff# A\n", []string{"1-1 A"}},
		"NUL":               {"a.md", "# A\x00B\n\x00\n# C\n", []string{"1-2 A\ufffdB", "3-3 C"}},
		"invalid UTF-8":     {"a.md", "# A\xff\xfe\n\xc3\n# B\n", []string{"1-2 A\ufffd", "3-3 B"}},
		"empty heading":     {"a.md", "#\ntext\n", []string{"1-2 Document"}},
		"plain text":        {"a.txt", "# A\ntext\n", []string{"1-2 Document"}},
		"llms.txt":          {"x/llms-full.txt", "# A\ntext\n", []string{"1-2 A"}},
		"only headings":     {"a.md", "# A\n## B\n### C\n", []string{"1-3 A", "2-3 B", "3-3 C"}},
		"only front matter": {"a.md", "---\nx: 1\n---\n", []string{"1-3 Document"}},
		"only a title":      {"a.md", "---\ntitle: T\n---\n", []string{"1-3 T"}},
		"title above":       {"a.md", "---\ntitle: T\n---\n\n## A\n\n## B\n", []string{"1-7 T", "5-6 A", "7-7 B"}},
		"title and heading": {"a.md", "---\ntitle: T\n---\n\n# A\n", []string{"5-5 A"}},
		"imports":           {"a.mdx", "import A from 'a'\n\nexport const b = {\n}\n\n# A\n", []string{"6-6 A"}},
		"imports and text":  {"a.mdx", "import A from 'a'\n\ntext\n\n# A\n", []string{"1-4 Document", "5-5 A"}},
		"HTML":              {"a.md", "<h1 align=\"center\">A</h1>\n\ntext\n\n## B\n", []string{"1-5 A", "5-5 B"}},
		"tabs":              {"a.md", "#\tA\t#\n\t# code\n\n-\t# no\n\n##\t\tB\n", []string{"1-6 A", "6-6 B"}},
		"list of links": {"llms.txt", "# S\n\n> about\n\n## Docs\n\n- [A](https://x.y/a.md): how\n", []string{
			"1-7 S", "5-7 Docs",
		}},
		"RST":      {"a.rst", "A\n=\n\nB\n-\n\nC\n=\n", []string{"1-6 A", "4-6 B", "7-8 C"}},
		"AsciiDoc": {"a.adoc", "= A\n\n== B\n\n----\n== no\n----\n", []string{"1-7 A", "3-7 B"}},
	} {
		if diff := cmp.Diff(c.want, sections(t, c.path, c.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTextWithoutHeadingsIsCutIntoWindows(t *testing.T) {
	s := source(t, memory{"notes.txt": strings.Repeat("line\n", 450) + "needle\n"})
	hits := search(t, s, docs.Query{Text: "needle"})
	if len(hits) != 1 || hits[0].Lines != "401-451" || hits[0].HeadingPath[0] != "Document" {
		t.Errorf("%+v", hits)
	}
	snippets, err := s.Snippets(t.Context(), cite(t, "docs:450"), docs.Context{Mode: docs.Symmetric})
	if err != nil || snippets[0].Lines != "1-451" {
		t.Errorf("%+v, %v", snippets, err)
	}
}

func TestLongBlocksAreCutIntoWindows(t *testing.T) {
	text := "# A\n" + strings.Repeat("line\n", 399) + "## B\n" + strings.Repeat("line\n", 500) + "needle\n"
	s := source(t, memory{"a.md": text})
	for query, want := range map[string]string{"a": "1-400", "needle": "801-902"} {
		if hits := search(t, s, docs.Query{Text: query}); hits[0].Lines != want {
			t.Errorf("%s: %+v", query, hits[0])
		}
	}
	hits := search(t, s, docs.Query{Text: "needle"})
	if diff := cmp.Diff([]string{"A", "B"}, hits[0].HeadingPath); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHugeDocuments(t *testing.T) {
	huge := map[string]string{
		"400,000 lines":        "# A\n" + strings.Repeat("line of text\n", 400_000) + "# needle\nneedle\n",
		"a line of 10 MB":      "# A\n" + strings.Repeat("word ", 2_000_000) + "\n# needle\n",
		"a word of 10 MB":      "# A\n" + strings.Repeat("w", 10_000_000) + "\n# needle\n",
		"a heading of 10 MB":   "# " + strings.Repeat("[", 10_000_000) + "\n# needle\n",
		"signs of 10 MB":       strings.Repeat("-", 10_000_000) + "\n\n# needle\n",
		"quotes of 1 MB":       strings.Repeat(">", 1_000_000) + "\n\n# needle\n",
		"lists of 1 MB":        strings.Repeat("- ", 10_000) + "\n\n# needle\n",
		"brackets of 1 MB":     "{" + strings.Repeat("(", 1_000_000) + "\n\n# needle\n",
		"open braces":          strings.Repeat("{(\n", 300_000) + "\n# needle\n",
		"lists and blanks":     strings.Repeat("- ", 5000) + "x\n" + strings.Repeat("\n", 400_000) + "# needle\n",
		"headings of brackets": strings.Repeat("# "+strings.Repeat("[", 900)+"](x)\n", 2000) + "# needle\n",
		"many paragraphs":      strings.Repeat("[a]: b\n", 100_000) + "\n# needle\n",
	}
	for name, text := range huge {
		s := source(t, memory{"a.mdx": text})
		hits := search(t, s, docs.Query{Text: "needle"})
		if len(hits) == 0 || hits[0].HeadingPath[0] != "needle" || len(hits[0].Snippet) > 300 {
			t.Errorf("%s: %d hits", name, len(hits))
		}
		snippets, err := s.Snippets(t.Context(), cite(t, "docs:1"), docs.Context{Mode: docs.All})
		if err != nil || len(snippets[0].Content) > 64<<10 {
			t.Errorf("%s: %d bytes, %v", name, len(snippets[0].Content), err)
		}
	}
}

func TestTitleOfThePageIsAboveItsHeadings(t *testing.T) {
	s := source(t, memory{"a.mdx": "---\ntitle: Self-hosting\n---\nimport X from 'x'\n\n## Caching\n\nneedle\n"})
	hits := search(t, s, docs.Query{Text: "needle"})
	if diff := cmp.Diff([]string{"Self-hosting", "Caching"}, hits[0].HeadingPath); diff != "" || hits[0].Lines != "6-8" {
		t.Errorf("%s (-want +got):\n%s", hits[0].Lines, diff)
	}
	snippets, err := s.Snippets(t.Context(), cite(t, "docs:8"), docs.Context{Mode: docs.Symmetric})
	if err != nil || snippets[0].Lines != "6-8" {
		t.Errorf("%+v, %v", snippets, err)
	}
	if hits := search(t, s, docs.Query{Text: "import"}); len(hits) != 0 {
		t.Errorf("an import is text: %+v", hits)
	}
}

func TestLabelsNameTheHeadingBelow(t *testing.T) {
	for path, text := range map[string]string{
		"a.rst":  "A\n=\n\ntext\n\n.. _setup-guide:\n.. _other:\n\nB\n-\n\ntext\n",
		"a.adoc": "= A\n\ntext\n\n[[setup-guide]]\n== B\n\ntext\n",
		"b.adoc": "= A\n\ntext\n\n[#setup-guide]\n== B\n\ntext\n",
	} {
		hits := search(t, source(t, memory{path: text}), docs.Query{Text: "setup-guide"})
		if len(hits) != 1 || hits[0].HeadingPath[len(hits[0].HeadingPath)-1] != "B" {
			t.Errorf("%s: %+v", path, hits)
		}
	}
}

func TestHeadingsAreFoundHoweverTheyAreWritten(t *testing.T) {
	for heading, query := range map[string]string{
		"# UPPER lower":                       "upper LOWER",
		"# What's new, in 2.0?":               "whats new 2.0",
		"# The `--dry-run` flag":              "dry run flag",
		"# **Bold** and _emphasis_":           "bold emphasis",
		"# [Linked](https://x.y \"t\") text":  "linked text",
		"# ![Badge](b.svg) Setup":             "badge setup",
		"# 🚀 Quick start :tada:":              "quick start",
		"# Größe ändern":                      "groesse aendern",
		"# Größe der Übersicht":               "grosse der ubersicht",
		"# Café résumé":                       "cafe resume",
		"# Trailing signs ###":                "trailing signs",
		"# C# code #":                         "C# code",
		"Setext title\n===":                   "setext title",
		"# camelCaseName":                     "camelcasename",
		"# snake_case_name":                   "snake_case_name",
		"# a &amp; b &lt;tag&gt;":             "tag",
		"# Install {#install-it}":             "install",
		"<h2 id=x>Known <em>issues</em></h2>": "known issues",
	} {
		s := source(t, memory{"a.md": "# First\n\nfiller\n\n" + heading + "\n\ntext\n"})
		for _, q := range []string{query, "# " + query, strings.ToUpper(query)} {
			hits := search(t, s, docs.Query{Text: q, HeadingsOnly: true})
			if len(hits) == 0 || hits[0].Lines[0] != '5' {
				t.Errorf("%q does not find %q: %+v", q, heading, hits)
			}
		}
	}
}

func TestAnchorsOfEqualHeadingsAreNumbered(t *testing.T) {
	headings, err := source(t, memory{"a.md": "# A\n## Use\n# B\n## use \n## Use\n"}).Headings("")
	if err != nil {
		t.Fatal(err)
	}
	use := headings[1].Anchor
	if headings[3].Anchor != use+"-1" || headings[4].Anchor != use+"-2" || headings[0].Anchor == headings[2].Anchor {
		t.Errorf("%+v", headings)
	}
}
