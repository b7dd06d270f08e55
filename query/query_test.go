package query_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

func refs(list []query.Event) string {
	var words []string
	for _, e := range list {
		words = append(words, e.Ref)
	}
	return strings.Join(words, " ")
}

func TestEventsAreOfTheNewestRunOfEachSourceUnlessNamed(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	f.Add(t, querytest.Run{Source: "lint", At: 30, Exit: 0, Log: "ok\n"}) // hides the warning of lint:5
	for _, tt := range []struct {
		name  string
		p     query.EventsParams
		want  string
		total int
		code  store.Code
	}{
		{name: "all", want: "3:1 3:2 3:3 3:4", total: 4},
		{name: "limit", p: query.EventsParams{Limit: 2}, want: "3:1 3:2", total: 4},
		{name: "severity", p: query.EventsParams{Severity: "critical"}, want: "3:1 3:2 3:4", total: 3},
		{name: "severities", p: query.EventsParams{Severity: " error , warning"}, want: "3:1 3:2 3:3 3:4", total: 4},
		{name: "no such severity", p: query.EventsParams{Severity: "bad"}, code: store.Invalid},
		{name: "source", p: query.EventsParams{Source: "lint"}},
		{name: "source that never ran", p: query.EventsParams{Source: "nosuch"}, code: store.NotFound},
		{name: "file", p: query.EventsParams{FilePattern: "%util%"}, want: "3:3", total: 1},
		{name: "run", p: query.EventsParams{RunID: 5}, want: "5:1", total: 1},
		{name: "ref", p: query.EventsParams{Ref: "build:1"}, want: "1:1", total: 1},
		{name: "event's ref", p: query.EventsParams{Ref: "build:1:1"}, want: "1:1", total: 1},
		{name: "newest of a source", p: query.EventsParams{Ref: "build"}, want: "3:1 3:2 3:3 3:4", total: 4},
		{name: "one before", p: query.EventsParams{Ref: "build:~2"}, want: "1:1", total: 1},
		{name: "attempt", p: query.EventsParams{Ref: "018d0c00-0000-7000-8000-000000000022"}, want: "5:1", total: 1},
		{name: "no such run", p: query.EventsParams{RunID: 99}, code: store.NotFound},
		{name: "batch", p: query.EventsParams{RunIDs: []int{1, 3, 2}, LimitPerRun: 2}, want: "1:1 3:1 3:2", total: 5},
		{name: "batch with one that is not", p: query.EventsParams{RunIDs: []int{1, 99}}, code: store.NotFound},
	} {
		got, err := f.Events(context.Background(), tt.p)
		if store.CodeOf(err) != tt.code || err == nil && (refs(got.Events) != tt.want || got.Total != tt.total) {
			t.Errorf("%s: %s of %d, %v, want %s of %d, %q", tt.name, refs(got.Events), got.Total, err, tt.want,
				tt.total, tt.code)
		}
	}
}

