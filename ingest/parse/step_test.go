package parse

import (
	"cmp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

// words is a tool for tests. The first word of a line gives its event.
var words = Format{Name: "words", Triggers: []string{"certain ", "likely ", "repeat ", "guess ", "died ", "status ",
	"test ", "lint ", "warn "},
	Match: func(s *Scan, l Line) bool {
		weights := map[string]Weight{"certain": Certain, "likely": Likely, "repeat": Repeat, "guess": Guess, "died": Died,
			"status": Status, "test": Certain, "lint": Certain, "warn": Certain}
		categories := map[string]store.Category{"test": store.CategoryTest, "lint": store.CategoryLint,
			"warn": store.CategoryCompile}
		for word, w := range weights {
			if len(l.Text) > len(word) && l.Text[:len(word)] == word {
				d := Draft{Weight: w}
				d.Message, d.Category = l.Text, cmp.Or(categories[word], store.CategoryBuild)
				if word == "lint" || word == "warn" {
					d.Severity = store.SeverityWarning
				}
				s.Add(d)
				return true
			}
		}
		return false
	}}

// exits is a CI system for tests. It says how each step ended.
var exits = Format{Name: "exits", Starts: []string{"The command "}, Match: func(s *Scan, l Line) bool {
	if strings.HasSuffix(l.Text, " exited with 0.") {
		s.EndStep(Passed)
		return true
	}
	s.Add(Draft{Weight: Repeat, Event: store.Event{Message: strings.TrimSuffix(l.Text, "."), Category: store.CategoryCI}})
	s.EndStep(Failed)
	return true
}}

func TestWhatCountsWhenAStepHasEnded(t *testing.T) {
	const passed, failed = "The command \"x\" exited with 0.\n", "The command \"x\" exited with 1.\n"
	for _, tt := range []struct {
		name, log string
		want      []string
	}{
		{"errors of a passed step are warnings", "certain a\nlikely b\nrepeat c\nguess d\n" + passed,
			[]string{"warning certain a", "info repeat c"}},
		{"a certain error explains what came before", "likely a\ncertain b\nlikely c\nrepeat d\n" + failed,
			[]string{"error certain b", "error likely c", "info repeat d"}},
		{"a likely error counts alone", "likely a\nguess b\n" + failed, []string{"error likely a"}},
		{"guesses count where nothing else does", "guess a\nguess b\nrepeat c\n" + failed, []string{"error guess a",
			"error guess b", "info repeat c"}},
		{"what is said again is one guess", "guess a\nguess a\n" + failed, []string{"error guess a"}},
		{"a repeat is the error of a step without another", "repeat a\nsome words\n" + failed, []string{"error repeat a"}},
		{"the first of a chain of repeats stands for all", "repeat a\n" + strings.Repeat("x\n", 20) + "repeat b\n" +
			"repeat c\n" + failed, []string{"info repeat a", "error repeat b", "info repeat c"}},
		{"last words", "some words\nlast words\n----\n\n" + failed, []string{"error last words"}},
		{"words in a box", "some words\n┌────┐\n│ last words\n└────┘\n" + failed, []string{"error │ last words"}},
		{"the last paragraph, where the last line explains nothing",
			"a\n\nsome words\nmore words\n\n+ exit 1\nesac\n" + failed,
			[]string{"error some words\nmore words"}},
		{"the line above a stack", "some words\nlast words\n    at f (a.js:1:2)\n    at g (a.js:3:4)\n" + failed,
			[]string{"error last words"}},
		{"a sentence that begins like a frame", "some words\nat least one is missing\n" + failed,
			[]string{"error at least one is missing"}},
		{"a plain diff", "words\n2c2\n< old words\n---\n> new words\n> more\n" + failed,
			[]string{"error < old words\n> new words\n> more"}},
		{"a failed test of an unknown runner counts anywhere", "status a\n" + strings.Repeat("word\n", 200) + failed,
			[]string{"error status a"}},
		{"but not in a step that passed", "status a\n" + passed, nil},
		{"nor beside a known runner's", "status a\ntest b\nstatus c\n" + failed, []string{"error test b"}},
		{"what a step says last counts beside what it said long before",
			"likely a\n" + strings.Repeat("word\n", 50) + "guess b\nword\n" + failed,
			[]string{"error likely a", "error guess b"}},
		{"the warnings of a linter explain a failure", "lint a\n" + strings.Repeat("word\n", 30) + "lint b\nword\n" + failed,
			[]string{"error lint a", "error lint b"}},
		{"those of a compiler do so at the end", "warn a\n" + strings.Repeat("word\n", 30) + "warn b\n" + failed,
			[]string{"warning warn a", "error warn b"}},
		{"the CI system's remark, of a step that said nothing", failed, []string{`error The command "x" exited with 1`}},
		{"nothing of a step whose end nobody knows", "some words\n", nil},
		{"steps are settled apart", "certain a\n" + failed + "likely b\n" + failed, []string{"error certain a",
			"error likely b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, e := range Bytes([]byte(tt.log), nil, Options{Formats: NewList(words, exits)}) {
				if e.Tool != "exits" || len(tt.want) == 1 && e.Severity == "error" {
					got = append(got, string(e.Severity)+" "+e.Message)
				}
			}
			if diff := gocmp.Diff(tt.want, got); diff != "" {
				t.Errorf("events differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDraftsOfOneKeyAreOneEvent(t *testing.T) {
	f := Format{Name: "t", Triggers: []string{"FAIL"}, Match: func(s *Scan, l Line) bool {
		ranks := map[byte]Rank{'m': Mark, 's': Summary, 'd': Detail}
		d := Draft{Key: l.Text[6:], Rank: ranks[l.Text[5]]}
		d.Test, d.Category = l.Text[6:], "test"
		if d.Rank == Detail {
			d.Message = "because"
		} else {
			d.File = "a.t"
		}
		s.Add(d)
		return true
	}}
	for log, want := range map[string]int{"FAIL ma\nFAIL da\nFAIL sa\n": 2, "FAIL sa\nFAIL ma\n": 1, "FAIL da\n" +
		"FAIL ma\n": 1} {
		events := Bytes([]byte(log), nil, Options{Formats: NewList(f)})
		if len(events) != 1 || events[0].LogLine != want || events[0].File != "a.t" {
			t.Errorf("%q: %+v, want one event at line %d", log, events, want)
		}
	}
}

func TestFilesAreNamedFromTheTopOfTheRepository(t *testing.T) {
	for _, tt := range []struct{ root, dir, in, file, want string }{
		{"", "", "", "./src/a.c", "src/a.c"},
		{"", "", "", "/home/runner/work/app/app/src/a.c", "src/a.c"},
		{"", "", "", `D:\a\app\app\src\a.c`, "src/a.c"},
		{"", "", "", "file:///D:/a/app/app/src/a.c", "src/a.c"},
		{"", "", "", "file:///C:/lib/a.h", "C:/lib/a.h"},
		{"", "", "", "/home/travis/build/acme/app/a.c", "a.c"},
		{"/work/app", "", "", "/work/app/src/a.c", "src/a.c"},
		{"/work/app", "/work/app/lib", "", "a.c", "lib/a.c"},
		{"/work/app", "/work/app/lib", "", "../a.c", "a.c"},
		{"/work/app", "", "/work/app/deep", "a.c", "deep/a.c"},
		{"/work/app", "", "", "/usr/include/stdio.h", "/usr/include/stdio.h"},
		{"/work/app", "", "", "../outside.c", "../outside.c"},
	} {
		if got := newPaths(Options{Root: tt.root, Dir: tt.dir}).clean(tt.file, tt.in); got != tt.want {
			t.Errorf("root %q, dir %q, in %q: %q is %q, want %q", tt.root, tt.dir, tt.in, tt.file, got, tt.want)
		}
	}
}
