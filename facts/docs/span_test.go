package docs_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/store"
)

// numbered is a log with the given number of lines: "line 1", "line 2" and so on.
type numbered int

func (n numbered) Len(context.Context) (int, error) { return int(n), nil }

func (n numbered) Lines(_ context.Context, from, to int) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for i := from; i <= to; i++ {
			if i < 1 || i > int(n) {
				panic(fmt.Sprint("there is no line ", i))
			}
			if !yield(fmt.Sprint("line ", i), nil) {
				return
			}
		}
	}
}

// inTens has sections of ten lines.
type inTens struct{ numbered }

func (s inTens) Section(_ context.Context, r docs.Range) (docs.Range, error) {
	return docs.Range{From: (r.From-1)/10*10 + 1, To: min((r.To-1)/10*10+10, int(s.numbered))}, nil
}

func TestSpans(t *testing.T) {
	for name, c := range map[string]struct {
		from, to int
		with     docs.Context
		want     string // expected lines; with + if truncated
	}{
		"the lines":                    {5, 7, docs.Context{}, "5-7"},
		"the only line":                {5, 5, docs.Context{Mode: docs.None}, "5-5"},
		"padding":                      {5, 7, docs.Context{Padding: 2}, "3-9"},
		"the most padding":             {60, 60, docs.Context{Padding: 50}, "10-100"},
		"padding before the first":     {2, 3, docs.Context{Padding: 5}, "1-8"},
		"padding behind the last":      {95, 99, docs.Context{Padding: 5}, "90-100"},
		"the end is cut":               {95, 120, docs.Context{}, "95-100+"},
		"the end is cut, with padding": {95, 120, docs.Context{Padding: 2}, "93-100+"},
		"all":                          {5, 7, docs.Context{Mode: docs.All}, "1-100"},
		"all ignores padding":          {5, 7, docs.Context{Mode: docs.All, Padding: 3}, "1-100"},
		"the section":                  {15, 17, docs.Context{Mode: docs.Symmetric}, "11-20"},
		"the section ignores padding":  {15, 17, docs.Context{Mode: docs.Symmetric, Padding: 9}, "11-20"},
		"two sections":                 {19, 22, docs.Context{Mode: docs.Symmetric}, "11-30"},
		"the end of a section is cut":  {95, 130, docs.Context{Mode: docs.Symmetric}, "91-100+"},
		"few bytes":                    {1, 9, docs.Context{MaxBytes: 20}, "1-3+"},
		"bytes of the second line":     {1, 9, docs.Context{MaxBytes: 12}, "1-1+"},
		"exact bytes":                  {1, 2, docs.Context{MaxBytes: 13}, "1-2"},
		"bytes in a line":              {1, 9, docs.Context{MaxBytes: 3}, "1-1+"},
	} {
		spans, err := docs.ReadSpans(t.Context(), "build:5", inTens{100}, []docs.Range{{From: c.from, To: c.to}}, c.with)
		if err != nil || len(spans) != 1 {
			t.Errorf("%s: %d spans, %v", name, len(spans), err)
			continue
		}
		got := spans[0].Lines()
		if spans[0].Truncated {
			got += "+"
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
		lines := strings.Split(spans[0].Text, "\n")
		first := fmt.Sprint("line ", spans[0].From)
		if !strings.HasPrefix(first, lines[0]) || len(lines) != spans[0].To-spans[0].From+1 {
			t.Errorf("%s: the text of %s is %q", name, got, spans[0].Text)
		}
	}
}

func TestSpansWithoutSectionsAreTheWhole(t *testing.T) {
	with := docs.Context{Mode: docs.Symmetric}
	spans, err := docs.ReadSpans(t.Context(), "x", numbered(20), []docs.Range{{From: 5, To: 5}}, with)
	if err != nil || spans[0].Lines() != "1-20" {
		t.Errorf("%+v, %v", spans, err)
	}
}

func TestSpansKeepTheOrderAskedFor(t *testing.T) {
	spans, err := docs.ReadSpans(t.Context(), "x", numbered(200),
		[]docs.Range{{From: 130, To: 150}, {From: 100, To: 120}, {From: 130, To: 130}}, docs.Context{Padding: 2})
	var got []string
	for _, s := range spans {
		got = append(got, s.Lines())
	}
	if diff := cmp.Diff([]string{"128-152", "98-122", "128-132"}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestBadSpans(t *testing.T) {
	for name, c := range map[string]struct {
		lines int
		r     docs.Range
		with  docs.Context
		want  string
	}{
		"behind the end": {100, docs.Range{From: 101, To: 110}, docs.Context{}, "has 100 lines: there is no line 101"},
		"empty":          {0, docs.Range{From: 1, To: 1}, docs.Context{}, "build:5 has 0 lines"},
		"much padding":   {100, docs.Range{From: 1, To: 1}, docs.Context{Padding: 51}, "is 51, and must be from 0 to 50"},
		"less padding":   {100, docs.Range{From: 1, To: 1}, docs.Context{Padding: -1}, "linePadding is -1"},
		"padding of all": {100, docs.Range{From: 1, To: 1}, docs.Context{Mode: docs.All, Padding: 100}, "linePadding is 100"},
		"mode":           {100, docs.Range{From: 1, To: 1}, docs.Context{Mode: "block"}, `contextMode is "block"`},
		"no range":       {100, docs.Range{}, docs.Context{}, "is not a range"},
	} {
		_, err := docs.ReadSpans(t.Context(), "build:5", numbered(c.lines), []docs.Range{c.r}, c.with)
		code, _ := docs.CodeOf(err)
		if code != docs.BadParams || store.CodeOf(err) != store.Invalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSpansOfText(t *testing.T) {
	text := docs.NewText([]byte("int main()\r\n{\n\xff}\n"))
	ranges := []docs.Range{{From: 2, To: 3}}
	spans, err := docs.ReadSpans(t.Context(), "code/main.c", text, ranges, docs.Context{Padding: 1})
	want := []docs.Span{{Range: docs.Range{From: 1, To: 3}, Text: "int main()\n{\n\ufffd}"}}
	if diff := cmp.Diff(want, spans); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestUnreadableSpans(t *testing.T) {
	broken := errors.New("the log cannot be read")
	_, err := docs.ReadSpans(t.Context(), "x", unreadable{100, broken}, []docs.Range{{From: 1, To: 9}}, docs.Context{})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// unreadable are lines that cannot be read.
type unreadable struct {
	numbered
	err error
}

func (u unreadable) Lines(context.Context, int, int) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) { yield("", u.err) }
}
