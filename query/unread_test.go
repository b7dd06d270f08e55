package query_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

// Lines that mention a failure count as unread if no event contains them.
func TestUnread(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	log := strings.Join([]string{
		"cc -Werror -o error.o src/error_handler.c",      // names of files and options
		"src/main.c:3:13: error: 'foo' undeclared",       // 2: an event of three lines
		"    3 |     int x = foo + 1; // error",          //
		"      |             ^~~ error",                  //
		"frobnicate: FATAL: the flux capacitor is empty", // 5
		"ran 12 checks: 0 errors, 0 failed",              // counts zero failures
		"no errors found",
		"##[group]Look for errors",                               // routine output
		"2024-01-15T10:00:00.1Z some-tool: error E12: bad thing", // 9
		"all is well",
		"Segmentation fault (core dumped)", // 11
	}, "\n") + "\n"
	f.Add(t, querytest.Run{Source: "odd", At: 40, Exit: 1, Log: log,
		Events: []store.Event{querytest.Event("error", "src/main.c", 3, 13, "'foo' undeclared", 2, 4)}})
	got, err := f.Unread(t.Context(), query.UnreadParams{Ref: "odd"})
	querytest.Check(t, err)
	var lines []int
	for _, l := range got.Lines {
		lines = append(lines, l.Line)
	}
	if diff := cmp.Diff([]int{5, 9, 11}, lines); diff != "" || got.Count != 3 || got.Rest != 0 {
		t.Errorf("%d, rest %d: %s", got.Count, got.Rest, diff)
	}
	rest, err := f.Unread(t.Context(), query.UnreadParams{Ref: "odd", From: 6})
	querytest.Check(t, err)
	if rest.Count != 2 {
		t.Errorf("from line 6 on: %+v", rest)
	}
	out, err := f.Output(t.Context(), query.OutputParams{Ref: "odd", Unread: true, Numbered: true, Tail: 6})
	querytest.Check(t, err)
	if out.Returned != 2 || out.Content != "9: 2024-01-15T10:00:00.1Z some-tool: error E12: bad thing\n"+
		"11: Segmentation fault (core dumped)\n" {
		t.Errorf("in the last lines: %d, %q", out.Returned, out.Content)
	}
	for _, p := range []query.OutputParams{{Grep: "x"}, {Head: 3}, {Context: 1}} {
		p.Ref, p.Unread = "odd", true
		if _, err := f.Output(t.Context(), p); store.CodeOf(err) != store.Invalid {
			t.Errorf("%+v: %v", p, err)
		}
	}
	split, err := f.Unread(t.Context(), query.UnreadParams{Ref: "test:4", Stream: store.StreamStderr})
	querytest.Check(t, err)
	if split.Stream != store.StreamStderr || split.Count != 0 {
		t.Errorf("%+v", split)
	}
}

// At most 20 lines are shown, but the lines that are not shown are counted, too.
func TestUnreadCountsAll(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	f.Add(t, querytest.Run{Source: "odd", At: 40, Exit: 1, Log: strings.Repeat("odd: fatal: no\n", 300)})
	got, err := f.Unread(t.Context(), query.UnreadParams{Ref: "odd"})
	querytest.Check(t, err)
	if got.Count != 300 || len(got.Lines) != 20 {
		t.Errorf("%d lines, %d shown", got.Count, len(got.Lines))
	}
}

func TestUploads(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	list, err := f.Uploads(t.Context(), query.UploadsParams{Limit: 5})
	querytest.Check(t, err)
	if len(list) != 5 || list[0].RunRef != "deploy:6" || list[0].CI == nil || list[0].Status != store.StatusRunning {
		t.Fatalf("%+v", list)
	}
	build := list[3]
	if build.RunRef != "build:3" || build.Lines != 9 || build.Errors != 3 || build.Received == "" ||
		cmp.Diff([]query.Tool{{Name: "gcc", Events: 4}}, build.Tools) != "" {
		t.Errorf("%+v", build)
	}
	one, err := f.Upload(t.Context(), "build:3")
	querytest.Check(t, err)
	if diff := cmp.Diff(build, one); diff != "" {
		t.Error(diff)
	}
	earlier, err := f.Uploads(t.Context(), query.UploadsParams{Limit: 5, Before: 2})
	querytest.Check(t, err)
	if len(earlier) != 1 || earlier[0].RunRef != "build:1" {
		t.Errorf("%+v", earlier)
	}
}
