package store_test

import (
	"errors"
	"testing"

	"github.com/blq-ci/blq/store"
)

func TestNoRunSaysWhatWasPruned(t *testing.T) {
	pruned := store.Ref{Source: "build", Serial: 7}
	for _, tt := range []struct {
		ref, pruned store.Ref
		want, next  string
	}{
		{store.Ref{Source: "build", Serial: 9}, store.Ref{}, "no run build:9", "history"},
		{store.Ref{Source: "build", Serial: 7, Event: 3}, pruned, "run build:7 was pruned", "history"},
		{store.Ref{Attempt: "0199"}, pruned, "run 0199 was pruned", "history"},
		{store.Ref{Source: "build", Back: 2}, pruned, "no run build:~2: earlier runs, up to build:7, were pruned",
			"history"},
		{store.Ref{Source: "build"}, store.Ref{}, `no run of "build"`, "history"},
		{store.Ref{Source: "build", Repo: "o/n"}, store.Ref{}, `no run of "build" in o/n`, "history"},
		{store.Ref{Source: "build"}, pruned, `no run of "build": earlier runs, up to build:7, were pruned`, "history"},
		{store.Ref{Repo: "o/n"}, store.Ref{}, "no run o/n@latest", "history"},
		{store.Ref{}, store.Ref{}, "no runs are recorded yet", "exec"},
		{store.Ref{Back: 1}, store.Ref{}, "no run ~1", "history"},
	} {
		err := store.NoRun(tt.ref, tt.pruned)
		if err.Error() != tt.want || store.CodeOf(err) != store.NotFound || !isCall(store.NextOf(err), tt.next) {
			t.Errorf("%+v: %v (%s), want %s", tt.ref, err, store.NextOf(err), tt.want)
		}
	}
}

func isCall(step store.NextStep, tool string) bool {
	c, ok := step.(store.Call)
	return ok && c.Tool == tool
}

func TestASerialNamesOneRun(t *testing.T) {
	local, a, b := store.Run{Source: "build", Serial: 5}, store.Run{Repo: "o/a", Source: "build", Serial: 5},
		store.Run{Repo: "o/b", Source: "test", Serial: 5}
	broken := errors.New("broken")
	for name, tt := range map[string]struct {
		source string
		runs   []store.Run
		err    error
		want   string // attempt of the run, "" for none
		code   store.Code
		says   string
	}{
		"one":                 {"build", []store.Run{a}, nil, "o/a@build:5", "", ""},
		"the local one first": {"", []store.Run{local, a}, nil, "build:5", "", ""},
		"several":             {"", []store.Run{a, b}, nil, "", store.Invalid, "run 5 exists in several repositories"},
		"none":                {"", nil, nil, "", "", ""},
		"none of any source":  {"build", nil, nil, "", "", ""},
		"another source":      {"lint", []store.Run{a}, nil, "", store.NotFound, "no run lint:5: number 5 is o/a@build:5"},
		"an error":            {"build", nil, broken, "", "", "broken"},
	} {
		find := func(ref store.Ref) ([]store.Run, error) {
			var match []store.Run
			for _, r := range tt.runs {
				if ref.Source == "" || ref.Source == r.Source {
					match = append(match, r)
				}
			}
			return match, tt.err
		}
		r, found, err := store.WithSerial(store.Ref{Source: tt.source, Serial: 5}, find)
		got := ""
		if found {
			got = r.Ref().String()
		}
		if got != tt.want || message(err) != tt.says || store.CodeOf(err) != tt.code || tt.code != "" &&
			store.NextOf(err) == nil {
			t.Errorf("%s: got %q, %v (%s)", name, got, err, store.CodeOf(err))
		}
	}
}

func TestAFailedSecondLookIsTold(t *testing.T) {
	broken := errors.New("broken")
	looks := 0
	_, found, err := store.WithSerial(store.Ref{Source: "build", Serial: 5}, func(store.Ref) ([]store.Run, error) {
		looks++
		if looks == 2 {
			return nil, broken
		}
		return nil, nil
	})
	if found || !errors.Is(err, broken) {
		t.Errorf("found %v, %v", found, err)
	}
}

func TestRefsOfEvents(t *testing.T) {
	if err := store.CheckEventRef(store.Ref{Serial: 5, Event: 1}); err != nil {
		t.Error(err)
	}
	if err := store.CheckEventRef(store.Ref{Serial: 5}); store.CodeOf(err) != store.Invalid || store.NextOf(err) == nil {
		t.Error(err)
	}
	if err := store.NoEvent(store.Ref{Serial: 5}, 3); store.CodeOf(err) != store.NotFound ||
		err.Error() != "run 5 has no event 3" {
		t.Error(err)
	}
}
