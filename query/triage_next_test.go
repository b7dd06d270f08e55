package query

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

func TestOnlyWhatCanRunAgainIsOffered(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		r        store.Run
		commands []string
		want     string
	}{
		"registered": {store.Run{Source: "test", Command: "make test"}, []string{"build", "test"},
			`run(command="test")`},
		"any other": {store.Run{Source: "test", Command: "make test"}, []string{"build"},
			`exec(command="make test", name="test")`},
		"of its own name":     {store.Run{Source: "make-test", Command: "make test"}, nil, `exec(command="make test")`},
		"registered, from CI": {store.Run{Source: "test", CI: &store.CI{}}, []string{"test"}, `run(command="test")`},
		"from CI":             {store.Run{Source: "test", Command: "make", CI: &store.CI{}}, nil, ""},
		"an imported log":     {store.Run{Source: "log", Command: "import build.log"}, nil, ""},
		"captured text":       {store.Run{Source: "x", Command: "capture"}, nil, ""},
		"a long command":      {store.Run{Source: "x", Command: strings.Repeat("a", 301)}, nil, ""},
		"a command just short": {store.Run{Source: "x", Command: strings.Repeat("a", 300)}, nil,
			`exec(command="` + strings.Repeat("a", 300) + `", name="x")`},
		"control characters": {store.Run{Source: "x", Command: "a\x1b[31mb"}, nil,
			`exec(command="` + Clean("a\x1b[31mb") + `", name="x")`},
	} {
		var got []string
		for _, c := range again(tt.r, tt.commands, false) {
			got = append(got, c.String())
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %v, want %s", name, got, tt.want)
		}
	}
	r := store.Run{Source: "x", Command: "make"}
	if why := again(r, nil, true)[0].Why; !strings.Contains(why, "may pass") {
		t.Errorf("flaky: %s", why)
	}
	if why := again(r, nil, false)[0].Why; !strings.Contains(why, "fixed") {
		t.Errorf("not flaky: %s", why)
	}
}

