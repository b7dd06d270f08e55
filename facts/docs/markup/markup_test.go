package markup_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/facts/docs/markup"
)

// headings returns the headings of a document in the form "line level text", separated by bars.
func headings(format markup.Format, text string) string {
	var all []string
	for _, h := range markup.Parse(format, markup.Split([]byte(text))).Headings {
		all = append(all, fmt.Sprintf("%d %d %s", h.Line, h.Level, h.Text))
	}
	return strings.Join(all, " | ")
}

func check(t *testing.T, format markup.Format, cases map[string]string) {
	t.Helper()
	for text, want := range cases {
		if diff := cmp.Diff(want, headings(format, text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestMarkdown(t *testing.T) {
	check(t, markup.Markdown, map[string]string{
		"# A\n## B ##\n####### no\n#no\n":          "1 1 A | 2 2 B",
		"A\nb\n===\nC\n---\n":                      "1 1 A b | 4 2 C",
		"   # A\n    # code\n":                     "1 1 A",
		"```\n# no\n```\n# A\n~~~ x\n```\n# no\n":  "4 1 A",
		"> # no\n- # no\n1. # no\n\n# A\n":         "5 1 A",
		"> quote\n# A\n- item\n  # no\n\n  # no\n": "2 1 A",
		"<!--\n# no\n-->\n# A\n":                   "4 1 A",
		"<div>\n# no\n\n# A\n</div>\n":             "4 1 A",
		"[a]: /x\n===\n\n[a]: /x\nB\n===\n":        "5 1 B",
		"---\na: 1\n# no\n---\n# A\n":              "5 1 A",
		"---\n\nnot front matter\n---\n":           "3 2 not front matter",
		"+++\ntitle = 'T'\n+++\n# A\n":             "4 1 A",
		"---\nnever: closed\n# A\n":                "3 1 A",
		"| a |\n|---|\n| # no |\n":                 "",
	})
}

func TestHeadingsWithoutMarkup(t *testing.T) {
	for raw, want := range map[string]string{
		"`code` *em* **strong** __x__ _y_": "code em strong x y",
		"snake_case and a*b":               "snake_case and a*b",
		"[text](http://x.y \"t\") ![i](j)": "text i",
		"[text][ref] [x][] [1.0]":          "text x [1.0]",
		"a [b `]` c](d) e":                 "a b ] c e",
		`\*no\* \a`:                        `*no* \a`,
		"<a name=\"x\"></a>T<br/> <T>":     "T",
		"<https://x.y> a < b":              "https://x.y a < b",
		"&amp; &lt;T&gt; &nope; &":         "& <T> &nope; &",
		"~~old~~ new":                      "old new",
		"Install {#install}":               "Install",
		"Install {: .note #x}":             "Install",
		"Install {/* #x */}":               "Install",
		"a {b}":                            "a {b}",
		"``a ` b`` `open":                  "a ` b `open",
		"***both*** **a*":                  "both *a",
		strings.Repeat("é", 2000):          strings.Repeat("é", 500),
		"[](x) ()":                         "()",
		"!":                                "!",
		"![":                               "![",
		"a <!-- no --> b":                  "a b",
	} {
		_, got, _ := strings.Cut(headings(markup.Markdown, "# "+raw+"\n"), "1 1 ")
		if got != want {
			t.Errorf("%q: got %q, want %q", raw, got, want)
		}
	}
}

func TestMDX(t *testing.T) {
	check(t, markup.MDX, map[string]string{
		"import A from 'a'\nexport const b = {\n\n# no\n}\n\n# A\n": "7 1 A",
		"export const t = `\n# no\n\n# no ${`\n# no`}\n`\n\n# A\n":  "8 1 A",
		"import 'x'\n# no\n\n# A\n":                                 "4 1 A",
		"{/*\n# no\n\n# no\n*/}\n\n# A\n":                           "7 1 A",
		"<Tabs>\n# A\n</Tabs>\n\n# B\n":                             "2 1 A | 5 1 B",
		"<Tabs>\n    # A\n</Tabs>\n":                                "2 1 A",
		"<Code a={`\n# no\n`}\n  b=\"\n# no\n\"\n/>\n\n# A\n":       "9 1 A",
		"{unclosed\n\n# A\n":                                        "3 1 A",
		"<\n\n# A\n":                                                "3 1 A",
		"export {\n\n# A\n":                                         "3 1 A",
		"a < b {c} \n# A\n":                                         "2 1 A",
		"    ```js\n    # no\n    ```\n# A\n":                       "4 1 A",
		"---\ntitle: x\n---\nimport y from 'it\\'s'\n\n## A {#a}\n": "6 2 A",
		"<a>text</a> more\n\n# A\n":                                 "3 1 A",
	})
}

func TestHeadingsInHTML(t *testing.T) {
	check(t, markup.Markdown, map[string]string{
		"<h1>A</h1>\n":             "1 1 A",
		"<h2 id=x>A</h2>\n\n# B\n": "1 2 A | 3 1 B",
		"<h2 id=\"x\" align='center'>A <em>b</em> &amp; c</h2>": "1 2 A b & c",
		"  <H3>A</H3>\n": "1 3 A",
		"<h1 align=\"center\">\n  <img src=x>\n  A\n</h1>\n":                              "1 1 A",
		"<div align=\"center\">\n<h1>A</h1>\n</div>\n":                                    "2 1 A",
		"text\n<h2>A</h2>\n":                                                              "2 2 A",
		"<h1>A</h1><h2>b</h2>\n":                                                          "1 1 A",
		"<h1><img alt=\"logo\"></h1>\n":                                                   "",
		"<h1>never closed\n\n# A\n":                                                       "3 1 A",
		"<h1>closed by another</h2>\n\n# A\n":                                             "3 1 A",
		"<h7>no</h7>\n<header>no</header>\n<hr>\n":                                        "",
		"text <h2>no</h2>\n":                                                              "",
		"```html\n<h2>no</h2>\n```\n    <h2>no</h2>\n":                                    "",
		"<!--\n<h2>no</h2>\n-->\n<h2>A</h2>\n":                                            "4 2 A",
		"<div><!--\n<h2>no</h2>\n-->\n<h2>A</h2>\n":                                       "4 2 A",
		"<pre>\n<h2>no</h2>\n</pre>\n<h2>A</h2>\n":                                        "4 2 A",
		"<div><pre>\n<h2>no</h2>\n</pre>\n<h2>A</h2>\n":                                   "4 2 A",
		"<script>\n<h2>no</h2>\n</script>\n":                                              "",
		"> <h2>no</h2>\n\n- <h2>no</h2>\n":                                                "",
		"<table>\n<tr><td>\n<h2>no</h2>\n\n<h2>no</h2>\n</td></tr></table>\n<h2>A</h2>\n": "7 2 A",
		"<blockquote>\n<h2>no</h2>\n</blockquote>\n<ul><li>\n<h2>no</h2>\n</ul>\n":        "",
		"<h2>\n" + strings.Repeat("x\n", 5000) + "</h2>\n\n# A\n":                         "5004 1 A",
	})
	check(t, markup.MDX, map[string]string{
		"<h2 id=\"x\">A</h2>\n# B\n":   "1 2 A | 2 1 B",
		"<h2>\n  A\n</h2>\n\n## B\n":   "1 2 A | 5 2 B",
		"```\n<h2>no</h2>\n```\n# A\n": "4 1 A",
		"<h2>\n\n# A\n":                "3 1 A",
		"<h2 {...x}>no</h2>\n":         "",
	})
}

func TestModules(t *testing.T) {
	for text, want := range map[string][]markup.Module{
		"---\ntitle: x\n---\nimport A from 'a'\nimport B from 'b'\n\nimport C from 'c'\n\n# A\n": {{4, 5}, {7, 7}},
		"# A\n\nexport const b = {\n\n  c: 1,\n}\n\ntext\n":                                      {{3, 6}},
		"# A\n\n```js\nimport a from 'a'\n```\n":                                                 nil,
		"text\nimport duties are text\n":                                                         nil,
		"<Tabs>\n# A\n</Tabs>\n":                                                                 nil,
	} {
		got := markup.Parse(markup.MDX, markup.Split([]byte(text))).Modules
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	if got := markup.Parse(markup.Markdown, markup.Split([]byte("import a from 'a'\n"))).Modules; got != nil {
		t.Errorf("in Markdown: %v", got)
	}
}

func TestDirectives(t *testing.T) {
	check(t, markup.ReStructuredText, map[string]string{
		".. toctree::\n   :maxdepth: 2\n\n   a\n   b\n\nA\n=\n":                                     "7 1 A",
		".. code-block:: rst\n\n   No\n   ==\n\nA\n=\n":                                             "6 1 A",
		".. note::\n   No\n   ==\n\n   - x\n\nA\n=\n":                                               "7 1 A",
		".. include:: other.rst\n\nA\n=\n":                                                          "3 1 A",
		".. literalinclude:: x.py\n   :lines: 1-3\n\nA\n=\n":                                        "4 1 A",
		".. _install-guide:\n\nA\n=\n\n.. _other:\n\nB\n-\n":                                        "3 1 A | 8 2 B",
		".. |x| replace:: y\n.. [1] foot\n.. _l: http://x.y\n\nA\n=\n":                              "5 1 A",
		".. py:function:: f(x)\n\n   text\n\nA\n=\n":                                                "5 1 A",
		".. only:: html\n\n   A\n   =\n":                                                            "",
		":orphan:\n\nA\n=\n":                                                                        "3 1 A",
		".. role:: x\n.. default-role:: y\n.. highlight:: c\n\n:py:func:`f` call\n==============\n": "5 1 f call",
	})
	check(t, markup.AsciiDoc, map[string]string{
		"= T\n\ninclude::a.adoc[]\n\n== A\n\ninclude::b.adoc[leveloffset=+1]\n\n== B\n": "1 1 T | 5 2 A | 9 2 B",
		"[source,rst]\n----\n== no\n----\n\nNOTE: == no\n\n[NOTE]\n====\n== no\n====\n": "",
	})
}

func TestReStructuredText(t *testing.T) {
	check(t, markup.ReStructuredText, map[string]string{
		"====\nTop\n====\n\nA\n=\n\nB\n-\n\nC\n=\n": "1 1 Top | 5 2 A | 8 3 B | 11 2 C",

		"A\n====\ntext\n\n----\n\ntext\n":                                                           "1 1 A",
		"Too long\n===\n\nToo long\n====\n":                                                         "4 1 Too long",
		"::\n\n  A\n  =\n\n.. note::\n\n   B\n   =\n\nC\n=\n":                                       "11 1 C",
		"para\nmore\n====\n\nA\n=\n":                                                                "5 1 A",
		"- item\n  more\n\nA\n=\n":                                                                  "4 1 A",
		"1. One\n======\n\n2. item\n\nA\n-\n":                                                       "1 1 1. One | 6 2 A",
		"=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n\nA\n=\n":                    "7 1 A",
		"+---+\n| A |\n+===+\n\nA\n=\n":                                                             "5 1 A",
		"``code`` :ref:`text <x>` `l <u>`_ *e* a_ \\*\n=========================================\n": "1 1 code text l e a *",
		".. _target:\n\nA\n=\n.. comment\n   A\n   =\n":                                             "3 1 A",
		"Ünïcödé\n=======\n\n日本\n====\n":                                                            "1 1 Ünïcödé | 4 1 日本",
		"A\n=\n\nB\n-\n\nC\n=\n\nD\n+\n":                                                            "1 1 A | 4 2 B | 7 1 C",
		"--opt\n-----\n\n-a  option\n\nText::\n\n> q\n> q\n\nA\n-\n":                                "1 1 --opt | 11 1 A",
		"term\n  definition\n\n:field: x\n\n>>> 1\n=\n\nA\n=\n":                                     "9 1 A",
		"=\nA\n=\n":  "1 1 A",
		"==\n\nA\n=": "3 1 A",
	})
}

func TestAsciiDoc(t *testing.T) {
	check(t, markup.AsciiDoc, map[string]string{
		"= Top\nAuthor\n:attr: x\n\n== A\n\ntext\n\n=== B `c` *d*\n":              "1 1 Top | 5 2 A | 9 3 B c d",
		"Top\n===\n\nA\n-\n\nAB\n--\n\nB\n~~~\n":                                  "1 1 Top | 7 2 AB",
		"----\n== no\n----\n....\n== no\n....\n////\n== no\n////\n== A\n":         "10 2 A",
		"====\n== no\n====\n\n|===\n== no\n|===\n\n```ruby\n== no\n```\n\n== A\n": "13 2 A",
		"text\n== no\n\n* item\n== no\n\n== A\n":                                  "7 2 A",
		"[[id]]\n== A\n\n[#id]\n.Title\n// comment\n== B\n":                       "2 2 A | 7 2 B",
		"## A\n\n#no\n\n==no\n":                                                   "1 2 A",
		"== A <<b,see B>> link:x[L]\n":                                            "1 2 A see B L",
		"ifdef::x[]\n== A\nendif::x[]\n":                                          "2 2 A",
	})
}

func TestFormats(t *testing.T) {
	for name, want := range map[string]markup.Format{
		"a.md": markup.Markdown, "A.MD": markup.Markdown, "a.markdown": markup.Markdown, "a/b.mdx": markup.MDX,
		"a.rst": markup.ReStructuredText, "a.adoc": markup.AsciiDoc, "llms.txt": markup.Markdown,
		"x/LLMS-full.txt": markup.Markdown, "a.txt": markup.Plain, "README": markup.Plain, "": markup.Plain,
	} {
		if got := markup.FormatOf(name, []byte("# A\n\ntext\n")); got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
	for text, want := range map[string]markup.Format{
		"Title\n=====\n\n.. note:: x\n":                  markup.ReStructuredText,
		"git-add(1)\n==========\n\n[verse]\n'git add'\n": markup.AsciiDoc,
		"Title\n=====\n\ntext\n":                         markup.AsciiDoc,
		".. it goes: on\n":                               markup.Plain,
	} {
		if got := markup.FormatOf("x.txt", []byte(text)); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestLines(t *testing.T) {
	for text, want := range map[string][]string{
		"":                     nil,
		"a":                    {"a"},
		"a\n":                  {"a"},
		"a\n\n":                {"a", ""},
		"a\r\nb\rc\n\rd":       {"a", "b", "c", "", "d"},
		"\r\r\n":               {"", ""},
		"a\r":                  {"a"},
		"\ufeffa\ufeff\n":      {"a\ufeff"},
		"a\u2028b\vc\u0085d\n": {"a\u2028b\vc\u0085d"},
	} {
		l := markup.Split([]byte(text))
		var got []string
		for n := 1; n <= l.Len(); n++ {
			got = append(got, string(l.Line(n)))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
		if l.Line(0) != nil || l.Line(l.Len()+1) != nil {
			t.Errorf("%q has other lines", text)
		}
		if whole := strings.TrimPrefix(text, "\ufeff"); string(l.Text(-1, 99)) != whole {
			t.Errorf("%q: the whole is %q", text, l.Text(-1, 99))
		}
	}
}

func TestTitles(t *testing.T) {
	for text, want := range map[string]string{
		"---\ntitle: A B\n---\n": "A B", "---\ntitle: 'A: B'\n---\n": "A: B", "+++\ntitle = \"A\"\n+++\n": "A",
		"---\ntitle:\n---\n":                "",
		"---\nsidebar:\n  title: no\n---\n": "", "---\r\ntitle: A\r\n---\r\n": "A", "---\ntitle: A # B\n...\n": "A # B",
		"---\nx: 1\ntitle: >\n  A\n---\n": "", "---\ntitles: A\n---\n": "", "# A\n": "", "---\ntitle: A\n": "",
	} {
		if got := markup.Parse(markup.Markdown, markup.Split([]byte(text))).Title; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("# A\n> b\n```\n<!-- {`")
	f.Add("A\n==\n\n.. x::\n\n=== ===\n1. a\n")
	f.Add("{/*\n<A b={`${'\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines := markup.Split([]byte(text))
		for _, format := range []markup.Format{
			markup.Markdown, markup.MDX, markup.ReStructuredText, markup.AsciiDoc, markup.Plain,
		} {
			last := 0
			for _, h := range markup.Parse(format, lines).Headings {
				if h.Line <= last || h.Line > lines.Len() || h.Level < 1 || strings.ContainsAny(h.Text, "\n\x00") {
					t.Fatalf("%s %q: heading %+v after line %d of %d", format, text, h, last, lines.Len())
				}
				last = h.Line
			}
		}
	})
}