func TestOutputReturnsTheLinesAskedFor(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	for _, tt := range []struct {
		name, stream string
		p            query.OutputParams
		want         string
		total        int
		code         store.Code
	}{
		{name: "head", p: query.OutputParams{Ref: "4", Head: 2}, stream: "stdout", want: "out 1\nout 2\n", total: 60},
		{name: "tail", p: query.OutputParams{Ref: "4", Tail: 1}, stream: "stdout", want: "out 60\n", total: 60},
		{name: "both ends", p: query.OutputParams{Ref: "4", Head: 2, Tail: 1}, stream: "stdout",
			want: "out 1\nout 2\n… lines 3-59 are left out …\nout 60\n", total: 60},
		{name: "both ends of all", p: query.OutputParams{Ref: "test", Stream: "stderr", Head: 2, Tail: 1}, stream: "stderr",
			want: "one on stderr\ntwo on stderr\n", total: 2},
		{name: "matches in both ends", p: query.OutputParams{Ref: "4", Head: 2, Tail: 1, Grep: "out"}, code: store.Invalid},
		{name: "lines", p: query.OutputParams{Ref: "test", From: 59}, stream: "stdout", want: "out 59\nout 60\n", total: 60},
		{name: "lines of the ref", p: query.OutputParams{Ref: "test:L3-L4"}, stream: "stdout", want: "out 3\nout 4\n",
			total: 60},
		{name: "lines with a head", p: query.OutputParams{Ref: "4", From: 59, Head: 1}, stream: "stdout",
			want: "out 59\nout 60\n", total: 60},
		{name: "beyond the end", p: query.OutputParams{Ref: "4", From: 99, To: 100}, stream: "stdout", total: 60},
		{name: "other stream", p: query.OutputParams{Ref: "4", Stream: "stderr"}, stream: "stderr",
			want: "one on stderr\ntwo on stderr\n", total: 2},
		{name: "no such stream", p: query.OutputParams{Ref: "3", Stream: "stderr"}, code: store.NotFound},
		{name: "grep", p: query.OutputParams{Ref: "4", Grep: "1[23]$"}, stream: "stdout", want: "out 12\nout 13\n",
			total: 60},
		{name: "grep with context", p: query.OutputParams{Ref: "4", Grep: " (2|9)$", Context: 1}, stream: "stdout",
			want: "out 1\nout 2\nout 3\n--\nout 8\nout 9\nout 10\n", total: 60},
		{name: "grep is no expression", p: query.OutputParams{Ref: "4", Grep: "("}, code: store.Invalid},
		{name: "an event's lines", p: query.OutputParams{Ref: "build:3:1"}, stream: "combined",
			want: "src/main.c:3:13: error: 'foo' undeclared\n    3 |     int x = foo + 1;\n      |             ^~~\n", total: 9},
		{name: "no such event", p: query.OutputParams{Ref: "build:3:9"}, code: store.NotFound},
		{name: "running", p: query.OutputParams{Ref: "deploy"}, stream: "combined", want: "deploying\n", total: 1},
	} {
		got, err := f.Output(context.Background(), tt.p)
		if store.CodeOf(err) != tt.code {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.code)
		}
		if err == nil && (got.Content != tt.want || got.Total != tt.total || got.Stream != tt.stream ||
			got.Returned != strings.Count(tt.want, "\n")-strings.Count(tt.want, "--\n")-strings.Count(tt.want, "…\n")) {
			t.Errorf("%s: %+v", tt.name, got)
		}
		var written strings.Builder
		if err := f.WriteOutput(context.Background(), tt.p, &written); store.CodeOf(err) != tt.code ||
			written.String() != tt.want {
			t.Errorf("%s is written as %q, %v", tt.name, written.String(), err)
		}
	}
	var raw strings.Builder
	if err := f.RawOutput(context.Background(), "build:3", "", &raw); err != nil || raw.String() != querytest.BuildLog {
		t.Errorf("raw output %q, %v", raw.String(), err)
	}
}

func TestInspectReadsOnlyFilesOfTheWorkTree(t *testing.T) {
	t.Parallel()
	root := querytest.Repository(t)
	outside := filepath.Join(t.TempDir(), "secret.c")
	querytest.Check(t, os.WriteFile(outside, []byte("secret\n"), 0o644))
	querytest.Check(t, os.Symlink(outside, filepath.Join(root, "link.c")))
	querytest.Check(t, os.Symlink("src/main.c", filepath.Join(root, "inner.c")))
	querytest.Write(t, root, "long.c", strings.Repeat("x", 5000)+"\nshort\n")
	rel, err := filepath.Rel(root, outside)
	querytest.Check(t, err)
	var events []store.Event
	files := []struct {
		file string
		line int
		want string
	}{
		{"src/main.c", 3, "    int x = foo + 1;"},
		{"inner.c", 3, "    int x = foo + 1;"},
		{"long.c", 1, strings.Repeat("x", 2000) + "…"},
		{"src/main.c", 99, ""},
		{"src/main.c", 0, ""},
		{outside, 1, ""},
		{filepath.ToSlash(rel), 1, ""},
		{"src/../../x", 1, ""},
		{"link.c", 1, ""},
		{"missing.c", 1, ""},
		{"src", 1, ""},
		{"", 1, ""},
	}
	for _, tt := range files {
		events = append(events, querytest.Event("error", tt.file, tt.line, 1, "no", 1, 1))
	}
	f := &querytest.Fixture{Tree: root, Asker: querytest.NewAsker(t, "/nowhere")}
	f.Add(t, querytest.Run{Source: "build", Exit: 1, Log: "x\n", Events: events})
	for i, tt := range files {
		in, err := f.Inspect(
			context.Background(), query.InspectParams{Ref: store.Ref{Serial: 1, Event: i + 1}.String(), Source: true})
		querytest.Check(t, err)
		got := ""
		if in.SourceContext != nil {
			for _, l := range in.SourceContext.Lines {
				if l.IsError {
					got = l.Text
				}
			}
		}
		if got != tt.want {
			t.Errorf("%s:%d shows %.80q, want %.80q", tt.file, tt.line, got, tt.want)
		}
	}
	f.Root = "" // as in a service, where no files are read
	if in, err := f.Inspect(context.Background(), query.InspectParams{Ref: "1:1", Source: true, Git: true}); err != nil ||
		in.SourceContext != nil || in.GitContext != nil {
		t.Errorf("without a root: %+v, %v", in, err)
	}
}

