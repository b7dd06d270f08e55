package query_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

func TestTheTailEndsWhereTheCommandDid(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 226) // a line of 238 bytes with its share of the frame
	for name, tt := range map[string]struct {
		log, want string // want holds the line numbers, with > before the most useful lines
	}{
		"a short log":                {"one\ntwo\n", "1 2"},
		"words of failure":           {"one\nit failed\n0 errors\n", "1 >2 3"},
		"CI's word on the command":   {"one\nProcess completed with exit code 1.\ncleaning\n", "1 2"},
		"the end of the job":         {"one\nPost job cleanup.\ncleaning\n", "1"},
		"both":                       {"one\nProcess completed with exit code 1.\nmore\nPost job cleanup.\n", "1 2"},
		"the job ends twice":         {"one\nPost job cleanup.\ntwo\nPost job cleanup.\n", "1"},
		"rules and groups":           {"one\n-----\n##[group]more\ntwo\n\n", "1 4"},
		"the same line again":        {"a\na\na\nb\na\n", "3 4 5"},
		"CI's prefixes":              {"2024-01-15T10:00:00.0000000Z ##[error]boom\n", "1"},
		"more lines than there fit":  {querytest.Lines("line", 26), words(2, 26)},
		"as many lines as there fit": {querytest.Lines("line", 25), words(1, 25)},
		"more bytes than there fit":  {eleven(long + "yy"), "3 4 5 6 7 8 9 10 11"},
		"as many bytes as there fit": {eleven(long + "y"), "2 3 4 5 6 7 8 9 10 11"},
	} {
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
		f.Add(t, querytest.Run{Source: "build", At: 1, Exit: 1, Log: tt.log})
		var got []string
		for line := range strings.Lines(triage(t, f, query.TriageParams{}).Tail) {
			mark, _, found := strings.Cut(line, " | ")
			if !found { // … for missing lines
				continue
			}
			got = append(got, strings.ReplaceAll(strings.ReplaceAll(mark, ">>>", ">"), " ", ""))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: lines %q, want %s", name, got, tt.want)
		}
	}
}

// words returns the numbers first to last.
func words(first, last int) string {
	var list []string
	for i := first; i <= last; i++ {
		list = append(list, fmt.Sprint(i))
	}
	return strings.Join(list, " ")
}

// eleven returns eleven different lines that begin with a text.
func eleven(text string) string {
	var b strings.Builder
	for i := range 11 {
		fmt.Fprintf(&b, "%s%c\n", text, 'a'+i)
	}
	return b.String()
}

// The tail is shown if the errors do not explain why a run failed.
func TestWhoGetsATail(t *testing.T) {
	t.Parallel()
	restated := querytest.Event(store.SeverityError, "Makefile", 1, 1, "make: *** [all] Error 1", 1, 1)
	test := failedTest("test_x", 1)
	test.Message = "exit status 1"
	for name, tt := range map[string]struct {
		run  querytest.Run
		want bool
	}{
		"no error":              {querytest.Run{Exit: 1}, true},
		"an error that tells":   {querytest.Run{Exit: 1, Events: querytest.BuildEvents()[:1]}, false},
		"one that does not":     {querytest.Run{Exit: 1, Events: []store.Event{restated}}, true},
		"both":                  {querytest.Run{Exit: 1, Events: []store.Event{querytest.BuildEvents()[0], restated}}, false},
		"a test":                {querytest.Run{Exit: 1, Events: []store.Event{test}}, false},
		"it passed":             {querytest.Run{}, false},
		"it goes on":            {querytest.Run{Running: true}, false},
		"it passed with errors": {querytest.Run{Events: []store.Event{restated}}, false},
	} {
		f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
		tt.run.Source, tt.run.At, tt.run.Log = "build", 1, "one\ntwo\n"
		f.Add(t, tt.run)
		got := triage(t, f, query.TriageParams{})
		if (got.Tail != "") != tt.want {
			t.Errorf("%s: tail %q", name, got.Tail)
		}
		why := got.Status == store.StatusFail && got.Counts.Errors > 0 && tt.want
		if strings.Contains(got.Verdict, "its errors do not say why") != why {
			t.Errorf("%s: %s", name, got.Verdict)
		}
	}
}
