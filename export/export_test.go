package export_test

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/export"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/store"
)

var forms = []export.Form{export.JUnit, export.SARIF, export.CTRF, export.Checkstyle, export.RDJSON, export.RDJSONL,
	export.OTLP}

// newFixture returns a project with three runs: an earlier run, a run with events and tests of all kinds, and a run
// without events.
func newFixture(t *testing.T) *querytest.Fixture {
	t.Helper()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, t.TempDir())}
	ci := &store.CI{Provider: "github", Repo: "acme/app", Workflow: "CI", Job: "unit", RunID: "77", RunAttempt: 2, PR: 12,
		HeadSHA: strings.Repeat("a", 40), BaseRef: "main", URL: "https://github.com/acme/app/actions/runs/77/job/5"}
	f.Add(t, querytest.Run{Source: "test", At: 0, Exit: 1, Events: events()[1:2]})
	f.Add(t, querytest.Run{Source: "test", At: 1, Exit: 1, Events: events(), Tests: results(), CI: ci,
		Command: "make " + hostile})
	f.Add(t, querytest.Run{Source: "empty", At: 2, Exit: 0})
	return f
}

// plain returns events in a fixed order, without the values that a document has no place for.
func plain(keep func(store.Event) store.Event, list []store.Event) []store.Event {
	var out []store.Event
	for _, e := range list {
		e.Message = strings.ReplaceAll(query.Clean(e.Message), "\ufffe", "\ufffd") // XML has no U+FFFE
		e = keep(store.Event{Severity: e.Severity, File: e.File, Line: e.Line, Column: e.Column, Message: e.Message,
			Tool: e.Tool, Code: e.Code, Category: e.Category, Test: e.Test})
		out = append(out, e)
	}
	slices.SortStableFunc(out, func(a, b store.Event) int {
		return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line, cmp.Compare(a.Message, b.Message))
	})
	return out
}

// Exported findings can be read back. Only the values that a format cannot store are lost.
func TestFindingsAreReadBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for form, keep := range map[export.Form]func(store.Event) store.Event{
		export.SARIF: func(e store.Event) store.Event { return e },
		export.Checkstyle: func(e store.Event) store.Event {
			e.Category, e.Test = store.CategoryLint, ""
			return e
		},
		export.RDJSON: func(e store.Event) store.Event {
			e.Category, e.Test = store.CategoryLint, ""
			return e
		},
		export.RDJSONL: func(e store.Event) store.Event {
			e.Category, e.Test = store.CategoryLint, ""
			return e
		},
	} {
		text, _ := document(t, f.Asker, export.Params{Form: form, Ref: "test"})
		format := "" // a line of JSON that names an exception may also be read as one of a Java program
		if form == export.RDJSONL {
			format = "lint-json"
		}
		got, _ := read(t, text, format)
		if diff := gocmp.Diff(plain(keep, events()), plain(keep, got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", form, diff, text)
		}
		if form == export.SARIF {
			for i, e := range got {
				if want := event(e).Fingerprint; e.Fingerprint != want {
					t.Errorf("%d: %s, want %s", i, e.Fingerprint, want)
				}
			}
		}
	}
}

// lines returns results as text, ordered by name.
func lines(list []store.TestResult, round time.Duration) []string {
	var out []string
	for _, r := range list {
		out = append(out, fmt.Sprintf("%s %s %d %s %s", r.Test.Name, r.Test.File, r.Attempt, r.Outcome,
			r.Duration.Round(round)))
	}
	slices.Sort(out)
	return out
}

func TestResultsAreReadBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for form, change := range map[export.Form]func(*store.TestResult){
		export.JUnit: func(*store.TestResult) {},
		export.CTRF: func(r *store.TestResult) {
			if r.Attempt == 2 && r.Outcome == store.TestError {
				r.Outcome = store.TestFailed // CTRF does not distinguish them in earlier attempts
			}
		},
	} {
		text, _ := document(t, f.Asker, export.Params{Form: form, Ref: "test"})
		list, got := read(t, text, "")
		want := results()
		for i := range want {
			change(&want[i])
		}
		if diff := gocmp.Diff(lines(want, time.Millisecond), lines(got, time.Millisecond)); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", form, diff, text)
		}
		keep := func(e store.Event) store.Event {
			return store.Event{File: e.File, Line: e.Line, Message: e.Message, Test: e.Test, Category: e.Category}
		}
		var failed []store.Event
		for _, e := range events() {
			ofInfra := form == export.CTRF && e.Test == "needs the network"
			if ofFlaky := form == export.CTRF && e.Severity == store.SeverityWarning; e.Test != "" && !ofInfra && !ofFlaky {
				failed = append(failed, e)
			}
		}
		if diff := gocmp.Diff(plain(keep, failed), plain(keep, list)); diff != "" {
			t.Errorf("events of %s (-want +got):\n%s\n%s", form, diff, text)
		}
	}
}

func TestDocumentsFitTheirSchemas(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, ref := range []string{"test", "empty"} {
		for form, schema := range map[export.Form]string{
			export.SARIF: "sarif.json", export.CTRF: "ctrf.json", export.RDJSON: "rdjson.json",
		} {
			text, _ := document(t, f.Asker, export.Params{Form: form, Ref: ref})
			valid(t, schema, text)
		}
	}
}

// A document has no hidden characters, and two documents of one run are equal.
func TestDocumentsAreCleanAndStable(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, form := range forms {
		text, _ := document(t, f.Asker, export.Params{Form: form, Ref: "test"})
		if again, _ := document(t, f.Asker, export.Params{Form: form, Ref: "test:2"}); again != text {
			t.Errorf("%s: another document", form)
		}
		if i := strings.IndexAny(text, "\x00\x1b\u202e\u2028"); i >= 0 || query.Clean(text) != text {
			t.Errorf("%s: hidden characters at %d", form, i)
		}
	}
}

// A document that is written in parts has each event and each test exactly once.
func TestALargeRunIsWrittenInParts(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, t.TempDir())}
	const n = 11_000
	var tests []store.TestResult
	for i := range n {
		tests = append(tests, result(fmt.Sprintf("test_%d", i), "t.py", 1, store.TestPassed, time.Millisecond))
		if i%10 == 0 {
			tests[i].Outcome = store.TestFailed
		}
	}
	list := querytest.Errors(1, n, 0)
	for i := range list {
		if list[i].Test != "" {
			list[i].Test, list[i].File = fmt.Sprintf("test_%d", i/2*10), ""
		}
	}
	f.Add(t, querytest.Run{Source: "test", Exit: 1, Events: list, Tests: tests})
	for form, item := range map[export.Form]string{export.SARIF: `"level":"error"`, export.RDJSON: `"severity":"ERROR"`,
		export.RDJSONL: `"severity":"ERROR"`, export.Checkstyle: "<error ", export.JUnit: "<testcase ",
		export.CTRF: `"duration":1,`, export.OTLP: `"parentSpanId"`} {
		text, parts := document(t, f.Asker, export.Params{Form: form})
		if got := strings.Count(text, item); got != n || parts < 3 {
			t.Errorf("%s: %d items in %d parts", form, got, parts)
		}
		switch form {
		case export.SARIF:
			valid(t, "sarif.json", text)
		case export.CTRF:
			valid(t, "ctrf.json", text)
		case export.RDJSON:
			valid(t, "rdjson.json", text)
		case export.JUnit:
			fitsJUnit(t, text)
		case export.OTLP:
			if got := strings.Count(text, `"exception.message"`); got != n {
				t.Errorf("%d events in the trace", got)
			}
			trace(t, text)
		}
	}
}

// counting counts the events that are read.
type counting struct {
	store.Reader
	read *int
}

func (c counting) Events(ctx context.Context, sc store.Scope, f store.EventFilter) (store.EventPage, error) {
	page, err := c.Reader.Events(ctx, sc, f)
	*c.read += len(page.Events)
	return page, err
}