func TestNextCallsSuitTheOutcome(t *testing.T) {
	t.Parallel()
	n := func(i int) *int { return &i }
	r := store.Run{Source: "build", Serial: 9, Command: "make"}
	long, longer := r, r
	long.Lines, longer.Lines = tailExtent.lines+1, 101
	sample := []ErrorGroup{{Sample: Sample{Ref: "build:9:1"}}}
	since := BaselineNote{RunRef: "build:8"}
	for name, tt := range map[string]struct {
		t    Triage
		r    store.Run
		want string
	}{
		"running":            {Triage{Status: store.StatusRunning}, r, "info"},
		"passed":             {Triage{Status: store.StatusOK}, r, ""},
		"passed, none fixed": {Triage{Status: store.StatusOK, Counts: TriageCounts{Fixed: n(0)}, Baseline: since}, r, ""},
		"passed, some fixed": {Triage{Status: store.StatusOK, Counts: TriageCounts{Fixed: n(1)}, Baseline: since},
			r, "diff"},
		"no errors":            {Triage{Status: store.StatusFail}, r, "exec"},
		"no errors, long":      {Triage{Status: store.StatusFail}, long, "output exec"},
		"no errors, longer":    {Triage{Status: store.StatusFail}, longer, "output output exec"},
		"no errors, a warning": {Triage{Status: store.StatusFail, Counts: TriageCounts{Warnings: 1}}, r, "events exec"},
		"an error": {Triage{Status: store.StatusFail, Counts: TriageCounts{Errors: 1}, Errors: sample},
			r, "inspect exec"},
		"errors": {Triage{Status: store.StatusFail, Counts: TriageCounts{Errors: 2}, Errors: sample},
			r, "inspect info exec"},
		"new errors": {Triage{Status: store.StatusFail, New: sample, Baseline: since,
			Counts: TriageCounts{Errors: 1, New: n(1), Fixed: n(0)}}, r, "inspect diff exec"},
		"old errors": {Triage{Status: store.StatusFail, Known: sample, Baseline: since,
			Counts: TriageCounts{Errors: 1, New: n(0), Fixed: n(0)}}, r, "inspect exec"},
		"fixed errors": {Triage{Status: store.StatusFail, Known: sample, Baseline: since,
			Counts: TriageCounts{Errors: 1, New: n(0), Fixed: n(2)}}, r, "inspect diff exec"},
		"another run": {Triage{Status: store.StatusOK, Others: []OtherRun{{RunRef: "test:3"}}}, r, "triage"},
		"another run that is left out": {Triage{Status: store.StatusOK,
			Others: []OtherRun{{RunRef: "test:3", LeftOut: "gone"}}}, r, ""},
	} {
		var got []string
		for _, c := range tt.t.steps(tt.r, TriageParams{}) {
			got = append(got, c.Tool)
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestTheVerdictNamesTheEnd(t *testing.T) {
	t.Parallel()
	for want, tt := range map[string]Triage{
		"build:1 was stopped: it took too long":               {Status: store.StatusTimeout, Signal: "SIGKILL"},
		"build:1 was cancelled":                               {Status: store.StatusCancelled, Signal: "SIGTERM"},
		"build:1 was lost: its recorder died before it ended": {Status: store.StatusOrphaned},
		"build:1 was ended by SIGSEGV":                        {Status: store.StatusFail, Signal: "SIGSEGV"},
		"build:1 failed":                                      {Status: store.StatusFail},
		"build:1 is running: ask again when it has ended":     {Status: store.StatusRunning},
	} {
		tt.RunRef, tt.Tail = "build:1", "the end"
		if got := tt.verdict(store.Run{}, true); got != want && got !=
			want+", and no error was recognised in its log: the cause should be at the end of the log" {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The least important parts are left out first.
func TestAReportIsShortenedStepByStep(t *testing.T) {
	t.Parallel()
	calls := []store.Call{{Tool: "a"}, {Tool: "b"}, {Tool: "c"}}
	tr := Triage{
		Others: []OtherRun{{RunRef: "x:1"}, {RunRef: "y:2"}}, unnamed: 1, Tail: strings.Repeat("0123456789\n", 37),
		NextSteps: calls,
		Errors:    []ErrorGroup{{Also: []string{"one"}, Sample: Sample{Log: "log", Message: strings.Repeat("m", 151)}}},
	}
	first := tr.first()
	for i, done := range []func() bool{
		func() bool { return tr.Others == nil && tr.unnamed == 3 && len(tr.Tail) == 407 },
		func() bool { return len(tr.Tail) > 200 && len(tr.Tail) <= 407*2/3 && len(tr.NextSteps) == 3 },
		func() bool { return len(tr.NextSteps) == 2 && first.Sample.Log != "" },
		func() bool { return first.Sample.Log == "" && first.Also != nil },
		func() bool { return first.Also == nil && len(first.Sample.Message) == 151 },
		func() bool { return len(first.Sample.Message) < 151 && len(tr.NextSteps) == 2 },
		func() bool { return len(tr.NextSteps) == 1 },
		func() bool { return len(tr.NextSteps) == 0 },
	} {
		if !tr.shorten() || !done() {
			t.Fatalf("step %d: %+v", i+1, tr)
		}
	}
	if tr.shorten() {
		t.Errorf("there is more: %+v", tr)
	}
}

func TestErrorsOfAGroupAreToldByWhatDiffers(t *testing.T) {
	t.Parallel()
	at := func(id int, file string, line int, test, message string) store.RunEvent {
		return store.RunEvent{Event: store.Event{ID: id, File: file, Line: line, Test: test, Message: message},
			Run: store.Ref{Source: "build", Serial: 3}}
	}
	sample := at(1, "a.c", 1, "", "boom")
	for _, tt := range []struct {
		e    store.RunEvent
		want string
	}{
		{at(2, "a.c", 1, "", "boom"), "3:2"}, {at(2, "a.c", 5, "", "boom"), "3:2 a.c:5"},
		{at(2, "a.c", 1, "", "bang"), "3:2 bang"}, {at(2, "b.c", 1, "", "bang"), "3:2 b.c:1 bang"},
		{at(2, "a.c", 1, "test_x", "bang"), "3:2 test_x"}, {at(2, "a.c", 1, "a.c::test_x", "boom"), "3:2 test_x"},
		{at(2, "", 0, "", "bang\nmore"), "3:2 bang"},
	} {
		if got := inShort(tt.e, sample); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.e.Event, got, tt.want)
		}
	}
}

func TestTheLastLinesThatFit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		n    int
		want string
	}{
		"cut in a line":           {"one\ntwo\nthree\n", 8, "three\n"},
		"cut at a line":           {"one\ntwo\nthree\n", 6, "three\n"},
		"a last line too long":    {"one\nfourteen\n", 5, "teen\n"},
		"no line end":             {"fourteen", 4, "teen"},
		"cut inside a character":  {"né", 1, ""},
		"cut before two of three": {"ab€c", 3, "c"},
	} {
		if got := lastLines(tt.text, tt.n); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
