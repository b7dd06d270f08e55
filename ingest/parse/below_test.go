package parse

import (
	"fmt"
	"strings"
	"testing"
)

// below parses a log with a finding in the line "finding" and a block below it. It returns the message, the last line,
// and the lines that the block left to others.
func below(t *testing.T, block func(*Draft) func(Line) Verdict, log string) string {
	t.Helper()
	finding := Format{Name: "finding", Starts: []string{"finding"}, Match: func(s *Scan, l Line) bool {
		s.Block(block(s.Add(Draft{})))
		return true
	}}
	others := Format{Name: "others", Triggers: []string{"other"}, Match: func(s *Scan, l Line) bool {
		s.Add(Draft{}).Message = l.Trim()
		return true
	}}
	got := ""
	for _, e := range Bytes([]byte("finding\n"+log), nil, Options{Formats: NewList(finding, others), Strict: true}) {
		if e.Tool == "others" {
			got += " | " + e.Message
			continue
		}
		got += fmt.Sprintf("%s, to %d", strings.ReplaceAll(e.Message, "\n", "/"), e.LogLineEnd)
	}
	return got
}

func TestBelow(t *testing.T) {
	for _, tt := range []struct {
		name  string
		below Below
		log   string
		want  string
	}{
		{"a paragraph", Below{}, "a\nb\n\nother\n", ", to 3 | other"},
		{"joined", Below{Join: "\n"}, "a\n  b\n\nother\n", "a/b, to 3 | other"},
		{"indented", Below{Indent: 2, Join: " "}, "  a\n\tb\nother\n", "a, to 2 | other"},
		{"deeper", Below{Indent: 2, Join: " "}, "  a\n    b\n other\n", "a b, to 3 | other"},
		{"words", Below{Starts: []string{"- ", "+ "}, Join: " "}, "- a\n  + b\nother\n", "- a + b, to 3 | other"},
		{"kind", Below{Is: func(text string) bool { return text[0] == '%' }}, "% a\n% other\nother\n", ", to 3 | other"},
		{"the end", Below{Until: []string{"other"}, Join: " "}, "a\n other\n", "a, to 2 | other"},
		{"max lines", Below{Lines: 2, Join: " "}, "a\nb\nother\n", "a b, to 3 | other"},
		{"empty lines first", Below{Blank: 2, Join: " "}, "\n\na\n\nother\n", "a, to 4 | other"},
		{"too many of them", Below{Blank: 1, Join: " "}, "\n\nother\n", ", to 1 | other"},
		{"max parts", Below{Join: "\n", Parts: 1}, "a\nb\n", "a, to 3"},
		{"max text", Below{Join: "\n", MaxText: 3}, "ab\ncd\nef\n", "ab/cd, to 4"},
	} {
		if got := below(t, tt.below.Block, tt.log); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestBelowCallsEach(t *testing.T) {
	got := ""
	block := Below{Indent: 1, Each: func(text string) { got += text + "." }}.Block
	below(t, block, " a\n  b \nc\n")
	if want := "a.b."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCaret(t *testing.T) {
	for _, tt := range []struct {
		name  string
		caret Caret
		log   string
		want  string
	}{
		{"source and caret", Caret{}, "other = 1\n   ^\nother\n", ", to 3 | other"},
		{"nothing points", Caret{}, "x = 1\nother\n", ", to 2 | other"},
		{"source for others", Caret{Pass: true}, "other = 1\n  ^~~\n", ", to 3 | other = 1"},
		{"nothing points, source for others", Caret{Pass: true}, "other = 1\nx\n", ", to 1 | other = 1"},
		{"caret alone", Caret{}, "  ^\nother\n", ", to 2 | other"},
		{"more source", Caret{Lines: 3}, "  |\n3 | x\n  | ^~~\nother\n", ", to 4 | other"},
		{"empty source", Caret{}, "\n^\nother\n", ", to 3 | other"},
		{"another place", Caret{Lines: 2}, "other/a.c:3: x\n", ", to 1 | other/a.c:3: x"},
	} {
		if got := below(t, tt.caret.block, tt.log); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestRows(t *testing.T) {
	for log, want := range map[string]string{
		"row a\nrow b\nother\n":     "a b, to 1 | other",
		"\n\nrow a\n\nrow other\n":  "a, to 1 | row other",
		"\n\n\nrow other\nrow b\n":  ", to 1 | row other",
		"other\nrow a\n":            ", to 1 | other",
		"row a\nother row\nrow b\n": "a, to 1 | other row",
	} {
		rows := func(d *Draft) func(Line) Verdict {
			return Rows(func(l Line) bool {
				text, ok := strings.CutPrefix(l.Text, "row ")
				if ok {
					d.Message += text + " "
				}
				return ok
			})
		}
		if got := below(t, rows, log); got != want {
			t.Errorf("%q: %q, want %q", log, got, want)
		}
	}
}
