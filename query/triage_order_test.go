package query

import (
	"strings"
	"testing"

	"github.com/blq-ci/blq/store"
)

// ranked returns an event of a category in a line of the log.
func ranked(c store.Category, line int, message string) store.RunEvent {
	return store.RunEvent{Event: store.Event{Category: c, LogLine: line, Message: message, Pattern: message}}
}

func TestCausesRankBeforeEffects(t *testing.T) {
	t.Parallel()
	compile, lint := ranked(store.CategoryCompile, 5, "'x' undeclared"), ranked(store.CategoryLint, 3, "unused")
	typed, crash := ranked(store.CategoryType, 7, "not assignable"), ranked(store.CategoryRuntime, 8,
		"Segmentation fault")
	test, loads := ranked(store.CategoryTest, 9, "assert 1 == 2"), ranked(store.CategoryTest, 9, "ImportError: no module")
	build := ranked(store.CategoryBuild, 20, "target failed")
	ci := ranked(store.CategoryCI, 21, "Process completed with exit code 2.")
	rank := ranker([]store.RunEvent{compile, lint, typed, crash, test, loads, build, ci})
	order := []store.RunEvent{compile, typed, crash, test, lint, build}
	for i := range order[1:] {
		if x, y := rank(order[i].Event), rank(order[i+1].Event); x >= y {
			t.Errorf("%s has rank %d, %s has %d", order[i].Message, x, order[i+1].Message, y)
		}
	}
	if rank(loads.Event) != rank(crash.Event) || rank(ci.Event) != rank(build.Event) {
		t.Errorf("%d and %d, %d and %d", rank(loads.Event), rank(crash.Event), rank(ci.Event), rank(build.Event))
	}
	if got := rank(ranked("", 12, "it is wrong").Event); got != rank(test.Event) {
		t.Errorf("of no category, it has rank %d", got)
	}
	// A build tool that failed first is a cause.
	alone := ranker([]store.RunEvent{build, ci})
	if alone(build.Event) != rank(typed.Event) {
		t.Errorf("alone, it has rank %d", alone(build.Event))
	}
	before := ranker([]store.RunEvent{ranked(store.CategoryBuild, 2, "no rule"), compile})
	if got := before(ranked(store.CategoryBuild, 2, "no rule").Event); got != rank(typed.Event) {
		t.Errorf("before the compiler, it has rank %d", got)
	}
	// A test whose message names a failed program is not an effect.
	if got := rank(ranked(store.CategoryTest, 30, "exit status 1").Event); got != rank(test.Event) {
		t.Errorf("a test has rank %d", got)
	}
}

func TestLookAlikesAreOneGroup(t *testing.T) {
	t.Parallel()
	unknown := func(store.Event) string { return "" }
	of := func(file string, e store.RunEvent) store.RunEvent { e.File = file; return e }
	short, long := "assert failed", strings.Repeat("a", 40)
	for name, tt := range map[string]struct {
		events []store.RunEvent
		groups int
	}{
		"the same message": {[]store.RunEvent{ranked("lint", 1, "x"), ranked("lint", 2, "x")}, 1},
		"another message":  {[]store.RunEvent{ranked("lint", 1, "x"), ranked("lint", 2, "y")}, 2},
		"tests of two files with a short message": {[]store.RunEvent{of("a", ranked("test", 1, short)),
			of("b", ranked("test", 2, short))}, 2},
		"tests of one file with a short message": {[]store.RunEvent{of("a", ranked("test", 1, short)),
			of("a", ranked("test", 2, short))}, 1},
		"tests of two files with a long message": {[]store.RunEvent{of("a", ranked("test", 1, long)),
			of("b", ranked("test", 2, long))}, 1},
		"tests of two files, a letter less": {[]store.RunEvent{of("a", ranked("test", 1, long[1:])),
			of("b", ranked("test", 2, long[1:]))}, 2},
		"names behind a colon": {[]store.RunEvent{ranked("compile", 1, "cannot find symbol: a"),
			ranked("compile", 2, "cannot find symbol: b")}, 1},
		"names of linters": {[]store.RunEvent{ranked("lint", 1, "cannot find symbol: a"),
			ranked("lint", 2, "cannot find symbol: b")}, 2},
	} {
		if got := grouped(tt.events, unknown); len(got) != tt.groups {
			t.Errorf("%s: %d groups", name, len(got))
		}
	}
	known := func(e store.Event) string { return e.File }
	if got := grouped([]store.RunEvent{of("a", ranked("lint", 1, "x")), of("b", ranked("lint", 2, "x"))},
		known); len(got) !=
		2 {
		t.Errorf("known and new errors are %d groups", len(got))
	}
	got := grouped([]store.RunEvent{ranked("lint", 9, "late"), ranked("lint", 2, "early")}, unknown)
	if got[0][0].Message != "early" {
		t.Error("groups of a rank are not in the order of the log")
	}
}

func TestTheSampleHasAPlace(t *testing.T) {
	t.Parallel()
	list := []store.RunEvent{{Event: store.Event{ID: 1}}, {Event: store.Event{ID: 2, Line: 1}},
		{Event: store.Event{ID: 3, Line: 5}}}
	if got := sampleOf(list); got.ID != 2 {
		t.Errorf("the sample is %d", got.ID)
	}
	if got := sampleOf(list[:1]); got.ID != 1 {
		t.Errorf("without a place the sample is %d", got.ID)
	}
}