// The events of failed tests are looked up once for all parts of a document. Each part reads the full events only for
// its own tests.
func TestFailedTestsAreReadOnceForAllParts(t *testing.T) {
	t.Parallel()
	f := &querytest.Fixture{Asker: querytest.NewAsker(t, t.TempDir())}
	const n = 21_000
	var tests []store.TestResult
	var list []store.Event
	for i := range n {
		tests = append(tests, result(fmt.Sprintf("app.Test.test_%d", i), "t.py", 1, store.TestFailed, time.Millisecond))
		list = append(list, event(store.Event{Severity: store.SeverityError, Tool: "runner", Category: store.CategoryTest,
			Test: fmt.Sprintf("test_%d", n-1-i), Message: fmt.Sprintf("reason %d.", n-1-i)}))
	}
	f.Add(t, querytest.Run{Source: "test", Exit: 1, Events: list, Tests: tests})
	read := 0
	f.Asker.Store = counting{f.Asker.Store, &read}
	text, parts := document(t, f.Asker, export.Params{Form: export.JUnit})
	if parts < 5 || read > 2*n+3*parts {
		t.Errorf("%d events were read for %d parts of %d failures", read, parts, n)
	}
	reasons := map[string]bool{}
	for _, reason := range regexp.MustCompile(`reason \d+\.`).FindAllString(text, -1) {
		reasons[reason] = true
	}
	for i := range n {
		if !reasons[fmt.Sprintf("reason %d.", i)] {
			t.Fatalf("test %d has no reason", i)
		}
	}
	f.Asker.Parts = nil // like a replica that has just started
	if again, _ := document(t, f.Asker, export.Params{Form: export.JUnit}); again != text {
		t.Error("without what is kept it is another document")
	}
}

func TestWhatCannotBeExported(t *testing.T) {
	t.Parallel()
	f := querytest.New(t)
	for name, tt := range map[string]struct {
		p    export.Params
		code store.Code
	}{
		"no form":          {export.Params{Ref: "build"}, store.Invalid},
		"another form":     {export.Params{Form: "pdf", Ref: "build"}, store.Invalid},
		"no run":           {export.Params{Form: export.SARIF, Ref: "build:99"}, store.NotFound},
		"running":          {export.Params{Form: export.SARIF, Ref: "deploy"}, store.Conflict},
		"no baseline":      {export.Params{Form: export.SARIF, Ref: "build", Baseline: "nosuch"}, store.NotFound},
		"no continuation":  {export.Params{Form: export.SARIF, Ref: "build", Next: "7"}, store.Invalid},
		"before the start": {export.Params{Form: export.SARIF, Ref: "build", Next: "1.-1.0"}, store.Invalid},
	} {
		if _, err := export.Write(t.Context(), f.Asker, tt.p); store.CodeOf(err) != tt.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	narrow := *f.Asker
	narrow.Scope = store.Repos("acme/app")
	if _, err := export.Write(t.Context(), &narrow, export.Params{Form: export.JUnit, Ref: "build:1"}); store.CodeOf(
		err) != store.NotFound {
		t.Errorf("a foreign run: %v", err)
	}
}

func TestSARIFTellsWhatIsNew(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	type log struct {
		Runs []struct {
			Tool    struct{ Driver struct{ Name string } }
			Results []struct {
				BaselineState       string
				PartialFingerprints map[string]string
			}
			Properties struct {
				Baseline string `json:"baseline_ref"`
			}
		}
	}
	f.Add(t, querytest.Run{Source: "test", At: 3, Exit: 1, Events: append(events()[:1], events()[0], events()[3])})
	text, _ := document(t, f.Asker, export.Params{Form: export.SARIF, Ref: "test", Baseline: "test:2"})
	var got []string
	for _, r := range decoded[log](t, text).Runs {
		for _, res := range r.Results {
			got = append(got, r.Tool.Driver.Name+" "+res.BaselineState+" since "+r.Properties.Baseline)
			if !strings.HasPrefix(res.PartialFingerprints["blq/v1"], r.Tool.Driver.Name+"_") {
				t.Errorf("fingerprints %v", res.PartialFingerprints)
			}
		}
	}
	want := []string{"gcc unchanged since test:2", "gcc new since test:2", "runner unchanged since test:2"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, text)
	}
}
