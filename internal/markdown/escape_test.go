package markdown_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/blq-ci/blq/internal/markdown"
)

// hostile are texts that GitHub, Markdown or a terminal could take for markup or commands.
var hostile = []string{
	"@everyone and @acme/team", "#1 GH-1 acme/app#1 acme/app@deadbeef", "da39a3ee5e6b4b0d3255bfef95601890afd80709",
	"www.example.com http://example.com https://example.com/?a=b ftp://example.com",
	"me@example.com mailto:me@example.com",
	"![x](http://example.com/x.png)", "[x](javascript:alert(1))", "[x][1]\n\n[1]: http://example.com",
	"<https://example.com>", "<img src=x onerror=alert(1)>",
	"<!-- comment", "</details><script>alert(1)</script>", "&lt;b&gt; &#64;everyone", "a | b | c", "a \\| b", "a \\\\| b",
	"\\", "|", "||", "a|`b`|c", "| --- | --- |",
	"`", "``", "```", "````", "` x", "x `", "a ` b `` c ``` d", "```\n@everyone\n```", "~~~\n@everyone\n~~~", "``` ```",
	"`a\\`", "\\`",
	"# heading", "- item", "1. item", "> quote", "* * *", "===", "---", "+ [ ] task", "    code", "\ttab",
	"[^1] [^1]: note",
	"$x^2$ $$y$$ $`z`$", ":tada: :+1:", "**bold** _em_ ~~gone~~", "a\u200bb\u202ec", "\x1b[31mred\x1b[0m",
	"line\r\nbreak\rmore", "\x00\x01", "\xff\xfe", "  ", "",
	"::error::boom", "<details>", "</summary>", "x\u2028y", "\\\n", "`\n\n@everyone", "\n```\n@everyone\n",
	"\n   ````  \n<b>\n~~~\n", "||\n||", "]: x", "]:x", "](http://example.com)",
}

// page returns Markdown with the text in every place where reports have text.
func page(s string) string {
	row := "| a | b |\n| --- | --- |\n| " + markdown.Cell(s, 200) + " | end |\n| " + markdown.Cell(s, 200) + " | " +
		markdown.Cell(s, 200) + " |\n"
	return "### head " + markdown.Code(s, 200) + " tail\n\n" +
		markdown.Code(s, 200) + " starts, " + markdown.Code(s, 20) + "\n\n" +
		"1. item " + markdown.Code(s, 200) + "\n\n" + markdown.Fence(strings.Split(s, "\n"), 200, 3) + "\n2. At [" +
		markdown.Code(s, 200) + "](https://ci.example/x)\n\n" +
		row + "\n" + markdown.Fence([]string{s, "second", s}, 200, 0) + "\n<details>\n<summary>more</summary>\n\n- " +
		markdown.Code(s, 200) + "\n\n</details>\n\nend\n"
}

// parsed is the result of parsing Markdown.
type parsed struct {
	shape []string // node types, with their text unless they are code
	code  []string // text of inline code
	block []string // text of code blocks
}

// parse parses Markdown with GitHub's extensions, footnotes and definition lists.
func parse(markdown string) parsed {
	source := []byte(markdown)
	md := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList))
	var p parsed
	walk(md.Parser().Parse(text.NewReader(source)), source, &p, 0)
	return p
}

func walk(n ast.Node, source []byte, p *parsed, depth int) {
	word := fmt.Sprintf("%*s%s", depth, "", n.Kind())
	switch n := n.(type) {
	case *ast.Text:
		p.shape = append(p.shape, word+" "+string(n.Segment.Value(source)))
		return
	case *ast.CodeSpan:
		var b strings.Builder
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			b.Write(c.(*ast.Text).Segment.Value(source))
		}
		p.code = append(p.code, b.String())
		p.shape = append(p.shape, word)
		return
	case *ast.FencedCodeBlock:
		p.block = append(p.block, string(n.Lines().Value(source)))
		p.shape = append(p.shape, word+" "+string(n.Language(source)))
		return
	case *ast.HTMLBlock:
		word += " " + string(n.Lines().Value(source))
	case *ast.RawHTML:
		word += " " + string(n.Segments.Value(source))
	case *ast.Link:
		word += " " + string(n.Destination)
	case *ast.AutoLink:
		word += " " + string(n.URL(source))
	}
	p.shape = append(p.shape, word)
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		walk(c, source, p, depth+1)
	}
}

func FuzzTextStaysCode(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = "x" + s + "x"
		if markdown.Code(s, 20) == "" {
			return // empty text is not shown
		}
		got, want := parse(page(s)), parse(page("plain"))
		if !slices.Equal(got.shape, want.shape) {
			t.Fatalf("%q is alive:\n%s\n%s", s, strings.Join(got.shape, "\n"), page(s))
		}
		if len(got.block) != 2 || !strings.Contains(got.block[1], "\nsecond\n") {
			t.Fatalf("blocks of %q: %q", s, got.block)
		}
	})
}

func TestTextReadsAsItWas(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"plain", "a | b || c", "a `b` ``c``", "`", "``x``", "a\\b", "x\\", "<b>&amp;</b>",
		"$x$", "é…ü"} {
		p := parse("- " + markdown.Code(s, 100) + "\n\n| a |\n| --- |\n| " + markdown.Cell(s, 100) + " |\n")
		if len(p.code) != 2 || p.code[0] != s && p.code[0] != " "+s+" " {
			t.Errorf("%q is shown as %q", s, p.code)
		}
	}
	for s, want := range map[string]string{"a\nb\t c": "`a b c`", "": "", " \n": "", "0123456789abcdef": "`0123456…`",
		"ééééééééé": "`ééé…`", "a\u200bb\x1b[1mc": "`abc`"} {
		if got := markdown.Code(s, 10); got != want {
			t.Errorf("%q is shown as %q, want %q", s, got, want)
		}
	}
	if got, want := markdown.Cell(`a\|b|c`, 100), "`a\\ \\|b\\|c`"; got != want {
		t.Errorf("bars in a cell: %s, want %s", got, want)
	}
}