func TestMovedWorkTreeIsReadWhereItIs(t *testing.T) {
	t.Parallel()
	root := querytest.Repository(t)
	f := &querytest.Fixture{Tree: "/was/here/before", Asker: querytest.NewAsker(t, root)}
	f.Add(t, querytest.Run{Source: "build", Exit: 1, Log: querytest.BuildLog, Events: querytest.BuildEvents()})
	in, err := f.Inspect(context.Background(), query.InspectParams{Ref: "1:1", Source: true, Git: true})
	if err != nil || in.SourceContext == nil || in.GitContext == nil {
		t.Errorf("%+v, %v", in, err)
	}
}

func TestRegressionIsAnErrorThatHadBeenFixed(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	for ref, want := range map[string]query.FingerprintHistory{
		"build:3:1": {Occurrences: 2, Regression: true, FirstSeen: query.SeenAt{RunRef: "build:1",
			Time: "2024-01-15T10:00:00Z"}, LastSeen: &query.SeenAt{RunRef: "build:1", Time: "2024-01-15T10:00:00Z"}},
		"build:3:2": {Occurrences: 2, FirstSeen: query.SeenAt{RunRef: "build:3", Time: "2024-01-15T10:20:00Z"}},
		"build:1:1": {Occurrences: 1, FirstSeen: query.SeenAt{RunRef: "build:1", Time: "2024-01-15T10:00:00Z"}},
	} {
		in, err := f.Inspect(context.Background(), query.InspectParams{Ref: ref, Fingerprint: true})
		querytest.Check(t, err)
		want.Fingerprint, want.Spread = in.Fingerprint, in.History.Spread
		if diff := cmp.Diff(&want, in.History); diff != "" {
			t.Errorf("%s: %s", ref, diff)
		}
	}
}

func TestTailFollowsFromTheEnding(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	for ref, want := range map[string][]string{
		"build:3": {"src/main.c:11:1: error: 'bar' undeclared", "make: *** [main.o] Error 1"},
		"build:2": nil,
		"test:4":  {"one on stderr", "two on stderr"}, // programs print failures there
		"deploy":  nil,
	} {
		r, err := f.Result(context.Background(), ref, 0)
		if err != nil || !cmp.Equal(r.Tail, want) {
			t.Errorf("%s: tail %q, %v, want %q", ref, r.Tail, err, want)
		}
	}
	f.Add(t, querytest.Run{Source: "odd", At: 40, Exit: 3, Log: querytest.Lines("line", 200)})
	if r, err := f.Result(context.Background(), "odd", 0); err != nil || len(r.Tail) != 50 || r.Tail[49] != "line 200" {
		t.Errorf("tail of %d lines, %v", len(r.Tail), err)
	}
}

func TestTextOfStrangersIsClean(t *testing.T) {
	t.Parallel()
	const evil = "a\x1b[31m\u202eb"
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, "")}
	e := querytest.Event("error", evil, 1, 1, evil, 1, 1)
	e.Tool, e.Code, e.Test = evil, evil, evil
	f.Add(t, querytest.Run{Source: "build", Exit: 1, Log: evil + "\n", Events: []store.Event{e},
		CI: &store.CI{Provider: "github", HeadRef: evil, Actor: evil}})
	ctx := context.Background()
	for name, answer := range map[string]func() (any, error){
		"result":  func() (any, error) { return f.Result(ctx, "1", 0) },
		"events":  func() (any, error) { return f.Events(ctx, query.EventsParams{}) },
		"inspect": func() (any, error) { return f.Inspect(ctx, query.InspectParams{Ref: "1:1", Log: true}) },
		"event":   func() (any, error) { return f.EventDetails(ctx, query.EventParams{Ref: "1:1"}) },
		"brief":   func() (any, error) { return f.Brief(ctx, query.InfoParams{Context: 1}) },
		"history": func() (any, error) { return f.History(ctx, query.HistoryParams{}) },
		"output":  func() (any, error) { return f.Output(ctx, query.OutputParams{}) },
		"filter":  func() (any, error) { return f.Query(ctx, query.QueryParams{Filter: "severity=error"}) },
		"sql": func() (any, error) {
			return f.Query(ctx, query.QueryParams{SQL: "SELECT message, ref_file, code FROM blq_load_events()"})
		},
	} {
		v, err := answer()
		querytest.Check(t, err)
		if text := jsonOf(t, v); strings.Contains(text, "\u202e") || strings.Contains(text, "\\u001b") ||
			!strings.Contains(text, "ab") {
			t.Errorf("%s shows %s", name, text)
		}
	}
}

