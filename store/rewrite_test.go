package store

import (
	"reflect"
	"testing"
)

func TestOnlyAsterisksReplaceTexts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text, hidden string
		taken        bool
	}{
		{"the key hunter is wrong", "the key *** is wrong", true},
		{"hunter", "***", true},
		{"hunter and hunter", "*** and ***", true},
		{"a *** and hunter", "a *** and ***", true},
		{"a b c", "a*** c", true},
		{"aXbXc", "a***X***c", true},
		{"hunter", "hunter", false},
		{"hunter", "other", false},
		{"hunter is wrong", "*** is right", false},
		{"hunter is wrong", "it *** wrong", false},
		{"", "***", true},
		{"ab", "ab***b", false},
		{"ab", "b***a", false},
		{"a *** b", "a hunter b", false},
	} {
		want := test.text
		if test.taken {
			want = test.hidden
		}
		if got := masked(test.text, test.hidden); got != want {
			t.Errorf("%q hidden by %q is %q, want %q", test.text, test.hidden, got, want)
		}
	}
	e := Event{Message: "hunter", File: "a.c", Fingerprint: "1"}
	if got := HiddenEvent(e, Event{Message: "***", File: "b.c", Fingerprint: "1"}); got.Message != "***" ||
		got.File != "a.c" || got.Fingerprint == "1" {
		t.Errorf("the event is %+v", got)
	}
	if got := HiddenEvent(e, Event{Message: "other", Fingerprint: "2"}); got != e {
		t.Errorf("the event is %+v", got)
	}
}

// A sender hides secrets in these facts of a run, so they are removed from the service, too.
func TestFactsOfARunAreHidden(t *testing.T) {
	t.Parallel()
	run := func(word string) Run {
		return Run{Command: "make " + word, Cwd: "/" + word, Hostname: word, Git: Git{Root: "/" + word},
			CI: &CI{Job: word, Matrix: word, Actor: word, URL: "https://ci.example.com/?key=" + word}}
	}
	if got := HiddenRun(run("hunter"), run("***")); !reflect.DeepEqual(got, run("***")) {
		t.Errorf("%+v, %+v", got, got.CI)
	}
}
