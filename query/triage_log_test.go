package query

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

func TestLinesOfLogsAreCleanAndShort(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"plain", "plain"}, {"10%\r50%\rdone", "done"}, {"crlf\r", "crlf"}, {"a\r\r", "a"},
		{"##[error]boom", "boom"}, {"2024-01-15T10:00:00.0000000Z ##[error]boom", "boom"},
		{"trailing  \t", "trailing"}, {"12345678901234567890", "12345678901234567890"},
		{"123456789012345678901", "12345678901234567890…"}, {strings.Repeat("ä", 20), strings.Repeat("ä", 20)},
		{strings.Repeat("ä", 21), strings.Repeat("ä", 20) + "…"},
	} {
		if got := logText(tt.text, 20); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestLinesAroundAReportBelongToIt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		category   store.Category
		line, last int // line of the log, and last line of the report, which begins at 10
		want       bool
	}{
		{store.CategoryCompile, 9, 10, true}, {store.CategoryCompile, 9, 12, true}, {store.CategoryCompile, 9, 13, false},
		{store.CategoryCompile, 11, 10, true}, {store.CategoryCompile, 12, 11, false},
		{store.CategoryLint, 9, 10, false}, {store.CategoryLint, 11, 10, false}, {store.CategoryType, 11, 10, false},
	} {
		if got := belongs(store.Event{Category: tt.category, LogLine: 10}, tt.line, tt.last); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

func TestLinesAboutTheFailureWeighMost(t *testing.T) {
	t.Parallel()
	e := store.Event{File: "src/shop/cart.py", Line: 7, Category: store.CategoryTest}
	var last int
	for _, text := range []string{
		`  File "/usr/lib/python3.11/unittest/case.py", line 57, in run`, // library code
		"some output",
		`  File "/srv/src/shop/other.py", line 3, in total`,
		`  File "/srv/src/shop/cart.py", line 9, in total`,
		"src/shop/cart.py:7: in total",
		"E   assert 1 == 2",
	} {
		w := weigh(text, e)
		if w < last || text == "some output" && w == noise {
			t.Errorf("%q weighs %d, after %d", text, w, last)
		}
		last = w
	}
	if w := weigh(`  File "/srv/src/shop/cart.py", line 9, in total`, store.Event{}); w >= telltale {
		t.Errorf("without a file of the event the frame weighs %d", w)
	}
	if w := weigh("x.go:0: ok", store.Event{File: "x.go"}); w != plain {
		t.Errorf("without a line of the event it weighs %d", w)
	}
}

// lines returns lines of an excerpt with these weights, beginning at line 10.
func lines(weights ...int) []logLine {
	var list []logLine
	for i, w := range weights {
		list = append(list, logLine{10 + i, strings.Repeat("x", i+1), w})
	}
	return list
}

func weights(list []logLine) []int {
	var w []int
	for _, l := range list {
		w = append(w, l.weight)
	}
	return w
}

func TestFirstAndLastLineOfAReportAreKept(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		short       bool
		last        int
		given, want []int
	}{
		{false, 13, []int{plain, plain, plain, plain, plain}, []int{telltale + 30, plain, plain, telltale, plain}},
		{false, 13, []int{plain, plain, plain, noise, plain}, []int{telltale + 30, plain, telltale, noise, plain}},
		{true, 13, []int{plain, plain, noise, plain, plain},
			[]int{telltale + 30, telltale, noise, telltale, plain}},
		{true, 12, []int{plain, telltale + 5, plain}, []int{telltale + 30, telltale + 5, telltale}},
		{false, 10, []int{noise, plain}, []int{telltale + 30, plain}},
	} {
		list := lines(tt.given...)
		emphasize(list, 10, tt.last, tt.short)
		if diff := cmp.Diff(tt.want, weights(list)); diff != "" {
			t.Errorf("%+v: %s", tt, diff)
		}
	}
}

func TestMarksOfARunnerOutweighWords(t *testing.T) {
	t.Parallel()
	list := lines(telltale, telltale+15, plain, telltale+5)
	quieten(list)
	if diff := cmp.Diff([]int{plain + 5, telltale + 15, plain, telltale + 5}, weights(list)); diff != "" {
		t.Error(diff)
	}
	list = lines(telltale, plain)
	if quieten(list); list[0].weight != telltale {
		t.Error("without a mark the words weigh less")
	}
}

func TestHeaviestLinesFitIntoTheExcerpt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		x       extent
		weights []int
		want    []int // line numbers
	}{
		{extent{2, 99, 999}, []int{plain, telltale, plain}, []int{11, 12}},               // later lines come first
		{extent{3, 99, 999}, []int{plain, noise, plain}, []int{10, 12}},                  // noise is never shown
		{extent{1, 99, 999}, []int{nearby, telltale, telltale}, []int{12}},               // room for one line
		{extent{9, 99, 2*12 + 3 + 2}, []int{plain, plain, plain}, []int{11, 12}},         // exactly enough bytes
		{extent{9, 99, 2*12 + 3 + 2 - 1}, []int{plain, plain, plain}, []int{12}},         // one byte less
		{extent{9, 99, 1}, []int{plain, plain}, []int{11}},                               // at least one line
		{extent{9, 99, 3*12 + 1 + 2 + 3}, []int{plain, plain, plain}, []int{10, 11, 12}}, // room for all lines
	} {
		var got []int
		for _, l := range heaviest(lines(tt.weights...), tt.x) {
			got = append(got, l.number)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%+v: %s", tt, diff)
		}
	}
}

func TestExcerptsShowWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	got := render([]logLine{{9, "a", plain}, {10, "b", telltale}, {12, "c", telltale - 1}})
	if want := "     9 | a\n>>> 10 | b\n    …\n    12 | c"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := render(nil); got != "" {
		t.Errorf("nothing is %q", got)
	}
}
