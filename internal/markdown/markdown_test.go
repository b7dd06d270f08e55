package markdown_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/internal/markdown"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/store"
)

var update = flag.Bool("update", false, "write the goldens anew")

var logged = strings.Repeat("compiling\n", 40) + "Killed\n"

// reported are the runs that the goldens report.
var reported = map[string]func(t *testing.T) *fixture{
	"failed": failing,
	"passed": func(t *testing.T) *fixture {
		f := failing(t)
		f.add(t, ended{log: "ok\n", took: 45 * time.Second, events: []store.Event{warning("src/new.c", 6)}}, onTopic)
		return f
	},
	"nothing_to_compare": func(t *testing.T) *fixture {
		f := empty(t)
		f.add(t, ended{exit: 1, events: []store.Event{failure("a.c", 1, "'x' undeclared")}})
		return f
	},
	"known_only": func(t *testing.T) *fixture {
		f := failing(t)
		f.add(t, ended{exit: 1, events: []store.Event{failure("src/util.c", 8, "expected ';' before 'return'")}}, onTopic)
		return f
	},
	"unrecognised": func(t *testing.T) *fixture {
		f := empty(t)
		f.add(t, ended{exit: 137, log: logged})
		return f
	},
	"timeout": func(t *testing.T) *fixture {
		f := failing(t)
		f.add(t, ended{reason: store.ReasonTimeout, took: 300 * time.Second,
			events: []store.Event{failure("src/new.c", 8, "expected ')'")}}, onTopic)
		return f
	},
	"cancelled": func(t *testing.T) *fixture {
		f := empty(t)
		f.add(t, ended{reason: store.ReasonCancelled, log: logged})
		return f
	},
	"running": func(t *testing.T) *fixture {
		f := empty(t)
		f.add(t, ended{running: true, log: "compiling\n"})
		return f
	},
	"orphaned": func(t *testing.T) *fixture {
		f := empty(t)
		r := f.add(t, ended{running: true, log: "compiling\n"})
		_, err := f.Store.(store.Maintainer).OrphanRun(context.Background(), r.Attempt, r.HeartbeatAt)
		check(t, err)
		return f
	},
	"tests": func(t *testing.T) *fixture {
		f := empty(t)
		var events []store.Event
		for i := range 12 {
			events = append(events, store.Event{Severity: store.SeverityError, File: "tests/test_db.py", Line: 10 + i,
				Test:    fmt.Sprintf("test_row_%d", i),
				Message: "assert 1 == 2", Tool: "pytest", Category: store.CategoryTest})
		}
		f.add(t, ended{source: "test", exit: 1, events: events})
		return f
	},
}