func TestQuestionsMustMakeSense(t *testing.T) {
	t.Parallel()
	f, ctx := querytest.New(t), context.Background()
	for name, ask := range map[string]func() error{
		"query of nothing": func() error { _, err := f.Query(ctx, query.QueryParams{}); return err },
		"query of both": func() error {
			_, err := f.Query(ctx, query.QueryParams{SQL: "SELECT 1", Filter: "run_id=1"})
			return err
		},
		"history of what":  func() error { _, err := f.History(ctx, query.HistoryParams{State: "lost"}); return err },
		"inspect of a run": func() error { _, err := f.Inspect(ctx, query.InspectParams{Ref: "build:1"}); return err },
		"no reference":     func() error { _, err := f.Info(ctx, query.InfoParams{Ref: "a b"}); return err },
	} {
		err := ask()
		if store.CodeOf(err) != store.Invalid || !strings.HasPrefix(cmdline.Of(store.NextOf(err)), "blq ") {
			t.Errorf("%s: %v, code %q, hint %q", name, err, store.CodeOf(err), cmdline.Of(store.NextOf(err)))
		}
	}
}

func TestQuerySaysWhenThereIsMore(t *testing.T) {
	t.Parallel()
	f, ctx := querytest.New(t), context.Background()
	for _, p := range []query.QueryParams{{Filter: "run_id=3", Limit: 3},
		{SQL: "SELECT ref FROM blq_load_events() WHERE run_id = 3", Limit: 3}} {
		for limit, more := range map[int]bool{3: true, 4: false, 0: false} {
			p.Limit = limit
			if table, err := f.Query(ctx, p); err != nil || table.More != more {
				t.Errorf("%+v: more %v of %d rows, %v", p, table.More, table.Count, err)
			}
		}
	}
}

func TestQuerySkipsRowsBeforeItCountsThem(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	for _, p := range []query.QueryParams{{Filter: "run_id=3"},
		{SQL: "SELECT ref FROM blq_load_events() WHERE run_id = 3 ORDER BY ref"}} {
		p.Limit, p.Offset = 2, 1
		if table, err := f.Query(t.Context(), p); err != nil || len(table.Rows) != 2 || !table.More {
			t.Errorf("%+v: %v, more %v, %v", p, table.Rows, table.More, err)
		}
		p.Offset = 2
		if table, err := f.Query(t.Context(), p); err != nil || len(table.Rows) != 2 || table.More {
			t.Errorf("%+v: %v, more %v, %v", p, table.Rows, table.More, err)
		}
	}
}

func TestFollowBeginsWhereItIsTold(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	for _, tt := range []struct {
		p    query.OutputParams
		want string
		code store.Code
	}{
		{p: query.OutputParams{Ref: "4", Stream: "stdout", Tail: 1}, want: "out 60\n"},
		{p: query.OutputParams{Ref: "4", Stream: "stdout", From: 59}, want: "out 59\nout 60\n"},
		{p: query.OutputParams{Ref: "test:L3-L4", Stream: "stdout"}, want: "out 3\nout 4\n"},
		{p: query.OutputParams{Ref: "4", Tail: 1}, want: "out 60\ntwo on stderr\n"},
		{p: query.OutputParams{Ref: "build:3:9"}, code: store.NotFound},
		{p: query.OutputParams{Ref: "3", Stream: "stderr"}, code: store.NotFound},
	} {
		var got strings.Builder
		if err := f.Follow(t.Context(), tt.p, &got); store.CodeOf(err) != tt.code || got.String() != tt.want {
			t.Errorf("%+v: %q, %v", tt.p, got.String(), err)
		}
	}
}

func TestAPartOfAnOutputHasAllMatches(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	got, err := f.OutputPart(t.Context(), query.OutputParams{Ref: "4", Grep: "1[23]$"})
	if err != nil || got.Content != "out 12\nout 13\n" || got.RestFrom != 0 || got.RestTo != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// JSON has no infinite numbers.
func TestAnswersWithInfiniteNumbersCanBeWritten(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	table, err := f.Query(t.Context(), query.QueryParams{SQL: "SELECT 9e999, -9e999, 9e999 - 9e999, 1.5"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(table.Rows)
	if want := `[["+Inf","-Inf",null,1.5]]`; err != nil || string(text) != want {
		t.Errorf("%s, %v; want %s", text, err, want)
	}
}
