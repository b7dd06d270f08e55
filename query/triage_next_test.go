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