func TestReports(t *testing.T) {
	t.Parallel()
	for name, build := range reported {
		f := build(t)
		for _, format := range markdown.Formats {
			t.Run(name+"/"+string(format), func(t *testing.T) {
				got, err := markdown.Write(context.Background(), f.Asker, cmdline.Words, markdown.Params{Format: format})
				check(t, err)
				golden := filepath.Join("testdata", name+"."+string(format)+".md")
				if *update {
					check(t, os.WriteFile(golden, []byte(got.Markdown), 0o644))
				}
				want, err := os.ReadFile(golden)
				check(t, err)
				if diff := cmp.Diff(string(want), got.Markdown); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

func TestRunIsFoundByRefAndSource(t *testing.T) {
	t.Parallel()
	f, ctx := failing(t), context.Background()
	f.add(t, ended{source: "lint"})
	for _, tt := range []struct {
		p    markdown.Params
		want string
		code store.Code
	}{
		{p: markdown.Params{}, want: "lint:3"},
		{p: markdown.Params{Source: "build"}, want: "build:2"},
		{p: markdown.Params{Ref: "1"}, want: "build:1"},
		{p: markdown.Params{At: query.At{Branch: "main"}}, want: "build:1"},
		{p: markdown.Params{At: query.At{PR: 12}, Source: "build"}, want: "build:2"},
		{p: markdown.Params{At: query.At{PR: 13}}, code: store.NotFound},
		{p: markdown.Params{Ref: "build:2:1"}, want: "build:2"},
		{p: markdown.Params{Source: "nosuch"}, code: store.NotFound},
		{p: markdown.Params{Ref: "9"}, code: store.NotFound},
		{p: markdown.Params{Ref: "a b"}, code: store.Invalid},
		{p: markdown.Params{Format: "html"}, code: store.Invalid},
		{p: markdown.Params{Ref: "2", Baseline: "77"}, code: store.NotFound},
	} {
		got, err := markdown.Write(ctx, f.Asker, cmdline.Words, tt.p)
		if got.RunRef != tt.want || store.CodeOf(err) != tt.code {
			t.Errorf("%+v: %q, %v", tt.p, got.RunRef, err)
		}
	}
}

// TestThePassOfOneStepIsNoPassOfOthers checks that the headline of a passed run names failed runs of other steps,
// unless the caller asked for that run.
func TestThePassOfOneStepIsNoPassOfOthers(t *testing.T) {
	t.Parallel()
	f := empty(t)
	named := func(source string) func(*store.Run) { return func(r *store.Run) { r.Source = source } }
	f.add(t, ended{exit: 1}, onMain, named("test"))
	f.add(t, ended{exit: 0}, onMain, named("docs"))
	f.add(t, ended{exit: 1}, onTopic, named("elsewhere"))
	f.add(t, ended{exit: 0}, onMain, named("lint"))
	for want, p := range map[string]markdown.Params{
		"⚠️ `lint` passed in 1.0 s; `test:1` is FAIL":                          {},
		"✅ `lint` passed in 1.0 s":                                             {Ref: "lint"},
		"✅ `docs` passed in 1.0 s":                                             {Source: "docs"},
		"❌ `test` failed with exit code 1; no error was recognised in its log": {Ref: "test"},
	} {
		r, err := markdown.Write(t.Context(), f.Asker, cmdline.Words, p)
		check(t, err)
		if got, _, _ := strings.Cut(strings.TrimLeft(r.Markdown, "# "), "\n"); got != want {
			t.Errorf("%+v: %s, want %s", p, got, want)
		}
	}
}

func TestTextOfStrangersStaysCode(t *testing.T) {
	t.Parallel()
	shape := func(s string) parsed {
		f, branch := empty(t), strings.ToValidUTF8(s, "?") // CI facts come from JSON, so they are valid UTF-8
		change := func(r *store.Run) {
			onTopic(r)
			r.Command, r.Git.Branch, r.CI.BaseRef, r.CI.BaseSHA, r.CI.Job, r.CI.Workflow = s, "t"+s, branch, "", s, s
		}
		test := failure("f"+s, 1, "test "+s)
		test.Test, test.Code = s, s
		f.add(t, ended{exit: 1, events: []store.Event{failure("g"+s, 1, "known "+s)}}, onMain,
			func(r *store.Run) { r.Git.Branch, r.CI.HeadRef = branch, branch })
		f.add(t, ended{exit: 1, events: []store.Event{failure("g"+s, 1, "known "+s), failure("f"+s, 3, s),
			failure("f"+s+"/g", 3, s), test}}, change)
		f.add(t, ended{source: "other", exit: 1, log: s}, change)
		all := ""
		for _, ref := range []string{"build", "other"} {
			for _, format := range markdown.Formats {
				got, err := markdown.Write(context.Background(), f.Asker, cmdline.Words, markdown.Params{Ref: ref, Format: format})
				check(t, err)
				all += got.Markdown + "\n***\n\n"
			}
		}
		return parse(all)
	}
	parts := func(p parsed) (set []string) {
		for _, s := range p.shape {
			s = strings.TrimLeft(s, " ")
			if at := strings.Index(s, "/blob/"); at > 0 { // file names are also in URLs, in encoded form
				if strings.Trim(s[at:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/%#") != "" {
					t.Errorf("address %s", s)
				}
				s = s[:at]
			}
			set = append(set, s)
		}
		slices.Sort(set)
		return slices.Compact(set)
	}
	known := parts(shape("xsomex"))
	known = append(known, parts(shape("x\nsome\nx"))...)
	for _, s := range hostile {
		for _, part := range parts(shape("x" + s + "x")) {
			if !slices.Contains(known, part) {
				t.Errorf("%q makes %s", s, part)
			}
		}
	}
}

func TestReportFitsAndSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	f := empty(t)
	var events []store.Event
	for i := range 20_000 {
		e := failure(fmt.Sprintf("src/%d/%s.c", i, strings.Repeat("é", 60)), i+1,
			fmt.Sprintf("complaint %s about %s", strings.Repeat(string(rune('a'+i%26)), 1+i%97), strings.Repeat("`|@", 60)))
		events = append(events, e)
	}
	f.add(t, ended{exit: 1, events: events})
	r, err := f.RunAt(context.Background(), query.At{}, "")
	check(t, err)
	facts, err := markdown.Gather(context.Background(), f.Asker, cmdline.Words, r, "")
	check(t, err)
	for _, format := range markdown.Formats {
		for _, maxBytes := range []int{0, 600, 1000, 2000, 8000, 20_000, 65_536, 1 << 30} {
			got := markdown.Render(facts, format, maxBytes)
			limit := maxBytes
			if maxBytes == 0 || maxBytes > markdown.MaxBytes {
				limit = markdown.MaxBytes
			}
			if len(got) > limit || !strings.Contains(got, "20000 errors") {
				t.Errorf("%s within %d has %d bytes:\n%.300s", format, maxBytes, len(got), got)
			}
			if maxBytes >= 2000 && !strings.Contains(got, " more errors: `blq errors build:1`") {
				t.Errorf("%s within %d does not say what is missing:\n%s", format, maxBytes, got)
			}
		}
	}
	if got := markdown.Render(facts, markdown.Brief, 0); strings.Count(got, "\n") > 13 {
		t.Errorf("brief is\n%s", got)
	}
}

func TestLinksComeFromFactsOfTheRightForm(t *testing.T) {
	t.Parallel()
	e := failure("src/a b#?.c", 3, "'x' undeclared")
	good := "(https://github.com/acme/app/blob/" + topicSHA + "/src/a%20b%23%3F.c#L3)"
	for name, tt := range map[string]struct {
		change func(*store.Run)
		file   string
		want   string
	}{
		"github":     {want: good},
		"enterprise": {change: func(r *store.Run) { r.CI.URL = "https://ghe.example:8443/acme/app/actions/runs/7/attempts/2" }, want: "(https://ghe.example:8443/acme/app/blob/"},
		"gitlab": {change: func(r *store.Run) {
			r.CI.Provider, r.CI.URL = "gitlab",
				"https://gitlab.com/acme/app/-/jobs/5"
		}, want: "(https://gitlab.com/acme/app/-/blob/"},
		"other repo": {change: func(r *store.Run) { r.CI.Repo = "evil/app" }},
		"no commit":  {change: func(r *store.Run) { r.CI.HeadSHA = "main" }},
		"script":     {change: func(r *store.Run) { r.CI.URL = "javascript:alert(1)//acme/app/actions/runs/7" }},
		"query":      {change: func(r *store.Run) { r.CI.URL += "?x=)[" }},
		"user": {
			change: func(r *store.Run) { r.CI.URL = "https://github.com@evil.example/acme/app/actions/runs/7" }},
		"outside":        {file: "../../etc/passwd"},
		"absolute":       {file: "/usr/include/stdio.h"},
		"not in CI":      {change: func(r *store.Run) { r.CI = nil }},
		"other provider": {change: func(r *store.Run) { r.CI.Provider = "jenkins" }},
	} {
		f := empty(t)
		e := e
		if tt.file != "" {
			e.File = tt.file
		}
		f.add(t, ended{exit: 1, events: []store.Event{e}}, onTopic, func(r *store.Run) {
			if tt.change != nil {
				tt.change(r)
			}
		})
		got, err := markdown.Write(context.Background(), f.Asker, cmdline.Words, markdown.Params{})
		check(t, err)
		if tt.want == "" && strings.Contains(got.Markdown, "/blob/") || !strings.Contains(got.Markdown, tt.want) {
			t.Errorf("%s:\n%s", name, got.Markdown)
		}
	}
}
